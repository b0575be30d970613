import assert from "node:assert/strict";
import test from "node:test";
import { answerOf, judgeAnswers, type Sample, type Transcript } from "./task.ts";

const guess = { marker: "Guess:", bare: true };

const read: readonly (readonly [text: string, answer: string | undefined])[] = [
  ["Guess: dog", "dog"],
  ["guess : dog", "dog"],
  ["My guess: a dog.", "a dog"],
  ["**Guess:** dog", "dog"],
  ['Guess: "dog"', "dog"],
  ["Guess: <dog>", "dog"],
  ["Guess:\n\ndog\nIt barks.", "dog"],
  ["Guess: dog\nBecause it barks.", "dog"],
  ["Guess: cat. No, wait. Guess: dog", "dog"],
  ["It barks, so I know it. Guess: dog", "dog"],
  ["dog", "dog"],
  ["A hot dog!", "A hot dog!"],
  ["Guess: the one at 9:30", "the one at 9:30"],
  ["Guess:", undefined],
  ["Guess: I don't know", undefined],
  ["Guess: unknown", undefined],
  ["Guess: not sure yet", undefined],
  ["Guess: ...", undefined],
  ["Guess: No idea", undefined],
  ["Go on", undefined],
  ["Please continue.", undefined],
  ["Yes", undefined],
  ["Is it alive?", undefined],
  ["It could be a dog, or perhaps some other animal.", undefined],
  ["I need more.", undefined],
  ["Second-guess: dog", "dog"],
  ["Outguess: dog and his friends", undefined],
  ["", undefined],
];

test("an answer is what follows the last marker, or a short message alone", () => {
  for (const [text, answer] of read) assert.equal(answerOf(text, guess), answer, JSON.stringify(text));
});

test("a short message alone is an answer only where it may be, and of a closed list only if it is on it", () => {
  const closed = { ...guess, candidates: ["A", "hot dog"] };
  assert.equal(answerOf("dog", { ...guess, bare: false }), undefined);
  assert.equal(answerOf("Guess: dog", { ...guess, bare: false }), "dog");
  assert.equal(answerOf("a hot dog.", closed), "a hot dog");
  assert.equal(answerOf("A)", closed), "A)");
  assert.equal(answerOf("I agree.", closed), undefined);
  assert.equal(answerOf("Guess: I agree.", closed), "I agree");
});

test("words that only begin like holding back are answers", () => {
  for (const answer of [
    "passport",
    "waiter",
    "continent",
    "none",
    "Norway",
    "note",
    "moral",
    "Pleased",
    "unicorn",
    "Yesterday",
  ]) {
    assert.equal(answerOf(`Guess: ${answer}`, guess), answer);
  }
});

const sample: Sample = {
  id: "1",
  task: "t",
  split: "dev",
  prompt: "",
  roles: [],
  rounds: 3,
  answer: { by: "listener", marker: "Guess:", right: ["dog", "hound"], bare: false, tries: 2 },
  data: null,
};

const heard = (...lines: readonly string[]): Transcript =>
  lines.map((line) => {
    const [agent = "", ...text] = line.split("> ");
    return { agent, text: text.join("> ") };
  });

test("only the answers of the role that answers count", () => {
  const verdict = judgeAnswers(heard("speaker> Guess: dog", "listener> Go on"), sample);
  assert.deepEqual([verdict.over, verdict.success, verdict.answer], [false, 0, undefined]);
});

test("the first right answer ends a conversation with success", () => {
  const verdict = judgeAnswers(heard("listener> Guess: cat", "listener> Guess: hounds"), sample);
  assert.deepEqual([verdict.over, verdict.success, verdict.answer], [true, 1, "hounds"]);
});

test("a wrong answer ends it only when no try is left", () => {
  const one = judgeAnswers(heard("listener> Guess: cat"), sample);
  const two = judgeAnswers(heard("listener> Guess: cat", "listener> Guess: cow"), sample);
  const late = judgeAnswers(heard("listener> Guess: cat", "listener> Guess: cow", "listener> Guess: dog"), sample);
  assert.deepEqual([one.over, one.success], [false, 0]);
  assert.deepEqual([two.over, two.success], [true, 0]);
  assert.deepEqual([late.over, late.success], [true, 0]);
  assert.equal(two.detail, 'listener answered "cow"; right: "dog"');
});
