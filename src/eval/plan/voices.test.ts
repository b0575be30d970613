import assert from "node:assert/strict";
import { test } from "node:test";
import type { Random } from "../../base/random.ts";
import { integer, pick, random } from "../../base/random.ts";
import type { Policy } from "../../core/policy.ts";
import { edgesOf } from "../../core/topology.ts";
import type { RunEvent } from "../../core/types.ts";
import { usageOf } from "../../core/usage.ts";
import { simulated } from "../../models/simulated.ts";
import { run } from "../../runtime/run.ts";
import { VirtualClock } from "../../testing/clock.ts";
import { chain, expectedCorrectness, schedule } from "../../theory/index.ts";
import type { Plan } from "../../theory/index.ts";
import { correctness, teams } from "./teams.ts";
import type { Shape } from "./teams.ts";
import type { Load, Manner } from "./voices.ts";

const close = (one: number, other: number, what: string) =>
  assert.ok(Math.abs(one - other) <= 1e-6 * Math.max(1, Math.abs(other)), `${what}: ${one}, not ${other}`);

const loadOf = (next: Random): Load => ({
  firstMs: 400 * next(),
  uncachedMs: next() < 0.1 ? 0 : 0.5 * next(),
  cachedMs: 0.05 * next(),
  outputMs: 5 + 20 * next(),
  prompt: integer(next, 0, 500),
  listenerPrompt: integer(next, 0, 500),
  step: integer(next, 1, 60),
  reply: integer(next, 1, 60),
  heard: integer(next, 0, 9),
  cache: pick(next, ["off", "request", "conversation"]),
  cacheMinimum: pick(next, [0, 0, 300]),
});

const manners: readonly Manner[] = [
  { protocol: "single" },
  { protocol: "serial" },
  { protocol: "segmented" },
  { protocol: "stream", hear: "each" },
  { protocol: "stream", hear: "waiting" },
];

/** The same team as the theory's schedule takes it. */
function planOf(shape: Shape, agents: number, { load, manner, steps }: { load: Load; manner: Manner; steps: number }) {
  const ids = chain(agents).agents.map(({ id }) => id);
  const tokens = (count: number) => Array.from({ length: steps }, () => count);
  return {
    agents: ids.map((id, index) => ({
      id,
      promptTokens: index === 0 ? load.prompt : load.listenerPrompt,
      stepTokens: tokens(index === 0 ? load.step : load.reply),
    })),
    edges: edgesOf(shape, ids),
    protocol: manner.protocol,
    ...(manner.protocol === "stream" ? { hear: manner.hear } : {}),
    steps,
    tokens: { prompt: 0, step: 10, heard: load.heard },
    speeds: {
      timeToFirstTokenMs: load.firstMs,
      prefill: 1000 / load.uncachedMs,
      cacheRead: 1000 / load.cachedMs,
      decode: 1000 / load.outputMs,
    },
    cache: load.cache,
    cacheMinimum: load.cacheMinimum,
  } satisfies Plan;
}

test("every team takes the time, calls and tokens that the theory's schedules say, and is as right", () => {
  for (let seed = 0; seed < 120; seed++) {
    const next = random(seed);
    const load = loadOf(next);
    const steps = integer(next, 1, 12);
    const shape = pick(next, ["single", "chain", "tree", "graph"] as const);
    const sizes = shape === "single" ? [1] : [1, 2, 3, integer(next, 4, 9)];
    const manner = pick(next, manners);
    const skill = { profile: Array.from({ length: steps }, () => next()), delta: 0.1 * next(), epsilon: 0.1 * next() };
    for (const team of teams(shape, sizes, { load, manner, steps })) {
      const plan = planOf(shape, team.agents, { load, manner, steps });
      const expected = schedule(plan);
      const place = `seed ${seed} ${shape} ${team.agents} ${JSON.stringify(manner)}`;
      close(team.taken.ms, expected.makespanMs, `${place} ms`);
      for (const name of ["calls", "inputTokens", "cachedTokens", "outputTokens"] as const)
        close(team.taken[name], expected.usage[name], `${place} ${name}`);
      if (manner.protocol === "single") continue;
      const hearing = Object.fromEntries(expected.agents.map(({ id, heardThrough }) => [id, heardThrough]));
      const edges = plan.edges.map(([from, to]) => ({ speaker: from, listener: to, ...skill }));
      const agents = plan.agents.map(({ id }) => ({ id, profile: skill.profile }));
      close(correctness(team, skill, new Map()), expectedCorrectness({ agents, edges }, hearing).at(-1)!.mean, place);
    }
  }
});

/** Raises the hand where the sum that ends a step is heard: a few tokens before the step's own end. */
const afterSums = (count: number): Policy => ({
  name: `sums:${count}`,
  decide: ({ text }) => ({ advantage: (text.match(/ = \d+/g) ?? []).length >= count ? 1 : -1 }),
});

test("a message cut after some steps takes what the runtime takes when every listener raises its hand there", async () => {
  for (let seed = 0; seed < 12; seed++) {
    const next = random(seed);
    const [ttft, decode] = [300 * next(), 40 + 60 * next()];
    const [steps, step, agents, after] = [6, 20, integer(next, 2, 4), integer(next, 1, 5)];
    const clock = new VirtualClock();
    const model = simulated({ clock, ttft, decode, prefill: Infinity, cacheRead: Infinity, steps, stepTokens: step });
    const ids = chain(agents).agents.map(({ id }) => id);
    const shape = pick(next, ["chain", "tree"] as const);
    const team = ids.map((id) => ({ id, instructions: "", model, policy: afterSums(after) }));
    const events: RunEvent[] = [];
    const play = async () => {
      const options = { clock, protocol: "serial", chunk: 1, idleMs: 0 };
      for await (const event of run({ agents: team, edges: edgesOf(shape, ids) }, "Go.", options)) events.push(event);
    };
    await clock.run(play());
    const load: Load = {
      ...loadOf(next),
      firstMs: ttft,
      uncachedMs: 0,
      cachedMs: 0,
      outputMs: 1000 / decode,
      step,
      reply: step,
    };
    const [planned] = teams(shape, [agents], { load, manner: { protocol: "serial", after }, steps });
    // The answering agent of the plan says all steps, a simulated one as many as it heard.
    const rest = (steps - after) * step;
    const { outputTokens, calls } = usageOf(events).total;
    const early = planned!.taken.outputTokens - rest - outputTokens;
    const earlyMs = planned!.taken.ms - (rest * 1000) / decode - events.at(-1)!.at;
    assert.equal(planned!.taken.calls, calls);
    assert.ok(early >= 0 && early <= 4 * (agents - 1), `seed ${seed}: ${early} tokens`);
    assert.ok(earlyMs >= -0.01 && earlyMs <= ((4 * 1000) / decode) * (agents - 1), `seed ${seed}: ${earlyMs} ms`);
  }
});
