// Who may compute now: as many at once as there are cores, each session with the state it left behind.

/** One state in the pool, and whose it is. */
type Slot<T> = {
  readonly value: Promise<T>;
  session: string | undefined;
  busy: boolean;
  used: number;
};

/** The right to use one state until `release`. `fresh`: the state was left by another session. */
export type Lease<T> = { readonly value: T; readonly fresh: boolean; release(): void };

export type PoolOptions<T> = {
  /** How many states there may be. */
  readonly size: number;
  /** How many of them may be in use at once. */
  readonly atOnce: number;
  readonly create: () => Promise<T>;
  readonly destroy: (value: T) => Promise<void>;
};

type Grant<T> = { readonly slot: Slot<T>; readonly fresh: boolean };
type Waiter<T> = { readonly session: string | undefined; readonly grant: (grant: Grant<T> | undefined) => void };

/** States by session, the least recently used given away when all are taken; first come, first served. */
export class Pool<T> {
  readonly #options: PoolOptions<T>;
  #slots: Slot<T>[] = [];
  #waiters: Waiter<T>[] = [];
  #running = 0;
  #uses = 0;
  #closed = false;

  constructor(options: PoolOptions<T>) {
    this.#options = options;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** A state for `session` if one is free at once. Rejects when it cannot be made. */
  tryTake(session: string | undefined): Promise<Lease<T>> | undefined {
    const grant = this.#find(session);
    return grant === undefined ? undefined : this.#lease(grant);
  }

  /** A state for `session` as soon as one is free; nothing when the signal fires first or the pool is closed. */
  async take(session: string | undefined, signal?: AbortSignal): Promise<Lease<T> | undefined> {
    const now = this.tryTake(session);
    if (now !== undefined) return now;
    if (this.#closed || signal?.aborted === true) return undefined;
    const grant = await new Promise<Grant<T> | undefined>((resolve) => {
      const leave = () => {
        this.#waiters = this.#waiters.filter((other) => other !== waiter);
        resolve(undefined);
      };
      const waiter: Waiter<T> = {
        session,
        grant: (given) => {
          signal?.removeEventListener("abort", leave);
          resolve(given);
        },
      };
      signal?.addEventListener("abort", leave, { once: true });
      this.#waiters.push(waiter);
    });
    return grant === undefined ? undefined : this.#lease(grant);
  }

  /** Frees every state, also those in use: whoever uses one finds it gone. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    const waiters = this.#waiters;
    const slots = this.#slots;
    this.#waiters = [];
    this.#slots = [];
    for (const waiter of waiters) waiter.grant(undefined);
    await Promise.all(
      slots.map(async ({ value }) => {
        const made = await value.catch(() => undefined);
        if (made !== undefined) await this.#options.destroy(made);
      }),
    );
  }

  #find(session: string | undefined): Grant<T> | undefined {
    if (this.#closed || this.#running >= this.#options.atOnce) return undefined;
    const idle = this.#slots.filter((slot) => !slot.busy).toSorted((a, b) => a.used - b.used);
    const own = this.#slots.find((slot) => session !== undefined && slot.session === session);
    if (own !== undefined) return own.busy ? undefined : this.#occupy(own, false);
    const nobodys = idle.find((slot) => slot.session === undefined);
    const spare = nobodys ?? (this.#slots.length < this.#options.size ? this.#create() : idle[0]);
    if (spare === undefined) return undefined;
    spare.session = session;
    return this.#occupy(spare, true);
  }

  #create(): Slot<T> {
    const slot = { value: this.#options.create(), session: undefined, busy: false, used: 0 };
    slot.value.catch(() => {
      this.#slots = this.#slots.filter((other) => other !== slot);
    });
    this.#slots.push(slot);
    return slot;
  }

  #occupy(slot: Slot<T>, fresh: boolean): Grant<T> {
    slot.busy = true;
    slot.used = ++this.#uses;
    this.#running++;
    return { slot, fresh };
  }

  async #lease({ slot, fresh }: Grant<T>): Promise<Lease<T>> {
    let held = true;
    const release = () => {
      if (!held) return;
      held = false;
      slot.busy = false;
      this.#running--;
      this.#serve();
    };
    try {
      return { value: await slot.value, fresh, release };
    } catch (error) {
      release();
      throw error;
    }
  }

  #serve(): void {
    for (const waiter of this.#waiters) {
      const grant = this.#find(waiter.session);
      if (grant === undefined) continue;
      this.#waiters = this.#waiters.filter((other) => other !== waiter);
      waiter.grant(grant);
    }
  }
}
