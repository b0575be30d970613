// Policies that ask nobody.

import { ConfigError } from "../base/errors.ts";
import { random as numbers, subseed } from "../base/random.ts";
import type { Decision, Hearing, Policy } from "../core/policy.ts";

const wait: Decision = { advantage: -1 };
const cut: Decision = { advantage: 1 };

/** Throws a ConfigError unless the value is a whole number of at least `least`. */
export function checkCount(path: string, value: number, least = 1): number {
  if (Number.isSafeInteger(value) && value >= least) return value;
  throw new ConfigError(path, `${value} is not a whole number of at least ${least}`);
}

/** Throws a ConfigError unless the value is a finite number. */
export function checkNumber(path: string, value: number): number {
  if (Number.isFinite(value)) return value;
  throw new ConfigError(path, `${value} is not a number`);
}

/** Hears every message to its end. */
export const never: Policy = { name: "never" };

/** Tells the speaker to be brief, and hears it to its end: what any policy must beat. */
export const concise: Policy = {
  name: "concise",
  speakerNote:
    "Be brief: say the most important thing first, use as few words as you can, leave out what the others know, and stop.",
};

const tail = 200;

/** The same for the same hearing, whatever was asked before or is asked at the same time. */
function draw(seed: number, { task, listener, speaker, turn, chunks, text }: Hearing): number {
  const heard = text.slice(-tail);
  return numbers(subseed(seed, JSON.stringify([listener, speaker, turn, chunks, task.slice(0, tail), heard])))();
}

/**
 * Cuts after a chunk with probability `p`. A draw depends on the seed, the task and what was heard, not on the order of
 * decisions, so that a run can be repeated; to repeat a conversation with other draws, change the seed.
 */
export function random(p: number, { seed = 0 }: { readonly seed?: number } = {}): Policy {
  if (!(p >= 0 && p <= 1)) throw new ConfigError("p", `${p} is no probability; give a number from 0 to 1`);
  return {
    name: `random:${p}`,
    decide: (hearing) => (draw(seed, hearing) < p ? { ...cut, probability: p } : { ...wait, probability: p }),
  };
}

/** Cuts as soon as `n` chunks of a turn have been heard. */
export function afterChunks(n: number): Policy {
  checkCount("n", n);
  return { name: `after:${n}`, decide: ({ chunks }) => (chunks >= n ? cut : wait) };
}

/** Cuts as soon as what was heard of the turn matches. */
export function onPattern(pattern: RegExp): Policy {
  // A global or sticky expression would go on from its last match.
  const own = new RegExp(pattern.source, pattern.flags.replaceAll(/[gy]/g, ""));
  return { name: `pattern:${String(own)}`, decide: ({ text }) => (own.test(text) ? cut : wait) };
}
