import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { heaviestPath } from "./fold-path.ts";
import { measured, speedUp } from "./measure.ts";
import { parallel, small } from "./trace-samples.fixture.ts";
import type { Edge, RunEvent, Usage } from "./types.ts";

test("a chain measures what a pencil does", () => {
  assert.deepEqual(measured(small), {
    steps: 4,
    calls: 3,
    alpha: 80 / 40,
    beta: 50 / 40,
    rPo: 30 / (40 / 4),
    cacheShare: 50 / 130,
    wallMs: 300,
    workingMs: 300,
    apiMs: 400,
    waitedMs: 0,
    concurrency: 400 / 300,
    selfReferenced: 400 / 300,
    bound: 4 / 3,
    overrunTokens: 0,
    interrupts: 0,
  });
});

test("siblings are taken side by side, waiting is left out, and overrun and interrupts are summed", () => {
  assert.deepEqual(measured(parallel), {
    steps: 5,
    calls: 4,
    alpha: 85 / 20,
    beta: 15 / 20,
    rPo: 10 / (20 / 5),
    cacheShare: 15 / 100,
    wallMs: 400,
    workingMs: 400,
    apiMs: 100 + 60 + 80 + 200,
    waitedMs: 40,
    concurrency: 440 / 400,
    selfReferenced: (100 + 80 + 200) / 400,
    bound: 1,
    overrunTokens: 3,
    interrupts: 2,
  });
});

test("speed-up is told by both readings, against the bound", () => {
  const serial: RunEvent[] = [...small.slice(0, -1), { type: "run-end", at: 360, reason: "done" }];
  const { bound, selfReferenced, vsSerial, efficiency } = speedUp({ trace: small, serial });
  assert.deepEqual([bound, selfReferenced, vsSerial], [4 / 3, 4 / 3, 1.2]);
  assert.ok(Math.abs(efficiency! - 0.9) < 1e-12);
  assert.deepEqual(speedUp({ trace: small }), { bound, selfReferenced, vsSerial: null, efficiency: null });
});

test("where nothing happened nothing is measured", () => {
  const { alpha, beta, rPo, cacheShare, concurrency, selfReferenced, bound, wallMs } = measured([small[0]!]);
  assert.deepEqual(
    [alpha, beta, rPo, cacheShare, concurrency, selfReferenced, bound],
    Array.from({ length: 7 }, () => null),
  );
  assert.equal(wallMs, 0);
});

test("one agent alone cannot be faster than itself", () => {
  const alone = small.filter((event) => !("agent" in event) || event.agent === "A");
  assert.equal(measured(alone).bound, 1);
});

test("the heaviest path is the heaviest of all paths", () => {
  const graph = fc.integer({ min: 0, max: 7 }).chain((size) =>
    fc.record({
      weights: fc.array(fc.integer({ min: 0, max: 9 }), { minLength: size, maxLength: size }),
      edges: fc.array(fc.tuple(fc.nat(8), fc.nat(8)), { maxLength: 20 }),
    }),
  );
  fc.assert(
    fc.property(graph, ({ weights, edges }) => {
      const down = edges.filter(([a, b]) => a < b);
      const from = (node: number): number =>
        (weights[node] ?? 0) +
        Math.max(0, ...down.filter(([a, b]) => a === node && b < weights.length).map(([, b]) => from(b)));
      const expected = Math.max(0, ...weights.map((_, node) => from(node)));
      const named = down.map(([a, b]): Edge => [`${a}`, `${b}`]);
      const map = new Map(weights.map((weight, node) => [`${node}`, weight]));
      assert.equal(heaviestPath(map, named), expected);
    }),
  );
});

test("a pipeline of A agents and S equal steps measures exactly the bound", () => {
  for (const [agents, steps] of [
    [2, 3],
    [4, 8],
    [1, 5],
    [5, 1],
  ] as const) {
    const { selfReferenced, bound } = measured(pipeline(agents, steps));
    assert.equal(bound, (agents * steps) / (steps + agents - 1));
    assert.equal(selfReferenced, bound);
  }
});

/** A chain in which every step takes 10 ms and is heard at once. */
function pipeline(agents: number, steps: number): RunEvent[] {
  const usage: Usage = { calls: 1, inputTokens: 1, cachedTokens: 0, outputTokens: 1 };
  const ids = Array.from({ length: agents }, (_, index) => `a${index}`);
  const edges = ids.slice(1).map((id, index): Edge => [ids[index]!, id]);
  const start: RunEvent = {
    ...(small[0] as RunEvent & { type: "run-start" }),
    agents: ids.map((id) => ({ id, model: "m" })),
    edges,
  };
  const events: RunEvent[] = [];
  for (const [depth, agent] of ids.entries())
    for (let index = 0; index < steps; index++) {
      const said = { agent, seq: 0, turn: index };
      const at = 10 * (depth + index);
      events.push({ ...said, type: "turn-start", at, heard: depth === 0 ? [] : [[ids[depth - 1]!, index]] });
      events.push({ ...said, type: "step", at: at + 10, index, text: "x" });
      events.push({ ...said, type: "turn-end", at: at + 10, reason: "stop", usage });
    }
  const wall = 10 * (agents + steps - 1);
  return [start, ...events.toSorted((a, b) => a.at - b.at), { type: "run-end", at: wall, reason: "done" }];
}
