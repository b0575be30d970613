import assert from "node:assert/strict";
import { test } from "node:test";
import type { Utterance as Said } from "../runtime/dialogue.ts";
import { floorsBack, givesBack, mostFloorsBack, transcriptOf } from "./floor.ts";
import { small } from "./play.fixture.ts";
import type { Sample } from "./task.ts";

const says = "The gate code is 4711. The meeting is in room 3.";
const base = small().samples[0]!;
const sample: Sample = { ...base, roles: base.roles.map((role) => (role.listens ? role : { ...role, says })) };
const long: Sample = { ...sample, rounds: 3 };

const reporter = (turn: number, text: string, cutBy?: string): Said => ({ agent: "reporter", turn, text, cutBy });
const reader = (turn: number, text: string): Said => ({ agent: "reader", turn, text });

test("the floor is given back by asking for more or by an answer that is not known yet", () => {
  for (const text of ["Go on.", "Please continue", "Answer: not stated", "Answer: I do not know yet"]) {
    assert.equal(givesBack(reader(0, text), sample), true, text);
    assert.equal(givesBack(reader(0, text), long), true, text);
  }
  assert.equal(givesBack(reader(0, "Answer: 4711"), sample), false);
});

test("a question keeps the floor where the others will speak again, and gives it back where they would not", () => {
  const question = reader(0, "Could you tell me something about the room where it will be held?");
  assert.equal(givesBack(question, long), false);
  assert.equal(givesBack(question, sample), true);
});

test("a message that went on after a cut is one, and stands where it ended", () => {
  const talk = [
    reporter(0, "The gate co", "reader"),
    reader(0, "Answer: not known yet"),
    reporter(1, "de is 4711.", "reader"),
    reader(1, "Answer: 4711"),
  ];
  assert.deepEqual(floorsBack(talk, sample), [1]);
  assert.deepEqual(transcriptOf(talk, sample), [
    { agent: "reader", text: "Answer: not known yet" },
    { agent: "reporter", text: "The gate code is 4711." },
    { agent: "reader", text: "Answer: 4711" },
  ]);
});

test("words that are no template's are joined with a space, and several cuts make one message", () => {
  const talk = [
    reporter(0, "I heard", "reader"),
    reader(0, "go on"),
    reporter(1, "that the code", "reader"),
    reader(1, "go on"),
    reporter(2, "is 4711."),
    reader(2, "Answer: 4711"),
  ];
  assert.deepEqual(
    transcriptOf(talk, sample).filter(({ agent }) => agent === "reporter"),
    [{ agent: "reporter", text: "I heard that the code is 4711." }],
  );
});

test("what was not cut gives nothing back, and nobody gives it back for ever", () => {
  assert.deepEqual(floorsBack([reporter(0, says), reader(0, "go on")], sample), []);
  const endless = Array.from({ length: 20 }, (_, turn) => [
    reporter(turn, "The", "reader"),
    reader(turn, "go on"),
  ]).flat();
  assert.equal(floorsBack(endless, sample).length, mostFloorsBack);
});
