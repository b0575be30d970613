// One call of a local model: wait for a turn, read the prompt, say the answer.
import type { LlamaModel as NativeModel, Token, TokenBias } from "node-llama-cpp";
import type { Clock } from "../../base/clock.ts";
import { explain, ModelError } from "../../base/errors.ts";
import type { EndReason, ModelPart, ModelRequest, Usage } from "../../core/types.ts";
import type { Lease, Pool } from "./pool.ts";
import { promptTokens } from "./prompt.ts";
import type { PromptOptions } from "./prompt.ts";
import { join, recall, Speech } from "./speech.ts";
import type { Detokenize, Spoken } from "./speech.ts";
import { readPrompt } from "./state.ts";
import type { Read, State } from "./state.ts";

/** Everything a call needs. */
export type Engine = {
  readonly id: string;
  readonly native: NativeModel;
  readonly pool: Pool<State>;
  readonly prompt: PromptOptions;
  /** Adds `logit` to the logits of `tokens`. */
  readonly bias: (tokens: readonly Token[], logit: number) => TokenBias;
  readonly clock: Clock;
  readonly contextTokens: number;
  readonly prefillSlice: number;
  /** 1: none. */
  readonly repeatPenalty: number;
};

const nothing: Usage = { calls: 1, inputTokens: 0, cachedTokens: 0, outputTokens: 0 };

/** Failures of the library become errors of the model. */
export function asModelError(error: unknown, { id, pool }: Pick<Engine, "id" | "pool">): ModelError {
  if (error instanceof ModelError) return error;
  const message = pool.closed ? `${id} was closed while it was in use` : `${id} failed: ${explain(error)}`;
  return new ModelError(message, { model: id, cause: error });
}

/** The tokens of a request in a session's state; refuses what does not fit before anything is computed. */
export function tokensOf({ messages }: ModelRequest, lease: Lease<State>, engine: Engine): number[] {
  const { said } = lease.value;
  if (lease.fresh) said.clear();
  const tokens = promptTokens(messages, said, engine.prompt);
  if (tokens.length === 0) throw new ModelError(`${engine.id}: the request has no messages`, { model: engine.id });
  if (tokens.length < engine.contextTokens) return tokens;
  throw new ModelError(
    `${engine.id}: the request has ${tokens.length} tokens and the context holds ${engine.contextTokens}: ` +
      "shorten it, or raise contextTokens",
    { model: engine.id },
  );
}

function sampling({ temperature = 0, seed }: ModelRequest, penalty: number, recent: () => Token[]) {
  return {
    temperature,
    ...(temperature > 0 ? { topK: 40, topP: 0.95, minP: 0.05 } : {}),
    ...(seed === undefined ? {} : { seed }),
    ...(penalty === 1 ? {} : { repeatPenalty: { penalty, punishTokens: recent } }),
  };
}

/** Remembers what was said under its message's index, so that the next request holds the same tokens. */
function remember({ messages }: ModelRequest, said: Map<number, Spoken>, spoken: Spoken): void {
  const last = messages.at(-1);
  if (last?.role !== "assistant") {
    said.set(messages.length, spoken);
    return;
  }
  const index = messages.length - 1;
  const before = said.get(index);
  if (before === undefined) return;
  const { tokens, rest } = recall(before, last.content);
  if (rest !== "") return;
  said.set(index, join({ tokens, ends: before.ends.slice(0, tokens.length), text: last.content }, spoken));
}

type Call = { readonly engine: Engine; readonly request: ModelRequest; readonly lease: Lease<State> };

/** Generates after `read`; gives back how it ended and how many tokens were made. */
async function* generate(
  { engine, request, lease }: Call,
  { rest }: Read,
  tokens: readonly number[],
): AsyncGenerator<ModelPart, { reason: EndReason; outputTokens: number }, undefined> {
  const { native, contextTokens } = engine;
  const { sequence, said } = lease.value;
  const { signal, stop = [], maxTokens = Infinity } = request;
  const detokenize: Detokenize = (some, before) => native.detokenize(some as Token[], false, before as Token[]);
  const speech = new Speech({ detokenize, stop, before: tokens });
  const most = Math.min(maxTokens, contextTokens - tokens.length);
  const options = sampling(request, engine.repeatPenalty, () => speech.spoken.tokens.slice(-64) as Token[]);
  let outputTokens = 0;
  let reason: EndReason = "stop";
  try {
    for await (const token of sequence.evaluate(rest, options)) {
      outputTokens++;
      const piece = speech.push(token);
      if (piece !== undefined) yield { type: "text", ...piece };
      if (speech.stopped) break;
      if (signal?.aborted === true) reason = "interrupted";
      else if (outputTokens >= most) reason = "length";
      if (reason !== "stop") break;
    }
    const left = speech.end();
    if (left !== undefined) yield { type: "text", ...left };
  } finally {
    remember(request, said, speech.spoken);
  }
  return { reason, outputTokens };
}

async function* answer(call: Call): AsyncGenerator<ModelPart, void, undefined> {
  const { engine, request, lease } = call;
  const { signal } = request;
  const tokens = tokensOf(request, lease, engine);
  const read = await readPrompt(lease.value.sequence, tokens, { slice: engine.prefillSlice, signal });
  const usage = { calls: 1, inputTokens: tokens.length, cachedTokens: read.cached, outputTokens: 0 };
  if (signal?.aborted === true) {
    const inputTokens = read.cached + read.evaluated;
    yield { type: "end", reason: "interrupted", usage: { ...usage, inputTokens } };
    return;
  }
  if (request.maxTokens !== undefined && request.maxTokens <= 0) {
    yield { type: "end", reason: "length", usage: { ...usage, inputTokens: read.cached + read.evaluated } };
    return;
  }
  const { reason, outputTokens } = yield* generate(call, read, tokens);
  yield { type: "end", reason, usage: { ...usage, outputTokens } };
}

/** The stream of one request. */
export async function* speak(engine: Engine, request: ModelRequest): AsyncGenerator<ModelPart, void, undefined> {
  const { pool, clock, id } = engine;
  const { session, signal } = request;
  let lease: Lease<State> | undefined;
  try {
    if (signal?.aborted !== true) {
      const now = pool.tryTake(session);
      if (now === undefined && !pool.closed) {
        const since = clock.now();
        yield { type: "wait" };
        lease = await pool.take(session, signal);
        yield { type: "wait", ms: clock.now() - since };
      } else lease = await now;
    }
    if (pool.closed) throw new ModelError(`${id} is closed`, { model: id });
    if (lease === undefined) yield { type: "end", reason: "interrupted", usage: nothing };
    else yield* answer({ engine, request, lease });
  } catch (error) {
    throw asModelError(error, engine);
  } finally {
    lease?.release();
  }
}
