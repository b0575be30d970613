import assert from "node:assert/strict";
import { test } from "node:test";
import { bootstrap } from "../base/stats.ts";
import type { Clock } from "../base/clock.ts";
import type { Policy } from "../core/policy.ts";
import type { Topology } from "../core/types.ts";
import { answer } from "../core/transcript.ts";
import type { RunEvent } from "../core/types.ts";
import { usageOf } from "../core/usage.ts";
import type { Split } from "../eval/index.ts";
import { simulated } from "../models/simulated.ts";
import { calibrated } from "../policies/index.ts";
import { run } from "../runtime/run.ts";
import { VirtualClock } from "../testing/clock.ts";
import { fit } from "./fit.ts";
import { balanceOf, label } from "./label.ts";
import { sampleStream } from "./sample-stream.ts";
import type { Assignment, StreamSampling } from "./sample-stream.ts";

// The speaker's first four steps are nearly always right, the last four nearly never; each step heard counts.
const world = { stepTokens: 12, decode: 200, ttft: 10 };
const team = ({ seed, clock }: { seed: number; clock: Clock }): Topology => ({
  agents: [
    {
      id: "a",
      instructions: "Work it out in 8 steps.",
      model: simulated({ ...world, seed, clock, steps: 8, accuracy: [0.95, 0.95, 0.95, 0.95, 0.1] }),
    },
    {
      id: "b",
      instructions: "Check each step.",
      model: simulated({ ...world, seed: seed + 1, clock, accuracy: 0.5, delta: 0.1, epsilon: 0.15 }),
    },
  ],
  edges: [["a", "b"]],
});

const right = (text: string): boolean => {
  const [, a, b, sum] = /(\d+) \+ (\d+) = (\d+)\s*$/.exec(text.trim()) ?? [];
  return sum !== undefined && Number(a) + Number(b) === Number(sum);
};

const assignments = (split: Split, count: number): Assignment[] =>
  Array.from({ length: count }, (_, index) => ({
    id: `${split} ${index}`,
    split,
    prompt: `Task ${split} ${index}`,
    judge: right,
  }));

const sampling = (split: Split, count: number): StreamSampling => ({
  task: "late steps are bad",
  assignments: assignments(split, count),
  team,
  speaker: "a",
  listener: "b",
  virtual: true,
  rollouts: 8,
});

async function points(split: Split, count: number) {
  const found = [];
  for await (const point of sampleStream(sampling(split, count))) found.push(point);
  return found;
}

async function played(seed: number, policy: Policy | undefined) {
  const clock = new VirtualClock();
  const { agents, edges } = team({ seed, clock });
  const events: RunEvent[] = [];
  const work = async () => {
    const topology = { edges, agents: agents.map((agent) => (agent.id === "b" ? { ...agent, policy } : agent)) };
    for await (const event of run(topology, `Held out ${seed}`, { clock, seed, chunk: "step" })) events.push(event);
  };
  await clock.run(work());
  return { success: right(answer(events)) ? 1 : 0, cost: usageOf(events).total.outputTokens };
}

test("Where late steps are bad, a learned cut of the speaker gives better answers for fewer tokens", async () => {
  const train = await points("train", 5);
  assert.equal(train.filter(({ chunk }) => chunk === 1).length, 5);
  const labels = label(train, { confidence: 0.5 });
  assert.ok(balanceOf(labels).positive > 10 && balanceOf(labels).negative > 3, JSON.stringify(balanceOf(labels)));
  const { weights, rule } = fit(labels, {
    features: ["chunks"],
    dev: await points("dev", 3),
    maxLoss: 0,
    lookCost: 0,
  });
  assert.ok(rule.pays);
  const policy = calibrated(weights);
  const pairs = [];
  for (let seed = 1000; seed < 1080; seed++)
    pairs.push([{ plain: await played(seed, undefined), cut: await played(seed, policy) }]);
  const mean = (items: readonly number[]) => items.reduce((sum, each) => sum + each, 0) / items.length;
  const gain = bootstrap(pairs, (items) => mean(items.map(({ plain, cut }) => cut.success - plain.success)), {
    seed: 1,
  });
  const saved = bootstrap(pairs, (items) => mean(items.map(({ plain, cut }) => plain.cost - cut.cost)), { seed: 1 });
  assert.ok(gain[0] > 0, `success ${gain.join(" to ")}`);
  assert.ok(saved[0] > 0, `tokens ${saved.join(" to ")}`);
});

test("A listener that does not hear the speaker is refused", async () => {
  const wrong = sampleStream({ ...sampling("train", 1), speaker: "b", listener: "a" });
  await assert.rejects(wrong.next(), /listener: "a" does not hear "b"/);
});
