import { pick, random, subseed } from "../base/random.ts";
import type { Random } from "../base/random.ts";
import type { Message } from "../core/types.ts";
import { tokenLength } from "./simulated-cache.ts";
import type { Settings } from "./simulated-settings.ts";

/** The line that closes a step. */
const delimiter = "END_STEP";
const closing = `\n${delimiter}\n`;
const defaultSteps = 4;

/** A step that states a sum, and whether the sum is right. */
export type StepMark = { readonly step: number; readonly right: boolean };

/** The simulated steps in a text: each is a line such as `Step 3: … so 8 + 9 = 17`, right where its sum is. */
export function stepMarks(text: string): readonly StepMark[] {
  const marks: StepMark[] = [];
  for (const line of text.split("\n")) {
    const step = /Step (\d{1,7}):/.exec(line)?.[1];
    const sum = /(\d{1,9}) \+ (\d{1,9}) = (\d{1,9})\s*$/.exec(line);
    if (step !== undefined && sum !== null) {
      marks.push({ step: Number(step), right: Number(sum[1]) + Number(sum[2]) === Number(sum[3]) });
    }
  }
  return marks;
}

// By length, so that a step can be filled to the character.
const words = [
  ["a"],
  ["we", "so", "by", "it", "of"],
  ["now", "and", "the", "add", "sum", "for"],
  ["then", "both", "from", "this", "take", "with"],
  ["carry", "total", "terms", "check", "first", "units"],
  ["before", "amount", "having", "number", "reduce"],
  ["collect", "earlier", "because", "balance"],
  ["combined", "together", "quantity"],
  ["remaining", "following", "therefore"],
  ["accounting", "considered"],
  ["calculation", "substituted"],
];

/** Words and spaces of exactly `length` characters. */
function filler(next: Random, length: number): string {
  let text = "";
  while (text.length < length) {
    const left = length - text.length;
    const longest = Math.min(left <= words.length + 1 ? left - 1 : left - 3, words.length);
    if (longest < 1) return text.padEnd(length, ",");
    const size = left <= words.length + 1 ? longest : 2 + Math.floor(next() * (Math.min(longest, 8) - 1));
    text += `${pick(next, words[size - 1] ?? [])} `;
  }
  return text;
}

type Step = { readonly number: number; readonly right: boolean; readonly tokens: number };

/** A step of so many tokens of four characters; shorter tokens only where it could not be said otherwise. */
function stepText(next: Random, { number, right, tokens }: Step): string {
  const [a, b] = [2 + Math.floor(next() * 48), 2 + Math.floor(next() * 48)];
  const sum = a + b + (right ? 0 : 1 + Math.floor(next() * 9));
  const start = `Step ${number}: `;
  const end = `${a} + ${b} = ${sum}${closing}`;
  return start + filler(next, tokens * tokenLength - start.length - end.length) + end;
}

function* pieces(text: string, count: number): Generator<string, void, undefined> {
  for (let i = 0; i < count; i++) {
    yield text.slice(Math.floor((i * text.length) / count), Math.floor(((i + 1) * text.length) / count));
  }
}

/** The number of the last step line, or 0. */
const lastNumber = (text: string): number => Number([...text.matchAll(/^Step (\d{1,7}):/gm)].at(-1)?.[1] ?? 0);

const delimitersIn = (text: string): number => text.split(closing).length - 1;

/** How many step numbers a message brings, under headings such as `Step 3 by solver:`, or as the steps of this model. */
export function heardSteps(content: string): number {
  const headings = new Set(Array.from(content.matchAll(/^Step (\d{1,7}) by [^\n]*:$/gm), (match) => Number(match[1])));
  return headings.size > 0 ? headings.size : new Set(stepMarks(content).map(({ step }) => step)).size;
}

function askedSteps(messages: readonly Message[]): number {
  for (const { role, content } of messages) {
    const asked = role === "assistant" ? null : /\b(\d{1,6})(?:\s+[\w-]+){0,3}?\s+(?:steps?|parts?)\b/i.exec(content);
    if (asked !== null && Number(asked[1]) > 0) return Number(asked[1]);
  }
  return defaultSteps;
}

/** What a request calls for: which steps, how likely each is right, and what of the first is already said. */
export type Plan = {
  /** Seeds everything drawn for the request; the same seed and messages give the same words. */
  readonly seed: number;
  /** The number of the first step to say, from 1. */
  readonly first: number;
  readonly steps: number;
  /** What the steps heard so far add to each step's chance of being right. */
  readonly gain: number;
  /** What was said of this turn before, to go on from. */
  readonly prefix: string;
};

/** Reads a request: the seed from all that was said, the steps from what was heard and what was asked for. */
export function plan(messages: readonly Message[], seed: number, settings: Settings): Plan {
  const last = messages.at(-1);
  const prefix = last?.role === "assistant" ? last.content : "";
  const context = last?.role === "assistant" ? messages.slice(0, -1) : messages;
  let [hash, said, gain] = [seed, 0, 0];
  for (const { role, content } of context) {
    hash = subseed(subseed(hash, role), content);
    if (role === "assistant") said = Math.max(said + Math.max(1, delimitersIn(content)), lastNumber(content));
    if (role !== "user" || (settings.delta === 0 && settings.epsilon === 0)) continue;
    for (const { right } of stepMarks(content)) gain += right ? settings.delta : -settings.epsilon;
  }
  const heard = heardSteps(context.at(-1)?.content ?? "");
  return { seed: hash, first: said + 1, steps: heard > 0 ? heard : unheard(context, said, settings), gain, prefix };
}

/** The steps to say where none were heard: all of them, or those that are left of a turn that was cut. */
function unheard(context: readonly Message[], said: number, { steps }: Settings): number {
  const all = steps > 0 ? steps : askedSteps(context);
  return said < all ? all - said : all;
}

function sayStep({ seed, gain }: Plan, number: number, { accuracy, stepTokens }: Settings): string {
  const next = random(subseed(seed, `step ${number}`));
  const base = accuracy[Math.min(number, accuracy.length) - 1] ?? 1;
  return stepText(next, { number, right: next() < base + gain, tokens: stepTokens });
}

/** The tokens of the answer, one after the other, each a piece of text. */
export function* say(task: Plan, settings: Settings): Generator<string, void, undefined> {
  const end = task.first + task.steps;
  const { stepTokens } = settings;
  let number = task.first;
  let rest = task.prefix;
  while (rest !== "" && number < end) {
    const text = sayStep(task, number, settings);
    if (rest.startsWith(text)) {
      rest = rest.slice(text.length);
      number++;
    } else if (text.startsWith(rest)) {
      const left = text.slice(rest.length);
      yield* pieces(left, Math.ceil((left.length * stepTokens) / text.length));
      rest = "";
      number++;
    } else {
      // Words of another model: go on after the steps it has said.
      number = Math.max(number, delimitersIn(rest) + 1, lastNumber(rest) + 1);
      if (number < end && !rest.endsWith("\n")) yield "\n";
      rest = "";
    }
  }
  for (; number < end; number++) yield* pieces(sayStep(task, number, settings), stepTokens);
}

/** The tokens up to the first stop text; a token of it is generated but empty or cut. */
export function stopAt(tokens: readonly string[], stops: readonly string[]): readonly string[] {
  const text = tokens.join("");
  const found = stops
    .map((stop) => ({ at: text.indexOf(stop), stop }))
    .filter(({ at, stop }) => at >= 0 && stop !== "");
  if (found.length === 0) return tokens;
  const { at, stop } = found.reduce((a, b) => (b.at < a.at ? b : a));
  const kept: string[] = [];
  for (let position = 0; position < at + stop.length; position += tokens[kept.length - 1]?.length ?? 1) {
    kept.push((tokens[kept.length] ?? "").slice(0, Math.max(0, at - position)));
  }
  return kept;
}
