import { onAbort } from "./signal.ts";

/** Time as it is passed in: milliseconds, monotonic. */
export interface Clock {
  /** Milliseconds since some fixed moment. */
  now(): number;
  /** Resolves after `ms`, or at once when the signal fires (never rejects). */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The machine's own time. */
export const systemClock: Clock = {
  now: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const timer = setTimeout(() => {
        forget();
        resolve();
      }, ms);
      const forget = onAbort(signal, () => {
        clearTimeout(timer);
        resolve();
      });
    }),
};
