import { type Clock, systemClock } from "../base/clock.ts";
import { ConfigError } from "../base/errors.ts";

/** How many a gate lets in. */
export type GateOptions = {
  /** How many may be inside at once. Default: no bound. */
  readonly concurrency?: number | undefined;
  readonly clock?: Clock | undefined;
};

type Waiter = { readonly ticket: number; readonly admit: () => void };

/** Lets a bounded number in at once, first come, first served, and nobody while it is paused. */
export class Gate {
  readonly #concurrency: number;
  readonly #clock: Clock;
  #inside = 0;
  #tickets = 0;
  #queue: Waiter[] = [];
  #pausedUntil = 0;
  #alarm: AbortController | undefined;

  constructor({ concurrency = Infinity, clock = systemClock }: GateOptions = {}) {
    if (concurrency !== Infinity && (!Number.isInteger(concurrency) || concurrency < 1))
      throw new ConfigError("concurrency", "must be a whole number of 1 or more");
    this.#concurrency = concurrency;
    this.#clock = clock;
  }

  /** How many are inside, and how many wait. */
  get load(): { readonly inside: number; readonly waiting: number } {
    return { inside: this.#inside, waiting: this.#queue.length };
  }

  /** A place in the order of arrival; who comes again keeps it. */
  ticket(): number {
    return this.#tickets++;
  }

  /** Goes in at once if nobody has to be waited for. */
  tryEnter(): boolean {
    if (this.#queue.length > 0 || !this.#free(this.#clock.now())) return false;
    this.#inside++;
    return true;
  }

  /** Resolves to true once inside, or to false when the signal fires first: it then has left the queue. */
  enter(ticket: number, signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return Promise.resolve(false);
    return new Promise((resolve) => {
      const waiter: Waiter = {
        ticket,
        admit: () => {
          signal.removeEventListener("abort", leave);
          resolve(true);
        },
      };
      const leave = () => {
        this.#queue = this.#queue.filter((other) => other !== waiter);
        if (this.#queue.length === 0) this.#alarm?.abort();
        resolve(false);
      };
      signal.addEventListener("abort", leave, { once: true });
      const behind = this.#queue.findIndex((other) => other.ticket > ticket);
      this.#queue.splice(behind === -1 ? this.#queue.length : behind, 0, waiter);
      this.#admit();
    });
  }

  leave(): void {
    this.#inside--;
    this.#admit();
  }

  /** Lets nobody in for `ms` from now; those inside stay. */
  pause(ms: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, this.#clock.now() + ms);
  }

  #free(now: number): boolean {
    return this.#inside < this.#concurrency && now >= this.#pausedUntil;
  }

  #admit(): void {
    // One reading: were the pause to end between two, nobody would be let in and no timer set.
    const now = this.#clock.now();
    while (this.#queue.length > 0 && this.#free(now)) {
      this.#inside++;
      this.#queue.shift()?.admit();
    }
    const left = this.#pausedUntil - now;
    if (this.#queue.length > 0 && left > 0 && this.#alarm === undefined) void this.#wake(left);
  }

  /** One timer for all who wait out a pause, none when nobody does. */
  async #wake(ms: number): Promise<void> {
    const alarm = new AbortController();
    this.#alarm = alarm;
    await this.#clock.sleep(ms, alarm.signal);
    if (this.#alarm === alarm) this.#alarm = undefined;
    this.#admit();
  }
}

/** A gate for `limited`, to be shared by all models that one limit covers. Throws `ConfigError`. */
export const gate = (options: GateOptions = {}): Gate => new Gate(options);

const gates = new Map<string, Gate>();

/**
 * The process's one gate of this key: by convention endpoint, model and API key, joined. The options count where the key
 * is new; the key stays in memory and is never shown.
 */
export function gateFor(key: string, options: GateOptions = {}): Gate {
  const known = gates.get(key);
  if (known !== undefined) return known;
  const made = new Gate(options);
  gates.set(key, made);
  return made;
}
