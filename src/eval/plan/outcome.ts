// What candidates come to in every world that agrees with a profile.

import type { Usage } from "../../core/types.ts";
import { cost } from "../../core/usage.ts";
import type { Price } from "../../core/usage.ts";
import type { Estimate } from "../measure/profile.ts";
import { candidateOf } from "./candidates.ts";
import type { Candidate, Group } from "./candidates.ts";
import { loadOf, skillOf } from "./draws.ts";
import type { Keeps, World } from "./draws.ts";
import { correctness, teams } from "./teams.ts";
import type { Known, Taken } from "./teams.ts";
import type { Load, Voice } from "./voices.ts";

/** A candidate in each world; the measured world is the first. */
export type Outcome = {
  readonly candidate: Candidate;
  readonly ms: Float64Array;
  readonly cost: Float64Array | undefined;
  readonly correctness: Float64Array | undefined;
  /** The means over all worlds, which is what candidates are ordered by: the measured one may sit on a lucky edge. */
  readonly expected: { readonly ms: number; readonly cost: number; readonly correctness: number };
  /** Calls and tokens in the measured world. */
  readonly usage: Usage;
};

/** What outcomes are computed from. */
export type Ground = {
  readonly worlds: readonly World[];
  readonly price: Price | undefined;
  readonly cache: Load["cache"];
  readonly cacheMinimum: number;
  readonly keeps: Keeps;
};

const usageOf = ({ calls, inputTokens, cachedTokens, outputTokens }: Taken): Usage => ({
  calls: Math.round(calls),
  inputTokens: Math.round(inputTokens),
  cachedTokens: Math.round(cachedTokens),
  outputTokens: Math.round(outputTokens),
});

/** The outcomes of a group, one for each number of agents. */
export function outcomesOf(group: Group, ground: Ground): Outcome[] {
  const { worlds, price, cache, cacheMinimum, keeps } = ground;
  const { topology, agents, steps, manner } = group;
  const per = manner.protocol === "serial" || manner.protocol === "single" ? "serial" : "stream";
  const judged = worlds[0]?.skill !== undefined;
  const numbers = () => new Float64Array(worlds.length);
  const rows = agents.map((count) => ({
    candidate: candidateOf(group, count),
    ms: numbers(),
    cost: price === undefined ? undefined : numbers(),
    correctness: judged ? numbers() : undefined,
    usage: undefined as Usage | undefined,
  }));
  for (const [index, world] of worlds.entries()) {
    const load = loadOf(world, { cache, cacheMinimum, steps, per, keeps });
    const skill = skillOf(world, steps, keeps);
    const memo = new Map<Voice, Known>();
    for (const [place, team] of teams(topology, agents, { load, manner, steps }).entries()) {
      const row = rows[place]!;
      row.ms[index] = team.taken.ms;
      if (row.cost !== undefined) row.cost[index] = cost(team.taken, price!).amount;
      if (row.correctness !== undefined) row.correctness[index] = correctness(team, skill!, memo);
      row.usage ??= usageOf(team.taken);
    }
  }
  return rows.map((row) => {
    const expected = { ms: mean(row.ms), cost: mean(row.cost), correctness: mean(row.correctness) };
    return { ...row, expected, usage: row.usage! };
  });
}

/** 0 of what is not known, so that it decides nothing. */
function mean(values: Float64Array | undefined): number {
  let sum = 0;
  for (const value of values ?? []) sum += value;
  return values === undefined ? 0 : sum / values.length;
}

/** Two-sided 95 % of a standard normal. */
const z95 = 1.959963984540054;

const interval = (value: number, squares: number, count: number): Estimate => {
  const away = count === 0 ? 0 : z95 * Math.sqrt(squares / count);
  return { value, low: value - away, high: value + away };
};

/** The measured value, and how far the draws lie from it: 1.96 times their root mean square distance, within `range`. */
export function estimateOf(values: Float64Array, [least, most]: readonly [number, number] = [0, Infinity]): Estimate {
  const value = values[0]!;
  let squares = 0;
  for (let index = 1; index < values.length; index++) squares += (values[index]! - value) ** 2;
  const { low, high } = interval(value, squares, values.length - 1);
  return { value, low: Math.max(least, low), high: Math.min(most, high) };
}

/** Two outcomes in the same worlds, value by value. */
export function compared(
  one: Float64Array,
  other: Float64Array,
  how: (one: number, other: number) => number,
): Estimate {
  const value = how(one[0]!, other[0]!);
  let squares = 0;
  for (let index = 1; index < one.length; index++) squares += (how(one[index]!, other[index]!) - value) ** 2;
  return interval(value, squares, one.length - 1);
}
