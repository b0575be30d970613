// Whether streaming and interrupting pay for one team, and why.

import type { Estimate } from "../measure/profile.ts";
import { mannerOf } from "./candidates.ts";
import type { Candidate } from "./candidates.ts";
import { compared } from "./outcome.ts";
import type { Outcome } from "./outcome.ts";
import { dearer, righter, sooner } from "./say.ts";

/** One outcome against another, in the same worlds. */
export type Difference = {
  /** 1 − time over the other's time. */
  readonly timeSaved: Estimate;
  /** Cost over the other's cost; null without prices, or where the other costs nothing. */
  readonly costFactor: Estimate | null;
  /** Correctness less the other's; null where it is not measured. */
  readonly correctnessGain: Estimate | null;
};

/** Whether to do something, against `serial` without cuts in the same team. */
export type Advice = Partial<Difference> & {
  readonly pays: boolean;
  /** The best way to do it; absent where there is none to speak of. */
  readonly candidate?: Candidate;
  readonly why: string;
};

/** Losses of correctness up to this count as none. */
export const tolerance = 0.005;

/** How one outcome differs from another. */
export function difference(one: Outcome, other: Outcome): Difference {
  const paid = one.cost !== undefined && other.cost !== undefined && other.cost[0]! > 0;
  const judged = one.correctness !== undefined && other.correctness !== undefined;
  return {
    timeSaved: compared(one.ms, other.ms, (a, b) => (b === 0 ? 0 : 1 - a / b)),
    costFactor: paid ? compared(one.cost, other.cost, (a, b) => a / b) : null,
    correctnessGain: judged ? compared(one.correctness, other.correctness, (a, b) => a - b) : null,
  };
}

/** One outcome against another in half a sentence. */
export const against = (differs: Difference, other: string): string =>
  `${sooner(differs.timeSaved)} than ${other}${dearer(differs.costFactor)}${righter(differs.correctnessGain)}`;

export type Weighing = {
  /** The better first, among what fits the budget first. */
  readonly order: (one: Outcome, other: Outcome) => number;
  readonly fits: (outcome: Outcome) => boolean;
  readonly goal: "time" | "cost" | "correctness";
};

const surelyWorse = ({ correctnessGain }: Difference): boolean =>
  correctnessGain !== null && correctnessGain.high < -tolerance;
const surelyBetter = ({ correctnessGain }: Difference): boolean => correctnessGain !== null && correctnessGain.low > 0;

function streamPays(differs: Difference, { goal }: Weighing): string | undefined {
  const { timeSaved, costFactor } = differs;
  if (goal === "cost" && (costFactor === null || costFactor.value >= 1)) return "it saves no money";
  if (surelyWorse(differs)) return "its answers are less often right";
  if (goal === "correctness" && surelyBetter(differs)) return undefined;
  return goal === "cost" || timeSaved.low > 0 ? undefined : "it is not sure to be sooner";
}

/** Whether `stream` pays: `streams` are its ways of hearing in the team in which `serial` is without cuts. */
export function streamAdvice(serial: Outcome, streams: readonly Outcome[], weighing: Weighing): Advice {
  const { agents, steps } = serial.candidate;
  if (agents === 1) return { pays: false, why: "Do not stream: one agent has nobody to hear." };
  if (steps === 1)
    return { pays: false, why: "Do not stream: a message of one step is heard whole under every protocol." };
  const [best] = streams.toSorted(weighing.order);
  if (best === undefined) return { pays: false, why: "Nothing is known of streaming in this team." };
  const differs = difference(best, serial);
  const how = mannerOf(best.candidate);
  const told = `${how} is ${against(differs, "serial")}`;
  const problem =
    !weighing.fits(best) && weighing.fits(serial) ? "it does not fit the budget" : streamPays(differs, weighing);
  const because = problem === undefined ? `Stream: ${told}.` : `Do not stream: ${problem}; ${told}.`;
  return { pays: problem === undefined, candidate: best.candidate, ...differs, why: because };
}

/** A cut must save time, and must not make answers wrong. */
const cutPays = ({ timeSaved, correctnessGain }: Difference): boolean =>
  timeSaved.low > 0 && correctnessGain !== null && correctnessGain.low >= -tolerance;

/** Whether cutting speakers after a fixed number of steps pays; `cuts` are the ways to do it. */
export function interruptAdvice(serial: Outcome, cuts: readonly Outcome[], weighing: Weighing): Advice {
  const { agents, steps } = serial.candidate;
  if (agents === 1) return { pays: false, why: "Do not interrupt: one agent has nobody to cut." };
  if (steps === 1) return { pays: false, why: "Do not interrupt: a message of one step has no rest to leave out." };
  if (serial.correctness === undefined)
    return {
      pays: false,
      why: "Do not interrupt yet: how right steps are, and what hearing them does, is not measured, so nobody can say what the unheard rest is worth.",
    };
  const known = cuts.map((outcome) => ({ outcome, differs: difference(outcome, serial) }));
  const paying = known.filter(({ differs }) => cutPays(differs));
  const [best] = (paying.length > 0 ? paying : known).toSorted((a, b) =>
    paying.length > 0
      ? weighing.order(a.outcome, b.outcome)
      : b.differs.correctnessGain!.value - a.differs.correctnessGain!.value,
  );
  if (best === undefined) return { pays: false, why: "Nothing is known of cuts in this team." };
  const { outcome, differs } = best;
  const told = `${mannerOf(outcome.candidate)} is ${against(differs, "serial")}`;
  const { candidate } = outcome;
  if (paying.length > 0) return { pays: true, candidate, ...differs, why: `Interrupt: ${told}.` };
  const problem = surelyWorse(differs)
    ? "the late steps are worth hearing"
    : "it is not sure that the late steps are worth nothing";
  return { pays: false, candidate, ...differs, why: `Do not interrupt: ${problem}; even the best, ${told}.` };
}
