import assert from "node:assert/strict";
import test from "node:test";
import { debate, letterOf, readChoice } from "./debate.ts";
import { keyWords } from "./match.ts";
import { ownQuestions } from "./questions.ts";

test("there are at least 100 questions on at least 10 subjects, each with four different options", () => {
  assert.ok(ownQuestions.length >= 100, String(ownQuestions.length));
  assert.ok(new Set(ownQuestions.map(({ subject }) => subject)).size >= 10);
  assert.equal(new Set(ownQuestions.map(({ id }) => id)).size, ownQuestions.length);
  assert.equal(new Set(ownQuestions.map(({ question }) => question)).size, ownQuestions.length);
  for (const { id, options, question } of ownQuestions) {
    assert.match(question, /[.?]$/, id);
    assert.ok(
      options.every((option) => option !== ""),
      id,
    );
    assert.equal(new Set(options.map((option) => keyWords(option).join(" "))).size, 4, id);
  }
});

test("each letter is right about equally often, and so it is within each split", () => {
  for (let index = 0; index < 4; index++) {
    const count = ownQuestions.filter(({ answer }) => answer === index).length;
    assert.ok(Math.abs(count - ownQuestions.length / 4) <= 2, `${letterOf(index)}: ${count}`);
  }
});

const gcd = (one: number, other: number): number => (other === 0 ? one : gcd(other, one % other));
const isPrime = (number: number) => Array.from({ length: number - 2 }, (_, n) => n + 2).every((n) => number % n > 0);
const upTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1);

// The computable questions, computed again.
const computed: readonly (readonly [part: string, answer: string])[] = [
  ["sum of the whole numbers from 1 to 20", String(upTo(20).reduce((sum, n) => sum + n, 0))],
  ["legs of length 9 and 12", String(Math.hypot(9, 12))],
  ["17 times 23", String(17 * 23)],
  ["prime numbers are there below 20", String(upTo(19).filter((n) => n > 1 && isPrime(n)).length)],
  ["greatest common divisor of 84 and 126", String(gcd(84, 126))],
  ["the sum is 7", `1/${36 / upTo(6).flatMap((a) => upTo(6).filter((b) => a + b === 7)).length}`],
  [
    "x² − 5x + 6",
    upTo(9)
      .filter((x) => x * x - 5 * x + 6 === 0)
      .join(" and "),
  ],
  ["through the points (1, 2) and (4, 11)", String((11 - 2) / (4 - 1))],
  ["5 different books", String(upTo(5).reduce((product, n) => product * n, 1))],
  ["derivative of x³ at x = 2", String(3 * 2 ** 2)],
  ["150 kilometers in 2.5 hours", String(150 / 2.5)],
  ["mass of 4 kilograms", `${4 * 3} newtons`],
  ["2 amperes", `${2 * 6} volts`],
  ["6 ohms each are connected in parallel", `${1 / (1 / 6 + 1 / 6)} ohms`],
  ["mass 2 kilograms moves at 3", `${0.5 * 2 * 3 ** 2} joules`],
  ["binary number 10110", String(Number.parseInt("10110", 2))],
  ["hexadecimal number 2F", String(Number.parseInt("2F", 16))],
  ["one byte of 8 bits", String(2 ** 8)],
  ["broken 26 years later", String(1648 + 26)],
  ["scale 1 : 50,000", `${(6 * 50_000) / 100_000} kilometers`],
  ["80 euros rises by 15 percent", `${(80 * 115) / 100} euros`],
  ["10 percent interest", `${((1000 * 11 * 11) / 100).toLocaleString("en-US")} euros`],
  ["fixed costs of 600 euros", String(600 / (10 - 4))],
  ["250 euros is sold for 300", `${((300 - 250) / 250) * 100} percent`],
  ["2, 4, 4, 6 and 9", String([2, 4, 4, 6, 9][2])],
  ["contract of 30 days", `${new Date(Date.UTC(2025, 5, 10 + 29)).getUTCDate()} July`],
  ["noon in a city at UTC+2", `${12 - 2 - 5}:00 in the morning`],
];

test("the right options of the computable questions are what computing gives", () => {
  for (const [part, answer] of computed) {
    const found = ownQuestions.filter(({ question }) => question.includes(part));
    assert.equal(found.length, 1, part);
    assert.equal(found[0]?.options[found[0].answer], answer, part);
  }
});

const options = ["London", "Paris", "A lake", "Rome"];

const choices: readonly (readonly [text: string, index: number | undefined])[] = [
  ["B", 1],
  ["b", 1],
  ["B.", 1],
  ["(B)", 1],
  ["B)", 1],
  ["B) Paris", 1],
  ["B. Paris", 1],
  ["B: Paris", 1],
  ["B Paris", 1],
  ["(b) paris, the capital", 1],
  ["option B", 1],
  ["Option (B)", 1],
  ["the answer is B", 1],
  ["B because it lies on the Seine", 1],
  ["B - it lies on the Seine", 1],
  ["Paris", 1],
  ["paris.", 1],
  ["A lake", 2],
  ["A", 0],
  ["a) London", 0],
  ["C) A lake", 2],
  ["B) Rome", undefined],
  ["A city in France", undefined],
  ["E", undefined],
  ["Paris or Rome", undefined],
  ["A or B", undefined],
  ["A, B", undefined],
  ["A and B", undefined],
  ["Berlin", undefined],
  ["I", undefined],
  ["Par", undefined],
  ["", undefined],
];

test("a choice is read by its letter, by its text, or by both if they agree", () => {
  for (const [text, index] of choices) assert.equal(readChoice(text, options), index, JSON.stringify(text));
});

test("the moderator's first decision counts, whatever pro and con say", () => {
  const task = debate();
  const [sample] = task.samples({ split: "dev", size: 1, seed: 1 });
  assert.ok(sample);
  const right = letterOf(sample.data.answer);
  const wrong = letterOf((sample.data.answer + 1) % 4);
  const judge = (...lines: readonly (readonly [string, string])[]) => {
    const { over, success } = task.judge(
      lines.map(([agent, text]) => ({ agent, text })),
      sample,
    );
    return [over, success];
  };
  assert.deepEqual(judge(["pro", `Answer: ${right}`], ["con", `Answer: ${wrong}`]), [false, 0]);
  assert.deepEqual(judge(["pro", `Answer: ${wrong}`], ["moderator", `Answer: ${right}`]), [true, 1]);
  assert.deepEqual(judge(["moderator", `Answer: ${wrong}`], ["moderator", `Answer: ${right}`]), [true, 0]);
  assert.deepEqual(judge(["moderator", "Con, what about the second?"], ["moderator", right]), [true, 1]);
});
