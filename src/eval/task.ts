// What a conversation is about and when it has succeeded. A sample is plain data that says all a run needs; a task makes
// samples and judges transcripts by exact rules.
import { accepts, sameAnswer, words } from "./tasks/match.ts";
import type { Draw, Split } from "./split.ts";

/** One who takes part. The order of a sample's roles is the order of speaking. */
export type Role = {
  readonly id: string;
  /** What only this one is told: its part, its private knowledge, the form of its answer. */
  readonly instructions: string;
  /** What it is told behind what it heard, each time it speaks: small models follow best what comes last. */
  readonly reminder?: string | undefined;
  /** Whether this one may cut the others, unless the run says otherwise. */
  readonly listens: boolean;
  /** A template's whole first message, for a run without a model in this role. */
  readonly says?: string | undefined;
};

/** Whose answer counts, how it is written, and which answers are right. */
export type Answer = {
  /** The role that answers. */
  readonly by: string;
  /** The question, where its answer can be read off what was heard: policies that ask the listener ask it apart, then. */
  readonly question?: string | undefined;
  /** What the listener needs to know, where that must be worked out, for who listens on its behalf, as ears do; default: `question`. */
  readonly about?: string | undefined;
  /** What an answer begins with, colon included: `Guess:`. */
  readonly marker: string;
  /** Every right answer, in all its forms; the first is the one to show. */
  readonly right: readonly string[];
  /** The closed list to choose from, exactly one of them in `right`; absent where the answer is free. */
  readonly candidates?: readonly string[] | undefined;
  /** Whether a short message without the marker is an answer as well: for a role that has nothing else to say. */
  readonly bare: boolean;
  /** How many answers may be given until one is right. */
  readonly tries: number;
};

/** Words that, once heard, tell a part of the answer. */
export type Need = {
  /** The role that says it. */
  readonly by: string;
  /** The template's own words. */
  readonly said: string;
  /** What a speaker with words of its own must have said one of; absent where no such rule is known. */
  readonly values?: readonly string[] | undefined;
};

/** One thing to talk about: everything a run needs, as JSON. `Data` is for the task's judge and for analysis. */
export type Sample<Data = unknown> = {
  /** Unique within the task, and the same whenever the same sample is drawn. */
  readonly id: string;
  readonly task: string;
  readonly split: Split;
  /** What everybody is told. */
  readonly prompt: string;
  readonly roles: readonly Role[];
  /** The conversation ends after each role has spoken this often. */
  readonly rounds: number;
  readonly answer: Answer;
  /** Sets of needs; whoever has heard all of any one set has heard enough. Absent where this is not known. */
  readonly enough?: readonly (readonly Need[])[] | undefined;
  readonly data: Data;
};

/** One message as it was heard: after a cut, only what came before it. */
export type Utterance = { readonly agent: string; readonly text: string };

/** What was said so far, in order. */
export type Transcript = readonly Utterance[];

/** The state of a conversation: at its end, the score. */
export type Verdict = {
  /** Nothing that may still be said changes the success. */
  readonly over: boolean;
  readonly success: 0 | 1;
  /** The answer that counted: the right one, else the last. */
  readonly answer?: string | undefined;
  /** One line that says why. */
  readonly detail: string;
};

/** Makes samples and judges what was said about them. */
export interface Task<Data = unknown> {
  /** With its options, as a command line names it: `report:facts=15`. */
  readonly name: string;
  /** Samples of one split. Throws a `ConfigError` for a draw that cannot be met. */
  samples(draw: Draw): readonly Sample<Data>[];
  /** Ends the conversation (`over`) and scores it. Depends on nothing but its arguments. */
  judge(transcript: Transcript, sample: Sample<Data>): Verdict;
}

const holding =
  /^(?:i (?:still )?(?:do not|dont|cannot|cant|need) |(?:i am |im |its )?(?:not|un)(?: |-)?(?:known|sure|clear|certain|enough|yet|stated|given|mentioned|specified|provided|available)\b|wait\b|go on\b|continue\b|pass$|please |need more\b|no (?:answer|guess|idea)\b|to be determined\b|yes$|no$|ok$|okay$|hmm$|none yet\b)/;

/** Whether an answer says that there is none yet: "I do not know", "not stated", "go on". */
export const holdsBack = (answer: string): boolean => {
  const said = words(answer).join(" ");
  return said === "" || holding.test(said);
};

// A message of no more words than this can be an answer without its marker.
const bareWords = 4;

/**
 * The answer in a message: the line after the last marker; without a marker and where `bare`, the whole message if it is
 * one line of at most four words and, of a closed list, one of the candidates. Undefined where there is none, or where
 * it says that it is not known yet.
 */
export function answerOf(text: string, answer: Pick<Answer, "marker" | "bare" | "candidates">): string | undefined {
  const plain = text.replaceAll(/[*`"“”<>[\]]/g, "");
  const found = lastMarker(plain, answer.marker);
  const given = found === undefined ? bareAnswer(plain, answer) : lineOf(plain.slice(found));
  return given === undefined || holdsBack(given) ? undefined : given;
}

function lastMarker(text: string, marker: string): number | undefined {
  const escaped = marker.replace(/:$/, "").replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  const last = [...text.matchAll(new RegExp(String.raw`(?<![\p{L}\p{N}])${escaped}\s*:`, "giu"))].at(-1);
  return last === undefined ? undefined : last.index + last[0].length;
}

const lineOf = (text: string): string | undefined =>
  text
    .split("\n")
    .map((line) => line.trim().replace(/\.$/, ""))
    .find((line) => line !== "");

function bareAnswer(text: string, { bare, candidates }: Pick<Answer, "bare" | "candidates">): string | undefined {
  const line = text.trim().replace(/\.$/, "");
  if (!bare || line.includes("\n") || line.includes("?") || words(line).length > bareWords) return undefined;
  const listed = candidates === undefined || candidates.some((candidate) => sameAnswer(candidate, line));
  return listed ? line : undefined;
}

/** The answers given so far by the role whose answers count, in order. */
export const answersIn = (transcript: Transcript, { answer }: Pick<Sample, "answer">): string[] =>
  transcript.flatMap(({ agent, text }) => {
    const given = agent === answer.by ? answerOf(text, answer) : undefined;
    return given === undefined ? [] : [given];
  });

/** Judges by the answers alone: over at the first that `isRight` accepts, or when no try is left. */
export function judgeAnswers(
  transcript: Transcript,
  sample: Sample,
  isRight = (answer: string): boolean => accepts(sample.answer.right, answer),
): Verdict {
  const { by, right, tries } = sample.answer;
  const given = answersIn(transcript, sample).slice(0, tries);
  const found = given.find((answer) => isRight(answer));
  if (found !== undefined) return { over: true, success: 1, answer: found, detail: `${by} answered "${found}"` };
  const last = given.at(-1);
  if (last === undefined) return { over: false, success: 0, detail: `${by} gave no answer; right: "${right[0]}"` };
  const detail = `${by} answered "${last}"; right: "${right[0]}"`;
  return { over: given.length === tries, success: 0, answer: last, detail };
}
