import type { Clock } from "./clock.ts";

export type DrainOptions = {
  readonly clock: Clock;
  /** Stops reading at once, whatever the source does. */
  readonly signal: AbortSignal;
  /** Stops reading after this long without an item. Absent or 0: never. */
  readonly idleMs?: number | undefined;
};

/** How reading a source ended. */
export type Drained = "ended" | "stopped" | "idle";

/**
 * Calls `visit` for each item of `source` until it ends, `visit` answers false, the signal fires, or it stalls.
 * Rejects with the source's error. Never waits for a source that ignores being left, and races nothing:
 * a promise and a callback an item.
 */
export function drain<T>(
  source: AsyncIterable<T>,
  visit: (item: T) => boolean | void,
  { clock, signal, idleMs = 0 }: DrainOptions,
): Promise<Drained> {
  const iterator = source[Symbol.asyncIterator]();
  return new Promise((resolve, reject) => {
    const over = new AbortController();
    let open = true;
    let last = clock.now();
    const close = () => {
      open = false;
      signal.removeEventListener("abort", stop);
      if (idleMs > 0) over.abort();
    };
    const leave = (why: Drained) => {
      if (!open) return;
      close();
      // Not awaited: a source that ignores its signal may take for ever to return.
      iterator.return?.().then(undefined, () => {});
      resolve(why);
    };
    const stop = () => leave("stopped");
    const fail = (error: unknown) => {
      if (!open) return;
      close();
      reject(error instanceof Error ? error : new Error(String(error), { cause: error }));
    };
    const take = (result: IteratorResult<T>) => {
      if (!open) return;
      if (result.done === true) {
        close();
        resolve("ended");
        return;
      }
      if (idleMs > 0) last = clock.now();
      let more: boolean | void;
      try {
        more = visit(result.value);
      } catch (error) {
        iterator.return?.().then(undefined, () => {});
        fail(error);
        return;
      }
      if (more === false) leave("stopped");
      else if (open) iterator.next().then(take, fail);
    };
    const watch = async () => {
      while (open) {
        const left = last + idleMs - clock.now();
        if (left <= 0) return leave("idle");
        await clock.sleep(left, over.signal);
      }
    };
    if (signal.aborted) return stop();
    signal.addEventListener("abort", stop, { once: true });
    if (idleMs > 0) void watch();
    iterator.next().then(take, fail);
  });
}
