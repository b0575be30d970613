import assert from "node:assert/strict";
import { test } from "node:test";
import { fold } from "../core/fold.ts";
import { parallel, small } from "../core/trace-samples.fixture.ts";
import { usageOf } from "../core/usage.ts";
import { countUpTo, doingAt, growthOf, takenAt, timesUpTo } from "./moment.ts";
import { sceneFold } from "./scene.ts";

const price = { currency: "USD", input: 1e6, cached: 0, output: 1e6 };

test("what was taken by the end of a run is what the core's usage says", () => {
  for (const events of [small, parallel]) {
    const scene = fold(events, sceneFold());
    const { usage, overrunTokens } = takenAt(scene, Infinity, {});
    const expected = usageOf(events);
    assert.deepEqual(usage, expected.total);
    assert.equal(overrunTokens, expected.overrunTokens);
    assert.equal(growthOf(scene, {}).points.at(-1)?.amount, expected.total.inputTokens + expected.total.outputTokens);
  }
});

test("by a moment only turns that have ended are charged, and money needs every price", () => {
  const scene = fold(small, sceneFold());
  assert.equal(takenAt(scene, 199, {}).usage.calls, 0);
  assert.equal(takenAt(scene, 200, {}).usage.calls, 2);
  assert.equal(takenAt(scene, 200, {}).cost, undefined);
  assert.equal(takenAt(scene, 300, { m: price }).cost?.amount, 30 + 20 + 40 + 10 + 10 + 10);
});

test("an agent is silent, thinks, speaks, listens and has ended; a turn is held back first", () => {
  const { agents } = fold(small, sceneFold()).timeline;
  const doing = (at: number) => agents.map((agent) => doingAt(agent, at));
  assert.deepEqual(doing(10), ["thinking", "silent"]);
  assert.deepEqual(doing(120), ["speaking", "thinking"]);
  assert.deepEqual(doing(300), ["ended", "ended"]);
  const [, b, c] = fold(parallel, sceneFold()).timeline.agents;
  assert.equal(b === undefined ? "" : doingAt(b, 130), "held back");
  assert.equal(c === undefined ? "" : doingAt(c, 400), "cut");
});

test("chunks belong to the step they were said in, what follows the last step to none", () => {
  const scene = fold(parallel, sceneFold());
  const c = scene.lanes.find(({ agent }) => agent === "C");
  const said = c?.items.filter((item) => item.type === "said");
  assert.deepEqual(
    said?.map(({ from, to, index }) => [from, to, index]),
    [
      [0, 1, 0],
      [1, 2, undefined],
    ],
  );
  assert.deepEqual(
    c?.items.map(({ type }) => type),
    ["turn", "said", "said", "cut", "cut", "end"],
  );
});

test("the same events one by one or at once make the same scene", () => {
  const growing = sceneFold();
  for (const event of parallel) {
    growing.add(event);
    growing.result();
  }
  assert.deepEqual(growing.result(), fold(parallel, sceneFold()));
});

test("how many are not after a moment", () => {
  assert.deepEqual(
    [-1, 0, 1, 2, 5, 9].map((at) => timesUpTo([0, 2, 2, 5], at)),
    [0, 1, 1, 3, 4, 4],
  );
  assert.equal(
    countUpTo(0, () => 0, 1),
    0,
  );
});
