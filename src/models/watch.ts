import type { Clock } from "../base/clock.ts";
import { scope, type Scope } from "../base/scope.ts";
import type { ModelPart, ModelRequest } from "../core/types.ts";

/** Why waiting ended without a result: the signal fired, or nothing came for too long. */
export type Gone = "stopped" | "idle";

export type WatchOptions = {
  readonly clock: Clock;
  /** Ends waiting at once. */
  readonly signal: AbortSignal;
  /** Ends waiting after this long, in milliseconds. 0: never. */
  readonly idleMs: number;
};

/** A reason of our own spares the making of an exception. */
const wasLeft = "left";

type Waiting = { resolve: (result: never) => void; reject: (error: unknown) => void };

/**
 * Waits for one promise after another, but no longer than the signal or the idle time allows. Only the time spent in
 * `wait` counts as idle, so a slow reader never looks like a stalled source. One listener and one timer a watch, none a wait.
 */
export class Watch {
  readonly #options: WatchOptions;
  readonly #over = new AbortController();
  #waiting: Waiting | undefined;
  #since = 0;
  #gone: Gone | undefined;
  #timed = false;

  constructor(options: WatchOptions) {
    this.#options = options;
    if (options.signal.aborted) this.#gone = "stopped";
    else options.signal.addEventListener("abort", this.#stop, { once: true });
  }

  /** The promise's result, or why it was given up; a promise given up may still settle, unheard. One wait at a time. */
  wait<T extends object | undefined>(promise: Promise<T>): Promise<T | Gone> {
    if (this.#gone !== undefined) {
      promise.then(undefined, () => {});
      return Promise.resolve(this.#gone);
    }
    if (this.#options.idleMs > 0) {
      this.#since = this.#options.clock.now();
      if (!this.#timed) void this.#time();
    }
    return new Promise<T | Gone>((resolve, reject) => {
      this.#waiting = { resolve, reject };
      promise.then(this.#take, this.#fail);
    });
  }

  /** Takes the listener and the timer away. */
  close(): void {
    this.#gone ??= "stopped";
    this.#options.signal.removeEventListener("abort", this.#stop);
    this.#over.abort(wasLeft);
  }

  readonly #take = (result: unknown): void => {
    if (this.#gone !== undefined) return;
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.resolve(result as never);
  };

  readonly #fail = (error: unknown): void => {
    if (this.#gone !== undefined) return;
    const waiting = this.#waiting;
    this.#waiting = undefined;
    // A source may hear of the signal before we do and fail because of it.
    if (this.#options.signal.aborted) waiting?.resolve("stopped" as never);
    else waiting?.reject(error);
  };

  #leave(why: Gone): void {
    if (this.#gone !== undefined) return;
    this.#gone = why;
    this.#waiting?.resolve(why as never);
    this.#waiting = undefined;
    this.close();
  }

  readonly #stop = (): void => this.#leave("stopped");

  /** Sleeps for what is left of the current wait instead of setting a timer for each. */
  async #time(): Promise<void> {
    const { clock, idleMs } = this.#options;
    this.#timed = true;
    let left = idleMs;
    while (this.#gone === undefined) {
      await clock.sleep(left, this.#over.signal);
      left = this.#waiting === undefined ? idleMs : this.#since + idleMs - clock.now();
      if (left <= 0) this.#leave("idle");
    }
  }
}

/**
 * A stream that ends its source when it is left, even while a part is awaited: `generate` gets a scope that fires with
 * the request's signal and when the reader returns.
 */
export function leavable(
  request: ModelRequest,
  generate: (own: Scope) => AsyncGenerator<ModelPart, void, undefined>,
): AsyncIterable<ModelPart> {
  return {
    [Symbol.asyncIterator]() {
      let own: Scope | undefined;
      let parts: AsyncGenerator<ModelPart, void, undefined> | undefined;
      let ended = false;
      return {
        next: async () => {
          // Nothing is opened, and nothing listens, before the first part is asked for.
          if (parts === undefined) {
            own = scope(request.signal);
            parts = generate(own);
          }
          const result = await parts.next();
          ended = result.done !== true && result.value.type === "end";
          return result;
        },
        return: async () => {
          // Left after its end, a source has nothing to stop, and may finish so that its connection is used again.
          if (ended) await parts?.next();
          else own?.abort(wasLeft);
          await parts?.return();
          own?.release();
          return { value: undefined, done: true };
        },
      };
    },
  };
}
