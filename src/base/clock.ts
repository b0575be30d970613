import { onAbort } from "./signal.ts";

/** Time as it is passed in: milliseconds, monotonic. */
export interface Clock {
  /** Milliseconds since some fixed moment. */
  now(): number;
  /** Resolves after `ms`, or at once when the signal fires (never rejects). */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Calls back after `ms` unless it is called off first: a sleep without a promise or a signal. Optional. */
  after?(ms: number, callback: () => void): () => void;
}

/** `clock.after`, made of a sleep where the clock has none. */
export function after(clock: Clock, ms: number, callback: () => void): () => void {
  if (clock.after !== undefined) return clock.after(ms, callback);
  const off = new AbortController();
  void clock.sleep(ms, off.signal).then(() => {
    if (!off.signal.aborted) callback();
  });
  return () => off.abort();
}

/** A timer of the machine takes no longer time than this, and fires at once for one; in milliseconds, nearly 25 days. */
const longest = 2 ** 31 - 1;

/** The machine's own time. A wait of more than 25 days ends after those. */
export const systemClock: Clock = {
  now: () => performance.now(),
  after: (ms, callback) => {
    const timer = setTimeout(callback, Math.min(ms, longest));
    return () => clearTimeout(timer);
  },
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const timer = setTimeout(
        () => {
          forget();
          resolve();
        },
        Math.min(ms, longest),
      );
      const forget = onAbort(signal, () => {
        clearTimeout(timer);
        resolve();
      });
    }),
};
