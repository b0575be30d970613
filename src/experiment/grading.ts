// What is asked and how it is graded: benchmarks, and what stands in for a grade where words are made up.

import { random, subseed } from "../base/random.ts";
import { digest } from "../eval/split.ts";
import type { Benchmark, Grade, Item } from "../eval/benchmarks/benchmark.ts";
import { sumPuzzle } from "../eval/measure/puzzles.ts";
import { stepMarks } from "../models/simulated-steps.ts";
import type { Judge } from "./judging.ts";

/** A benchmark and those of its items that are asked. */
export type Exam = {
  readonly benchmark: Benchmark;
  readonly items: readonly Item[];
  /** Items that could not be asked or graded, and were left out. */
  readonly skipped?: number;
  /** The model that grades where rules cannot. */
  readonly judge?: Judge | undefined;
  /** Only what is made up can be graded so: the model is simulated, whatever it is called. */
  readonly simulated?: true;
};

/** Stands for all that an item says: sixteen hexadecimal digits. */
export const contentOf = (item: Item): string => digest(JSON.stringify(item));

/** The last whole number after the last `Answer:`, else the last one there is. */
function lastNumber(text: string): string | undefined {
  const plain = text.replaceAll(/(?<=\d)[,_ ](?=\d{3}\b)/g, "");
  const from = plain.toLowerCase().lastIndexOf("answer:");
  const said = [...plain.slice(Math.max(0, from)).matchAll(/-?\d{1,15}/g)];
  return (from >= 0 ? said[0] : said.at(-1))?.[0];
}

/** Running sums of our own: each step adds one number, the answer is the total. */
export const sums: Benchmark = {
  name: "sums",
  grade: async (item, text) => {
    const given = lastNumber(text);
    const correct = given === item.answer;
    return { correct, given, detail: correct ? "the total is right" : `the total is ${item.answer}` };
  },
  vote: (_, text) => lastNumber(text),
};

/** `count` running sums of `steps` additions; the same seed makes the same ones. */
export function sumItems(
  count: number,
  { seed, steps = 4 }: { readonly seed: number; readonly steps?: number },
): Item[] {
  return Array.from({ length: count }, (_, index) => {
    const { task, right } = sumPuzzle(random(subseed(seed, `sum ${index}`)), steps);
    const answer = /(\d+)$/.exec(right.at(-1) ?? "")?.[1] ?? "";
    const prompt = `${task} The last step ends with "Answer: " and the total.`;
    return { id: `sum-${seed}-${index + 1}`, prompt, answer, data: null };
  });
}

/** Wrong answers that simulated answers fall on. */
const wrongAnswers = 4;

function drawn(item: Item, text: string): Grade {
  const marks = stepMarks(text);
  const right = marks.filter((mark) => mark.right).length;
  const share = marks.length === 0 ? 0 : right / marks.length;
  const next = random(subseed(subseed(0x5eed, item.id), text));
  const correct = next() < share;
  const given = correct ? "right" : `wrong ${1 + Math.floor(next() * wrongAnswers)}`;
  return { correct, given, detail: `drawn: ${right} of ${marks.length} steps are right` };
}

/**
 * The benchmark as simulated models take it. Their words are sums, whatever is asked, so their answer counts as right with the
 * probability of the share of right steps in it: the accuracy is then the mean correctness of the answering agent's steps,
 * of which theorem 1 of StreamMA (arXiv 2606.05158) speaks. The same text is always graded alike.
 */
export const drawnFromSteps = (benchmark: Benchmark): Benchmark => ({
  name: benchmark.name,
  grade: async (item, text) => drawn(item, text),
  vote: (item, text) => drawn(item, text).given,
});
