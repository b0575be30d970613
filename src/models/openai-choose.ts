import { ConfigError } from "../base/errors.ts";
import { scope } from "../base/scope.ts";
import type { Choice, ModelRequest } from "../core/types.ts";
import { readUsage } from "./openai-answer.ts";
import { commonBody, type Endpoint, post } from "./openai-endpoint.ts";
import { fault, idleError, saidError } from "./openai-errors.ts";
import { estimate } from "./tokens.ts";
import { Watch } from "./watch.ts";

/** A token the model might have said next, and how likely. */
export type Likely = { readonly text: string; readonly probability: number };

/** A token's text without the one space, or SentencePiece's sign for it, that tokens of words begin with. */
const bare = (token: string): string => token.replace(/^[ \u2581]/, "");

/** A lone letter begins too many words to count as the beginning of one. */
const tellsLittle = (prefix: string): boolean => /^[A-Za-z]$/.test(prefix);

/** The option's first token among these: the option itself, or its longest beginning that does not spell another option. */
function firstToken(shown: readonly Likely[], option: string, options: readonly string[]): Likely | undefined {
  let first: Likely | undefined;
  for (const likely of shown) {
    const text = bare(likely.text);
    if (text === option) return likely;
    const begins = text !== "" && option.startsWith(text) && !tellsLittle(text) && !options.includes(text);
    if (begins && text.length > bare(first?.text ?? "").length) first = likely;
  }
  return first;
}

/**
 * Probability of each option's first token among the tokens shown, with and without a leading space added up, case
 * respected, not renormalised.
 */
export function match(shown: readonly Likely[], options: readonly string[]): readonly number[] {
  const spaced = shown.filter(({ text }) => bare(text) !== text);
  const plain = shown.filter(({ text }) => bare(text) === text);
  return options.map((option) =>
    [spaced, plain].reduce((sum, some) => sum + (firstToken(some, option, options)?.probability ?? 0), 0),
  );
}

function checkedOptions(options: readonly string[]): readonly string[] {
  const clean = options.map((option) => option.trim());
  if (clean.length === 0) throw new ConfigError("options", "is empty; name at least one word to choose");
  clean.forEach((option, index) => {
    if (option === "") throw new ConfigError(`options[${index}]`, "is empty");
    if (clean.indexOf(option) !== index) throw new ConfigError(`options[${index}]`, `"${option}" is there twice`);
  });
  return clean;
}

type Logprob = { readonly token?: unknown; readonly logprob?: unknown };
type Body = {
  readonly error?: unknown;
  readonly usage?: unknown;
  readonly timings?: unknown;
  readonly choices?: readonly {
    readonly logprobs?: { readonly content?: readonly { readonly top_logprobs?: readonly Logprob[] }[] | null } | null;
  }[];
};

function tokensShown(body: Body): readonly Likely[] {
  const shown = body.choices?.[0]?.logprobs?.content?.[0]?.top_logprobs;
  if (!Array.isArray(shown)) return [];
  return (shown as readonly Logprob[]).flatMap(({ token, logprob }) =>
    typeof token === "string" && typeof logprob === "number" ? [{ text: token, probability: Math.exp(logprob) }] : [],
  );
}

/** Two options that begin with the same token cannot be told apart by one. */
function checkApart(options: readonly string[], shown: readonly Likely[]): void {
  for (const { text } of shown) {
    const token = bare(text);
    if (tellsLittle(token) || token === "" || options.includes(token)) continue;
    const same = options.filter((option) => option.startsWith(token));
    if (same.length > 1)
      throw new ConfigError(
        "options",
        `"${same[0]}" and "${same[1]}" begin with the same token "${token}"; reword one`,
      );
  }
}

/**
 * The next token's probabilities over `options`, from one generated token with logprobs; the entropy is that of the tokens
 * shown, a lower bound. Rejects with `ConfigError`, `ModelError`, or the signal's reason.
 */
export async function chooseFrom(to: Endpoint, request: ModelRequest, options: readonly string[]): Promise<Choice> {
  const clean = checkedOptions(options);
  const body = await ask(to, request);
  const shown = tokensShown(body);
  if (shown.length === 0)
    throw fault(to.place, "returned no logprobs, so it cannot choose; use a server and model that support them");
  checkApart(clean, shown);
  const top = shown.reduce((best, next) => (next.probability > best.probability ? next : best));
  return {
    probabilities: match(shown, clean),
    entropy: shown.reduce((sum, { probability: p }) => (p > 0 ? sum - p * Math.log(p) : sum), 0),
    top,
    usage: readUsage(body.usage, body.timings) ?? (await estimate(request.messages, top.text)),
  };
}

async function ask(to: Endpoint, request: ModelRequest): Promise<Body> {
  request.signal?.throwIfAborted();
  const own = scope(request.signal);
  const watch = new Watch({ clock: to.clock, signal: own.signal, idleMs: to.idleMs });
  const logprobs = { logprobs: true, top_logprobs: to.options.topLogprobs ?? 20, stream: false };
  const one = commonBody(to, { temperature: 0, ...request, maxTokens: 1 });
  try {
    const response = await post(to, { ...one, ...logprobs }, { signal: own.signal, watch });
    const text = response === "stopped" ? response : await watch.wait(response.text().then((body) => ({ body })));
    if (text === "idle") throw idleError(to.place, to.idleMs);
    if (text === "stopped") {
      request.signal?.throwIfAborted();
      throw fault(to.place, "was left");
    }
    return parse(to, text.body);
  } finally {
    watch.close();
    own.release();
    own.abort();
  }
}

function parse({ place }: Endpoint, text: string): Body {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (cause) {
    throw fault(place, `answered with what is not JSON: ${text.slice(0, 100)}`, { cause });
  }
  if (typeof body !== "object" || body === null) throw fault(place, "answered with what is not an object");
  if ("error" in body && body.error !== null && body.error !== undefined)
    throw fault(place, `failed: ${saidError(body.error)}`, { retryable: true });
  return body;
}
