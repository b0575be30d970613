import assert from "node:assert/strict";
import { test } from "node:test";
import { timeline, timelineFold } from "./timeline.ts";
import { parallel, small } from "./trace-samples.fixture.ts";

test("the timeline has each turn's moments and each step's listeners", () => {
  const { agents, wallMs, edges, start, end } = timeline(small);
  assert.equal(wallMs, 300);
  assert.deepEqual(edges, [["A", "B"]]);
  assert.deepEqual([start?.run, end?.reason], ["small", "done"]);
  const [a, b] = agents;
  assert.deepEqual(a?.turns, [
    {
      turn: 0,
      start: 0,
      firstChunk: 50,
      end: 200,
      reason: "stop",
      waitedMs: 0,
      workedMs: 200,
      chunks: 3,
      usage: { calls: 1, inputTokens: 30, cachedTokens: 0, outputTokens: 20 },
      overrunTokens: 0,
      heard: [],
    },
  ]);
  assert.deepEqual(a.steps, [
    { index: 0, turn: 0, at: 100, pickedUp: [{ listener: "B", turn: 0, at: 100 }] },
    { index: 1, turn: 0, at: 200, pickedUp: [{ listener: "B", turn: 1, at: 200 }] },
  ]);
  assert.deepEqual(b?.turns[1]?.heard, [{ speaker: "A", index: 1, saidAt: 200 }]);
  assert.deepEqual(
    b.turns.map((turn) => [turn.start, turn.firstChunk, turn.end]),
    [
      [100, 150, 200],
      [200, 250, 300],
    ],
  );
});

test("waiting is told apart from working, and interrupts are kept", () => {
  const [, b, c, d, e] = timeline(parallel).agents;
  assert.deepEqual([b?.waitedMs, b?.workedMs], [40, 60]);
  assert.deepEqual(
    c?.interrupts.map(({ at, by }) => [at, by]),
    [
      [170, "D"],
      [171, "B"],
    ],
  );
  assert.deepEqual([c.turns[0]?.reason, c.turns[0]?.overrunTokens, c.end?.reason], ["interrupted", 3, "interrupted"]);
  assert.deepEqual(
    d?.turns[0]?.heard.map(({ speaker, index, saidAt }) => [speaker, index, saidAt]),
    [
      ["B", 0, 200],
      ["C", 0, 150],
    ],
  );
  assert.deepEqual([e?.turns, e?.end?.reason], [[], "skipped"]);
});

test("a run in progress is counted up to its last event, and asking changes nothing", () => {
  const { add, result } = timelineFold();
  for (const event of small.slice(0, 7)) add(event);
  const half = result();
  assert.deepEqual([half.wallMs, half.end], [150, undefined]);
  assert.deepEqual(
    half.agents.map(({ workedMs, turns }) => [workedMs, turns[0]?.end]),
    [
      [150, undefined],
      [50, undefined],
    ],
  );
  for (const event of small.slice(7)) add(event);
  assert.deepEqual(result(), timeline(small));
  assert.equal(half.agents[1]?.turns.length, 1);
});

test("a trace that lost its beginning has still its turns", () => {
  const { start, agents, edges } = timeline(small.slice(6));
  assert.deepEqual([start, edges], [undefined, []]);
  assert.deepEqual(
    agents.map(({ agent, turns }) => [agent, turns.length]),
    [
      ["B", 2],
      ["A", 1],
    ],
  );
});
