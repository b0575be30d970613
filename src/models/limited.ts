import { type Clock, systemClock } from "../base/clock.ts";
import { ConfigError, ModelError } from "../base/errors.ts";
import type { Random } from "../base/random.ts";
import { scope, type Scope } from "../base/scope.ts";
import type { Choice, Message, Model, ModelPart, ModelRequest, Usage } from "../core/types.ts";
import { wrapped } from "../core/wrapped.ts";
import { type Gate, gate as newGate } from "./gate.ts";
import { countTokens, estimate, unused } from "./tokens.ts";
import { leavable } from "./watch.ts";

export { Gate, gate, gateFor, type GateOptions } from "./gate.ts";

/** How many calls run at once, and how often one is tried again. */
export type LimitedOptions = {
  /** How many calls may run at once, where no gate is shared. Default: no bound. */
  readonly concurrency?: number | undefined;
  /** How often a call is tried again. Default 3. */
  readonly retries?: number | undefined;
  /** A gate shared with other models; see `gateFor`. */
  readonly gate?: Gate | undefined;
  readonly clock?: Clock | undefined;
  readonly random?: Random | undefined;
  /** The longest pause before another try, in milliseconds; a provider that asks for more fails the call. Default 300,000. */
  readonly maxWaitMs?: number | undefined;
};

type Limits = {
  readonly model: Model;
  readonly gate: Gate;
  readonly retries: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly maxWaitMs: number;
};

function add(a: Usage, b: Usage): Usage {
  const sum = {
    calls: a.calls + b.calls,
    inputTokens: a.inputTokens + b.inputTokens,
    cachedTokens: a.cachedTokens + b.cachedTokens,
    outputTokens: a.outputTokens + b.outputTokens,
  };
  return a.estimated === true || b.estimated === true ? { ...sum, estimated: true } : sum;
}

/**
 * The model behind a gate, tried again where that may help: before its first text from the start, after it only where the
 * model can go on from what it said. Shows with `wait` parts how long a call was held back. Throws `ConfigError` for bad
 * options; calls throw the last `ModelError`, marked `truncated` once something was said.
 */
export function limited(model: Model, options: LimitedOptions = {}): Model {
  const { retries = 3, clock = systemClock, random = Math.random, maxWaitMs = 300_000, concurrency } = options;
  if (!Number.isInteger(retries) || retries < 0)
    throw new ConfigError("retries", "must be a whole number of 0 or more");
  if (!(maxWaitMs >= 0)) throw new ConfigError("maxWaitMs", "must be 0 or more milliseconds");
  if (options.gate !== undefined && concurrency !== undefined)
    throw new ConfigError("concurrency", "is the gate's own where a gate is given; set it there");
  const gate = options.gate ?? newGate({ concurrency, clock });
  const limits: Limits = { model, gate, retries, clock, random, maxWaitMs };
  return wrapped(model, {
    stream: (request) => leavable(request, (own) => tries(limits, request, own)),
    choose: (request, choices) => choose(limits, request, choices),
  });
}

async function* tries(limits: Limits, request: ModelRequest, own: Scope): AsyncGenerator<ModelPart, void, undefined> {
  const { gate, clock } = limits;
  const { signal } = own;
  const said = new Said(limits.model, request);
  const ticket = gate.ticket();
  let pause = 0;
  try {
    for (let attempt = 0; ; attempt++) {
      let inside = pause === 0 && !signal.aborted && gate.tryEnter();
      try {
        if (!inside && !signal.aborted) {
          yield { type: "wait" };
          const since = clock.now();
          if (pause > 0) await clock.sleep(pause, signal);
          inside = await gate.enter(ticket, signal);
          yield { type: "wait", ms: clock.now() - since };
        }
        if (!inside || signal.aborted) return yield { type: "end", reason: "interrupted", usage: said.usage };
        if (yield* said.attempt(signal)) return;
      } finally {
        if (inside) gate.leave();
      }
      if (signal.aborted) return yield { type: "end", reason: "interrupted", usage: said.usage };
      pause = said.again(pauseAfter(said.failure, attempt, limits));
    }
  } finally {
    own.release();
  }
}

const firstPauseMs = 500;
const longestPauseMs = 30_000;

/**
 * How long to wait after a failure before the next try, in milliseconds; undefined: there is none. Too many requests hold
 * back everyone at the gate, so the pause is the gate's and the caller's own is 0.
 */
function pauseAfter(
  error: ModelError,
  attempt: number,
  { gate, retries, random, maxWaitMs }: Limits,
): number | undefined {
  if (!(error.retryable || error.truncated) || attempt >= retries) return undefined;
  const backoff = Math.min(longestPauseMs, firstPauseMs * 2 ** attempt);
  const { retryAfterMs, status } = error;
  // Never sooner than asked, and not all at the same moment.
  const ms =
    retryAfterMs === undefined ? (backoff * (1 + random())) / 2 : retryAfterMs + random() * Math.min(1000, backoff);
  if ((retryAfterMs ?? 0) > maxWaitMs) return undefined;
  const bounded = retryAfterMs === undefined ? Math.min(ms, maxWaitMs) : ms;
  if (status !== 429 && retryAfterMs === undefined) return bounded;
  gate.pause(bounded);
  return 0;
}

/** What one call has said and cost over all its tries. */
class Said {
  readonly #model: Model;
  readonly #request: ModelRequest;
  #text = "";
  #failure: ModelError | undefined;
  usage: Usage = unused;

  constructor(model: Model, request: ModelRequest) {
    this.#model = model;
    this.#request = request;
  }

  get failure(): ModelError {
    return this.#failure ?? new ModelError(`${this.#model.id}: not tried`, { model: this.#model.id });
  }

  /** One try. Returns whether the call is over; if not, `failure` says why. */
  async *attempt(signal: AbortSignal): AsyncGenerator<ModelPart, boolean, undefined> {
    const request = await this.#next(signal);
    if (request === undefined) {
      yield { type: "end", reason: "length", usage: this.usage };
      return true;
    }
    let generated = "";
    let charged = false;
    try {
      for await (const part of this.#model.stream(request)) {
        if (part.type === "end") {
          this.usage = add(this.usage, part.usage);
          charged = true;
          if (part.reason === "truncated") break;
          yield { ...part, usage: this.usage };
          return true;
        }
        if (part.type !== "wait") generated += part.text;
        if (part.type === "text") this.#text += part.text;
        yield part;
      }
      this.#failure = this.#lost();
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      this.#failure = error;
      if (error.usage !== undefined) this.usage = add(this.usage, error.usage);
      charged ||= error.usage !== undefined;
    }
    // A request that was refused costs nothing; one that was being answered does.
    if (generated !== "" && !charged) this.usage = add(this.usage, await estimate(request.messages, generated));
    return false;
  }

  /** The pause before the next try. Throws the failure where there is none. */
  again(pause: number | undefined): number {
    if (this.#text === "") {
      if (pause === undefined) throw this.#charged(this.failure.truncated);
      return pause;
    }
    if (pause === undefined || this.#model.continues !== true) throw this.#cut();
    return pause;
  }

  /** The request of the next try: it goes on from what was said. Undefined: all tokens allowed have been said. */
  async #next(signal: AbortSignal): Promise<ModelRequest | undefined> {
    const { messages, maxTokens } = this.#request;
    if (this.#text === "") return { ...this.#request, signal };
    const last = messages.at(-1);
    const prefix = last?.role === "assistant" ? last.content : "";
    const before = last?.role === "assistant" ? messages.slice(0, -1) : messages;
    const resumed: Message = { role: "assistant", content: prefix + this.#text };
    if (maxTokens === undefined) return { ...this.#request, messages: [...before, resumed], signal };
    const left = maxTokens - (await countTokens(this.#text));
    return left < 1 ? undefined : { ...this.#request, messages: [...before, resumed], maxTokens: left, signal };
  }

  #lost(): ModelError {
    const { id } = this.#model;
    return new ModelError(`${id}: the stream closed without its end; try again`, {
      model: id,
      retryable: true,
      truncated: true,
    });
  }

  #cut(): ModelError {
    return this.#charged(true);
  }

  /** The last failure, with what all tries took. */
  #charged(truncated: boolean): ModelError {
    const { failure, usage: spent } = this;
    const usage = spent.calls > 0 ? spent : undefined;
    if (failure.truncated === truncated && usage === undefined) return failure;
    const { model, status, retryable, retryAfterMs } = failure;
    return new ModelError(failure.message, {
      model,
      status,
      retryable,
      retryAfterMs,
      truncated,
      usage,
      cause: failure,
    });
  }
}

async function choose(limits: Limits, request: ModelRequest, options: readonly string[]): Promise<Choice> {
  const { gate, clock, model } = limits;
  const own = scope(request.signal);
  const ticket = gate.ticket();
  try {
    for (let attempt = 0; ; attempt++) {
      let inside = false;
      let pause: number;
      try {
        inside = (!own.signal.aborted && gate.tryEnter()) || (await gate.enter(ticket, own.signal));
        request.signal?.throwIfAborted();
        return await model.choose!(request, options);
      } catch (error) {
        const next = error instanceof ModelError ? pauseAfter(error, attempt, limits) : undefined;
        if (next === undefined) throw error;
        pause = next;
      } finally {
        if (inside) gate.leave();
      }
      await clock.sleep(pause, own.signal);
    }
  } finally {
    own.release();
  }
}
