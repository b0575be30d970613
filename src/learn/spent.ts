// What sampling takes, counted where a model is called.

import type { Price } from "../core/usage.ts";
import { cost } from "../core/usage.ts";
import type { Usage } from "../core/types.ts";

/** Tokens, and money where prices are known. */
export type Spent = {
  /** Made by a model. */
  generated: number;
  /** Said from memory, and so not made again. */
  replayed: number;
  /** Of prompts: read by a model, not found in its cache. */
  evaluated: number;
  /** Those of `evaluated` that a model had read before in conversations about the same sample. */
  again: number;
  /** In the currency of the prices; 0 without. */
  amount: number;
};

export const nothingSpent = (): Spent => ({ generated: 0, replayed: 0, evaluated: 0, again: 0, amount: 0 });

const names = ["generated", "replayed", "evaluated", "again", "amount"] as const;

/** Adds to each of several counts. */
export function spend(counts: readonly Spent[], more: Partial<Spent>): void {
  for (const count of counts) for (const name of names) count[name] += more[name] ?? 0;
}

/** Prompts that were read about one sample, by session, each with what was said after it. */
export type Prompts = Map<string, string[]>;

// Long enough to find the nearest one.
const kept = 400;

const shared = (a: string, b: string): number => {
  const end = Math.min(a.length, b.length);
  let at = 0;
  while (at < end && a.charCodeAt(at) === b.charCodeAt(at)) at++;
  return at;
};

export type Call = {
  readonly session: string;
  readonly prompt: string;
  readonly said: string;
  readonly usage: Usage;
  readonly price: Price | undefined;
};

/** What a call took. Of its prompt's tokens the share was read before that the longest prefix has which an earlier call begins with too. */
export function tookOf({ session, prompt, said, usage, price }: Call, prompts: Prompts): Partial<Spent> {
  const earlier = prompts.get(session) ?? [];
  const longest = earlier.reduce((most, text) => Math.max(most, shared(text, prompt)), 0);
  prompts.set(session, [...earlier.slice(-kept), `${prompt}${said}`]);
  const evaluated = Math.max(0, usage.inputTokens - usage.cachedTokens);
  const known = prompt.length === 0 ? 0 : Math.floor((usage.inputTokens * longest) / prompt.length);
  return {
    generated: usage.outputTokens,
    evaluated,
    again: Math.min(evaluated, Math.max(0, known - usage.cachedTokens)),
    amount: price === undefined ? 0 : cost(usage, price).amount,
  };
}
