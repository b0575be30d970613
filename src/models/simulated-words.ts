import { random, subseed } from "../base/random.ts";
import type { Message } from "../core/types.ts";
import type { Settings } from "./simulated-settings.ts";
import { delimitersIn, lastNumber, pieces, stepMarks, stepText } from "./simulated-steps.ts";
import type { Terms } from "./simulated-steps.ts";

const defaultSteps = 4;

/** The step numbers a message brings, with their sums where they are steps of this model; several speakers' count once. */
function heardSteps(content: string): ReadonlyMap<number, Terms | undefined> {
  const heard = new Map<number, Terms | undefined>();
  for (const [, number] of content.matchAll(/^Step (\d{1,7}) by [^\n]*:$/gm)) heard.set(Number(number), undefined);
  const headed = heard.size > 0;
  for (const { step, terms } of stepMarks(content)) if (!headed || heard.has(step)) heard.set(step, terms);
  return heard;
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
  /** The sums that were just heard, by step number. */
  readonly terms: ReadonlyMap<number, Terms | undefined>;
  /** What the steps heard so far add to each step's chance of being right. */
  readonly gain: number;
  /** What was said of this turn before, to go on from. */
  readonly prefix: string;
};

/** How many steps the assistant has said: by the last number it gave, and for words of another model by its delimiters. */
function saidSteps(messages: readonly Message[]): number {
  let more = 0;
  for (const { role, content } of messages.toReversed()) {
    if (role !== "assistant") continue;
    const number = lastNumber(content);
    if (number > 0) return number + more;
    more += Math.max(1, delimitersIn(content));
  }
  return more;
}

/** Reads a request: the seed from all that was said, the steps from what was heard and what was asked for. */
export function plan(messages: readonly Message[], seed: number, settings: Settings): Plan {
  const last = messages.at(-1);
  const prefix = last?.role === "assistant" ? last.content : "";
  const context = last?.role === "assistant" ? messages.slice(0, -1) : messages;
  let [hash, gain] = [seed, 0];
  for (const { role, content } of context) {
    hash = subseed(subseed(hash, role), content);
    if (role !== "user" || (settings.delta === 0 && settings.epsilon === 0)) continue;
    for (const { right } of stepMarks(content)) gain += right ? settings.delta : -settings.epsilon;
  }
  const said = saidSteps(context);
  const terms = heardSteps(context.at(-1)?.content ?? "");
  const steps = terms.size > 0 ? terms.size : unheard(context, said, settings);
  return { seed: hash, first: said + 1, steps, terms, gain, prefix };
}

/** The steps to say where none were heard: all of them, or those that are left of a turn that was cut. */
function unheard(context: readonly Message[], said: number, { steps }: Settings): number {
  const all = steps > 0 ? steps : askedSteps(context);
  return said < all ? all - said : all;
}

function sayStep({ seed, gain, terms }: Plan, number: number, { accuracy, stepTokens }: Settings): string {
  const next = random(subseed(seed, `step ${number}`));
  const base = accuracy[Math.min(number, accuracy.length) - 1] ?? 1;
  return stepText(next, { number, right: next() < base + gain, tokens: stepTokens, terms: terms.get(number) });
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
