// Prompts as the very tokens that llama.cpp will see, so that the trainer needs no tokenizer and cannot use another.

import { basename } from "node:path";
import { ConfigError } from "../../base/errors.ts";
import type { Message } from "../../core/types.ts";
import { share } from "../../models/llama/native.ts";
import { promptTokens } from "../../models/llama/prompt.ts";
import { promptOptions } from "../../models/llama/template.ts";
import type { Base } from "./base.ts";

export type Prompts = {
  /** Tokens of a prompt. Throws a ConfigError for one that is longer than the limit. */
  readonly of: (messages: readonly Message[]) => readonly number[];
  /** The tokens that say Yes and No: the word as it stands, and after a space where that is one token too. */
  readonly yes: readonly number[];
  readonly no: readonly number[];
  readonly close: () => Promise<void>;
};

export type PromptLimits = { readonly words: readonly [string, string]; readonly contextTokens: number };

/** Opens a base's tokenizer. Rejects with a ConfigError where a word is not one token, or both are the same. */
export async function openPrompts(base: Base, { words, contextTokens }: PromptLimits): Promise<Prompts> {
  const shared = await share(base.path, false);
  try {
    const prompt = await promptOptions(base.path, shared, base.template);
    const tokensOf = (word: string) => {
      const [whole, ...others] = [word, ` ${word}`].map((text) => prompt.tokenize(text, false));
      const [token, ...more] = whole ?? [];
      if (token === undefined || more.length > 0)
        throw new ConfigError("words", `"${word}" is not one token of ${basename(base.path)}; choose another word`);
      return [...new Set([token, ...others.flatMap((tokens) => (tokens.length === 1 ? tokens : []))])];
    };
    const [yes, no] = [tokensOf(words[0]), tokensOf(words[1])];
    if (yes.some((token) => no.includes(token)))
      throw new ConfigError("words", `"${words[0]}" and "${words[1]}" are the same token`);
    const of = (messages: readonly Message[]) => {
      const tokens = promptTokens(messages, new Map(), prompt);
      if (tokens.length < contextTokens) return tokens;
      throw new ConfigError(
        "labels",
        `a prompt has ${tokens.length} tokens and ${contextTokens} are the limit; raise --context, or leave it out`,
      );
    };
    return { of, yes, no, close: () => shared.release() };
  } catch (error) {
    await shared.release();
    throw error;
  }
}
