import type { RunEvent } from "../core/types.ts";

// What an event takes beside its text; measured with process.memoryUsage, rounded up.
const eventBytes = 250;

const sizeOf = (event: RunEvent): number => ("text" in event ? eventBytes + 2 * event.text.length : eventBytes);

/** The events of a run as it goes on: written once, read by many, each at its own pace. */
export class Tape {
  readonly events: RunEvent[] = [];
  /** About what it takes in memory. */
  bytes = 0;
  /** No more events will come. */
  ended = false;
  /** Why the run failed or was cancelled. */
  failure: { readonly error: unknown } | undefined;
  readonly #readers = new Set<() => void>();

  append(event: RunEvent): void {
    this.events.push(event);
    this.bytes += sizeOf(event);
    for (const wake of this.#readers) wake();
  }

  end(failure?: { readonly error: unknown }): void {
    if (this.ended) return;
    this.ended = true;
    this.failure = failure;
    for (const wake of this.#readers) wake();
  }

  /** Calls back at each change until the returned function is called. */
  onChange(callback: () => void): () => void {
    this.#readers.add(callback);
    return () => void this.#readers.delete(callback);
  }

  /** Resolves once `good` holds; it is asked now and at each change. */
  until(good: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      if (good()) return resolve();
      const forget = this.onChange(() => {
        if (!good()) return;
        forget();
        resolve();
      });
    });
  }
}
