/** How reading a source ended: by itself, or because somebody left. */
export type Drained = "ended" | "left";

export type Reading = {
  /** Resolves when the reading is over; rejects with the source's error, or with what `visit` threw. */
  readonly over: Promise<Drained>;
  /** Stops reading at once, whatever the source does. */
  leave(): void;
};

/**
 * Calls `visit` for each item of `source` until the source ends, `visit` answers false, or somebody leaves.
 * Never waits for a source that ignores being left, and races nothing: one promise and one callback an item.
 */
export function drain<T>(source: AsyncIterable<T>, visit: (item: T) => boolean | void): Reading {
  const iterator = source[Symbol.asyncIterator]();
  const { promise, resolve, reject } = withResolvers<Drained>();
  let open = true;
  const abandon = () => {
    // Not awaited: a source that ignores being left may take for ever to return.
    iterator.return?.().then(undefined, () => {});
  };
  const leave = () => {
    if (!open) return;
    open = false;
    abandon();
    resolve("left");
  };
  const fail = (error: unknown) => {
    if (!open) return;
    open = false;
    reject(error instanceof Error ? error : new Error(String(error), { cause: error }));
  };
  const take = (result: IteratorResult<T>) => {
    if (!open) return;
    if (result.done === true) {
      open = false;
      resolve("ended");
      return;
    }
    try {
      if (visit(result.value) === false) leave();
    } catch (error) {
      abandon();
      fail(error);
    }
    if (open) iterator.next().then(take, fail);
  };
  iterator.next().then(take, fail);
  return { over: promise, leave };
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
