import assert from "node:assert/strict";
import { test } from "node:test";
import { stripVTControlCharacters } from "node:util";
import * as fc from "fast-check";
import { timeline } from "../core/timeline.ts";
import { parallel, small } from "../core/trace-samples.fixture.ts";
import type { RunEvent } from "../core/types.ts";
import { printable, width } from "./printable.ts";
import { renderTimeline } from "./timeline.ts";

const plain = (events: readonly RunEvent[], columns: number, unicode = true) =>
  renderTimeline(timeline(events), { columns, color: false, unicode });

test("lanes show who spoke when and where each step was picked up", () => {
  assert.deepEqual(plain(small, 40), [
    "  0 ms        100 ms       200 ms",
    "A ░░░░░░██████1████████████2",
    "B             ░░░░░░░██████1░░░░░██████2",
    "              ↑1           ↑2",
    "░ before the first word   █ speaking",
    "1 step 1 ends   ↑1 hears step 1",
  ]);
});

test("waiting, cuts, joins and skipped agents have marks of their own, in ASCII too", () => {
  assert.deepEqual(plain(parallel, 62, false), [
    "  0 ms           100 ms         200 ms         300 ms",
    "A ...###########1",
    "B                ~~~~~~.......#1",
    "                 ^1",
    "C                ...####1###x",
    "                 ^1",
    "D                               ...............#######1#######",
    "                                ^B1,C1",
    "E (skipped)",
    "~ held back   . before the first word   # speaking",
    "1 step 1 ends   ^1 hears step 1   x interrupted",
  ]);
});

test("steps heard in one call are one range", () => {
  const heard = [0, 1, 2].map((index) => ["A", index] as const);
  const events: RunEvent[] = [
    small[0]!,
    { type: "turn-start", at: 0, agent: "B", seq: 0, turn: 0, heard },
    { type: "run-end", at: 90, reason: "done" },
  ];
  assert.ok(plain(events, 40).includes("  ↑1-3"));
});

test("what was heard of several speakers is shortened to what they have in common where there is no room", () => {
  const start = { ...small[0]!, agents: ["left", "right", "join"].map((id) => ({ id, model: "m" })) } as RunEvent;
  const turn = (at: number, index: number): RunEvent => ({
    type: "turn-start",
    at,
    agent: "join",
    seq: index,
    turn: index,
    heard: ["left", "right"].map((speaker) => [speaker, index] as const),
  });
  const events: RunEvent[] = [start, turn(0, 0), turn(50, 1), { type: "run-end", at: 200, reason: "done" }];
  assert.ok(plain(events, 50).includes("      ↑1         ↑left2,right2"));
});

test("color is there only where it is asked for, and covers the same cells", () => {
  const colored = renderTimeline(timeline(parallel), { columns: 70, color: true });
  const stripped = colored.map((line) => stripVTControlCharacters(line));
  assert.notDeepEqual(colored, stripped);
  assert.deepEqual(stripped, plain(parallel, 70));
  assert.ok(plain(parallel, 70).every((line) => printable(line) === line));
});

test("no line is wider than the terminal, whatever the run and the names", () => {
  const agent = fc.constantFrom("A", "a much longer name", "日本語の名前", "\u001b[2J", "e\u0301", "");
  const moment = fc.integer({ min: 0, max: 1000 });
  const event = fc.oneof(
    fc
      .tuple(agent, moment, fc.nat(3))
      .map(([id, at, turn]): RunEvent => ({ type: "chunk", at, agent: id, seq: 0, turn, text: "x" })),
    fc.tuple(agent, moment, fc.nat(30)).map(([id, at, index]): RunEvent => ({
      type: "step",
      at,
      agent: id,
      seq: 0,
      turn: 0,
      index: index * 7,
      text: "x",
    })),
    fc
      .tuple(agent, moment, fc.array(fc.tuple(agent, fc.nat(99))))
      .map(([id, at, heard]): RunEvent => ({ type: "turn-start", at, agent: id, seq: 0, turn: at % 4, heard })),
    fc.tuple(agent, moment, fc.constantFrom("stop", "interrupted", "failed")).map(([id, at, reason]): RunEvent => ({
      type: "turn-end",
      at,
      agent: id,
      seq: 0,
      turn: at % 4,
      reason: reason as "stop",
      usage: { calls: 1, inputTokens: 1, cachedTokens: 0, outputTokens: 1 },
      waitedMs: at / 2,
    })),
  );
  fc.assert(
    fc.property(
      fc.array(event, { maxLength: 30 }),
      fc.integer({ min: 20, max: 160 }),
      fc.boolean(),
      (events, columns, unicode) => {
        const ordered = events.toSorted((a, b) => a.at - b.at);
        for (const line of plain(ordered, columns, unicode)) {
          assert.ok(width(line) <= columns, `${width(line)} > ${columns}: ${line}`);
          assert.equal(printable(line), line);
          if (!unicode) assert.match(line, /^[ -~]*$/);
        }
      },
    ),
  );
});

test("a run in which nothing happened has a line of time and nothing else", () => {
  assert.deepEqual(plain([], 40), [" 0 ms"]);
});
