import type { Clock } from "../base/clock.ts";
import { onAbort } from "../base/signal.ts";

type Timer = { readonly at: number; readonly order: number; wake: () => void; done: boolean };

const before = (a: Timer, b: Timer) => a.at < b.at || (a.at === b.at && a.order < b.order);

/** A binary heap, earliest first; what was cancelled stays until its turn and is passed over. */
function push(heap: Timer[], timer: Timer): void {
  let child = heap.push(timer) - 1;
  while (child > 0) {
    const parent = (child - 1) >> 1;
    if (!before(timer, heap[parent]!)) break;
    heap[child] = heap[parent]!;
    child = parent;
  }
  heap[child] = timer;
}

function pop(heap: Timer[]): Timer | undefined {
  const first = heap[0];
  const last = heap.pop();
  if (first === undefined || last === undefined || heap.length === 0) return first;
  let parent = 0;
  for (;;) {
    let child = 2 * parent + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && before(heap[child + 1]!, heap[child]!)) child++;
    if (!before(heap[child]!, last)) break;
    heap[parent] = heap[child]!;
    parent = child;
  }
  heap[parent] = last;
  return first;
}

/** Time that moves only when everything waits: it then jumps to the next timer, and wakes all that are due, in order. */
export class VirtualClock implements Clock {
  #now = 0;
  #order = 0;
  #timers: Timer[] = [];

  now(): number {
    return this.#now;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const timer: Timer = { at: this.#now + Math.max(0, ms), order: this.#order++, done: false, wake: () => {} };
      const wake = () => {
        timer.done = true;
        resolve();
      };
      const forget = onAbort(signal, wake);
      timer.wake = () => {
        forget();
        wake();
      };
      push(this.#timers, timer);
    });
  }

  after(ms: number, callback: () => void): () => void {
    const timer: Timer = { at: this.#now + Math.max(0, ms), order: this.#order++, done: false, wake: callback };
    push(this.#timers, timer);
    return () => {
      timer.done = true;
    };
  }

  /** Runs `work` to its end. Throws when work is pending and no timer is left: a deadlock. */
  async run<T>(work: Promise<T>): Promise<T> {
    let settled = false;
    const settle = () => {
      settled = true;
    };
    work.then(settle, settle);
    for (;;) {
      await new Promise((resolve) => setImmediate(resolve));
      if (settled) return work;
      const timer = this.#next();
      if (timer === undefined) throw new Error("deadlock: work is pending but no timer is set");
      this.#now = timer.at;
      for (let due: Timer | undefined = timer; due !== undefined; due = this.#next(timer.at)) {
        due.done = true;
        due.wake();
      }
    }
  }

  /** Takes the earliest timer that is set, no later than `by`. */
  #next(by = Infinity): Timer | undefined {
    while (this.#timers[0] !== undefined && this.#timers[0].at <= by) {
      const timer = pop(this.#timers);
      if (timer?.done === false) return timer;
    }
    return undefined;
  }
}
