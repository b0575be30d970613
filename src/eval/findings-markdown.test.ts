import assert from "node:assert/strict";
import { test } from "node:test";
import { findingsLines, findingsMarkdown } from "./findings-markdown.ts";
import type { Findings } from "./findings.ts";

const findings: Findings = {
  title: "A | B",
  simulated: false,
  command: "duplex experiment main",
  provenance: { model: "m", seed: 1 },
  sections: [
    {
      title: "One",
      text: ["First\nparagraph <script>alert(1)</script>."],
      tables: [
        {
          title: "Numbers",
          columns: ["name", "value"],
          rows: [
            ["a|b", 0.123456],
            ["c\nd", null],
          ],
        },
      ],
      figures: [
        {
          kind: "line",
          title: "Speed",
          x: { label: "steps" },
          y: { label: "times" },
          series: [
            {
              name: "ours",
              points: [
                { x: 1, y: 2, low: 1, high: 3 },
                { x: 2, y: 4 },
              ],
            },
            { name: "theirs", published: true, points: [{ x: 2, y: 5, label: "best" }] },
          ],
        },
      ],
    },
  ],
};

test("tables keep their shape whatever is in a cell, and no text becomes a tag", () => {
  const text = findingsMarkdown(findings);
  assert.match(text, /^# A \\\| B\n/);
  assert.match(text, /\| a\\\|b \| 0\.1235 \|/);
  assert.match(text, /\| c d \| – \|/);
  assert.doesNotMatch(text, /<script/);
  assert.doesNotMatch(text, /simulated/);
});

test("a figure is a table of its numbers, with intervals, and what is published is named so", () => {
  const text = findingsMarkdown(findings);
  assert.match(text, /\| steps \| ours \| theirs \(published\) \|/);
  assert.match(text, /\| 1 \| 2 \[1, 3\] \| – \|/);
  assert.match(text, /\| 2 \| 4 \| 5 best \|/);
});

test("simulated findings say so in the title, once at the top, and at each table", () => {
  const text = findingsMarkdown({ ...findings, simulated: true });
  assert.match(text, /^# A \\\| B \(\*simulated\*\)\n/);
  assert.match(text, /> \*\*Simulated\.\*\*/);
  assert.match(text, /\*\*Numbers \(\*simulated\*\)\*\*/);
});

test("lines are a header, a line for each row and one for each point", () => {
  const lines = findingsLines({ ...findings, simulated: true })
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  assert.deepEqual(
    lines.map(({ type }) => type),
    ["findings", "row", "row", "point", "point", "point"],
  );
  assert.ok(lines.every(({ simulated }) => simulated === true));
});
