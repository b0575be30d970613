import type { Hearing } from "../core/policy.ts";

const most = 1000;

/** What a policy remembers, apart for each key. Bounded: beyond a thousand keys the one longest unused is forgotten. */
export class Memory<T> {
  readonly #make: () => T;
  readonly #states = new Map<string, T>();

  constructor(make: () => T) {
    this.#make = make;
  }

  get size(): number {
    return this.#states.size;
  }

  /** The state of `key`, made where there is none. */
  of(key: string): T {
    const state = this.#states.get(key) ?? this.#make();
    // Put last again, so that the first is the one longest unused.
    this.#states.delete(key);
    this.#states.set(key, state);
    if (this.#states.size > most) for (const oldest of this.#states.keys()) if (this.forget(oldest)) break;
    return state;
  }

  forget(key: string): boolean {
    return this.#states.delete(key);
  }
}

/** Names one turn as one listener hears it. */
export const turnKey = ({ session, listener, speaker, turn }: Hearing): string =>
  JSON.stringify([session, listener, speaker, turn]);

/** Names a listener in one run. */
export const listenerKey = ({ session, listener }: Hearing): string => JSON.stringify([session, listener]);
