// How right steps are, and what hearing right and wrong ones does: δ and ε of theorem 1 (arXiv 2606.05158), from answers.

import { wilson } from "../../base/stats.ts";
import type { Estimate, MeasuredQuality } from "./profile.ts";
import { clamped, fitShares } from "./regression.ts";

/** One answer, step by step, and what had been heard before it; undefined steps could not be judged. */
export type Graded = {
  /** Steps heard that were right, and that were wrong. */
  readonly heard: { readonly right: number; readonly wrong: number };
  readonly steps: readonly (boolean | undefined)[];
};

/** A share with Wilson's interval. */
export function shareOf(right: number, all: number): Estimate {
  const value = all === 0 ? 0.5 : right / all;
  const [low, high] = wilson(value, all);
  return { value, low, high };
}

/** p_j: how often step j is right, of answers that heard nothing. */
function profileOf(answers: readonly Graded[], steps: number): Estimate[] {
  return Array.from({ length: steps }, (_, step) => {
    const judged = answers.flatMap((answer) => answer.steps[step] ?? []);
    return shareOf(judged.filter(Boolean).length, judged.length);
  });
}

/** The share of right steps among those of the first `steps` that were judged; undefined where none was. */
function scoreOf({ steps: said }: Graded, steps: number): number | undefined {
  const judged = said.slice(0, steps).filter((right) => right !== undefined);
  return judged.length === 0 ? undefined : judged.filter(Boolean).length / judged.length;
}

/** Alone answers count only whole: a missing step is a harder one, and would bend the base. */
const wholeOf = (answers: readonly Graded[], steps: number): readonly Graded[] =>
  answers.filter(({ steps: said }) => said.length >= steps);

export type QualityOptions = {
  /** Steps of an answer. */
  readonly steps: number;
  readonly judge: MeasuredQuality["judge"];
};

/**
 * p_j of the answers that heard nothing; base, δ and ε by least squares of each answer's share of right steps on the numbers of
 * right and wrong steps heard: share = base + δ · right − ε · wrong. Undefined where answers do not tell.
 */
export function qualityOf(answers: readonly Graded[], { steps, judge }: QualityOptions): MeasuredQuality | undefined {
  const alone = wholeOf(
    answers.filter(({ heard }) => heard.right + heard.wrong === 0),
    steps,
  );
  const scored = wholeOf(answers, steps).flatMap((answer) => {
    const score = scoreOf(answer, steps);
    return score === undefined ? [] : [{ score, row: [1, answer.heard.right, answer.heard.wrong] }];
  });
  const [base, delta, minusEpsilon] =
    fitShares(
      scored.map(({ row }) => row),
      scored.map(({ score }) => score),
    ) ?? [];
  if (alone.length === 0 || base === undefined || delta === undefined || minusEpsilon === undefined) return undefined;
  const { value, low, high } = minusEpsilon;
  return {
    profile: profileOf(alone, steps),
    base: clamped(base, 0, 1),
    delta: clamped(delta, 0, 1),
    epsilon: clamped({ value: -value, low: -high, high: -low }, 0, 1),
    judge,
    judged: answers.reduce((sum, answer) => sum + answer.steps.filter((right) => right !== undefined).length, 0),
  };
}

/** The masks of the paper for so many steps, 1 a right step: all, none, right beginnings and right ends. */
export function masks(steps: number): readonly string[] {
  const found = new Set(["1".repeat(steps), "0".repeat(steps)]);
  for (let right = steps - 1; right > 0; right--) found.add("1".repeat(right) + "0".repeat(steps - right));
  for (let wrong = 1; wrong < steps; wrong++) found.add("0".repeat(wrong) + "1".repeat(steps - wrong));
  return [...found];
}
