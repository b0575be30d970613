import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { ConfigError } from "../base/errors.ts";
import type { Random } from "../base/random.ts";
import { integer, pick, random } from "../base/random.ts";
import type { Edge } from "../core/types.ts";
import { arrange, depth } from "./graph.ts";
import { oracle } from "./oracle.test.ts";
import type { Plan, PlanAgent } from "./plan.ts";
import { chain } from "./plan.ts";
import type { Call } from "./schedule.ts";
import { schedule, totals } from "./schedule.ts";

/** Speeds whose times are whole milliseconds a token, so that sums in any order are the same to the last bit. */
const wholeSpeeds = (next: Random) => ({
  timeToFirstTokenMs: pick(next, [0, 1, 7, 40, 300]),
  prefill: pick(next, [Infinity, 1000, 500]),
  cacheRead: pick(next, [Infinity, 1000]),
  decode: pick(next, [1000, 500, 250]),
});

const oddSpeeds = (next: Random) => ({
  timeToFirstTokenMs: 500 * next(),
  prefill: 500 + 5000 * next(),
  cacheRead: 5000 + 50_000 * next(),
  decode: 10 + 100 * next(),
});

const shapes = {
  chain: (count: number) => chain(count).edges,
  diamond: (): Edge[] => [
    ["1", "2"],
    ["1", "3"],
    ["2", "4"],
    ["3", "4"],
  ],
  graph: (): Edge[] => [
    ["1", "2"],
    ["2", "3"],
    ["3", "4"],
    ["1", "3"],
  ],
  tree: (count: number) =>
    Array.from({ length: count - 1 }, (_, index): Edge => [`${Math.floor(index / 2) + 1}`, `${index + 2}`]),
  fan: (count: number) => Array.from({ length: count - 1 }, (_, index): Edge => [`${index + 1}`, `${count}`]),
};

function edgesOf(next: Random, count: number): Edge[] {
  const shape = pick(next, ["random", "random", "chain", ...(count < 4 ? [] : Object.keys(shapes))]);
  if (shape === "random") {
    const density = next() ** 2;
    const edges: Edge[] = [];
    for (let to = 2; to <= count; to++)
      for (let from = 1; from < to; from++) if (next() < density) edges.push([`${from}`, `${to}`]);
    return edges;
  }
  return [...shapes[shape as keyof typeof shapes](count)];
}

type Limits = { readonly agents: number; readonly steps: number; readonly speeds: typeof wholeSpeeds };

/** A random team, protocol and cost model; agents listed in an order of their own, so that order carries no meaning. */
function planOf(next: Random, limits: Limits): Plan {
  const count = integer(next, 1, limits.agents);
  const edges = edgesOf(next, count);
  const listeners = new Set(edges.map(([, listener]) => listener));
  const agents: PlanAgent[] = Array.from({ length: count }, (_, index) => ({
    id: `${index + 1}`,
    ...(next() < 0.3 && !listeners.has(`${index + 1}`) ? { steps: integer(next, 1, limits.steps) } : {}),
    ...(next() < 0.3 ? { stepTokens: integer(next, 1, 9) } : {}),
    ...(next() < 0.2 ? { promptTokens: integer(next, 0, 50) } : {}),
    ...(next() < 0.2 ? { speeds: limits.speeds(next) } : {}),
  }));
  const protocol = pick(next, ["single", "serial", "segmented", "stream", "stream", "stream"] as const);
  return {
    agents: next() < 0.5 ? agents : agents.toReversed(),
    edges,
    protocol,
    ...(protocol === "stream" ? { hear: pick(next, ["each", "waiting"] as const) } : {}),
    steps: integer(next, 1, limits.steps),
    tokens: {
      prompt: integer(next, 0, 60),
      step: integer(next, 2, 9),
      heard: integer(next, -1, 3),
      own: integer(next, -1, 1),
      turn: integer(next, 0, 4),
    },
    speeds: limits.speeds(next),
    cache: pick(next, ["off", "request", "conversation"] as const),
    cacheMinimum: pick(next, [0, 0, 40]),
  };
}

function compare(plan: Plan, tolerance: number): void {
  const expected = oracle(plan);
  const actual = schedule(plan);
  const near = (a: number, b: number, what: string) =>
    assert.ok(Math.abs(a - b) <= tolerance, `${what}: ${a}, oracle ${b}, plan ${JSON.stringify(plan)}`);
  near(actual.makespanMs, expected.makespanMs, "makespan");
  assert.equal(actual.calls.length, expected.calls.length, JSON.stringify(plan));
  for (const agent of actual.agents) {
    const said = expected.said.get(agent.id)!;
    assert.equal(agent.saidMs.length, said.length);
    for (const [step, ms] of agent.saidMs.entries()) near(ms, said[step]!, `${agent.id} step ${step}`);
    const [calls, others] = [actual.calls, expected.calls].map((all) =>
      all.filter((call) => call.agent === agent.id),
    ) as [Call[], Call[]];
    assert.equal(calls.length, others.length);
    for (const [index, call] of calls.entries()) {
      const other = others[index]!;
      near(call.startMs, other.startMs, "start");
      near(call.endMs, other.endMs, "end");
      const numbers = ({ first, steps, inputTokens, cachedTokens, outputTokens }: typeof call) => [
        first,
        steps,
        inputTokens,
        cachedTokens,
        outputTokens,
      ];
      assert.deepEqual(numbers(call), numbers(other), JSON.stringify(plan));
    }
  }
}

const seeds = fc.integer({ min: 0, max: 2 ** 31 });

test("every call, step and token of random DAGs is exactly what an event-driven simulation gives, ties included", () => {
  fc.assert(
    fc.property(seeds, (seed) => compare(planOf(random(seed), { agents: 9, steps: 12, speeds: wholeSpeeds }), 0)),
    { numRuns: 400 },
  );
});

test("the same holds for A and S up to 64", () => {
  for (let seed = 0; seed < 12; seed++)
    compare(planOf(random(seed), { agents: 64, steps: 64, speeds: wholeSpeeds }), 0);
  const largest = { ...chain(64), steps: 64, tokens: { prompt: 20, step: 3 }, cache: "request" as const };
  const speeds = { timeToFirstTokenMs: 40, prefill: 1000, cacheRead: Infinity, decode: 500 };
  compare({ ...largest, protocol: "stream", hear: "each", speeds }, 0);
  compare({ ...largest, protocol: "stream", hear: "waiting", speeds }, 0);
});

test("with speeds that do not divide evenly, both agree to a millionth of a millisecond", () => {
  fc.assert(
    fc.property(seeds, (seed) => compare(planOf(random(seed), { agents: 8, steps: 10, speeds: oddSpeeds }), 1e-6)),
    { numRuns: 150 },
  );
});

test("totals are those of the schedule, and those of its calls", () => {
  fc.assert(
    fc.property(seeds, (seed) => {
      const plan = planOf(random(seed), { agents: 8, steps: 10, speeds: wholeSpeeds });
      const { agents, calls, ...rest } = schedule(plan);
      assert.deepEqual(totals(plan), rest);
      let [busyMs, input] = [0, 0];
      for (const call of calls) [busyMs, input] = [busyMs + call.endMs - call.startMs, input + call.inputTokens];
      assert.deepEqual([busyMs, input, calls.length], [rest.busyMs, rest.usage.inputTokens, rest.usage.calls]);
      assert.equal(Math.max(...agents.map(({ endMs }) => endMs)), rest.makespanMs);
    }),
  );
});

test("in any DAG with steps all alike a call per step takes (S+L−1)(F+D), L the longest path, and serial L(F+SD)", () => {
  fc.assert(
    fc.property(seeds, (seed) => {
      const next = random(seed);
      const count = integer(next, 4, 12);
      const edges = edgesOf(next, count);
      const { agents } = chain(count);
      const levels = depth(
        arrange(
          agents.map(({ id }) => id),
          edges,
        ),
      );
      fc.pre(levels > 1);
      const [steps, first, step] = [integer(next, 1, 20), integer(next, 0, 50), pick(next, [1, 2, 4])];
      const speeds = { timeToFirstTokenMs: first, prefill: Infinity, cacheRead: Infinity, decode: 1000 / step };
      const plan = { agents, edges, steps, tokens: { prompt: 9, step: 1 }, speeds };
      assert.equal(totals({ ...plan, protocol: "stream" }).makespanMs, (steps + levels - 1) * (first + step));
      assert.equal(totals({ ...plan, protocol: "serial" }).makespanMs, levels * (first + steps * step));
    }),
  );
});

test("stream is never later than segmented and makes the same calls with the same tokens", () => {
  fc.assert(
    fc.property(seeds, (seed) => {
      const { hear: _, ...plan } = planOf(random(seed), { agents: 8, steps: 10, speeds: wholeSpeeds });
      const stream = totals({ ...plan, protocol: "stream" });
      const segmented = totals({ ...plan, protocol: "segmented" });
      assert.ok(stream.makespanMs <= segmented.makespanMs);
      assert.deepEqual([stream.usage, stream.busyMs], [segmented.usage, segmented.busyMs]);
    }),
  );
});

test("waiting makes at most as many calls as each, and reads no more where nothing is cached", () => {
  fc.assert(
    fc.property(seeds, (seed) => {
      const drawn = planOf(random(seed), { agents: 8, steps: 10, speeds: wholeSpeeds });
      const plan = { ...drawn, protocol: "stream", cache: "off" } as const;
      const each = totals({ ...plan, hear: "each" });
      const waiting = totals({ ...plan, hear: "waiting" });
      assert.ok(waiting.usage.calls <= each.usage.calls);
      assert.ok(waiting.usage.inputTokens <= each.usage.inputTokens);
      assert.equal(waiting.usage.outputTokens, each.usage.outputTokens);
    }),
  );
});

test("what each step has heard is s rows under each and segmented, and all rows under serial", () => {
  const plan = { ...chain(3), steps: 5, tokens: { prompt: 0, step: 1 } };
  const speeds = { timeToFirstTokenMs: 3, prefill: Infinity, cacheRead: Infinity, decode: 1000 };
  const heard = (protocol: Plan["protocol"]) =>
    schedule({ ...plan, speeds, protocol }).agents.map((a) => a.heardThrough);
  const none = [0, 0, 0, 0, 0];
  assert.deepEqual(heard("stream"), [none, [1, 2, 3, 4, 5], [1, 2, 3, 4, 5]]);
  assert.deepEqual(heard("segmented"), heard("stream"));
  assert.deepEqual(heard("serial"), [none, [5, 5, 5, 5, 5], [5, 5, 5, 5, 5]]);
});

test("a plan that is out of range is refused by the name of the place", () => {
  const speeds = { timeToFirstTokenMs: 0, prefill: 1, cacheRead: 1, decode: 1 };
  const plan: Plan = { ...chain(2), protocol: "stream", steps: 2, tokens: { prompt: 0, step: 1 }, speeds };
  const [one, two] = plan.agents as [PlanAgent, PlanAgent];
  const cases: [string, Partial<Plan>][] = [
    ["agents", { agents: [], edges: [] }],
    ["agents[1]", { agents: [one, one], edges: [] }],
    ["edges[0]", { edges: [["1", "3"]] }],
    [
      "edges[1]",
      {
        edges: [
          ["1", "2"],
          ["1", "2"],
        ],
      },
    ],
    ["edges[0]", { edges: [["1", "1"]] }],
    [
      "edges",
      {
        edges: [
          ["1", "2"],
          ["2", "1"],
        ],
      },
    ],
    ["steps", { steps: 0 }],
    ["agents[0].steps", { agents: [{ ...one, steps: 1.5 }, two] }],
    ["agents[1].steps", { agents: [one, { ...two, steps: 3 }] }],
    ["agents[0].stepTokens", { agents: [{ ...one, stepTokens: [1] }, two] }],
    ["agents[0].stepTokens", { agents: [{ ...one, stepTokens: [1, 0] }, two] }],
    ["agents[1].promptTokens", { agents: [one, { ...two, promptTokens: -1 }] }],
    ["agents[1].speeds.decode", { agents: [one, { ...two, speeds: { ...speeds, decode: 0 } }] }],
    ["tokens.prompt", { tokens: { prompt: Number.NaN, step: 1 } }],
    ["tokens.step", { tokens: { prompt: 0, step: 0 } }],
    ["tokens.heard", { tokens: { prompt: 0, step: 1, heard: -2 } }],
    ["speeds.prefill", { speeds: { ...speeds, prefill: 0 } }],
    ["speeds.cacheRead", { speeds: { ...speeds, cacheRead: Number.NaN } }],
    ["speeds.timeToFirstTokenMs", { speeds: { ...speeds, timeToFirstTokenMs: Infinity } }],
    ["cacheMinimum", { cacheMinimum: -1 }],
    ["hear", { protocol: "serial", hear: "waiting" }],
  ];
  for (const [path, change] of cases)
    assert.throws(
      () => schedule({ ...plan, ...change }),
      (error) => error instanceof ConfigError && error.path === path,
      path,
    );
});
