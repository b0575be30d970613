import { drawItems, type Draw } from "../split.ts";
import { judgeAnswers, type Role, type Sample, type Task } from "../task.ts";
import { sameAnswer } from "./match.ts";
import { checkWhole, nameWith } from "./options.ts";
import { ownQuestions } from "./questions.ts";

/** A multiple-choice question; `answer` is the index of the right option. */
export type Question = {
  readonly id: string;
  readonly subject: string;
  readonly question: string;
  readonly options: readonly string[];
  readonly answer: number;
};

export type DebateOptions = {
  /** How often pro, con and the moderator speak; default 2. */
  readonly rounds?: number | undefined;
  /** The questions, as from `parseQuestions`; default our own. */
  readonly questions?: readonly Question[] | undefined;
  /** The task's name where the questions are not our own. */
  readonly name?: string | undefined;
};

const marker = "Answer:";

/** The letter of an option: A for 0. */
export const letterOf = (index: number): string => String.fromCodePoint(65 + index);

/**
 * The option an answer names, by its letter ("B", "(b)", "B) Paris", "option B"), by its text, or by both. Undefined where
 * it names none, or where letter and text disagree.
 */
export function readChoice(text: string, options: readonly string[]): number | undefined {
  const exact = options.findIndex((option) => sameAnswer(option, text));
  const said = text
    .trim()
    .replace(/^(?:the (?:correct |right )?answer is\s+)?(?:option|choice|answer)?\s*(?=\(?[a-z]\b)/i, "");
  const [, letter = "", rest = ""] = /^\(?([A-Za-z])(?:\)|[.:,]|(?=\s)|$)\s*([\s\S]*)$/.exec(said) ?? [];
  const index = letter === "" ? -1 : letter.toUpperCase().charCodeAt(0) - 65;
  const byLetter = index >= 0 && index < options.length;
  if (exact >= 0) return exact;
  if (!byLetter) return undefined;
  if (rest.trim() === "") return index;
  // "A, B" names two.
  if (/^\(?[a-z]\)?(?:\s*(?:,|\/|or\b|and\b)|[.)]*$)/i.test(rest)) return undefined;
  const named = options.findIndex((option) => sameAnswer(option, rest) || startsWith(rest, option));
  if (named >= 0) return named === index ? index : undefined;
  // "A triangle has three sides" names no option; "B) because ..." and "B - ..." do.
  return /^\(?[A-Za-z](?:\)|[.:,]|\s+[-–—]|\s+(?:because|since|as)\b)/.test(said) ? index : undefined;
}

const startsWith = (text: string, option: string): boolean =>
  text.toLowerCase().startsWith(option.toLowerCase()) && !/^[\p{L}\p{N}]/u.test(text.slice(option.length));

function rolesOf(): Role[] {
  return [
    {
      id: "pro",
      listens: false,
      instructions:
        "You are the proponent. Say which option you hold to be right and argue for it step by step, in a few sentences. " +
        "Answer the opponent's objections; if they convince you, say so.",
    },
    {
      id: "con",
      listens: false,
      instructions:
        "You are the opponent. Test the proponent's reasoning, name its errors, and argue for the strongest other option, " +
        "in a few sentences. If there is no error, say so.",
    },
    {
      id: "moderator",
      listens: true,
      instructions:
        "You are the moderator. Once you are sure which option is right, decide with one line and nothing else: " +
        `"${marker}", then the letter. Before that, you may ask the two one short question.`,
      // Small models otherwise go on arguing with what they read last.
      reminder: `Which option is right? Reply with "${marker}" and its letter. If you are not sure yet, ask the two one short question.`,
    },
  ];
}

const promptOf = ({ question, options }: Question): string =>
  `${question}\n${options.map((option, index) => `${letterOf(index)}) ${option}`).join("\n")}`;

/**
 * Two argue about a multiple-choice question and a moderator decides. Throws a `ConfigError` for impossible options.
 */
export function debate({
  rounds = 2,
  questions = ownQuestions,
  name: base = "debate",
}: DebateOptions = {}): Task<Question> {
  checkWhole("debate.rounds", rounds, [1, 100]);
  const name = nameWith(base, { rounds }, { rounds: 2 });
  const sampleOf = (item: Question, draw: Draw): Sample<Question> => {
    const letters = item.options.map((_, index) => letterOf(index));
    const right = [letterOf(item.answer), item.options[item.answer] ?? ""];
    return {
      id: item.id,
      task: name,
      split: draw.split,
      prompt: promptOf(item),
      roles: rolesOf(),
      rounds,
      answer: { by: "moderator", about: promptOf(item), marker, right, candidates: letters, bare: true, tries: 1 },
      data: item,
    };
  };
  return {
    name,
    samples: (draw) => drawItems(questions, ({ question }) => question, draw).map((item) => sampleOf(item, draw)),
    judge: (transcript, sample) =>
      judgeAnswers(transcript, sample, (said) => readChoice(said, sample.data.options) === sample.data.answer),
  };
}
