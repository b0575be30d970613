// From a model to a plan to runs: what was measured by asking is planned, and every candidate is run on the same model.

import assert from "node:assert/strict";
import { test } from "node:test";
import { random } from "../../base/random.ts";
import { edgesOf } from "../../core/topology.ts";
import { rolePrompts } from "../../core/prompts.ts";
import { cost, usageOf } from "../../core/usage.ts";
import type { RunEvent } from "../../core/types.ts";
import { simulated } from "../../models/simulated.ts";
import type { SimulatedOptions } from "../../models/simulated-settings.ts";
import { run } from "../../runtime/run.ts";
import { VirtualClock } from "../../testing/clock.ts";
import { probe } from "../measure/probe.ts";
import { sumPuzzle } from "../measure/puzzles.ts";
import type { Candidate } from "./candidates.ts";
import { plan } from "./plan.ts";
import { price } from "./worlds.fixture.ts";

async function ran(candidate: Candidate, options: SimulatedOptions) {
  const clock = new VirtualClock();
  const { topology, agents, steps, protocol, hear = "each" } = candidate;
  const model = simulated({ ...options, clock, cache: "session" });
  const team = rolePrompts(topology, { agents, steps }).map((role) => ({ ...role, model }));
  const edges = edgesOf(
    topology,
    team.map(({ id }) => id),
  );
  const events: RunEvent[] = [];
  const play = async () => {
    const { task } = sumPuzzle(random(1), steps);
    for await (const event of run({ agents: team, edges }, task, { clock, protocol, hear, idleMs: 0 }))
      events.push(event);
  };
  await clock.run(play());
  return { ms: events.at(-1)!.at, cost: cost(usageOf(events).total, price).amount };
}

test("what is planned from a probe is what the runs take, and the choice is within 2 % of the best of them", async () => {
  for (let seed = 0; seed < 4; seed++) {
    const next = random(seed);
    const between = (low: number, high: number) => low * (high / low) ** next();
    const model: SimulatedOptions = {
      ttft: between(20, 800),
      decode: between(30, 200),
      prefill: between(2000, 9000),
      cacheRead: 40_000,
      stepTokens: 24,
      jitter: 0.02,
      seed,
    };
    const clock = new VirtualClock();
    const profile = await clock.run(
      probe(simulated({ ...model, clock, cache: "session" }), { budget: 25_000, clock, seed, quality: false }),
    );
    const protocols = ["serial", "segmented", "stream"] as const;
    const candidates = { agents: [2, 4], protocols, topologies: ["chain", "tree"] as const };
    const { ranked, choice } = plan({ profile, prices: price, candidates });
    const real = await Promise.all(ranked.map((candidate) => ran(candidate, model)));
    for (const [index, { predicted, protocol }] of ranked.entries())
      for (const by of ["ms", "cost"] as const) {
        const [value, truth] = [predicted[by]!.value, real[index]![by]];
        assert.ok(Math.abs(value / truth - 1) < 0.05, `seed ${seed} ${protocol} ${by}: ${value}, not ${truth}`);
      }
    const best = Math.min(...real.map(({ ms }) => ms));
    assert.ok(real[ranked.indexOf(choice!)]!.ms <= 1.02 * best, `seed ${seed}`);
  }
});
