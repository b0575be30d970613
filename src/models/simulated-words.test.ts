import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { heardMessage, rolePrompts } from "../core/prompts.ts";
import type { Message, Step } from "../core/types.ts";
import { settle } from "./simulated-settings.ts";
import type { SimulatedOptions } from "./simulated-settings.ts";
import { stepMarks } from "./simulated-steps.ts";
import { plan, say, stopAt } from "./simulated-words.ts";

const user = (content: string): Message => ({ role: "user", content });
const assistant = (content: string): Message => ({ role: "assistant", content });
const ask = (steps: number): readonly Message[] => [user(`Solve it in ${steps} steps.`)];
const stepsOf = (text: string): readonly string[] => text.split("END_STEP\n").slice(0, -1);
const numbersOf = (text: string): readonly number[] => stepMarks(text).map(({ step }) => step);

function tokens(messages: readonly Message[], options: SimulatedOptions = {}): readonly string[] {
  const settings = settle(options);
  return [...say(plan(messages, settings.seed, settings), settings)];
}
const speak = (messages: readonly Message[], options?: SimulatedOptions): string => tokens(messages, options).join("");

test("a token is four characters, a step so many tokens and closed by its delimiter line", () =>
  fc.assert(
    fc.property(
      fc.integer({ min: 8, max: 90 }),
      fc.integer({ min: 1, max: 9 }),
      fc.integer(),
      (stepTokens, steps, seed) => {
        const said = tokens(ask(steps), { stepTokens, seed });
        assert.ok(said.every((text) => text.length === 4));
        assert.equal(said.length, steps * stepTokens);
        const texts = stepsOf(said.join(""));
        assert.ok(texts.every((text) => text.length + "END_STEP\n".length === 4 * stepTokens && text.endsWith("\n")));
        const marks = stepMarks(said.join(""));
        assert.ok(marks.length === steps && marks.every((mark, index) => mark.step === index + 1 && mark.right));
      },
    ),
  ));

test("a step of very few tokens keeps their number, and its tokens are longer", () => {
  const said = tokens(ask(3), { stepTokens: 2 });
  assert.equal(said.length, 6);
  assert.deepEqual(numbersOf(said.join("")), [1, 2, 3]);
});

test("the number of steps is the stated one, else the prompt's, else four", () => {
  assert.equal(numbersOf(speak(ask(7), { steps: 2 })).length, 2);
  assert.equal(numbersOf(speak([{ role: "system", content: "Use 5 roughly equal parts." }, user("Go")])).length, 5);
  assert.equal(numbersOf(speak([user("How many ducks?")])).length, 4);
});

test("a message that brings steps is answered with as many, numbered on, however many speakers said them", () => {
  const [first = "", ...rest] = stepsOf(speak(ask(3)));
  const opening = [{ role: "system", content: "Review in 9 steps." } as const, user(`Task.\n${first}`)];
  const one = speak(opening);
  assert.deepEqual(numbersOf(one), [1]);
  assert.deepEqual(numbersOf(speak([...opening, assistant(one), user(rest.join("\n"))])), [2, 3]);
  const another = stepsOf(speak(ask(3), { seed: 9 }))[1] ?? "";
  assert.deepEqual(numbersOf(speak([...opening, assistant(one), user(`${rest[0]}\n${another}`)])), [2]);
});

const stepOf = (agent: string, index: number, text: string): Step => {
  const said = { type: "step", at: 0, seq: 0, turn: 0 } as const;
  return { ...said, agent, index, text };
};

test("it follows the team's own prompts: the solver's number of steps, a reviewer's as many as heard", () => {
  const roles = rolePrompts("diamond", { agents: 4, steps: 5 });
  const system = (index: number): Message => ({ role: "system", content: roles[index]?.instructions ?? "" });
  const source = stepsOf(speak([system(0), user(heardMessage([], { task: "Add 3 numbers." }))]));
  assert.equal(source.length, 5);
  const heard = source.map((text, index) => stepOf("solver", index, text));
  const all = [...heard, ...heard.map((said) => ({ ...said, agent: "other" }))];
  assert.equal(numbersOf(speak([system(1), user(heardMessage(heard, { task: "Add." }))])).length, 5);
  assert.equal(numbersOf(speak([system(3), user(heardMessage(all, { task: "Add." }))])).length, 5);
  assert.equal(numbersOf(speak([system(1), user(heardMessage(heard.slice(2, 4)))])).length, 2);
  const sums = (text: string) => stepMarks(text).map(({ terms }) => terms);
  const review = speak([system(1), user(heardMessage(heard, { task: "Add." }))], { accuracy: 0 });
  assert.deepEqual(sums(review), sums(source.join("")), "it does the sums that it heard again");
  const foreign = [stepOf("a", 0, "First, think."), stepOf("a", 1, "Then, act.")];
  assert.equal(numbersOf(speak([system(1), user(heardMessage(foreign))])).length, 2);
});

test("an answer goes on from any prefix of itself to the same whole", () =>
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5 }), fc.nat(), (steps, cut) => {
      const whole = speak(ask(steps));
      const prefix = whole.slice(0, 1 + (cut % whole.length));
      assert.equal(prefix + speak([...ask(steps), assistant(prefix)]), whole);
    }),
  ));

test("after words of another model it goes on with the steps that are left", () => {
  const foreign = "Something first.\nEND_STEP\nThen more";
  assert.deepEqual(numbersOf(foreign + speak([...ask(4), assistant(foreign)])), [2, 3, 4]);
  const cut = stepsOf(speak(ask(4)))
    .slice(0, 2)
    .join("END_STEP\n");
  assert.deepEqual(numbersOf(speak([...ask(4), assistant(cut), user("Go on.")])), [3, 4]);
});

function rightShare(options: SimulatedOptions, messages: readonly Message[], step = 1): number {
  const runs = 3000;
  let right = 0;
  for (let seed = 0; seed < runs; seed++) {
    const marks = stepMarks(speak(messages, { stepTokens: 4, ...options, seed }));
    if (marks.some((mark) => mark.step === step && mark.right)) right++;
  }
  return right / runs;
}

test("a step is right with its probability, raised by right steps heard and lowered by wrong ones", () => {
  const near = (value: number, wanted: number) =>
    assert.ok(Math.abs(value - wanted) < 0.035, `${value}, not ${wanted}`);
  near(rightShare({ accuracy: [0.3, 0.8] }, ask(3)), 0.3);
  near(rightShare({ accuracy: [0.3, 0.8] }, ask(3), 2), 0.8);
  near(rightShare({ accuracy: [0.3, 0.8] }, ask(3), 3), 0.8);
  const heard = [user("Step 1: so 2 + 2 = 4\nStep 2: so 2 + 2 = 5\nStep 3: so 1 + 1 = 2")];
  near(rightShare({ accuracy: 0.5, delta: 0.1, epsilon: 0.3 }, heard), 0.4);
  near(rightShare({ accuracy: 0.5, delta: 0.2, epsilon: 0 }, heard), 0.9);
});

test("stopping keeps the text before the first stop, and the tokens up to its end", () =>
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: fc.constantFrom("a", "b"), minLength: 1, maxLength: 3 })),
      fc.array(fc.string({ unit: fc.constantFrom("a", "b"), minLength: 2, maxLength: 3 })),
      (all, stops) => {
        const text = all.join("");
        const at = Math.min(...stops.map((stop) => text.indexOf(stop)).filter((index) => index >= 0));
        const kept = stopAt(all, stops);
        assert.equal(kept.join(""), text.slice(0, at));
        if (at === Infinity) return assert.equal(kept.length, all.length);
        const generated = all.slice(0, kept.length).join("");
        assert.ok(stops.some((stop) => generated.startsWith(stop, at)));
      },
    ),
  ));
