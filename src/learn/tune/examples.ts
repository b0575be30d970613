// What a listener is trained on: each labelled hearing with the question behind it, and the word it should say.

import { ConfigError } from "../../base/errors.ts";
import { random, subseed } from "../../base/random.ts";
import type { Message } from "../../core/types.ts";
import { earMessages } from "../ear-prompt.ts";
import type { EarAsk, Heard } from "../ear-prompt.ts";
import type { Label } from "../label.ts";
import type { DecisionPoint } from "../points.ts";
import { askOf } from "../read-states.ts";

/** How a listener is asked, and what it may say. */
export type Asking = {
  /** `apart`: about what was heard of a message and the question it is for, and nothing else. Default: within its own messages. */
  readonly ask?: EarAsk | undefined;
  /** What is asked after what was heard. */
  readonly question: string;
  readonly words: readonly [yes: string, no: string];
  /** How the reply begins, before the word: a thought closed before it began, for models that think aloud. */
  readonly lead: string;
};

/** What may be chosen of how a tuned listener is asked; the lead follows from the model. */
export type Asked = {
  /** Default: apart where every point tells what its listener needs to know, else within. */
  readonly ask?: EarAsk | undefined;
  /** What is asked after what was heard; default: whether it answers the question. */
  readonly question?: string | undefined;
  /** What may be said; default: Yes and No. */
  readonly words?: readonly [yes: string, no: string] | undefined;
};

/** A labeled hearing as it is trained on. */
export type Example = {
  readonly point: DecisionPoint;
  /** All that is sent. With a lead the last message is the assistant's and stays open. */
  readonly prompt: readonly Message[];
  readonly label: 0 | 1;
  readonly answer: string;
  /** The sample: all of its hearings are trained on, or none. */
  readonly group: string;
};

/** What a listener is asked where nothing else is given. */
export const enoughOf = (ask: EarAsk, [yes, no]: Asking["words"]): string =>
  ask === "apart"
    ? `Has the report answered the question? Reply ${yes} or ${no}.`
    : `(Has the question been answered already? ${yes} or ${no}.)`;

/**
 * How a listener that is trained on these points is asked. Throws a ConfigError where it is to be asked apart and a point does not
 * tell about what.
 */
export function askingOf(points: readonly DecisionPoint[], asked: Asked, lead: string): Asking {
  const { ask = askOf(points), words = ["Yes", "No"], question = enoughOf(ask, words) } = asked;
  const silent = ask === "apart" ? points.find(({ about }) => about === undefined) : undefined;
  if (silent !== undefined)
    throw new ConfigError(
      "--ask",
      `apart needs points that tell the question (about), and sample "${silent.sample}" of ${silent.task} does not; sample it again, or ask within`,
    );
  return { ask, question, words, lead };
}

/** The points that a tuning sends: all of messages of which some are decided, and all that the rule is chosen on. */
export function pointsOf(labels: readonly Label[], dev: readonly Label[] = []): DecisionPoint[] {
  const taught = new Set(labels.flatMap(({ point, undecided }) => (undecided ? [] : [groupOf(point)])));
  return [...labels.filter(({ point }) => taught.has(groupOf(point))), ...dev].map(({ point }) => point);
}

/** The messages that a listener of this kind is sent. Throws a ConfigError where it is asked apart and nobody knows about what. */
export function promptOf(heard: Heard, { ask, question, lead }: Omit<Asking, "words">): readonly Message[] {
  const asked = earMessages(heard, { ask, question });
  return lead === "" ? asked : [...asked, { role: "assistant", content: lead }];
}

/** The lead of a model with this chat template: one that writes thoughts first has them closed. */
export const leadFor = (template: string | undefined): string =>
  template?.includes("</think>") === true ? "<think>\n\n</think>\n\n" : "";

const groupOf = ({ task, sample }: DecisionPoint): string => `${task} ${sample}`;

/** Labelled points as examples; undecided ones are left out. */
export const examplesOf = (labels: readonly Label[], asking: Asking): Example[] =>
  labels
    .filter(({ undecided }) => !undecided)
    .map(({ point, label }) => ({
      point,
      prompt: promptOf(point, asking),
      label,
      answer: asking.words[label === 1 ? 0 : 1],
      group: groupOf(point),
    }));

/** Throws a ConfigError where there is nothing to be told apart. */
export function checkClasses(examples: readonly Pick<Example, "label">[], place: string): void {
  if (examples.length === 0)
    throw new ConfigError(place, "there are no decided labels; sample more, or lower --confidence");
  const positive = examples.filter(({ label }) => label === 1).length;
  if (positive > 0 && positive < examples.length) return;
  const all = positive === 0 ? "negative" : "positive";
  throw new ConfigError(place, `all ${examples.length} are ${all}; there is nothing to tell apart, sample more`);
}

/** Leaves out examples of the larger class, by chance, until both are equally many. */
export function balanced(examples: readonly Example[], seed: number): Example[] {
  const of = (label: 0 | 1) => examples.filter((each) => each.label === label);
  const [no, yes] = [of(0), of(1)];
  const [small, large] = no.length < yes.length ? [no, yes] : [yes, no];
  const chance = random(subseed(seed, "balance"));
  const kept = new Set(
    large
      .map((example) => ({ example, place: chance() }))
      .toSorted((a, b) => a.place - b.place)
      .slice(0, small.length)
      .map(({ example }) => example),
  );
  return examples.filter((example) => kept.has(example) || small.includes(example));
}

/** Holds back a share of the samples, at least one, drawn by chance. Throws a ConfigError for a single sample. */
export function heldBack(
  examples: readonly Example[],
  share: number,
  seed: number,
): { train: Example[]; held: Example[] } {
  const groups = [...new Set(examples.map(({ group }) => group))];
  if (groups.length < 2)
    throw new ConfigError("labels", "come from one sample only; at least two are needed to hold one out");
  const chance = random(subseed(seed, "held"));
  const count = Math.min(groups.length - 1, Math.max(1, Math.round(groups.length * share)));
  const drawn = groups.map((group) => ({ group, place: chance() })).toSorted((a, b) => a.place - b.place);
  const held = new Set(drawn.slice(0, count).map(({ group }) => group));
  return {
    train: examples.filter(({ group }) => !held.has(group)),
    held: examples.filter(({ group }) => held.has(group)),
  };
}

const plain = (messages: readonly Message[]) => messages.map(({ role, content }) => ({ role, content }));

/** A line of OpenAI's chat format. */
export const openaiLine = ({ prompt, answer }: Example): string =>
  JSON.stringify({ messages: [...plain(prompt), { role: "assistant", content: answer }] });

/** A line of TRL's conversational prompt and completion, with what our trainer goes by: the very tokens, label and sample. */
export const trlLine = ({ prompt, answer, label, group }: Example, tokens?: readonly number[]): string =>
  JSON.stringify({
    prompt: plain(prompt),
    completion: [{ role: "assistant", content: answer }],
    label,
    group,
    ...(tokens === undefined ? {} : { tokens }),
  });
