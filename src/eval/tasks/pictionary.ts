import { subseed } from "../../base/random.ts";
import { drawItems, shuffled } from "../split.ts";
import { listing } from "../listing.ts";
import { judgeAnswers, type Role, type Sample, type Task, type Transcript, type Verdict } from "../task.ts";
import { bannedFor, bannedIn, type Secret } from "./banned.ts";
import { sameAnswer } from "./match.ts";
import { checkChoices, checkWhole, nameWith } from "./options.ts";
import { things } from "./words-things.ts";
import { world } from "./words-world.ts";

/** A word to guess and its category. */
export type Word = Secret & { readonly category: string };

export type PictionaryOptions = {
  /** 0: the guess is free. Otherwise the guesser is told this many words of a kind, one of them right. Default 0. */
  readonly choices?: number | undefined;
  /** How often each of the two speaks, and how many guesses there are; default 3. */
  readonly rounds?: number | undefined;
};

const read = ([category, lines]: readonly [string, string]): Word[] =>
  lines
    .trim()
    .split("\n")
    .map((line) => {
      const [name = "", aliases = ""] = line.split("|").map((part) => part.trim());
      const parts = name.includes("·") ? name.split("·") : [];
      return { word: name.replaceAll("·", ""), aliases: aliases === "" ? [] : aliases.split(", "), parts, category };
    });

/** All words. */
export const pictionaryWords: readonly Word[] = [...Object.entries(things), ...Object.entries(world)].flatMap(read);

/** Words of the same category that are wrong: none shares a name with the word. Always the same for a word. */
export function distractorsOf({ word, aliases, category }: Word, count: number): string[] {
  const names = [word, ...aliases];
  const others = pictionaryWords.filter(
    (other) =>
      other.category === category &&
      ![other.word, ...other.aliases].some((name) => names.some((own) => sameAnswer(own, name))),
  );
  return shuffled(others, (other) => other.word, subseed(1, word))
    .slice(0, count)
    .map((other) => other.word);
}

const marker = "Guess:";

const describer = (word: string): Role => ({
  id: "describer",
  listens: false,
  instructions:
    `Describe a hidden thing so that the other can guess its name. The hidden word is "${word}". ` +
    'Never say the word itself, a part of it, another name for it, or a form of it: call it "it". ' +
    'Describe it in three to five plain sentences that begin with "It". If a guess was wrong, give new hints.\n\n' +
    // Small models describe far better once they have seen how. The word is none of ours.
    'For example, of "doorbell": It hangs beside the entrance of a house. It has a small button. It makes a sound when a visitor comes.',
});

const kindOf = (category: string): string => `It belongs to: ${category}.`;

const guesser = (category: string, candidates?: readonly string[]): Role => ({
  id: "guesser",
  listens: true,
  instructions:
    `Guess the hidden word from its description. ${kindOf(category)}` +
    (candidates === undefined ? "" : ` ${listing(candidates)}`) +
    ` Reply with one line and nothing else: "${marker}", then the word. If a guess was wrong, guess another word.`,
});

function sampleOf(word: Word, choices: number, rounds: number): Omit<Sample<Word>, "task" | "split"> {
  const wrong = choices === 0 ? [] : distractorsOf(word, choices - 1);
  const candidates = choices === 0 ? undefined : shuffled([word.word, ...wrong], (name) => name, subseed(2, word.word));
  return {
    id: word.word,
    prompt: "A guessing game: one describes a hidden word without saying it, the other guesses it.",
    roles: [describer(word.word), guesser(word.category, candidates)],
    rounds,
    answer: {
      by: "guesser",
      about: `Which word is described? ${kindOf(word.category)}`,
      marker,
      right: [word.word, ...word.aliases],
      candidates,
      bare: true,
      tries: rounds,
    },
    data: word,
  };
}

/** A right guess wins; a describer who says the word, an alias, a part or a form of them loses, unless it was guessed before. */
function judge(transcript: Transcript, sample: Sample<Word>): Verdict {
  const banned = bannedFor(sample.data);
  const slips = transcript.map(({ agent, text }) => (agent === "describer" ? bannedIn(text, banned) : undefined));
  const slip = slips.findIndex((word) => word !== undefined);
  if (slip < 0) return judgeAnswers(transcript, sample);
  const before = judgeAnswers(transcript.slice(0, slip), sample);
  return before.over ? before : { ...before, over: true, detail: `describer said "${slips[slip]}"` };
}

/** One describes a hidden word, the other guesses it. Throws a `ConfigError` for impossible options. */
export function pictionary({ choices = 0, rounds = 3 }: PictionaryOptions = {}): Task<Word> {
  checkChoices("pictionary.choices", choices);
  checkWhole("pictionary.rounds", rounds, [1, 100]);
  const name = nameWith("pictionary", { choices, rounds }, { choices: 0, rounds: 3 });
  return {
    name,
    samples: (draw) =>
      drawItems(pictionaryWords, ({ word }) => word, draw).map((word) => ({
        task: name,
        split: draw.split,
        ...sampleOf(word, choices, rounds),
      })),
    judge,
  };
}
