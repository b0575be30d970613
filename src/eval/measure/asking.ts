// A model under measurement: its calls are timed and counted, and end where the budget does.

import type { Clock } from "../../base/clock.ts";
import { explain, ModelError } from "../../base/errors.ts";
import type { Model, ModelRequest, Usage } from "../../core/types.ts";
import { add, none } from "../../core/usage.ts";
import { timingOf } from "./timings.ts";
import type { Timing } from "./timings.ts";

/** A call that ended by itself. */
export type Asked = { readonly text: string; readonly timing: Timing | undefined };

/** After so many failures in a row the model is given up. */
const patience = 5;

/** What all calls of a measurement share. */
export class Asking {
  readonly model: Model;
  readonly clock: Clock;
  readonly signal: AbortSignal | undefined;
  #usage: Usage = none;
  #failed = 0;
  #inRow = 0;

  constructor(model: Model, { clock, signal }: { clock: Clock; signal?: AbortSignal | undefined }) {
    this.model = model;
    this.clock = clock;
    this.signal = signal;
  }

  /** Calls and tokens so far. */
  get usage(): Usage {
    return this.#usage;
  }

  /** Calls and runs that failed. */
  get failed(): number {
    return this.#failed;
  }

  /** Tokens read and said so far. */
  get tokens(): number {
    return this.#usage.inputTokens + this.#usage.outputTokens;
  }

  /** Counts what was spent on other ways than `ask`. */
  spend(usage: Usage): void {
    this.#usage = add(this.#usage, usage);
  }

  /** Makes one call; undefined where it failed. Throws the model's error when one call after another does. */
  async ask(request: ModelRequest): Promise<Asked | undefined> {
    return this.tolerate(() => this.#call({ ...request, signal: this.signal }));
  }

  /** What `work` gives, or undefined where the model failed; throws its error when that happens again and again. */
  async tolerate<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      const done = await work();
      this.#inRow = 0;
      return done;
    } catch (error) {
      this.signal?.throwIfAborted();
      if (!(error instanceof ModelError)) throw error;
      this.#failed++;
      if (++this.#inRow < patience && error.status !== 401 && error.status !== 403 && error.status !== 404)
        return undefined;
      throw new ModelError(`measuring stopped: ${explain(error)}`, { model: this.model.id, cause: error });
    }
  }

  async #call(request: ModelRequest): Promise<Asked> {
    const { clock } = this;
    const start = clock.now();
    let [text, waitedMs, firstTokens, reasoned] = ["", 0, 1, false];
    let first: number | undefined;
    let last = start;
    for await (const part of this.model.stream(request)) {
      if (part.type === "wait") waitedMs += part.ms ?? 0;
      else if (part.type === "reasoning") reasoned = true;
      else if (part.type === "text") {
        last = clock.now();
        if (first === undefined) [first, firstTokens] = [last, part.tokens ?? 1];
        text += part.text;
      } else {
        this.spend(part.usage);
        this.signal?.throwIfAborted();
        if (part.reason === "truncated")
          throw new ModelError("the stream closed without its end", { model: this.model.id, truncated: true });
        const seen = { firstMs: (first ?? last) - start - waitedMs, firstTokens, restMs: last - (first ?? last) };
        // Thoughts come before the first word, at a time that is not told.
        const told = first !== undefined && !reasoned && part.usage.outputTokens > 0;
        return { text, timing: told ? timingOf(part.usage, seen) : undefined };
      }
    }
    throw new ModelError("the stream closed without its end", { model: this.model.id, truncated: true });
  }
}
