// Which team, protocol and policy to run, before anything is run.

import { ConfigError } from "../../base/errors.ts";
import type { Price } from "../../core/usage.ts";
import { checkProfile } from "../measure/profile.ts";
import type { Profile } from "../measure/profile.ts";
import { interruptAdvice, streamAdvice } from "./advice.ts";
import type { Advice, Weighing } from "./advice.ts";
import { checkBudget, checkPrice, goalOf } from "./budget.ts";
import type { Budget, Goal } from "./budget.ts";
import { groupsOf } from "./candidates.ts";
import type { Candidate, Candidates } from "./candidates.ts";
import { worlds } from "./draws.ts";
import { outcomesOf } from "./outcome.ts";
import type { Ground } from "./outcome.ts";
import { notesOf } from "./notes.ts";
import { rankedOf, weighingOf } from "./rank.ts";
import type { Ranked } from "./rank.ts";

/** What is planned with, within which bounds, and to which end. */
export type PlanOptions = {
  readonly profile: Profile;
  /** Without prices nothing is said of costs. */
  readonly prices?: Price | undefined;
  readonly budget?: Budget | undefined;
  /** Default: `correctness` where it is measured and not in the budget, else `time`. */
  readonly goal?: Goal | undefined;
  readonly candidates?: Candidates | undefined;
  /** A provider caches only prefixes of at least so many tokens; default 0. */
  readonly cacheMinimum?: number | undefined;
  /** How many worlds that agree with the profile are looked at; default 32. */
  readonly draws?: number | undefined;
  readonly seed?: number | undefined;
};

/** What a plan came to. */
export type Planned = {
  readonly goal: Goal;
  readonly currency: string | null;
  /** Best first; those that fit the budget before all others. */
  readonly ranked: readonly Ranked[];
  /** The first of `ranked`; null where nothing fits the budget. */
  readonly choice: Ranked | null;
  /** Whether streaming and interrupting pay, in the first team of two or more. */
  readonly advice: { readonly stream: Advice; readonly interrupt: Advice };
  /** What to know when reading the plan. */
  readonly notes: readonly string[];
};

/**
 * Ranks ways to run a team by what a measured profile says they will come to, and advises for or against streaming and
 * interrupting. Nothing is run. Throws a ConfigError for a profile that lacks a speed, a budget that cannot be judged, or
 * candidates that are out of range.
 */
export function plan(options: PlanOptions): Planned {
  const { prices, budget = {}, candidates = {} } = options;
  const profile = checkProfile(options.profile);
  const judged = profile.quality !== null;
  checkPrice(prices);
  checkBudget(budget, judged, prices);
  const goal = goalOf(options, judged);
  const ground = groundOf(profile, options);
  const steps = Math.max(1, Math.round(ground.worlds[0]!.steps));
  const groups = groupsOf(candidates, { steps, canJudge: judged });
  const weighing = weighingOf(goal, budget);
  const outcomes = groups.flatMap((group) => outcomesOf(group, ground)).toSorted(weighing.order);
  const serial = new Map(
    outcomes.filter(({ candidate }) => isSerial(candidate)).map((outcome) => [key(outcome.candidate), outcome]),
  );
  const ranked = outcomes.map((outcome) => rankedOf(outcome, { budget, baseline: serial.get(key(outcome.candidate)) }));
  const first = ranked[0]!;
  return {
    goal,
    currency: prices?.currency ?? null,
    ranked,
    choice: first.fits ? first : null,
    advice: adviceFor(ranked.find(({ agents }) => agents > 1) ?? first, ground, weighing),
    notes: notesOf(profile, { steps, candidates }),
  };
}

function groundOf(
  profile: Profile,
  { prices, candidates, cacheMinimum = 0, draws = 32, seed = 0 }: PlanOptions,
): Ground {
  if (!Number.isSafeInteger(draws) || draws < 0)
    throw new ConfigError("draws", `must be a whole number from 0, got ${draws}`);
  if (!(cacheMinimum >= 0)) throw new ConfigError("cacheMinimum", `must be a number from 0, got ${cacheMinimum}`);
  return {
    worlds: worlds(profile, { draws, seed }),
    price: prices,
    cache: profile.cache ?? "off",
    cacheMinimum,
    keeps: candidates?.keeps ?? "message",
  };
}

const key = ({ topology, agents, steps }: Candidate): string => `${topology} ${agents} ${steps}`;
const isSerial = ({ protocol, cutAfter }: Candidate): boolean => protocol === "serial" && cutAfter === undefined;

/** Looks at one team under all protocols, whatever the candidates were. */
function adviceFor({ topology, agents, steps }: Candidate, ground: Ground, weighing: Weighing): Planned["advice"] {
  const cuts = Array.from({ length: Math.min(steps - 1, 64) }, (_, index) => index + 1);
  const judged = ground.worlds[0]!.skill !== undefined;
  const groups = groupsOf(
    {
      topologies: [topology],
      agents: [agents],
      steps: [steps],
      protocols: ["serial", "stream"],
      ...(judged ? { cuts } : {}),
    },
    { steps, canJudge: judged },
  );
  const outcomes = groups.flatMap((group) => outcomesOf(group, ground));
  const serial = outcomes.find(({ candidate }) => isSerial(candidate)) ?? outcomes[0]!;
  return {
    stream: streamAdvice(
      serial,
      outcomes.filter(({ candidate }) => candidate.protocol === "stream"),
      weighing,
    ),
    interrupt: interruptAdvice(
      serial,
      outcomes.filter(({ candidate }) => candidate.cutAfter !== undefined),
      weighing,
    ),
  };
}
