// What a model is asked so that its steps can be judged: tasks whose right and wrong steps are known beforehand.

import { integer } from "../../base/random.ts";
import type { Random } from "../../base/random.ts";
import type { Model } from "../../core/types.ts";
import { ModelError } from "../../base/errors.ts";

/** A task, with the steps of a right solution and a wrong version of each. */
export type Puzzle = { readonly task: string; readonly right: readonly string[]; readonly wrong: readonly string[] };

/** Where a step stands: the puzzle, and its index in the answer. */
export type Place = { readonly puzzle: Puzzle; readonly index: number };

/** Whether a step is right; undefined where that cannot be said. */
export type Verify = (
  step: string,
  place: Place,
  signal?: AbortSignal,
) => boolean | undefined | Promise<boolean | undefined>;

const sums = /(\d+)\s*\+\s*(\d+)\s*=\s*(\d+)/g;

/** The last sum that a step states. */
function lastSum(step: string): readonly [a: number, b: number, total: number] | undefined {
  const found = [...step.replaceAll(/(?<=\d)[,_ ](?=\d{3}\b)/g, "").matchAll(sums)].at(-1);
  return found === undefined ? undefined : [Number(found[1]), Number(found[2]), Number(found[3])];
}

const stateOf = (step: number, [a, b, total]: readonly [number, number, number]): string =>
  `Step ${step}: ${a} + ${b} = ${total}`;

/** A running sum of so many steps: each step states a sum, so that it can be judged exactly. */
export function sumPuzzle(next: Random, steps: number): Puzzle {
  const numbers = Array.from({ length: steps + 1 }, () => integer(next, 12, 98));
  const right: string[] = [];
  const wrong: string[] = [];
  let total = numbers[0]!;
  for (const [index, number] of numbers.slice(1).entries()) {
    right.push(stateOf(index + 1, [total, number, total + number]));
    wrong.push(stateOf(index + 1, [total, number, total + number + integer(next, 1, 9)]));
    total += number;
  }
  const task =
    `Start with ${numbers[0]} and add these numbers one after the other: ${numbers.slice(1).join(", ")}. ` +
    `Each step adds one number and states its sum, as in "12 + 30 = 42".`;
  return { task, right, wrong };
}

/** A step of a sum puzzle is right when the sum it states last is the running total. */
export const rightTotal: Verify = (step, { puzzle, index }) => {
  const [said, wanted] = [lastSum(step), lastSum(puzzle.right[index] ?? "")];
  if (wanted === undefined) return undefined;
  return said !== undefined && said[2] === wanted[2];
};

/** A step is right when the sum it states last is one: for simulated models, which make up numbers of their own. */
export const rightSum: Verify = (step) => {
  const said = lastSum(step);
  return said === undefined ? undefined : said[0] + said[1] === said[2];
};

const question = (step: string, { puzzle, index }: Place): string =>
  `Task:\n${puzzle.task}\n\nStep ${index + 1} of a solution:\n${step}\n\nIs this step right? Answer Yes or No.`;

/** Asks a model whether steps are right. Its agreement with the truth has to be measured. */
export const judgedBy =
  (judge: Model): Verify =>
  async (step, place, signal) => {
    const request = { messages: [{ role: "user", content: question(step, place) } as const], temperature: 0, signal };
    if (judge.choose !== undefined) {
      const { probabilities } = await judge.choose(request, ["Yes", "No"]);
      const [yes = 0, no = 0] = probabilities;
      return yes === no ? undefined : yes > no;
    }
    let said = "";
    for await (const part of judge.stream({ ...request, maxTokens: 8 })) {
      if (part.type === "text") said += part.text;
      if (part.type === "end" && part.reason === "truncated")
        throw new ModelError("the judge's answer broke off", { model: judge.id, truncated: true });
    }
    const answer = /\b(yes|no)\b/i.exec(said)?.[1]?.toLowerCase();
    return answer === undefined ? undefined : answer === "yes";
  };
