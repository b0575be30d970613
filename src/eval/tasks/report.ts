import { ConfigError } from "../../base/errors.ts";
import { integer, pick, random, subseed, type Random } from "../../base/random.ts";
import { digest, drawMade, shuffled, type Draw } from "../split.ts";
import { listing } from "../listing.ts";
import { judgeAnswers, type Need, type Role, type Sample, type Task, type Verdict } from "../task.ts";
import { kinds, type Kind } from "./kinds.ts";
import { accepts, acceptsWithin, inRow, keyWords } from "./match.ts";
import { checkChoices, checkWhole, nameWith } from "./options.ts";

export type ReportOptions = {
  /** How many facts the message states; default 7. */
  readonly facts?: number | undefined;
  /** How many of them the listener needs, 1 or 2; default 1. */
  readonly needs?: 1 | 2 | undefined;
  /** 0: the answer is free. Otherwise it is chosen from this many; default 0. */
  readonly choices?: number | undefined;
  /** Which kinds of fact may be asked for (and, for `seen`, be stated at all); default all. */
  readonly kinds?: "all" | "seen" | "held-out" | undefined;
};

/** A stated fact: its kind, its value, and the sentence of the template. */
export type Fact = { readonly kind: string; readonly value: string; readonly sentence: string };

/** The facts in the order of the message, and the places (from 0) of those the listener needs. */
export type ReportData = { readonly facts: readonly Fact[]; readonly needed: readonly number[] };

type Settings = Required<{ [Key in keyof ReportOptions]: NonNullable<ReportOptions[Key]> }>;

/** Whether the kind is kept for tests on kinds never trained on: about a third of all, fixed. */
export const isHeldOut = (kind: Kind): boolean => random(subseed(7, `kind ${kind.id}`))() < 0.25;

function askable({ kinds: which }: Settings): readonly Kind[] {
  if (which === "all") return kinds;
  return kinds.filter((kind) => isHeldOut(kind) === (which === "held-out"));
}

const statable = (settings: Settings): readonly Kind[] => (settings.kinds === "seen" ? askable(settings) : kinds);

const marker = "Answer:";

// Two amounts with the same number clash as well: "35" must not be right by accident.
const clash = (one: readonly string[], other: readonly string[]): boolean =>
  inRow(one, other) || inRow(other, one) || one.some((word) => /\d/.test(word) && other.includes(word));

/** A value that none of the others mentions and that mentions none of them, so that an answer is stated once. */
function freshValue(next: Random, kind: Kind, taken: readonly string[]): string {
  const others = taken.map(keyWords);
  for (let attempt = 0; attempt < 200; attempt++) {
    const value = kind.value(next);
    const own = keyWords(value);
    if (!others.some((other) => clash(own, other))) return value;
  }
  throw new RangeError(`the kind of fact "${kind.id}" has too few values`);
}

function makeFacts(next: Random, settings: Settings): { facts: Fact[]; needed: number[] } {
  const pool = askable(settings);
  const asked = draw(next, pool, settings.needs);
  const rest = statable(settings).filter((kind) => !asked.includes(kind));
  const stated = draw(next, [...asked, ...draw(next, rest, settings.facts - settings.needs)], settings.facts);
  const facts: Fact[] = [];
  for (const kind of stated) {
    const value = freshValue(
      next,
      kind,
      facts.map((fact) => fact.value),
    );
    facts.push({ kind: kind.id, value, sentence: capital(pick(next, kind.wordings).replace("{}", value)) });
  }
  return { facts, needed: asked.map((kind) => stated.indexOf(kind)) };
}

const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

/** `count` different items in random order. */
function draw<T>(next: Random, items: readonly T[], count: number): T[] {
  const left = [...items];
  return Array.from({ length: count }, () => left.splice(integer(next, 0, left.length - 1), 1)[0] as T);
}

const kindOf = (fact: Fact): Kind => kinds.find(({ id }) => id === fact.kind) as Kind;

/** Every form of one fact's value that is right. */
const formsOf = (fact: Fact): readonly string[] => [fact.value, ...(kindOf(fact).also?.(fact.value) ?? [])];

const joined = (values: readonly string[]): string => values.join("; ");

function candidatesOf(next: Random, needed: readonly Fact[], { choices }: Settings): string[] | undefined {
  if (choices === 0) return undefined;
  const right = joined(needed.map(({ value }) => value));
  const side = needed.length === 1 ? choices : Math.ceil(Math.sqrt(choices));
  const columns = needed.map((fact) => {
    const values = [fact.value];
    while (values.length < side) values.push(freshValue(next, kindOf(fact), values));
    return values;
  });
  const [first = [], second] = columns;
  // Of two values each alone is not enough to choose: wrong pairs share one of them.
  const pairs = second === undefined ? first : first.flatMap((one) => second.map((other) => joined([one, other])));
  const wrong = draw(next, pairs.slice(1), choices - 1);
  const all = [right, ...wrong];
  return shuffled(all, (candidate) => candidate, integer(next, 0, 2 ** 31));
}

function rolesOf(
  facts: readonly Fact[],
  questions: readonly string[],
  candidates: readonly string[] | undefined,
): Role[] {
  const says = facts.map(({ sentence }) => sentence).join(" ");
  const told = facts.map(({ sentence }) => `- ${sentence}`).join("\n");
  const one = questions.length === 1;
  const form = `Reply with one line and nothing else: "${marker}", then the ${one ? "answer" : 'two answers, parted by ";"'}`;
  const closed = candidates === undefined ? "" : ` ${listing(candidates)}`;
  const words = one ? "at most four words" : 'the two answers, parted by ";"';
  return [
    {
      id: "reporter",
      listens: false,
      says,
      instructions: `Report these facts to a colleague, all of them, in this order, in your own words and in plain sentences, without a list, a greeting or a summary:\n${told}`,
      // Without it small models answer the prompt, which is the last thing they read: "One reports what is known, the other …".
      reminder: "Report all of your facts now, each in a sentence of your own words with its exact value.",
    },
    {
      id: "reader",
      listens: true,
      instructions: `You need ${one ? "an answer" : "two answers"} from what a colleague reports: ${questions.join(" ")} ${form}, as the report says it.`,
      reminder:
        `${one ? "Question" : "Questions"}: ${questions.join(" ")}${closed}\nReply with "${marker}" and ${words}, as the report says it. ` +
        `If the report has not said it, reply "${marker} unknown".`,
    },
  ];
}

type Made = { readonly facts: readonly Fact[]; readonly needed: readonly number[]; readonly key: string };

function make(next: Random, settings: Settings): Made & Pick<Sample, "roles" | "answer" | "enough"> {
  const { facts, needed } = makeFacts(next, settings);
  const wanted = needed.map((place) => facts[place] as Fact);
  const questions = wanted.map((fact) => pick(next, kindOf(fact).questions));
  const candidates = candidatesOf(next, wanted, settings);
  const right = wanted.length === 1 ? formsOf(wanted[0] as Fact) : [joined(wanted.map(({ value }) => value))];
  const enough: Need[] = wanted.map((fact) => ({
    by: "reporter",
    said: fact.sentence.replace(/\.$/, ""),
    values: formsOf(fact),
  }));
  // What is told decides the split; in which order, in which words, and what is asked do not.
  const key = facts
    .map(({ kind, value }) => `${kind}=${value}`)
    .toSorted()
    .join(";");
  const roles = rolesOf(facts, questions, candidates);
  return {
    facts,
    needed,
    key,
    roles,
    answer: {
      by: "reader",
      question: questions.length === 1 ? questions[0] : undefined,
      marker,
      right,
      candidates,
      bare: true,
      tries: 1,
    },
    enough: [enough],
  };
}

/** Whether the answer is the fact's value, alone or with no other words than those in which its kind is told and asked for. */
function gives(fact: Fact, answer: string): boolean {
  const { wordings, questions } = kindOf(fact);
  return accepts(formsOf(fact), answer) || acceptsWithin(formsOf(fact), answer, [...wordings, ...questions]);
}

/** The right value, or both in either order, parted by a semicolon, a comma or "and". */
function judge(transcript: Parameters<Task["judge"]>[0], sample: Sample<ReportData>): Verdict {
  const { facts, needed } = sample.data;
  const [first, second] = needed.map((place) => facts[place] as Fact) as [Fact, Fact?];
  if (second === undefined) return judgeAnswers(transcript, sample, (answer) => gives(first, answer));
  return judgeAnswers(transcript, sample, (answer) => {
    const parts = answer.split(/;|,(?!\d{3}(?!\d))|\sand\s/).filter((part) => part.trim() !== "");
    const [one = "", other = ""] = parts;
    if (parts.length !== 2) return false;
    return (gives(first, one) && gives(second, other)) || (gives(first, other) && gives(second, one));
  });
}

function checked(options: ReportOptions): Settings {
  const { facts = 7, needs = 1, choices = 0, kinds: which = "all" } = options;
  const settings = { facts, needs, choices, kinds: which };
  if (which !== "all" && which !== "seen" && which !== "held-out") {
    throw new ConfigError("report.kinds", `must be all, seen or held-out; was "${String(which)}"`);
  }
  checkWhole("report.needs", needs, [1, 2]);
  checkWhole("report.facts", facts, [needs, statable(settings).length]);
  checkChoices("report.choices", choices);
  return settings;
}

/**
 * A message states many facts in random order, and the listener needs one or two of them: where enough has been heard
 * cannot be told from the place, only by understanding. Throws a `ConfigError` for impossible options.
 */
export function report(options: ReportOptions = {}): Task<ReportData> {
  const settings = checked(options);
  const name = nameWith("report", settings, { needs: 1, choices: 0, kinds: "all" });
  const samples = (draws: Draw): Sample<ReportData>[] =>
    drawMade(
      (next) => make(next, settings),
      ({ key }) => key,
      draws,
    ).map(({ key, facts, needed, ...made }) => ({
      id: digest(key),
      task: name,
      split: draws.split,
      prompt: "One reports what is known, the other needs an answer from it.",
      rounds: 1,
      data: { facts, needed },
      ...made,
    }));
  return { name, samples, judge };
}
