// A speaker that needs no model: it says what is written, token by token.

import type { decode as decodeTokens, encode as encodeText } from "gpt-tokenizer/encoding/o200k_base";
import { systemClock } from "../base/clock.ts";
import type { Clock } from "../base/clock.ts";
import { ConfigError } from "../base/errors.ts";
import type { Model, ModelPart, ModelRequest } from "../core/types.ts";
import type { Casting } from "./cast.ts";

/** How fast a text is recited. */
export type RecitedOptions = {
  readonly id?: string | undefined;
  /** Default: at once. */
  readonly tokensPerSecond?: number | undefined;
  readonly clock?: Clock | undefined;
};

/** A piece of text of whole characters, and how many tokens it takes: one, or more where tokens share a character. */
type Piece = { readonly text: string; readonly tokens: number };

type Vocabulary = { readonly encode: typeof encodeText; readonly decode: typeof decodeTokens };

let loaded: Vocabulary | undefined;

/** Loads the vocabulary, which takes a good part of a second, unless it is there. */
export const loadVocabulary = async (): Promise<Vocabulary> =>
  (loaded ??= await import("gpt-tokenizer/encoding/o200k_base"));

async function piecesOf(text: string): Promise<Piece[]> {
  // Not awaited without need: under virtual time nothing but a timer may be waited for.
  const { encode, decode } = loaded ?? (await loadVocabulary());
  const pieces: Piece[] = [];
  let pending: number[] = [];
  // Text that merely looks like a control token is text.
  for (const token of encode(text, { disallowedSpecial: new Set<string>() })) {
    pending.push(token);
    const shown = decode(pending);
    if (shown.includes("\uFFFD")) continue;
    pieces.push({ text: shown, tokens: pending.length });
    pending = [];
  }
  if (pending.length > 0) pieces.push({ text: decode(pending), tokens: pending.length });
  return pieces;
}

const nothingMore = "That is all I know.";

/** What is to be said now: the rest of a turn that was cut, the next text, what was never said of the last one, or that there is no more. */
function lineFor(texts: readonly string[], { messages }: ModelRequest): string {
  const said = messages.filter(({ role }) => role === "assistant").map(({ content }) => content);
  const prefix = messages.at(-1)?.role === "assistant" ? said.pop() : undefined;
  const text = texts[said.length] ?? restOf(texts.at(-1) ?? "", said.slice(texts.length - 1));
  return prefix !== undefined && text.startsWith(prefix) ? text.slice(prefix.length) : text;
}

function restOf(text: string, said: readonly string[]): string {
  let rest = text;
  for (const part of said)
    if (rest.trimStart().startsWith(part.trim())) rest = rest.trimStart().slice(part.trim().length);
  return rest.trim() === "" ? nothingMore : rest.trimStart();
}

/**
 * A model that says these texts, one a turn, in tokens of the o200k vocabulary; it reads nothing and knows no limit. Cut and
 * called again it goes on where it was cut.
 */
export function recited(texts: readonly string[], options: RecitedOptions = {}): Model {
  const { id = "template", tokensPerSecond = Infinity, clock = systemClock } = options;
  if (!(tokensPerSecond > 0)) throw new ConfigError("tokensPerSecond", `must be above 0, not ${tokensPerSecond}`);
  async function* stream(request: ModelRequest): AsyncGenerator<ModelPart, void, undefined> {
    const pieces = await piecesOf(lineFor(texts, request));
    const start = clock.now();
    let outputTokens = 0;
    const usage = () => ({ calls: 1, inputTokens: 0, cachedTokens: 0, outputTokens });
    for (const piece of pieces) {
      const due = start + (1000 * (outputTokens + piece.tokens)) / tokensPerSecond;
      if (due > clock.now()) await clock.sleep(due - clock.now(), request.signal);
      if (request.signal?.aborted === true) return yield { type: "end", reason: "interrupted", usage: usage() };
      outputTokens += piece.tokens;
      yield { type: "text", ...piece };
    }
    yield { type: "end", reason: request.signal?.aborted === true ? "interrupted" : "stop", usage: usage() };
  }
  return { id, continues: true, stream };
}

/** Casts each role as a template that says the sample's own message. Throws a `ConfigError` for a role that has none. */
export const template =
  (options: Omit<RecitedOptions, "clock"> = {}): Casting =>
  ({ role, sample, clock }) => {
    if (role.says === undefined) {
      throw new ConfigError("speaker", `${sample.task} has no template for the ${role.id}; give a model`);
    }
    return recited([role.says], { ...options, clock });
  };
