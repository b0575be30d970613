// What a local model would say next, read off one forward pass (and one more for each beginning that several options share).
import type { Token } from "node-llama-cpp";
import { ConfigError, ModelError } from "../../base/errors.ts";
import type { Choice, ModelRequest } from "../../core/types.ts";
import type { Lease } from "./pool.ts";
import { asModelError, tokensOf } from "./speak.ts";
import type { Engine } from "./speak.ts";
import { readPrompt } from "./state.ts";
import type { State } from "./state.ts";

/** How many tokens llama.cpp shows: all of a large vocabulary would take longer than the pass itself. */
const shownTokens = 512;
/** What is added to the logits of the tokens that are asked for, so that they are among those shown, and taken off again. */
const lift = 20;

/** Less probability than this on a bare space is not worth a look at what follows it. */
const negligible = 1e-3;

/** A way to say the option at `index`. */
type Way = { readonly index: number; readonly tokens: readonly Token[] };

/** The ways to say each option: as it stands, and after a space, which is often joined to what follows. */
function waysOf({ prompt }: Engine, options: readonly string[]): readonly Way[] {
  const tokenize = (text: string) => prompt.tokenize(text, false) as readonly Token[];
  const plain = options.map((option, index): Way => {
    const path = `options[${index}]`;
    if (options.indexOf(option) !== index) throw new ConfigError(path, `${JSON.stringify(option)} is there twice`);
    const tokens = tokenize(option);
    if (tokens.length === 0) throw new ConfigError(path, "an option needs at least one character");
    return { index, tokens };
  });
  const spaced = options.map((option, index): Way => ({ index, tokens: tokenize(` ${option}`) }));
  const own = spaced.filter(({ index, tokens }) => tokens.join() !== plain[index]?.tokens.join());
  return [...plain, ...own];
}

type Call = { readonly engine: Engine; readonly state: State; readonly signal: AbortSignal | undefined };

/** The distribution of the next token: any token's probability, and the likeliest tokens with theirs. */
type Next = { readonly of: (token: Token) => number; readonly shown: ReadonlyMap<Token, number> };

/** Probabilities of the token after `path`, among the likeliest ones and those wanted. */
async function peek({ engine, state, signal }: Call, path: readonly Token[], wanted: readonly Token[]): Promise<Next> {
  signal?.throwIfAborted();
  const { id, contextTokens } = engine;
  if (path.length > contextTokens) throw new ModelError(`${id}: the options do not fit the context`, { model: id });
  await state.sequence.adaptStateToTokens(path.slice(0, -1), false);
  const rest = path.slice(state.sequence.nextTokenIndex);
  const tokenBias = engine.bias(wanted, lift);
  const sampling = { temperature: 1, topK: shownTokens, topP: 1, minP: 0, tokenBias };
  const asked = { generateNext: { probabilities: true, options: sampling } };
  const last = rest.slice(-1).map((token): [Token, typeof asked] => [token, asked]);
  const next = (await state.sequence.controlledEvaluate([...rest.slice(0, -1), ...last])).at(-1)?.next;
  if (next?.probabilities === undefined) throw new ModelError(`${id} gave no probabilities`, { model: id });
  const lifted = new Set(wanted);
  const weights = [...next.probabilities].map(
    ([token, p]) => [token, lifted.has(token) ? p * Math.exp(-lift) : p] as const,
  );
  const total = weights.reduce((sum, [, weight]) => sum + weight, 0);
  const shown = new Map(weights.map(([token, weight]) => [token, weight / total]));
  return { shown, of: (token) => shown.get(token) ?? 0 };
}

/**
 * Adds up `share` among the ways by the probabilities of `next`, the tokens after `path`. Ways that begin alike are told
 * apart by a look further; one that ends where another goes on gets what is left. Answers how many tokens were read.
 */
async function distribute(
  call: Call,
  { path, ways, next }: { readonly path: readonly Token[]; readonly ways: readonly Way[]; readonly next: Next },
  add: (index: number, probability: number) => void,
): Promise<number> {
  const firsts = new Set(ways.map(({ tokens }) => tokens[0]).filter((token) => token !== undefined));
  let read = 0;
  for (const first of firsts) {
    const alike = ways.filter(({ tokens }) => tokens[0] === first);
    const [only] = alike;
    // A bare space says nothing yet about what follows it.
    const says = call.engine.native.detokenize([first]).trim() !== "";
    if (alike.length === 1 && only !== undefined && (says || only.tokens.length === 1)) {
      add(only.index, next.of(first));
      continue;
    }
    if (!says && next.of(first) < negligible) continue;
    const further = alike.map(({ index, tokens }) => ({ index, tokens: tokens.slice(1) }));
    const longer = further.filter(({ tokens }) => tokens.length > 0);
    const onward = [...path, first];
    const then = await peek(
      call,
      onward,
      longer.map(({ tokens }) => tokens[0]).filter((token) => token !== undefined),
    );
    let left = 1;
    const inner = (index: number, probability: number) => {
      left -= probability;
      add(index, next.of(first) * probability);
    };
    read += 1 + (await distribute(call, { path: onward, ways: longer, next: then }, inner));
    for (const { index, tokens } of further) if (tokens.length === 0) add(index, next.of(first) * Math.max(0, left));
  }
  return read;
}

const entropyOf = (shown: Iterable<number>): number => {
  let entropy = 0;
  for (const p of shown) if (p > 0) entropy -= p * Math.log(p);
  return entropy;
};

type Question = { readonly request: ModelRequest; readonly options: readonly string[] };

async function decide(engine: Engine, lease: Lease<State>, { request, options }: Question): Promise<Choice> {
  const { signal } = request;
  const call: Call = { engine, state: lease.value, signal };
  const ways = waysOf(engine, options);
  const path = tokensOf(request, lease, engine) as Token[];
  const { cached } = await readPrompt(lease.value.sequence, path, { slice: engine.prefillSlice, signal });
  const wanted = new Set(ways.map(({ tokens }) => tokens[0]).filter((token) => token !== undefined));
  const next = await peek(call, path, [...wanted]);
  const probabilities = options.map(() => 0);
  const more = await distribute(call, { path, ways, next }, (index, probability) => {
    probabilities[index] = (probabilities[index] ?? 0) + probability;
  });
  const [likeliest] = [...next.shown].toSorted((a, b) => b[1] - a[1]);
  const top = likeliest && { text: engine.native.detokenize([likeliest[0]]), probability: likeliest[1] };
  const usage = { calls: 1, inputTokens: path.length + more, cachedTokens: cached, outputTokens: 0 };
  return { probabilities, entropy: entropyOf(next.shown.values()), top, usage };
}

/**
 * Probabilities of `options` as the next words, and entropy, over the 512 likeliest tokens, renormalized: on models of this
 * size the others have a few thousandths together. Rejects with a ConfigError for an empty or repeated option, with the signal's reason on abort.
 */
export async function choose(engine: Engine, request: ModelRequest, options: readonly string[]): Promise<Choice> {
  const { pool, id } = engine;
  const lease = await pool.take(request.session, request.signal);
  try {
    request.signal?.throwIfAborted();
    if (lease === undefined) throw new ModelError(`${id} is closed`, { model: id });
    return await decide(engine, lease, { request, options });
  } catch (error) {
    if (error instanceof ConfigError || request.signal?.aborted === true) throw error;
    throw asModelError(error, engine);
  } finally {
    lease?.release();
  }
}
