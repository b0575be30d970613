import assert from "node:assert/strict";
import test from "node:test";
import { random } from "../../base/random.ts";
import { splits } from "../split.ts";
import type { Sample } from "../task.ts";
import { heardEnough } from "./enough.ts";
import { kinds } from "./kinds.ts";
import { inRow, keyWords, mentions, sameAnswer } from "./match.ts";
import { isHeldOut, report, type ReportData } from "./report.ts";

const draw = { split: "dev", size: 40, seed: 2 } as const;
const [sample] = report().samples(draw) as [Sample<ReportData>];

test("there are at least 40 kinds of fact, each with several wordings and questions of its own", () => {
  assert.ok(kinds.length >= 40, String(kinds.length));
  assert.equal(new Set(kinds.map(({ id }) => id)).size, kinds.length);
  for (const { id, wordings, questions } of kinds) {
    assert.ok(wordings.length >= 3 && questions.length >= 2, id);
    for (const wording of wordings) assert.equal(wording.split("{}").length, 2, wording);
    for (const question of questions) assert.ok(question.endsWith("?"), question);
  }
  const questions = kinds.flatMap((kind) => kind.questions);
  assert.equal(new Set(questions).size, questions.length);
  const wordings = kinds.flatMap((kind) => kind.wordings);
  assert.equal(new Set(wordings).size, wordings.length);
});

test("no question gives away a value of its kind", () => {
  const next = random(5);
  for (const kind of kinds) {
    for (let n = 0; n < 30; n++) {
      const value = kind.value(next);
      for (const question of kind.questions) assert.ok(!mentions(question, value), `${question} ${value}`);
    }
  }
});

for (const facts of [7, 15, 30]) {
  test(`a message of ${facts} facts states each value once, in a sentence of its own`, () => {
    for (const { data, roles } of report({ facts }).samples(draw)) {
      const message = roles[0]?.says ?? "";
      assert.equal(data.facts.length, facts);
      assert.equal(message, data.facts.map(({ sentence }) => sentence).join(" "));
      assert.equal(new Set(data.facts.map(({ kind }) => kind)).size, facts);
      for (const { value, sentence } of data.facts) {
        assert.ok(mentions(sentence, value));
        const others = data.facts.filter((fact) => fact.sentence !== sentence);
        assert.ok(
          others.every((fact) => !mentions(fact.sentence, value)),
          `${value}: ${message}`,
        );
        assert.match(sentence, /^[^a-z].*\.$/);
      }
    }
  });
}

test("the place of the needed fact is uniform", () => {
  const counts = Array.from({ length: 7 }, () => 0);
  for (const seed of [1, 2, 3]) {
    for (const { data } of report({ facts: 7 }).samples({ split: "train", size: 350, seed })) {
      for (const place of data.needed) counts[place] = (counts[place] ?? 0) + 1;
    }
  }
  const expected = 150;
  const chiSquare = counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
  // 6 degrees of freedom: above this in one of a thousand.
  assert.ok(chiSquare < 22.5, `${counts.join(" ")}: ${chiSquare}`);
});

test("kinds held out are never asked for, nor told, where the task keeps to those seen", () => {
  const heldOut = new Set(kinds.filter(isHeldOut).map(({ id }) => id));
  assert.ok(heldOut.size >= 8 && kinds.length - heldOut.size >= 30, String(heldOut.size));
  for (const split of splits) {
    for (const { data } of report({ facts: 15, kinds: "seen" }).samples({ ...draw, split })) {
      assert.ok(data.facts.every(({ kind }) => !heldOut.has(kind)));
    }
    for (const { data } of report({ facts: 15, needs: 2, kinds: "held-out" }).samples({ ...draw, split })) {
      assert.ok(data.needed.every((place) => heldOut.has(data.facts[place]?.kind ?? "")));
    }
  }
  const seen = report({ kinds: "seen" }).samples({ ...draw, split: "train" });
  const unseen = report({ kinds: "held-out" }).samples({ ...draw, split: "test" });
  assert.deepEqual(
    seen.filter(({ id }) => unseen.some((other) => other.id === id)),
    [],
  );
});

test("enough has been heard when the sentences of the needed facts have been said, and not before", () => {
  for (const needs of [1, 2] as const) {
    for (const made of report({ facts: 7, needs }).samples(draw)) {
      const { facts, needed } = made.data;
      const last = Math.max(...needed);
      const before = facts.slice(0, last).reduce((length, { sentence }) => length + sentence.length + 1, 0);
      const end = before + (facts[last]?.sentence.length ?? 0) - 1;
      const message = made.roles[0]?.says ?? "";
      for (let length = 0; length <= message.length; length++) {
        const heard = [{ agent: "reporter", text: message.slice(0, length) }];
        assert.equal(heardEnough(heard, made), length >= end, message.slice(0, length));
      }
    }
  }
});

test("of a reporter with words of its own, the value must have been mentioned", () => {
  const value = sample.data.facts[sample.data.needed[0] ?? 0]?.value ?? "";
  const hear = (text: string) => heardEnough([{ agent: "reporter", text }], sample);
  assert.equal(hear("Well, let me begin with the weather."), false);
  assert.equal(hear(`Well, what you look for is ${value}, I am told.`), true);
  assert.equal(heardEnough([{ agent: "reader", text: value }], sample), false);
});

test("both roles are told last what to say: a model that reads the prompt last answers the prompt", () => {
  const [reporter, reader] = sample.roles;
  assert.match(reporter?.reminder ?? "", /^Report all of your facts now/);
  assert.match(reader?.reminder ?? "", /^Question: .*\?\nReply with "Answer:"/);
});

test("wrong choices are other values of the kind; of two needed values each is needed to choose", () => {
  for (const { answer } of report({ needs: 2, choices: 8 }).samples(draw)) {
    const { candidates = [], right } = answer;
    assert.equal(candidates.length, 8);
    const [first = "", second = ""] = (right[0] ?? "").split("; ");
    assert.ok(candidates.filter((candidate) => candidate.startsWith(`${first}; `)).length > 1);
    assert.ok(candidates.filter((candidate) => candidate.endsWith(`; ${second}`)).length > 1);
  }
});

test("every form of a value is the value of no other fact of its kind", () => {
  const next = random(6);
  for (const kind of kinds) {
    const [one, other] = [kind.value(next), kind.value(next)];
    if (one === other) continue;
    for (const form of [other, ...(kind.also?.(other) ?? [])]) assert.ok(!sameAnswer(one, form), `${one} ${form}`);
  }
});

test("impossible options are refused by name", () => {
  assert.throws(() => report({ facts: 0 }), /report\.facts: must be a whole number from 1 to \d+; was 0/);
  assert.throws(() => report({ facts: 500 }), /report\.facts/);
  assert.throws(() => report({ needs: 3 as 2 }), /report\.needs: must be a whole number from 1 to 2; was 3/);
  assert.throws(() => report({ choices: 1 }), /report\.choices/);
  assert.throws(() => report({ kinds: "new" as "all" }), /report\.kinds: must be all, seen or held-out; was "new"/);
});

test("no wording says a value of any kind by its own words", () => {
  const next = random(8);
  const own = kinds.flatMap((kind) => kind.wordings.map((wording) => keyWords(wording.replace("{}", " — "))));
  for (const kind of kinds) {
    const values = new Set(Array.from({ length: 120 }, () => kind.value(next)));
    for (const value of values) {
      const said = own.find((wording) => inRow(wording, keyWords(value)));
      assert.equal(said?.join(" "), undefined, `${kind.id}: ${value}`);
    }
  }
});
