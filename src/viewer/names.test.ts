import assert from "node:assert/strict";
import { test } from "node:test";
import { small } from "../core/trace-samples.fixture.ts";
import type { RunEvent } from "../core/types.ts";
import { namedRuns } from "./names.ts";
import { looksLikeResults, parseResults, plotted } from "./results.ts";

const under = (protocol: string): readonly RunEvent[] =>
  small.map((event) => (event.type === "run-start" ? { ...event, protocol } : event));

test("runs are named by their protocol, then by their file, then by a number", () => {
  const files = [
    { file: "a", runs: [under("serial"), under("stream")] },
    { file: "b", runs: [under("stream"), under("stream")] },
  ];
  assert.deepEqual(
    namedRuns(files).map(({ name }) => name),
    ["serial", "stream (a)", "stream (b)", "stream (b) 2"],
  );
  assert.deepEqual(
    namedRuns(files.slice(1)).map(({ name }) => name),
    ["stream", "stream 2"],
  );
});

test("results are told from traces, and lines that are none are counted", () => {
  const line = JSON.stringify({ policy: "never", success: 0.5, cost: { spoken: 3, total: 3 } });
  assert.equal(looksLikeResults(`\n${line}\n`), true);
  for (const other of ["", "{", "[]", "null", JSON.stringify(small[0]), '{"policy":3}'])
    assert.equal(looksLikeResults(other), false, other);
  const { results, odd } = parseResults(`${line}\n\n{"torn":`);
  assert.equal(results.length, 1);
  assert.equal(odd, 1);
});

test("what a result lacks is left out, and never becomes a number", () => {
  const { success, ratio, parts } = plotted({
    policy: "p",
    success: null,
    costVsNever: "1",
    cost: { spoken: 3, total: 3, odd: "x" },
  });
  assert.equal(success, undefined);
  assert.equal(ratio, undefined);
  assert.deepEqual(parts, [{ part: "spoken", tokens: 3 }]);
  assert.deepEqual(plotted({ policy: "p", success: 0.5, successCI: [0.4, 0.7] }).success, {
    mean: 0.5,
    low: 0.4,
    high: 0.7,
  });
});
