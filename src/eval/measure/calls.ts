// Calls that are made so that their times tell how fast a model is.

import { integer, pick, random, subseed } from "../../base/random.ts";
import type { Random } from "../../base/random.ts";
import type { Message } from "../../core/types.ts";
import type { Asking } from "./asking.ts";
import type { Timing } from "./timings.ts";

/** A part of a measurement: how many tokens may be spent at its end, and whom to tell. */
export type CallPhase = {
  readonly until: number;
  readonly seed: number;
  readonly tell: () => void;
  /** Prompts are so long that the budget lasts for about so many rounds; default 8. */
  readonly rounds?: number | undefined;
};

const vowels = ["a", "e", "i", "o", "u"];
const consonants = ["b", "d", "f", "g", "k", "l", "m", "n", "p", "r", "s", "t"];
const syllable = (next: Random): string => pick(next, consonants) + pick(next, vowels);

/** Words that no cache has seen, about two tokens each. */
const words = (next: Random, count: number): string =>
  Array.from({ length: count }, () => syllable(next) + syllable(next)).join(" ");

/** Prompts of these lengths, each read afresh and then again as the beginning of a longer one. */
const lengths = [1, 4, 16] as const;
const answerTokens = 16;

/**
 * Rounds of calls: prompts of three lengths that no cache has seen, and a second turn of each. What is asked for is short, so that
 * the time to the first word, which has the reading in it, is measured often.
 */
export async function timeCalls(asking: Asking, { until, seed, tell, rounds = 8 }: CallPhase): Promise<Timing[]> {
  const next = random(subseed(seed, "speeds"));
  const timings: Timing[] = [];
  const units = lengths.reduce((sum, length) => sum + 2 * length, 0);
  // A word is about two tokens.
  const unit = Math.min(200, Math.max(4, Math.floor((until / rounds - lengths.length * 3 * answerTokens) / units / 2)));
  let dearest = 0;
  for (let round = 0; round < 200; round++) {
    const before = asking.tokens;
    if (round >= 3 && before + dearest > until) break;
    const order = lengths.map((length) => ({ length, place: next() })).toSorted((a, b) => a.place - b.place);
    for (const { length } of order) {
      const session = `probe/${seed}/${round}/${length}`;
      const messages: Message[] = [
        { role: "user", content: `${words(next, unit * length)}\n\nGo on with this list of words.` },
      ];
      const options = { maxTokens: answerTokens, session, seed: integer(next, 0, 2 ** 30) };
      const first = await asking.ask({ ...options, messages });
      if (first?.timing === undefined) continue;
      timings.push(first.timing);
      messages.push({ role: "assistant", content: first.text }, { role: "user", content: "Go on." });
      const second = await asking.ask({ ...options, messages });
      if (second?.timing !== undefined) timings.push(second.timing);
    }
    dearest = Math.max(dearest, asking.tokens - before);
    tell();
  }
  return timings;
}
