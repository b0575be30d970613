import { integer } from "../base/random.ts";
import type { Random } from "../base/random.ts";
import { tokenLength } from "./simulated-cache.ts";

/** The line that closes a step, with the line ends around it. */
export const closing = "\nEND_STEP\n";

/** The terms of a sum. */
export type Terms = readonly [a: number, b: number];

/** A step that states a sum, and whether the sum is right. */
export type StepMark = { readonly step: number; readonly right: boolean; readonly terms: Terms };

/** The simulated steps in a text: each is a line such as `Step 3: add the units first, so 8 + 9 = 17`, right where its sum is. */
export function stepMarks(text: string): readonly StepMark[] {
  const marks: StepMark[] = [];
  for (const line of text.split("\n")) {
    const step = /Step (\d{1,7}):/.exec(line)?.[1];
    const sum = /(\d{1,9}) \+ (\d{1,9}) = (\d{1,9})\s*$/.exec(line);
    if (step === undefined || sum === null) continue;
    const [a, b, said] = [Number(sum[1]), Number(sum[2]), Number(sum[3])];
    marks.push({ step: Number(step), right: a + b === said, terms: [a, b] });
  }
  return marks;
}

const phrases = [
  "look at what is given",
  "write both terms down",
  "keep the units apart from the tens",
  "add the units first",
  "carry what is left over",
  "the tens come last",
  "nothing is counted twice",
  "the order does not matter",
  "take the larger term first",
  "check it the other way round",
  "the rest stays as it was",
  "this agrees with the estimate",
];

// By length, so that a step can be filled to the character.
const closers = [
  "",
  " ",
  "  ",
  "so ",
  "now ",
  "thus ",
  "hence ",
  "in all ",
  "so then ",
  "in short ",
  "therefore ",
  "it follows ",
  "and that is ",
  "which leaves ",
  "which adds to ",
  "so what we get ",
  "we then have it ",
  "so the answer is ",
  "taken together is ",
  "put together it is ",
];

/** Phrases of exactly `length` characters, if that is above 0. */
function filler(next: Random, length: number): string {
  let text = "";
  let turn = integer(next, 0, phrases.length - 1);
  for (let left = length; left > 0; left = length - text.length) {
    const closer = closers[left];
    const phrase = phrases[turn++ % phrases.length] ?? "";
    if (closer !== undefined) text += closer;
    else if (phrase.length + 2 <= left) text += `${phrase}, `;
  }
  return text;
}

type Step = {
  readonly number: number;
  readonly right: boolean;
  readonly tokens: number;
  /** What to add; made up where nothing is given. */
  readonly terms: Terms | undefined;
};

/** The text of a step, delimiter included: four characters a token, more only where it could not be said otherwise. */
export function stepText(next: Random, { number, right, tokens, terms }: Step): string {
  const [a, b] = terms ?? [integer(next, 2, 49), integer(next, 2, 49)];
  const sum = a + b + (right ? 0 : integer(next, 1, 9));
  const start = `Step ${number}: `;
  const end = `${a} + ${b} = ${sum}${closing}`;
  return start + filler(next, tokens * tokenLength - start.length - end.length) + end;
}

/** A text in so many parts of the same length, give or take one character. */
export function* pieces(text: string, count: number): Generator<string, void, undefined> {
  for (let i = 0; i < count; i++) {
    yield text.slice(Math.floor((i * text.length) / count), Math.floor(((i + 1) * text.length) / count));
  }
}

/** The number of the last step line, or 0. */
export const lastNumber = (text: string): number => Number([...text.matchAll(/^Step (\d{1,7}):/gm)].at(-1)?.[1] ?? 0);

/** How many delimiter lines a text has. */
export const delimitersIn = (text: string): number => text.split(closing).length - 1;
