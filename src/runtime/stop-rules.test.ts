import assert from "node:assert/strict";
import { test } from "node:test";
import { VirtualClock } from "../testing/clock.ts";
import { dialogue } from "./dialogue.ts";
import { agent, of, play } from "./play.fixture.ts";
import { agreed, answered } from "./stop-rules.ts";
import type { StopRule, Utterance } from "./talk.ts";

const said = (...lines: readonly (readonly [string, string])[]): Utterance[] =>
  lines.map(([id, text], turn) => ({ agent: id, turn, text }));

test("an answer is the rest of the last line that begins with the marker, however it is marked up", () => {
  const rule = answered({ marker: "Answer:" });
  const cases: readonly (readonly [string, ReturnType<StopRule>])[] = [
    ["Answer: 42", { answer: "42" }],
    ["I think so.\n**answer:** 42**", { answer: "42" }],
    ["Answer: 41\nno,\n> Answer: 42", { answer: "42" }],
    ["My answer: 42", false],
    ["Answer:", false],
    ["", false],
  ];
  for (const [text, verdict] of cases) assert.deepEqual(rule(said(["a", text])), verdict, text);
  assert.equal(rule([]), false);
});

test("where it matters whose, nobody else's answer counts", () => {
  const rule = answered({ marker: "Verdict:", by: "judge" });
  assert.equal(rule(said(["pro", "Verdict: A"])), false);
  assert.deepEqual(rule(said(["pro", "Verdict: A"], ["judge", "Verdict: B"])), { answer: "B" });
});

test("agents agree once their latest answers are the same, up to case and punctuation", () => {
  const rule = agreed({ marker: "Answer:" });
  assert.equal(rule(said(["a", "Answer: 12 March."], ["a", "Answer: 12 March."])), false);
  assert.equal(rule(said(["a", "Answer: 12 March"], ["b", "Answer: 13 March"])), false);
  const alike = said(["a", "Answer: 12 March"], ["b", "Answer: 13 March"], ["c", "hm"], ["b", "Answer: 12 march."]);
  assert.deepEqual(rule(alike), { answer: "12 march." });
  assert.equal(agreed({ marker: "Answer:", agents: 3 })(alike), false);
  assert.equal(
    rule(said(["a", "Answer: 1"], ["b", "Answer: 1"], ["c", "hm"])),
    false,
    "asked when somebody else spoke",
  );
});

test("a dialogue ends with what was agreed", async () => {
  const clock = new VirtualClock();
  const answers = (id: string, ...texts: string[]) =>
    agent(clock, id, { script: (call) => [texts[Math.min(call, texts.length - 1)] ?? ""] });
  const agents = [answers("a", "Answer: 1", "Answer: 2"), answers("b", "Answer: 2")];
  const protocol = dialogue({ stop: agreed({ marker: "Answer:" }) });
  const { events } = await play(clock, { agents, edges: [] }, { protocol });
  assert.deepEqual([of(events, "turn-end").length, of(events, "run-end")[0]?.answer], [3, "2"]);
});

test("what can never be met is refused", () => {
  assert.throws(() => answered({ marker: " " }), /^ConfigError: marker: is empty/);
  assert.throws(() => agreed({ marker: "A:", agents: 1 }), /^ConfigError: agents: 1 cannot agree/);
});
