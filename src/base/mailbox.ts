/** Put one by one, taken all at once: a slow reader skips ahead and misses nothing. For one reader. */
export class Mailbox<T> implements AsyncIterable<readonly T[]> {
  #items: T[] = [];
  #closed = false;
  #wake: (() => void) | undefined;

  /** Adds an item. Ignored once closed. */
  put(item: T): void {
    if (this.#closed) return;
    this.#items.push(item);
    this.#wake?.();
  }

  /** No more items will come; what is there is still read. */
  close(): void {
    this.#closed = true;
    this.#wake?.();
  }

  /** Everything that arrived since the last look, a non-empty array at a time. */
  async *[Symbol.asyncIterator](): AsyncGenerator<readonly T[], void, undefined> {
    for (;;) {
      if (this.#items.length > 0) {
        const batch = this.#items;
        this.#items = [];
        yield batch;
      } else if (this.#closed) return;
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
    }
  }
}
