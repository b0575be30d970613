import type { Clock } from "../base/clock.ts";
import { after } from "../base/clock.ts";
import { onAbort } from "../base/signal.ts";
import { HttpError } from "./simulate-request.ts";

export type AdmissionOptions = {
  /** Runs at a time. */
  readonly runs: number;
  /** Requests that may wait for a run to end. */
  readonly queue: number;
  /** Milliseconds a request may wait. */
  readonly queueMs: number;
  readonly clock: Clock;
};

type Waiting = { readonly admit: () => void };

/** A bound on what goes on at a time, and on what waits: whoever finds no place is told when to come again. */
export class Admission {
  readonly #options: AdmissionOptions;
  readonly #queue = new Set<Waiting>();
  #active = 0;
  /** Mean milliseconds between places that become free, by which the wait is told. */
  #gap = 1000;
  #lastFreed: number | undefined;

  constructor(options: AdmissionOptions) {
    this.#options = options;
  }

  get active(): number {
    return this.#active;
  }

  get queued(): number {
    return this.#queue.size;
  }

  /** A place, as a function that gives it back. Rejects with an `HttpError` 429, or with the signal's reason. */
  async enter(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    const { runs, queue, queueMs, clock } = this.#options;
    if (this.#active < runs && this.#queue.size === 0) this.#active++;
    else if (this.#queue.size >= queue) throw this.#refusal(`all ${runs} runs are taken and ${queue} requests wait`);
    else {
      await new Promise<void>((resolve, reject) => {
        const leave = () => {
          this.#queue.delete(waiting);
          off();
          forget();
        };
        const waiting: Waiting = {
          admit: () => {
            leave();
            resolve();
          },
        };
        this.#queue.add(waiting);
        const off = after(clock, queueMs, () => {
          leave();
          reject(this.#refusal(`no run ended within ${queueMs} ms`));
        });
        const forget = onAbort(signal, () => {
          leave();
          reject(signal.reason as Error);
        });
      });
    }
    return this.#place();
  }

  #place(): () => void {
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      const now = this.#options.clock.now();
      this.#gap = 0.8 * this.#gap + 0.2 * (now - (this.#lastFreed ?? now - this.#gap));
      this.#lastFreed = now;
      const [next] = this.#queue;
      // The place is handed on, so nobody who comes now is served before those who wait.
      if (next === undefined) this.#active--;
      else next.admit();
    };
  }

  #refusal(message: string): HttpError {
    const seconds = Math.min(60, Math.max(1, Math.ceil((this.#gap * (this.#queue.size + 1)) / 1000)));
    return new HttpError(429, `${message}; try again later`, {
      type: "rate_limit_error",
      code: "rate_limit_exceeded",
      headers: { "retry-after": String(seconds) },
    });
  }
}
