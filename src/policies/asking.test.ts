import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import type { Policy } from "../core/policy.ts";
import { VirtualClock } from "../testing/clock.ts";
import { scripted } from "../testing/scripted.ts";
import { readAnswer, unclearOf } from "./answer.ts";
import { featuresOf } from "./features.ts";
import { afterChunks, concise, never, onPattern, random } from "./fixed.ts";
import { chooser, cuts, decide, hearing, mute, signal, usage } from "./hearing.fixture.ts";
import { ownAnswer, readCandidates } from "./own-answer.ts";
import { prompted } from "./prompted.ts";
import { finetuned, yesNo } from "./yes-no.ts";

test("fixed rules cut where they say, and never does not decide at all", async () => {
  assert.equal(never.decide, undefined);
  assert.equal(concise.decide, undefined);
  assert.deepEqual(await Promise.all([1, 2, 3, 4].map((chunks) => cuts(afterChunks(3), { chunks }))), [
    false,
    false,
    true,
    true,
  ]);
  const policy = onPattern(/\d+ euros/gy);
  for (const _ of [1, 2, 3]) assert.equal(await cuts(policy, { text: "costs 95 euros" }), true);
  assert.equal(await cuts(policy, { text: "costs 95" }), false);
});

test("random cuts in its share of chunks, and other seeds cut elsewhere", async () => {
  const share = async (policy: Policy) => {
    const decisions = await Promise.all(Array.from({ length: 4000 }, (_, turn) => cuts(policy, { turn })));
    return decisions.filter(Boolean).length / decisions.length;
  };
  // Five standard deviations.
  assert.ok(Math.abs((await share(random(0.2, { seed: 1 }))) - 0.2) < 0.032);
  assert.equal(await share(random(0)), 0);
  assert.equal(await share(random(1)), 1);
  const where = (seed: number) =>
    Promise.all(Array.from({ length: 50 }, (_, turn) => cuts(random(0.5, { seed }), { turn })));
  assert.notDeepEqual(await where(1), await where(2));
});

test("answers are read by their first word, whatever is around it", () => {
  const says = (text: string, reasoned = false) => readAnswer(text, { reasoned }).says;
  assert.deepEqual(
    ["Yes", " yes.", "**YES**", '"Yes", I have', "yes\nno"].map((text) => says(text)),
    Array(5).fill("yes"),
  );
  assert.deepEqual(
    ["No", "no, go on", "<think>yes?</think>No."].map((text) => says(text)),
    Array(3).fill("no"),
  );
  assert.deepEqual(
    ["", "Yesterday", "Maybe", "Yes or No", "yes/no", "Nothing yet"].map((text) => says(text)),
    Array(6).fill("neither"),
  );
  assert.deepEqual(
    ["I'm sorry, I can't help", "I cannot decide"].map((text) => says(text)),
    ["refusal", "refusal"],
  );
  assert.deepEqual([says("<think>Yes, because"), says("", true)], ["thinking", "thinking"]);
  assert.deepEqual(readAnswer("Ja, bitte", { words: ["Ja", "Nein"] }), { says: "yes" });
});

test("no text makes the reader of answers fail, and its notes can be counted again", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const answer = readAnswer(text);
      if ("note" in answer) assert.equal(unclearOf(`budget used up; ${answer.note}`), answer.says);
    }),
  );
  assert.equal(unclearOf("95 euros"), undefined);
  assert.equal(unclearOf(undefined), undefined);
});

test("a prompted listener that says neither waits, and its words are shown", async () => {
  const model = scripted(new VirtualClock(), (call) => [["Yes"], ["No"], ["Hmm, ", "well"]][call] ?? []);
  const policy = prompted();
  assert.equal((await decide(policy, { model })).advantage, 1);
  assert.equal((await decide(policy, { model })).advantage, -1);
  const { advantage, note } = await decide(policy, { model });
  assert.deepEqual([advantage, note], [0, 'neither: "Hmm, well"']);
});

test("a prompted listener whose answer breaks off fails", async () => {
  const model = scripted(new VirtualClock(), () => ["Ye", { do: "close" }]);
  await assert.rejects(decide(prompted(), { model }), /closed without its end/);
});

test("log-odds of Yes are held against the threshold, and words are checked once for each model", async () => {
  const model = chooser(() => ({ probabilities: [0.6, 0.2] }));
  const policy = yesNo({ threshold: 1 });
  const first = await decide(policy, { model });
  assert.ok(Math.abs(first.advantage - (Math.log(3) - 1)) < 1e-6);
  assert.ok(Math.abs((first.probability ?? 0) - 0.75) < 1e-6);
  assert.equal(first.usage?.calls, 2);
  assert.equal((await decide(policy, { model })).usage?.calls, 1);
  assert.equal(await cuts(yesNo({ threshold: 1.2 }), { model }), false);
});

test("words a model cannot say or tell apart are an error that names them, at every decision", async () => {
  const unsayable = yesNo({ verbalizers: ["Yes", "Nope"] });
  const model = chooser(() => ({ probabilities: [0.5, 0] }));
  for (const _ of [1, 2]) await assert.rejects(decide(unsayable, { model }), /verbalizers of chooser: "Nope" gets no/);
  assert.equal(model.requests.length, 1);
  const alike = chooser(() => ({ probabilities: [0.4, 0.4] }));
  await assert.rejects(decide(yesNo(), { model: alike }), /same probability/);
  assert.throws(() => yesNo({ verbalizers: ["Yes", " Yes"] }), /two different words/);
  await assert.rejects(decide(yesNo(), { model: mute }), /scripted shows no probabilities/);
  assert.throws(() => finetuned(mute), /scripted shows no probabilities/);
});

test("a look that shows neither Yes nor No waits", async () => {
  const top = { text: "The", probability: 0.9 };
  const model = chooser((_, __, call) => ({ probabilities: call === 0 ? [0.5, 0.4] : [0.001, 0.0001], top }));
  const { advantage, note } = await decide(yesNo({ threshold: -5 }), { model });
  assert.deepEqual([advantage, note], [0, 'neither: "The"']);
});

test("the question comes behind what was heard, and the lead opens the reply where the model goes on from it", async () => {
  const [goesOn, starts] = [chooser(() => ({})), chooser(() => ({}), false)];
  const policy = ownAnswer({ threshold: 0, candidates: ["x", "y"], question: "What is it?", lead: "Guess:" });
  for (const model of [goesOn, starts]) await decide(policy, { model });
  assert.deepEqual(goesOn.requests[0]?.messages, [
    { role: "user", content: "task\n\na: heard\n\nWhat is it?" },
    { role: "assistant", content: "Guess:" },
  ]);
  assert.deepEqual(starts.requests[0]?.messages, [
    { role: "user", content: "task\n\na: heard\n\nWhat is it? Reply with nothing else." },
  ]);
});

test("a question of its own is asked about what was heard alone, and to be sure of knowing nothing is no reason to cut", async () => {
  const shares = [
    [0.05, 0.05, 0.9],
    [0.9, 0.05, 0.05],
  ];
  const model = chooser((_, __, call) => ({ probabilities: shares[call % 2] ?? [] }));
  for (const measure of ["margin", "entropy"] as const) {
    const policy = ownAnswer({ threshold: 0.5, candidates: ["red", "blue"], about: () => "Which color?", measure });
    assert.deepEqual([await cuts(policy, { model }), await cuts(policy, { model })], [false, true], measure);
  }
  const [{ messages, session } = { messages: [], session: "" }] = model.requests;
  assert.match(messages[0]?.content ?? "", /^Report: heard\n\nQuestion: Which color\?\n.*reply "unknown"\.$/);
  assert.deepEqual([messages.length, messages[1]?.role, session?.endsWith("/about")], [2, "assistant", true]);
});

test("asked apart, an answer the model would hardly give does not count, however far it is ahead of the others", async () => {
  const model = chooser(() => ({ probabilities: [0.3, 0.01, 0.02] }));
  const options = { threshold: 0.5, candidates: ["red", "blue"] };
  const apart = { ...options, about: "Which color?" };
  assert.equal(await cuts(ownAnswer(apart), { model }), false);
  assert.equal(await cuts(ownAnswer({ ...apart, threshold: 0.2 }), { model }), true);
  assert.equal(await cuts(ownAnswer({ ...apart, measure: "margin" }), { model }), true);
  assert.equal(await cuts(ownAnswer(options), { model }), true, "in its own context the margin counts");
});

test("features of a choice keep their ranges, and are those of the definition", () => {
  const positive = fc.double({ min: 0, max: 1, noNaN: true });
  fc.assert(
    fc.property(fc.array(positive, { minLength: 2, maxLength: 9 }), (raw) => {
      const total = raw.reduce((sum, one) => sum + one, 0);
      const probabilities = total > 1 ? raw.map((one) => one / total) : raw;
      const candidates = raw.map((_, index) => `c${index}`);
      const read = readCandidates({ probabilities, usage }, candidates, 0.01);
      if (read === undefined) return assert.ok(probabilities.reduce((sum, one) => sum + one, 0) < 0.01);
      const near = (a: number, b: number) => assert.ok(Math.abs(a - b) < 1e-9, `${a} is not ${b}`);
      const sorted = probabilities.toSorted((a, b) => b - a);
      near(read.margin * read.mass, (sorted[0] ?? 0) - (sorted[1] ?? 0));
      near(read.probability, sorted[0] ?? 0);
      assert.equal(probabilities[candidates.indexOf(read.best)], sorted[0]);
      assert.ok(read.entropy >= 0 && read.entropy <= Math.log(raw.length) + 1e-9);
    }),
  );
});

test("the listener's own answer cuts when it is sure, and when it stays the same", async () => {
  const shares = [
    [0.1, 0.8],
    [0.8, 0.1],
    [0.8, 0.1],
    [0.3, 0.3],
  ];
  const model = chooser((_, __, call) => ({ probabilities: shares[call % 4] ?? [] }));
  const candidates = ["red", "blue"];
  const looks = async (policy: Policy) => {
    const found: boolean[] = [];
    for (const chunks of [1, 2, 3, 4]) found.push(await cuts(policy, { model, chunks }));
    return found;
  };
  assert.deepEqual(await looks(ownAnswer({ threshold: 0.5, candidates })), [true, true, true, false]);
  assert.deepEqual(await looks(ownAnswer({ threshold: 0.5, candidates, stable: 2 })), [false, false, true, false]);
  assert.deepEqual(await looks(ownAnswer({ threshold: 0.5, candidates, measure: "entropy" })), [
    true,
    true,
    true,
    false,
  ]);
  const byHearing = ownAnswer({ threshold: 0.5, candidates: ({ task }) => (task === "task" ? candidates : undefined) });
  assert.deepEqual((await decide(byHearing, { model })).note, '"blue"');
});

test("an answer that is none of the candidates waits and breaks the row", async () => {
  const shares = [
    [0.8, 0.1],
    [0.001, 0.001],
    [0.8, 0.1],
    [0.8, 0.1],
  ];
  const model = chooser((_, __, call) => ({ probabilities: shares[call] ?? [] }));
  const policy = ownAnswer({ threshold: 0.5, candidates: ["red", "blue"], stable: 2 });
  const notes: (string | undefined)[] = [];
  for (const chunks of [1, 2, 3, 4]) notes.push((await decide(policy, { model, chunks })).note);
  assert.deepEqual(notes, ['"red", 1 of 2 looks', "neither", '"red", 1 of 2 looks', '"red"']);
});

test("an open answer is as sure as its next token, and unknown is not an answer", async () => {
  const open = (text: string, probability: number, unknown: number) =>
    chooser(() => ({ probabilities: [unknown], entropy: 1, top: { text, probability } }));
  const policy = ownAnswer({ threshold: 0.6 });
  assert.equal(await cuts(policy, { model: open(" 95", 0.7, 0.1) }), true);
  assert.equal(await cuts(policy, { model: open(" unknown", 0.7, 0.7) }), false);
  await assert.rejects(decide(policy, { model: chooser(() => ({})) }), /give candidates/);
  assert.throws(() => ownAnswer({ threshold: 0.5, candidates: ["one"] }), /candidates: 1 given/);
});

test("features are asked for only where they are weighed", async () => {
  const model = chooser(() => ({ entropy: 0.5, top: { text: "x", probability: 0.5 } }));
  const free = await featuresOf({ features: ["tokens", "chunks"] })(hearing({ model }), signal);
  assert.deepEqual([free.values, model.requests.length], [[16, 1], 0]);
  const odds = await featuresOf({ features: ["logOdds"] })(hearing({ model }), signal);
  assert.ok(Math.abs((odds.values?.[0] ?? 0) - Math.log(2)) < 1e-6);
  assert.equal(model.requests.length, 2);
});
