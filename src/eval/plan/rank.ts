// Which candidates come first, and why.

import type { Usage } from "../../core/types.ts";
import type { Estimate } from "../measure/profile.ts";
import { against, difference, tolerance } from "./advice.ts";
import type { Weighing } from "./advice.ts";
import type { Budget, Goal } from "./budget.ts";
import type { Candidate } from "./candidates.ts";
import { estimateOf } from "./outcome.ts";
import type { Outcome } from "./outcome.ts";
import { duration } from "./say.ts";

/** What a candidate will come to, with intervals that hold what the profile leaves open. */
export type Predicted = {
  readonly ms: Estimate;
  readonly cost: Estimate | null;
  /** The mean correctness of the answering agent's steps. */
  readonly correctness: Estimate | null;
  readonly usage: Usage;
};

/** A candidate with what it would take, and whether that fits the budget. */
export type Ranked = Candidate & {
  readonly predicted: Predicted;
  /** Whether it keeps to the budget, by the values predicted. */
  readonly fits: boolean;
  /** Whether it does so with its whole intervals. */
  readonly fitsSurely: boolean;
  readonly why: string;
};

/** Differences of correctness below the tolerance are none, so that they buy no time. */
const level = (correctness: number): number => Math.round(correctness / tolerance);

/** How outcomes are put in order: those that fit first, then by the goal, ties by the other measures. */
export function weighingOf(goal: Goal, budget: Budget): Weighing {
  const { ms = Infinity, cost = Infinity, correctness = 0 } = budget;
  const fits = (outcome: Outcome) =>
    outcome.ms[0]! <= ms && (outcome.cost?.[0] ?? 0) <= cost && (outcome.correctness?.[0] ?? 1) >= correctness;
  const keys = (outcome: Outcome): readonly number[] => {
    const { ms: time, cost: price, correctness: mean } = outcome.expected;
    const right = -level(mean);
    const rest = outcome.usage.calls;
    if (goal === "time") return [time, right, price, rest];
    return goal === "cost" ? [price, right, time, rest] : [right, time, price, rest];
  };
  const order = (one: Outcome, other: Outcome): number => {
    const [a, b] = [keys(one), keys(other)];
    const different = a.findIndex((value, index) => value !== b[index]);
    return Number(fits(other)) - Number(fits(one)) || (different < 0 ? 0 : a[different]! - b[different]!);
  };
  return { goal, fits, order };
}

/** What an outcome has beyond the budget, in words; `sure` where all of its intervals keep to it. */
function missesOf({ ms, cost, correctness }: Predicted, budget: Budget): { over: string[]; sure: boolean } {
  const { ms: time = Infinity, cost: money = Infinity, correctness: right = 0 } = budget;
  const over: string[] = [];
  if (ms.value > time) over.push(`takes ${duration(ms.value)} of ${duration(time)}`);
  if (cost !== null && cost.value > money) over.push(`costs ${Number(cost.value.toPrecision(3))} of ${money}`);
  if (correctness !== null && correctness.value < right)
    over.push(`is right in ${(correctness.value * 100).toFixed(1)} % of ${(right * 100).toFixed(1)} %`);
  const sure = ms.high <= time && (cost?.high ?? 0) <= money && (correctness?.low ?? 1) >= right;
  return { over, sure };
}

/** An outcome as it is shown, with a sentence that compares it to `baseline`, the same team under `serial`. */
export function rankedOf(
  outcome: Outcome,
  { budget, baseline }: { budget: Budget; baseline: Outcome | undefined },
): Ranked {
  const predicted = {
    ms: estimateOf(outcome.ms),
    cost: outcome.cost === undefined ? null : estimateOf(outcome.cost),
    correctness: outcome.correctness === undefined ? null : estimateOf(outcome.correctness, [0, 1]),
    usage: outcome.usage,
  };
  const { over, sure } = missesOf(predicted, budget);
  const miss = over.length > 0 ? `Does not fit: ${over.join(", ")}. ` : "";
  const why = miss + reasonOf(outcome, baseline);
  return { ...outcome.candidate, predicted, fits: over.length === 0, fitsSurely: sure, why };
}

function reasonOf(outcome: Outcome, baseline: Outcome | undefined): string {
  const { protocol, cutAfter, steps } = outcome.candidate;
  if (protocol === "single") return "One agent alone: no message to wait for, and nobody who corrects it.";
  if (baseline === undefined || baseline === outcome)
    return "Each agent waits for whole messages; the measure of the rest.";
  const told = against(difference(outcome, baseline), "serial");
  if (cutAfter !== undefined) return `The last ${steps - cutAfter} steps of each message are not said: ${told}.`;
  if (protocol === "segmented") return `A call per step without overlap: ${told}.`;
  return `Agents work at once: ${told}.`;
}
