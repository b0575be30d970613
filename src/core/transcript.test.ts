import assert from "node:assert/strict";
import { test } from "node:test";
import { parallel, small } from "./trace-samples.fixture.ts";
import { answer, answers, transcript } from "./transcript.ts";
import type { RunEvent } from "./types.ts";

const run = (edges: readonly (readonly [string, string])[], steps: readonly (readonly [string, string])[]) => {
  const [start] = small;
  const agents = ["C", "A", "B"].map((id) => ({ id, model: "m" }));
  return [
    { ...start, agents, edges } as RunEvent,
    ...steps.map(([agent, text], index): RunEvent => ({
      type: "step",
      at: 1,
      agent,
      seq: index,
      turn: 0,
      index,
      text,
    })),
  ];
};

test("the answer is the sink's last step that is not blank", () => {
  assert.equal(answer(small), "The answer is 4.");
  assert.equal(answer(parallel), "7");
  assert.equal(answer([small[0]!]), "");
  assert.equal(answer([]), "");
});

test("several sinks answer in the order of the agents, each under its id", () => {
  const edges = [["A", "B"]] as const;
  const both = run(edges, [
    ["A", "x"],
    ["B", "no"],
    ["B", "yes"],
    ["C", "four"],
  ]);
  assert.deepEqual(
    [...answers(both)],
    [
      ["C", "four"],
      ["B", "yes"],
    ],
  );
  assert.equal(answer(both), "C:\nfour\n\nB:\nyes");
  assert.equal(answer(run(edges, [["B", "yes"]])), "yes");
});

test("an agent that routed its speech to nobody answers for itself", () => {
  const events = run([["A", "B"]], [["A", "mine"]]);
  assert.equal(answer(events), "");
  assert.equal(answer([...events, { type: "route", at: 1, agent: "A", seq: 9, listeners: [] }]), "mine");
});

test("the transcript has what each agent heard and said, turn by turn", () => {
  assert.deepEqual(transcript(small), [
    {
      agent: "A",
      turns: [{ turn: 0, heard: [], text: "Two twos.Four.", steps: ["Two twos.", "Four."], reason: "stop" }],
      end: "done",
    },
    {
      agent: "B",
      turns: [
        { turn: 0, heard: [["A", 0]], text: "Right.", steps: ["Right."], reason: "stop" },
        { turn: 1, heard: [["A", 1]], text: "The answer is 4.", steps: ["The answer is 4."], reason: "stop" },
      ],
      end: "done",
    },
  ]);
});

test("a cut turn tells who cut it first, and a skipped agent said nothing", () => {
  const agents = transcript(parallel);
  assert.deepEqual(agents[2]?.turns[0]?.cut, { by: "D", reason: "enough" });
  assert.equal(agents[2]?.turns[0]?.text, "Well, on the");
  assert.deepEqual(agents[4], { agent: "E", turns: [], end: "skipped" });
});

test("an interrupt that comes after the turn's end cuts nothing", () => {
  const late: RunEvent = { type: "interrupt", at: 300, agent: "B", seq: 9, turn: 1, by: "A" };
  assert.equal(transcript([...small, late])[1]?.turns[1]?.cut, undefined);
});

test("a dialogue's answer is what it decided on, or else its last message", () => {
  const [start, ...said] = run(
    [],
    [
      ["A", "a guess"],
      ["B", "right"],
    ],
  );
  const talk: RunEvent[] = [{ ...start, protocol: "dialogue" } as RunEvent, ...said];
  assert.equal(answer(talk), "right");
  assert.equal(answer([...talk, { type: "run-end", at: 2, reason: "done", answer: "pizza" }]), "pizza");
});
