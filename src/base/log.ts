// An append-only log with any number of independent readers: the one stream primitive.

type Waiter = () => void;

/** Written once, read by many, each from the first item at its own pace. */
export class Log<T> implements AsyncIterable<T> {
  readonly items: T[] = [];
  #closed = false;
  #waiters: Waiter[] = [];
  #watchers: ((item: T) => void)[] = [];

  /** Adds an item. Ignored once closed. */
  append(item: T): void {
    if (this.#closed) return;
    this.items.push(item);
    for (const watch of this.#watchers) watch(item);
    if (this.#waiters.length > 0) this.#wake();
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** No more items will come; readers end once they have read what is there. */
  close(): void {
    this.#closed = true;
    this.#watchers = [];
    this.#wake();
  }

  /** Calls `visit` for every item there is, then for each new one as it is appended, until the returned function is called. */
  watch(visit: (item: T) => void): () => void {
    for (const item of this.items) visit(item);
    if (this.#closed) return () => {};
    this.#watchers = [...this.#watchers, visit];
    return () => {
      this.#watchers = this.#watchers.filter((watcher) => watcher !== visit);
    };
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
