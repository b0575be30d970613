import type { Clock } from "./clock.ts";

export type DrainOptions = {
  readonly clock: Clock;
  /** Stops reading after this long without an item. Absent or 0: never. */
  readonly idleMs?: number | undefined;
  /** While it answers true, silence is not counted. */
  readonly excused?: () => boolean;
};

/** How reading a source ended. */
export type Drained = "ended" | "left" | "idle";

export type Reading = {
  /** Resolves when the reading is over; rejects with the source's error, or with what `visit` threw. */
  readonly over: Promise<Drained>;
  /** Stops reading at once, whatever the source does. */
  leave(): void;
};

/**
 * Calls `visit` for each item of `source` until the source ends, `visit` answers false, somebody leaves, or it stalls.
 * Never waits for a source that ignores being left, and races nothing: one promise and one callback an item.
 */
export function drain<T>(
  source: AsyncIterable<T>,
  visit: (item: T) => boolean | void,
  { clock, idleMs = 0, excused = () => false }: DrainOptions,
): Reading {
  const iterator = source[Symbol.asyncIterator]();
  const { promise, resolve, reject } = withResolvers<Drained>();
  const quiet = idleMs > 0 ? new AbortController() : undefined;
  let open = true;
  let last = idleMs > 0 ? clock.now() : 0;
  const close = () => {
    open = false;
    quiet?.abort();
  };
  const leave = (why: Drained) => {
    if (!open) return;
    close();
    // Not awaited: a source that ignores being left may take for ever to return.
    iterator.return?.().then(undefined, () => {});
    resolve(why);
  };
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
    try {
      if (visit(result.value) === false) leave("left");
    } catch (error) {
      iterator.return?.().then(undefined, () => {});
      fail(error);
    }
    if (open) iterator.next().then(take, fail);
  };
  const watch = async (signal: AbortSignal) => {
    while (open) {
      if (excused()) last = clock.now();
      const left = last + idleMs - clock.now();
      if (left <= 0) leave("idle");
      else await clock.sleep(left, signal);
    }
  };
  if (quiet !== undefined) void watch(quiet.signal);
  iterator.next().then(take, fail);
  return { over: promise, leave: () => leave("left") };
}

function withResolvers<T>() {
  let resolve!: (value: T) => void;
  let reject!: (error: Error) => void;
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}
