import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import * as fc from "fast-check";
import { formatEvent, parseTrace, readTrace } from "./trace.ts";
import { parallel, small } from "./trace-samples.fixture.ts";
import type { RunEvent } from "./types.ts";

const text = (events: readonly unknown[]) => events.map((event) => `${JSON.stringify(event)}\n`).join("");
const parse = (source: string) => parseTrace(source.split("\n"));
const without = (event: RunEvent, key: string) =>
  Object.fromEntries(Object.entries(event).filter(([name]) => name !== key));

async function* inPieces(source: string, size: number) {
  for (let i = 0; i < source.length; i += size) yield source.slice(i, i + size);
}

test("a trace that was written is read back as it was", () => {
  assert.deepEqual(parse(small.map((event) => `${formatEvent(event)}\n`).join("")), { runs: [small], torn: [] });
});

test("runs appended to one file are told apart, with blank lines between them or not", () => {
  const { runs, torn, problem } = parse(`${text(small)}\n\r\n${text(parallel)}${text(small)}`);
  assert.deepEqual(runs, [small, parallel, small]);
  assert.deepEqual([torn, problem], [[], undefined]);
});

test("a file's text may come cut anywhere", async () => {
  const source = text([...small, ...parallel]);
  for (const size of [1, 7, 64, 100_000])
    assert.deepEqual(await readTrace(inPieces(source, size)), { runs: [small, parallel], torn: [] });
});

test("line separators inside a string do not end the line", async () => {
  const event = { ...small[2], text: "a\u2028b\u2029c\u0085d" };
  const source = text([small[0], event]);
  assert.deepEqual((await readTrace(inPieces(source, 5))).runs, [[small[0], event]]);
});

test("torn at any byte, the whole lines are read and the torn one is reported", () => {
  const bytes = new TextEncoder().encode(text(parallel));
  for (let length = 0; length <= bytes.length; length++) {
    const source = new TextDecoder().decode(bytes.subarray(0, length));
    const { runs, torn, problem } = parse(source);
    const whole = source.split("\n").length - 1;
    const rest = source.slice(source.lastIndexOf("\n") + 1);
    const complete = rest !== "" && rest.endsWith("}") && torn.length === 0 ? 1 : 0;
    assert.deepEqual(runs.flat(), parallel.slice(0, whole + complete));
    assert.equal(problem, undefined);
    assert.deepEqual(
      torn.map(({ line }) => line),
      rest === "" || complete === 1 ? [] : [whole + 1],
    );
  }
});

test("a run may be appended after a torn line", () => {
  const { runs, torn, problem } = parse(`${text(small).slice(0, -20)}\n${text(parallel)}`);
  assert.deepEqual(runs, [small.slice(0, -1), parallel]);
  assert.deepEqual(
    torn.map(({ message }) => message),
    [`line ${small.length}: this line was cut short and is left out`],
  );
  assert.equal(problem, undefined);
});

test("a broken line in the middle of a run stops the reading there", () => {
  const lines = text(small).split("\n");
  lines[2] = lines[2]!.slice(0, 10);
  const { runs, problem } = parseTrace(lines);
  assert.deepEqual(runs, [small.slice(0, 2)]);
  assert.deepEqual([problem?.line, problem?.message], [3, "line 3: is no JSON: the file is damaged here"]);
});

test("what is no trace is said to be none, with the line", () => {
  const problem = (source: string) => parse(source).problem?.message;
  assert.match(problem("hello\n")!, /^line 1: not a trace: a trace is JSONL/);
  assert.match(problem("\n[1]\n")!, /^line 2: an event is a JSON object, not \[1\]/);
  assert.match(problem('{"a":1}\n')!, /^line 1: type: expected the event's type, got nothing/);
  assert.match(problem(text(small.slice(1)))!, /^line 1: a trace begins with a run-start event, not with turn-start/);
  assert.equal(problem(""), undefined);
});

test("another version is refused with the line and what to do, whatever else is in it", () => {
  const { runs, problem } = parse(`${text(small)}{"type":"run-start","version":2}\n`);
  assert.deepEqual(runs, [small]);
  assert.equal(problem?.line, small.length + 1);
  assert.match(problem.message, /this trace has version 2 and only version 1 can be read here; read it with/);
});

test("events of an unknown type are kept", () => {
  const events = [...small.slice(0, 2), { type: "novel", at: 3, agent: "A", more: 2 }, ...small.slice(2)];
  assert.deepEqual(parse(text(events)), { runs: [events], torn: [] });
});

test("a missing or wrong field is named with its line", () => {
  const required: Record<string, readonly string[]> = {
    "run-start": ["at", "run", "protocol", "join", "hear", "task", "agents", "edges"],
    "turn-start": ["at", "agent", "seq", "turn", "heard"],
    chunk: ["at", "agent", "seq", "turn", "text"],
    step: ["at", "agent", "seq", "turn", "index", "text"],
    route: ["at", "agent", "seq", "listeners"],
    interrupt: ["at", "agent", "seq", "by"],
    "turn-end": ["at", "agent", "seq", "turn", "reason", "usage"],
    "agent-end": ["at", "agent", "seq", "reason"],
    "run-end": ["at", "reason"],
  };
  for (const [type, fields] of Object.entries(required)) {
    const line = parallel.findIndex((event) => event.type === type);
    assert.notEqual(line, -1, type);
    for (const field of fields) {
      const events: unknown[] = [...parallel];
      events[line] = without(parallel[line]!, field);
      const { runs, problem } = parse(text(events));
      assert.match(problem!.message, new RegExp(`^line ${line + 1}: ${type}\\.${field}: expected .*, got nothing$`));
      assert.deepEqual(runs.flat(), parallel.slice(0, line));
    }
  }
});

test("a wrong value deep in an event is named by its path", () => {
  const problem = (event: unknown) => parse(text([small[0], event])).problem?.message;
  const start = small[1];
  const end = small.find(({ type }) => type === "turn-end");
  assert.equal(
    problem({ ...start, heard: [["A", 0], ["A"]] }),
    'line 2: turn-start.heard[1]: expected a pair [speaker, step index], got ["A"]',
  );
  assert.equal(
    problem({ ...end, usage: { calls: 1, inputTokens: -1 } }),
    "line 2: turn-end.usage.inputTokens: expected a whole number from 0, got -1",
  );
  assert.match(problem({ ...end, reason: "bored" })!, /turn-end\.reason: expected one of stop, .*, got "bored"$/);
  assert.match(problem({ ...start, at: null })!, /turn-start\.at: expected a number from 0, got null$/);
  assert.match(problem({ type: "new", at: "x".repeat(90) })!, /got "x{39}…$/);
  assert.match(
    parse(text([{ ...small[0], agents: [{ id: "A", model: "m" }, { id: 7 }] }])).problem!.message,
    /^line 1: run-start\.agents\[1\]\.id: expected a string, got 7$/,
  );
});

test("any text and time survives being written and read", () => {
  const fields = {
    type: fc.constant("chunk" as const),
    at: fc.double({ min: 0, max: 1e12, noNaN: true }).map(Math.abs),
    agent: fc.string({ unit: "binary" }),
    seq: fc.nat(),
    turn: fc.nat(),
    text: fc.string({ unit: "binary" }),
  };
  const event = fc.record(fields, { noNullPrototype: true });
  fc.assert(
    fc.property(fc.array(event), (events) => {
      const all = [small[0]!, ...events];
      const lines = all.map(formatEvent);
      assert.ok(lines.every((line) => !line.includes("\n")));
      assert.deepEqual(parseTrace(lines), { runs: [all], torn: [] });
    }),
    { numRuns: 200 },
  );
});

test("each example in the documentation of the format is an event, and every type has one", async () => {
  const page = await readFile("docs/trace.md", "utf8");
  const lines = Array.from(page.matchAll(/^```jsonl\n(.*)\n```$/gm), ([, line]) => line!);
  const { runs, problem } = parseTrace(lines);
  assert.equal(problem, undefined);
  const types = (events: Iterable<RunEvent>) => [...new Set(Array.from(events, ({ type }) => type))].toSorted();
  assert.deepEqual(types(runs.flat()), [...types(parallel), "decision", "leave"].toSorted());
});

test("a byte order mark, as some editors write one, is not a part of the first line", () => {
  assert.deepEqual(parse(`\uFEFF${text(small)}`), { runs: [small], torn: [] });
});
