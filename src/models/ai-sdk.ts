import { type Clock, systemClock } from "../base/clock.ts";
import { ConfigError, explain, ModelError } from "../base/errors.ts";
import type { Scope } from "../base/scope.ts";
import type { EndReason, Message, Model, ModelPart, ModelRequest, Usage } from "../core/types.ts";
import { retryAfter } from "./openai-errors.ts";
import { estimate, prepareToCount, unused } from "./tokens.ts";
import { type Gone, leavable, Watch } from "./watch.ts";

/** What we ask of a model: the part of the specification's call options that all its versions share. */
export type AISDKCall = {
  prompt: (
    | { role: "system"; content: string }
    | { role: "user" | "assistant"; content: { type: "text"; text: string }[] }
  )[];
  abortSignal: AbortSignal;
  maxOutputTokens?: number;
  temperature?: number;
  seed?: number;
  stopSequences?: string[];
};

/** A language model of specification v2, v3 or v4, as far as it is used here. */
export type AISDKModel = {
  readonly specificationVersion: string;
  readonly provider: string;
  readonly modelId: string;
  doStream(call: AISDKCall): PromiseLike<Opened>;
};

/** A call of the AI SDK that has begun. */
export type Opened = { stream: ReadableStream<{ type: string }> };

/** What the AI SDK does not say of its model. */
export type AISDKOptions = {
  /** The longest silence, in milliseconds, the time to the first part included; 0: no bound. Default 60,000. */
  readonly idleMs?: number | undefined;
  readonly clock?: Clock | undefined;
  /** The model goes on from a last message by the assistant. */
  readonly continues?: boolean | undefined;
};

/** The parts of all versions at once; each version fills some of it. */
type Part = {
  readonly type: string;
  readonly delta?: string;
  readonly error?: unknown;
  readonly finishReason?: string | { readonly unified: string; readonly raw?: string | undefined };
  readonly usage?: {
    readonly inputTokens?: number | { readonly total?: number; readonly cacheRead?: number };
    readonly outputTokens?: number | { readonly total?: number };
    readonly cachedInputTokens?: number;
  };
};

const versions = ["v2", "v3", "v4"];

/**
 * Any language model of the AI SDK, by its `doStream`. Throws `ConfigError` for another specification; calls throw
 * `ModelError` where the provider fails.
 */
export function fromAISDK(model: AISDKModel, options: AISDKOptions = {}): Model {
  const { specificationVersion: version } = model;
  const { clock = systemClock, idleMs = 60_000 } = options;
  if (!versions.includes(version))
    throw new ConfigError("model", `is of specification "${version}"; those known are ${versions.join(", ")}`);
  return {
    id: model.modelId,
    ...(options.continues === undefined ? {} : { continues: options.continues }),
    stream: (request) => leavable(request, (own) => answer(new Said(model, idleMs), request, { own, clock, idleMs })),
  };
}

function callOf(request: ModelRequest, abortSignal: AbortSignal): AISDKCall {
  const { messages, maxTokens, temperature, seed, stop } = request;
  return {
    prompt: messages.map(({ role, content }) =>
      role === "system" ? { role, content } : { role, content: [{ type: "text", text: content }] },
    ),
    abortSignal,
    ...(maxTokens === undefined ? {} : { maxOutputTokens: maxTokens }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(seed === undefined ? {} : { seed }),
    ...(stop === undefined ? {} : { stopSequences: [...stop] }),
  };
}

type Calling = { readonly own: Scope; readonly clock: Clock; readonly idleMs: number };

type Parts = AsyncGenerator<ModelPart, void, undefined>;

async function* answer(said: Said, request: ModelRequest, { own, clock, idleMs }: Calling): Parts {
  const { signal } = own;
  const watch = new Watch({ clock, signal, idleMs });
  let ended = false;
  try {
    if (signal.aborted) return yield { type: "end", reason: "interrupted", usage: unused };
    const opened = await said.open(callOf(request, signal), watch);
    const reader = opened === "stopped" ? undefined : opened.stream.getReader();
    while (reader !== undefined) {
      const result = await pulled(reader, watch, said);
      // What arrived before the signal was heard is not said any more.
      if (result === "stopped" || signal.aborted) break;
      if (result === "idle") throw said.silent();
      ended = result.done;
      if (result.done) break;
      const part = said.take(result.value);
      if (part !== undefined) yield part;
    }
    if (!ended) own.abort();
    yield await said.end(request.messages, ended);
  } finally {
    watch.close();
    own.release();
    if (!ended) own.abort();
  }
}

type Reader = ReadableStreamDefaultReader<Part>;

async function pulled(reader: Reader, watch: Watch, said: Said): Promise<Awaited<ReturnType<Reader["read"]>> | Gone> {
  try {
    return await watch.wait(reader.read());
  } catch (error) {
    // `fetch` reports a connection that broke as a TypeError: the stream has lost its end.
    if (error instanceof TypeError) return { done: true, value: undefined };
    throw said.failed(error);
  }
}

const reasons: Readonly<Record<string, EndReason>> = {
  length: "length",
  interrupted: "truncated",
  unknown: "truncated",
};

/** What one call of a model has said. */
class Said {
  readonly #model: AISDKModel;
  readonly #idleMs: number;
  #generated = "";
  #usage: Usage | undefined;
  #reason: EndReason = "truncated";

  constructor(model: AISDKModel, idleMs: number) {
    this.#model = model;
    this.#idleMs = idleMs;
  }

  async open(call: AISDKCall, watch: Watch): Promise<Opened | "stopped"> {
    const opening = Promise.resolve(this.#model.doStream(call));
    prepareToCount();
    const result = await watch.wait(opening).catch((error: unknown) => {
      throw this.failed(error);
    });
    if (result === "idle") throw this.silent();
    return result;
  }

  /** The error for a provider that went quiet. */
  silent(): ModelError {
    return this.failed(`sent nothing for ${this.#idleMs} ms; try again, or allow more time with idleMs`, true);
  }

  /** What a part of the provider's says, if it is said at all. Throws `ModelError`. */
  take(part: Part): ModelPart | undefined {
    switch (part.type) {
      case "text-delta":
      case "reasoning-delta": {
        const text = part.delta ?? "";
        this.#generated += text;
        return text === "" ? undefined : { type: part.type === "text-delta" ? "text" : "reasoning", text };
      }
      case "finish":
        this.#finish(part);
        return undefined;
      case "error":
        // Version 4 reports a body without its end as an error.
        if (/without a finish reason/i.test(explain(part.error))) return undefined;
        throw this.failed(part.error);
      default:
        return undefined;
    }
  }

  async end(messages: readonly Message[], ended: boolean): Promise<ModelPart> {
    const usage = this.#usage ?? (await estimate(messages, this.#generated));
    return { type: "end", reason: ended ? this.#reason : "interrupted", usage };
  }

  /** The provider's failure as ours. */
  failed(error: unknown, retryable = false): ModelError {
    if (error instanceof ModelError) return error;
    const { modelId, provider } = this.#model;
    const details = (typeof error === "object" && error !== null ? error : {}) as {
      readonly statusCode?: unknown;
      readonly isRetryable?: unknown;
      readonly responseHeaders?: Record<string, string>;
      readonly url?: unknown;
      readonly message?: unknown;
    };
    const status = typeof details.statusCode === "number" ? details.statusCode : undefined;
    const url = typeof details.url === "string" ? ` (${details.url.replace(/[?#].*$/, "")})` : "";
    const message = typeof details.message === "string" ? details.message : explain(error);
    const answered = status === undefined ? "" : `answered ${status}: `;
    return new ModelError(`${modelId} of ${provider}${url}: ${answered}${message.replaceAll(/[\s\p{Cc}]+/gu, " ")}`, {
      model: modelId,
      status,
      retryable: retryable || details.isRetryable === true,
      retryAfterMs:
        details.responseHeaders === undefined ? undefined : retryAfter(new Headers(details.responseHeaders)),
      cause: error,
    });
  }

  #finish({ finishReason, usage }: Part): void {
    const flat = typeof finishReason === "string";
    const unified = flat ? finishReason : finishReason?.unified;
    if (unified === "content-filter") throw this.failed("the provider's content filter cut the answer");
    if (unified === "error" && this.#reasonGiven(finishReason))
      throw this.failed("the provider ended with an error", true);
    const none =
      unified === undefined || unified === "error" || (unified === "other" && !this.#reasonGiven(finishReason));
    this.#reason = none ? "truncated" : (reasons[unified] ?? "stop");
    this.#usage = usageOf(usage);
  }

  /** From version 3 on a finish tells what the provider itself said, if it said anything. */
  #reasonGiven(reason: Part["finishReason"]): boolean {
    return typeof reason !== "object" || reason.raw !== undefined;
  }
}

function usageOf(usage: Part["usage"]): Usage | undefined {
  const input = usage?.inputTokens;
  const output = usage?.outputTokens;
  const inputTokens = typeof input === "object" ? input.total : input;
  const outputTokens = typeof output === "object" ? output.total : output;
  if (inputTokens === undefined || outputTokens === undefined) return undefined;
  const cached = (typeof input === "object" ? input.cacheRead : usage?.cachedInputTokens) ?? 0;
  return { calls: 1, inputTokens, cachedTokens: Math.min(cached, inputTokens), outputTokens };
}
