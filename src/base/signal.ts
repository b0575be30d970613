type Callbacks = Set<() => void>;

// A signal with many listeners makes Node warn of a leak, and each listener costs the signal a list entry that it scans.
const watched = new WeakMap<AbortSignal, Callbacks>();

/**
 * Calls `callback` when the signal fires (at once if it has), until the returned function is called. However many
 * callbacks a signal has, it carries one listener of ours, and none when the last callback is gone.
 */
export function onAbort(signal: AbortSignal | undefined, callback: () => void): () => void {
  if (signal === undefined) return () => {};
  if (signal.aborted) {
    callback();
    return () => {};
  }
  const callbacks = watched.get(signal) ?? watch(signal);
  // Wrapped, so that one function given twice is two callbacks.
  const entry = () => callback();
  callbacks.add(entry);
  return () => {
    if (!callbacks.delete(entry) || callbacks.size > 0) return;
    signal.removeEventListener("abort", fire);
    watched.delete(signal);
  };
}

function watch(signal: AbortSignal): Callbacks {
  const callbacks: Callbacks = new Set();
  watched.set(signal, callbacks);
  signal.addEventListener("abort", fire, { once: true });
  return callbacks;
}

function fire(this: AbortSignal): void {
  const callbacks = watched.get(this);
  watched.delete(this);
  for (const callback of callbacks ?? []) callback();
}

/** What the promise came to; rejects with the signal's reason as soon as that fires, and then nobody hears what it comes to. */
export async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  let forget = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    forget = onAbort(signal, () => reject(signal.reason));
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    forget();
  }
}
