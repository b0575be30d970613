// An append-only log with any number of independent readers: the one stream primitive.

type Waiter = () => void;

/** Written once, read by many, each from the first item at its own pace. */
export class Log<T> implements AsyncIterable<T> {
  readonly items: T[] = [];
  #closed = false;
  #waiters: Waiter[] = [];

  /** Adds an item. Ignored once closed. */
  append(item: T): void {
    if (this.#closed) return;
    this.items.push(item);
    if (this.#waiters.length > 0) this.#wake();
  }

  /** No more items will come; readers end once they have read what is there. */
  close(): void {
    this.#closed = true;
    this.#wake();
  }

  /** A reader of its own position; leaving it early frees it. */
  [Symbol.asyncIterator](): AsyncIterator<T, undefined> {
    let position = 0;
    let left = false;
    const take = (): IteratorResult<T, undefined> | undefined => {
      if (left) return { value: undefined, done: true };
      if (position < this.items.length) return { value: this.items[position++] as T, done: false };
      return this.#closed ? { value: undefined, done: true } : undefined;
    };
    const next = async (): Promise<IteratorResult<T, undefined>> => {
      for (;;) {
        const result = take();
        if (result !== undefined) return result;
        await new Promise<void>((resolve) => this.#waiters.push(resolve));
      }
    };
    return {
      next,
      return: async () => {
        left = true;
        return { value: undefined, done: true };
      },
    };
  }

  #wake(): void {
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const wake of waiters) wake();
  }
}
