import assert from "node:assert/strict";
import { test } from "node:test";
import { parallel, small } from "./trace-samples.fixture.ts";
import { add, cost, none, sum, sumCosts, usageOf } from "./usage.ts";
import type { RunEvent, Usage } from "./types.ts";

const some: Usage = { calls: 1, inputTokens: 30, cachedTokens: 10, outputTokens: 5 };
const price = { currency: "USD", input: 5, cached: 0.5, output: 25 };

test("adding nothing changes nothing, and one estimate makes the sum an estimate", () => {
  assert.deepEqual(add(none, some), some);
  assert.deepEqual(sum([]), none);
  assert.deepEqual(sum([some, { ...some, estimated: true }, some]), {
    calls: 3,
    inputTokens: 90,
    cachedTokens: 30,
    outputTokens: 15,
    estimated: true,
  });
});

test("usage is told in all, by agent and by edge", () => {
  const { total, agents, edges, overrunTokens, interrupts } = usageOf(small);
  assert.deepEqual(total, { calls: 3, inputTokens: 130, cachedTokens: 50, outputTokens: 40 });
  assert.deepEqual(
    [...agents],
    [
      ["A", { calls: 1, inputTokens: 30, cachedTokens: 0, outputTokens: 20 }],
      ["B", { calls: 2, inputTokens: 100, cachedTokens: 50, outputTokens: 20 }],
    ],
  );
  assert.deepEqual(edges, [{ speaker: "A", listener: "B", calls: 2, steps: 2 }]);
  assert.deepEqual([overrunTokens, interrupts], [0, 0]);
});

test("an agent that was skipped and an edge that carried nothing are there with nothing", () => {
  const { total, agents, edges, overrunTokens, interrupts } = usageOf(parallel);
  assert.deepEqual(total, { calls: 4, inputTokens: 100, cachedTokens: 15, outputTokens: 20, estimated: true });
  assert.deepEqual(agents.get("E"), none);
  assert.equal(agents.get("B")?.estimated, undefined);
  assert.deepEqual(
    edges.map(({ speaker, listener, calls, steps }) => [speaker, listener, calls, steps]),
    [
      ["A", "B", 1, 1],
      ["A", "C", 1, 1],
      ["B", "D", 1, 1],
      ["C", "D", 1, 1],
      ["A", "E", 0, 0],
    ],
  );
  assert.deepEqual([overrunTokens, interrupts], [3, 2]);
});

test("several steps of one speaker heard in one call are one call", () => {
  const [start] = small;
  const heard = [
    ["A", 0],
    ["C", 0],
    ["A", 1],
  ] as const;
  const { edges } = usageOf([start!, { type: "turn-start", at: 1, agent: "B", seq: 0, turn: 0, heard }]);
  assert.deepEqual(edges, [
    { speaker: "A", listener: "B", calls: 1, steps: 2 },
    { speaker: "C", listener: "B", calls: 1, steps: 1 },
  ]);
});

test("cost takes cached, uncached and output tokens at their own price", () => {
  const usage = { calls: 1, inputTokens: 3_000_000, cachedTokens: 1_000_000, outputTokens: 2_000_000 };
  assert.deepEqual(cost(usage, price), {
    currency: "USD",
    amount: 60.5,
    parts: { input: 10, cached: 0.5, output: 50 },
  });
  assert.equal(cost({ ...usage, estimated: true }, price).estimated, true);
});

test("costs in one currency add up, and in two they do not", () => {
  const one = cost({ ...some, inputTokens: 1_000_010 }, price);
  assert.deepEqual(sumCosts([one, one])?.parts, { input: 10, cached: 0.00001, output: 0.00025 });
  assert.equal(sumCosts([one, { ...one, currency: "EUR" }]), undefined);
  assert.equal(sumCosts([]), undefined);
});

test("what a listener took to decide is charged to it, and to the run", () => {
  const decision = {
    type: "decision",
    at: 150,
    agent: "A",
    seq: 9,
    turn: 0,
    by: "B",
    advantage: -1,
    chunks: 2,
    tokens: 8,
  };
  const event = { ...decision, ms: 3, outcome: "wait", usage: some } as RunEvent;
  const { total, decisions, agents } = usageOf([...small, event, { ...event, usage: undefined } as RunEvent]);
  assert.deepEqual(decisions, some);
  assert.deepEqual(total, add(usageOf(small).total, some));
  assert.deepEqual(agents.get("B"), add(usageOf(small).agents.get("B")!, some));
  assert.deepEqual(agents.get("A"), usageOf(small).agents.get("A"));
});
