// What a local model would say next, read off one forward pass.
import type { Token } from "node-llama-cpp";
import { ConfigError, ModelError } from "../../base/errors.ts";
import type { Choice, ModelRequest } from "../../core/types.ts";
import type { Lease } from "./pool.ts";
import { asModelError, tokensOf } from "./speak.ts";
import type { Engine } from "./speak.ts";
import { readPrompt } from "./state.ts";
import type { State } from "./state.ts";

/** How many of the likeliest tokens are looked at for the entropy. */
const shownTokens = 256;

type Next = { readonly logits: ReadonlyMap<Token, number>; readonly totalLogitWeight: number };

/** For each option the tokens it may begin with: as it stands and, where that is a token of its own, after a space. */
function firstTokens({ prompt, native }: Engine, options: readonly string[]): readonly (readonly Token[])[] {
  const first = (text: string) => prompt.tokenize(text, false)[0] as Token | undefined;
  const plain = options.map((option, index) => {
    const token = first(option);
    if (token === undefined) throw new ConfigError(`options[${index}]`, "an option needs at least one character");
    return token;
  });
  for (const [index, token] of plain.entries()) {
    const other = plain.indexOf(token);
    if (other === index) continue;
    const both = `${JSON.stringify(options[other])} and ${JSON.stringify(options[index])}`;
    throw new ConfigError(`options[${index}]`, `${both} begin with the same token: this model cannot tell them apart`);
  }
  const spaced = options.map((option) => first(` ${option}`));
  return plain.map((token, index) => {
    const after = spaced[index];
    if (after === undefined || plain.includes(after) || spaced.indexOf(after) !== spaced.lastIndexOf(after))
      return [token];
    // A bare space says nothing yet about what follows it.
    return native.detokenize([after]).trim() === "" ? [token] : [token, after];
  });
}

async function lookAhead(state: State, rest: readonly Token[], tokens: readonly Token[]): Promise<Next | undefined> {
  const last = rest.at(-1);
  if (last === undefined) return undefined;
  // topK 0 keeps the whole vocabulary, so that the probabilities are those of the model itself.
  const whole = { temperature: 1, topK: 0, topP: 1, minP: 0 };
  const logits = { filter: { tokens, includeTop: shownTokens } };
  const wanted = { generateNext: { logits, totalLogitWeight: true, options: whole } };
  const output = await state.sequence.controlledEvaluate([...rest.slice(0, -1), [last, wanted]]);
  const next = output.at(-1)?.next;
  if (next?.logits === undefined || next.totalLogitWeight === undefined) return undefined;
  return { logits: next.logits, totalLogitWeight: next.totalLogitWeight };
}

/** Entropy in nats of the shown tokens, all others taken as one: a lower bound that is tight where the tail is thin. */
function entropyOf(shown: readonly number[]): number {
  const tail = Math.max(0, 1 - shown.reduce((sum, p) => sum + p, 0));
  return [...shown, tail].reduce((sum, p) => (p > 0 ? sum - p * Math.log(p) : sum), 0);
}

function weigh(engine: Engine, { logits, totalLogitWeight }: Next, firsts: readonly (readonly Token[])[]) {
  const highest = Math.max(...logits.values());
  const probability = (logit: number) => Math.exp(logit - highest) / totalLogitWeight;
  const of = (token: Token) => {
    const logit = logits.get(token);
    return logit === undefined ? 0 : probability(logit);
  };
  const probabilities = firsts.map((tokens) => tokens.reduce((sum, token) => sum + of(token), 0));
  const [likeliest] = [...logits].toSorted((a, b) => b[1] - a[1]);
  const entropy = entropyOf([...logits.values()].map(probability));
  if (likeliest === undefined) return { probabilities, entropy };
  const text = engine.native.detokenize([likeliest[0]], false);
  return { probabilities, entropy, top: { text, probability: probability(likeliest[1]) } };
}

async function decide(engine: Engine, request: ModelRequest, at: { lease: Lease<State>; options: readonly string[] }) {
  const { signal } = request;
  const firsts = firstTokens(engine, at.options);
  const tokens = tokensOf(request, at.lease, engine);
  const { cached, rest } = await readPrompt(at.lease.value.sequence, tokens, { slice: engine.prefillSlice, signal });
  signal?.throwIfAborted();
  const next = await lookAhead(at.lease.value, rest, firsts.flat());
  if (next === undefined) throw new ModelError(`${engine.id} gave no probabilities`, { model: engine.id });
  const usage = { calls: 1, inputTokens: tokens.length, cachedTokens: cached, outputTokens: 0 };
  return { ...weigh(engine, next, firsts), usage };
}

/** Probabilities of `options` as the next words, over the whole vocabulary; rejects with the signal's reason on abort. */
export async function choose(engine: Engine, request: ModelRequest, options: readonly string[]): Promise<Choice> {
  const { pool, id } = engine;
  const lease = await pool.take(request.session, request.signal);
  try {
    request.signal?.throwIfAborted();
    if (lease === undefined) throw new ModelError(`${id} is closed`, { model: id });
    return await decide(engine, request, { lease, options });
  } catch (error) {
    if (error instanceof ConfigError || request.signal?.aborted === true) throw error;
    throw asModelError(error, engine);
  } finally {
    lease?.release();
  }
}
