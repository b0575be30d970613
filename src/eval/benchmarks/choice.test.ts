import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { letterOf } from "../tasks/debate.ts";
import { choiceIn, gradeChoice, voteChoice } from "./choice.ts";

const cities = ["Berlin", "Paris", "Rome", "Madrid"];
const ten = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
const formulas = ["$x^2$", "$2x$", "10 m/s", "A and B only"];

/** Options, what is said, and the letter that it decides on; "" where it decides on none. */
const cases: readonly (readonly [options: readonly string[], said: string, letter: string])[] = [
  [cities, "B", "B"],
  [cities, "b", "B"],
  [cities, "(B)", "B"],
  [cities, "[B]", "B"],
  [cities, "B.", "B"],
  [cities, "B)", "B"],
  [cities, "**B**", "B"],
  [cities, "B) Paris", "B"],
  [cities, "B. Paris", "B"],
  [cities, "B: Paris", "B"],
  [cities, "(B) Paris.", "B"],
  [cities, "Paris", "B"],
  [cities, "paris.", "B"],
  [cities, "Answer: B", "B"],
  [cities, "Answer: (B)", "B"],
  [cities, "Answer: B) Paris", "B"],
  [cities, "**Answer:** B", "B"],
  [cities, "**Answer: B**", "B"],
  [cities, "Answer: Paris", "B"],
  [cities, "Answer:\nB", "B"],
  [cities, "The answer is (B)", "B"],
  [cities, "The answer is (B).", "B"],
  [cities, "the answer is B", "B"],
  [cities, "The correct answer is B) Paris.", "B"],
  [cities, "The final answer is **B**.", "B"],
  [cities, "So the correct option is (B).", "B"],
  [cities, "My answer is B", "B"],
  [cities, "\\boxed{B}", "B"],
  [cities, "\\boxed{\\text{B}}", "B"],
  [cities, "$\\boxed{\\textbf{(B)}}$", "B"],
  [cities, "\\boxed{Paris}", "B"],
  [cities, "\\boxed{B) Paris}", "B"],
  [cities, "Option B", "B"],
  [cities, "Answer: option B", "B"],
  [cities, "Answer: B because it lies on the Seine", "B"],
  [cities, "At first I thought the answer is A.\nBut no: the answer is B.", "B"],
  [cities, "Answer: A\n\nWait, that is wrong.\nAnswer: B", "B"],
  [cities, "A is wrong, C too.\n\nB", "B"],
  [cities, "Thinking about Rome and Berlin.\n\nAnswer: Paris\n\n", "B"],
  // Decides on another option.
  [cities, "Answer: C", "C"],
  [cities, "\\boxed{B} is tempting, but \\boxed{D}", "D"],
  [cities, "Answer: Rome", "C"],
  // Decides on none.
  [cities, "", ""],
  [cities, "I do not know.", ""],
  [cities, "Answer: B or C", ""],
  [cities, "Answer: B, C", ""],
  [cities, "Answer: B and C", ""],
  [cities, "Answer: B) Rome", ""],
  [cities, "Answer: E", ""],
  [cities, "Answer: London", ""],
  [cities, "\\boxed{}", ""],
  [cities, "A capital is a seat of government", ""],
  [cities, "All of these are capitals.", ""],
  [cities, "Answer: none of them", ""],
  [cities, "Answer: Paris or Rome", ""],
  // Ten options.
  [ten, "Answer: J", "J"],
  [ten, "The answer is (I).", "I"],
  [ten, "the answer is ten", "J"],
  [ten, "Answer: K", ""],
  [ten, "I", "I"],
  [ten, "I think it is the third.", ""],
  [ten, "Answer: H) eight", "H"],
  [ten, "Answer: H) nine", ""],
  // Options that are formulas, or speak of options.
  [formulas, "Answer: (A)", "A"],
  [formulas, "Answer: D", "D"],
  [formulas, "Answer: A and B only", "D"],
  [formulas, "Answer: 10 m/s", "C"],
  [formulas, "Answer: $2x$", "B"],
];

test("the option is found in every way of naming it, and only there", async (t) => {
  assert.ok(cases.length >= 60);
  for (const [options, said, letter] of cases) {
    await t.test(`${JSON.stringify(said)} decides on ${letter || "none"}`, () => {
      assert.equal(voteChoice(options, said) ?? "", letter);
      for (const right of options.keys()) {
        assert.equal(gradeChoice(options, right, said).correct, letterOf(right) === letter);
      }
    });
  }
});

test("whatever is said before, the last decision counts", () => {
  const before = fc.array(fc.constantFrom("Answer: A", "(C)", "The answer is D.", "\\frac12", "Rome"), {
    maxLength: 6,
  });
  fc.assert(
    fc.property(before, fc.integer({ min: 0, max: 9 }), (lines, right) => {
      const said = [...lines, `Answer: ${letterOf(right)}`].join("\n");
      assert.equal(choiceIn(said, ten), right);
    }),
  );
});

test("any text gets a verdict, and a megabyte quickly", () => {
  fc.assert(
    fc.property(fc.string(), (said) => {
      const found = choiceIn(said, cities);
      assert.ok(found === undefined || (found >= 0 && found < cities.length));
    }),
  );
  const long = "Answer: (".repeat(120_000);
  assert.equal(gradeChoice(cities, 1, long).correct, false);
  assert.equal(gradeChoice(cities, 1, `${long}\nAnswer: B`).correct, true);
});
