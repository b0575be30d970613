import { subseed } from "../../base/random.ts";
import { drawItems, shuffled, type Draw } from "../split.ts";
import { listing } from "../listing.ts";
import { judgeAnswers, type Role, type Sample, type Task } from "../task.ts";
import { clueItems, type ClueItem } from "./clue-items.ts";
import { sameAnswer } from "./match.ts";
import { checkChoices, nameWith } from "./options.ts";

export type CluesOptions = {
  /** 0: the answer is free. Otherwise it is chosen from this many; default 0. */
  readonly choices?: number | undefined;
};

const marker = "Answer:";

/** Answers of the same category that are wrong. Always the same for an item. */
export function wrongAnswers({ answer, aliases, category }: ClueItem, count: number): string[] {
  const names = [answer, ...aliases];
  const others = clueItems.filter(
    (other) => other.category === category && !names.some((name) => sameAnswer(name, other.answer)),
  );
  return shuffled(others, (other) => other.answer, subseed(4, answer))
    .slice(0, count)
    .map((other) => other.answer);
}

const kindOf = ({ category }: ClueItem): string => `The category is: ${category}.`;

function rolesOf(item: ClueItem, candidates: readonly string[] | undefined): Role[] {
  const told = item.clues;
  const closed = candidates === undefined ? "" : ` ${listing(candidates)}`;
  return [
    {
      id: "quizmaster",
      listens: false,
      says: told.join(" "),
      instructions: `Read out these clues, all of them, in this order, word for word, and nothing else:\n${told.join("\n")}`,
    },
    {
      id: "player",
      listens: true,
      instructions: `You hear clues to one answer, hard ones first. ${kindOf(item)}${closed} You may answer once. Reply with one line and nothing else: "${marker}", then the answer.`,
    },
  ];
}

/** A question told in clues from hard to easy: the art is to answer early, and right. Throws a `ConfigError` for impossible options. */
export function clues({ choices = 0 }: CluesOptions = {}): Task<ClueItem> {
  checkChoices("clues.choices", choices);
  const name = nameWith("clues", { choices }, { choices: 0 });
  const sampleOf = (item: ClueItem, draw: Draw): Sample<ClueItem> => {
    const shown = choices === 0 ? undefined : [item.answer, ...wrongAnswers(item, choices - 1)];
    const candidates = shown && shuffled(shown, (answer) => answer, subseed(5, item.answer));
    return {
      id: item.answer,
      task: name,
      split: draw.split,
      prompt: "A quiz: one reads clues, the other answers as soon as the answer is certain.",
      roles: rolesOf(item, candidates),
      rounds: 1,
      answer: {
        by: "player",
        about: `What do the clues describe? ${kindOf(item)}`,
        marker,
        right: [item.answer, ...item.aliases],
        candidates,
        bare: true,
        tries: 1,
      },
      data: item,
    };
  };
  return {
    name,
    samples: (draw) => drawItems(clueItems, ({ answer }) => answer, draw).map((item) => sampleOf(item, draw)),
    judge: judgeAnswers,
  };
}
