import assert from "node:assert/strict";
import { test } from "node:test";
import { cost } from "../../core/usage.ts";
import type { Candidate } from "./candidates.ts";
import { plan } from "./plan.ts";
import type { PlanOptions } from "./plan.ts";
import type { Ranked } from "./rank.ts";
import { price, profileFor, really, truthOf } from "./worlds.fixture.ts";

const range = (low: number, high: number) => Array.from({ length: high - low + 1 }, (_, index) => low + index);
const grid = { agents: [2, 3, 5], steps: [2, 4, 8], cuts: [] };

/** A plan made of a profile with errors of 0.2, 1 or 2 %, and what a candidate really takes. */
function planned(seed: number) {
  const truth = truthOf(seed);
  const error = [0.002, 0.01, 0.02][seed % 3]!;
  const profile = profileFor(truth, { seed: seed + 1000, error });
  const protocols = ["serial", "segmented", "stream"] as const;
  const { ranked, choice } = plan({ profile, prices: price, goal: "time", candidates: { ...grid, protocols } });
  const reality = (candidate: Candidate) => {
    const { makespanMs, usage } = really(truth, candidate);
    return { ms: makespanMs, cost: cost(usage, price).amount };
  };
  return { ranked, choice: choice!, reality };
}

test("over 200 random models the choice is within 2 % of the best of all candidates, protocols come in their real order, and intervals hold", () => {
  let [worstMs, worstCost, told, right, held, all] = [0, 0, 0, 0, 0, 0];
  for (let seed = 0; seed < 200; seed++) {
    const { ranked, choice, reality: taken } = planned(seed);
    const real = new Map(ranked.map((candidate) => [candidate as Candidate, taken(candidate)]));
    const reality = (candidate: Candidate) => real.get(candidate)!;
    const best = (by: "ms" | "cost") => Math.min(...Array.from(real.values(), (each) => each[by]));
    const cheapest = ranked.toSorted((a, b) => a.predicted.cost!.value - b.predicted.cost!.value)[0]!;
    worstMs = Math.max(worstMs, reality(choice).ms / best("ms") - 1);
    worstCost = Math.max(worstCost, reality(cheapest).cost / best("cost") - 1);
    for (const one of ranked)
      for (const by of ["ms", "cost"] as const) {
        const { low, high } = one.predicted[by]!;
        all++;
        if (low <= reality(one)[by] && reality(one)[by] <= high) held++;
      }
    const teamOf = ({ topology, agents, steps }: Ranked) => `${topology} ${agents} ${steps}`;
    for (const team of new Set(ranked.map(teamOf))) {
      const arms = ranked.filter((each) => teamOf(each) === team);
      for (const [index, one] of arms.entries())
        for (const other of arms.slice(index + 1))
          for (const by of ["ms", "cost"] as const) {
            const [a, b] = [one.predicted[by]!, other.predicted[by]!];
            if (a.low <= b.high && b.low <= a.high) continue;
            told++;
            if (a.value < b.value === reality(one)[by] < reality(other)[by]) right++;
          }
    }
  }
  assert.ok(worstMs <= 0.02, `time: ${worstMs}`);
  assert.ok(worstCost <= 0.02, `cost: ${worstCost}`);
  assert.ok(told > 10_000 && right / told >= 0.95, `${right} of ${told}`);
  assert.ok(held / all >= 0.9, `${held} of ${all}`);
});

test("ten thousand candidates are ranked within a second", () => {
  const options: PlanOptions = {
    profile: profileFor(truthOf(3), { seed: 3, error: 0.02 }),
    prices: price,
    budget: { ms: 60_000 },
    candidates: { agents: range(2, 32), steps: range(2, 17).map((steps) => 2 * steps) },
  };
  plan({ ...options, candidates: { agents: [2, 3], steps: [3] } });
  const before = process.cpuUsage();
  const { ranked } = plan(options);
  const { user, system } = process.cpuUsage(before);
  assert.ok(ranked.length >= 10_000, `${ranked.length} candidates`);
  assert.ok((user + system) / 1000 <= 1000, `${ranked.length} candidates took ${(user + system) / 1000} ms`);
});
