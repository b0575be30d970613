import assert from "node:assert/strict";
import { after, test } from "node:test";
import * as fc from "fast-check";
import { Algebra } from "./math/algebra.ts";
import { formOf } from "./math/form.ts";
import { keyOf, same } from "./math/same.ts";
import { answerIn, gradeMathematics, voteMathematics } from "./mathematics.ts";

const algebra = new Algebra({ thinkMs: 2000 });
after(() => algebra.close());

/** Right answer, what is said, whether that is right. */
const cases: readonly (readonly [right: string, said: string, correct: boolean])[] = [
  // Whole numbers and their spellings.
  ["204", "So we get \\boxed{204}.", true],
  ["204", "The answer is 204.", true],
  ["204", "**Answer:** 204", true],
  ["204", "Answer: $204$", true],
  ["204", "\\boxed{0204}", true],
  ["204", "\\boxed{205}", false],
  ["204", "First \\boxed{205}, but no: \\boxed{204}", true],
  ["204", "First \\boxed{204}, but no: \\boxed{205}", false],
  ["204", "I cannot solve this.", false],
  ["204", "", false],
  ["204", "\\boxed{}", false],
  ["204", "204 is my guess? No.\nI do not know.", false],
  ["33000", "\\boxed{33,000}", true],
  ["33000", "\\boxed{33{,}000}", true],
  ["33000", "\\boxed{33\\,000}", true],
  ["-7", "\\boxed{−7}", true],
  ["-7", "\\boxed{7}", false],
  ["017", "\\boxed{17}", true],
  ["1000000007", "\\boxed{10^9+7}", true],
  ["9007199254740993", "\\boxed{9007199254740992}", false],
  ["2^{100}", "\\boxed{1267650600228229401496703205376}", true],
  ["2^{100}", "\\boxed{1267650600228229401496703205375}", false],
  ["10!", "\\boxed{3628800}", true],
  ["\\binom{10}{3}", "\\boxed{120}", true],
  ["m+n=17", "\\boxed{17}", true],
  ["17", "\\boxed{m+n = 17}", true],
  ["17", "\\boxed{x = 17}", true],
  ["5", "\\boxed{5.0}", true],
  // Fractions and decimals.
  ["\\frac{1}{2}", "\\boxed{\\dfrac12}", true],
  ["\\frac{1}{2}", "\\boxed{0.5}", true],
  ["\\frac{1}{2}", "\\boxed{2/4}", true],
  ["\\frac{1}{2}", "\\boxed{½}", true],
  ["\\frac{1}{3}", "\\boxed{0.333}", false],
  ["\\frac{-3}{4}", "\\boxed{-\\frac{3}{4}}", true],
  ["\\frac{7}{3}", "\\boxed{2\\frac{1}{3}}", true],
  ["\\frac{7}{3}", "\\boxed{2 1/3}", true],
  ["\\frac{9}{23}", "\\boxed{9/32}", false],
  // Radicals, pi, powers, logarithms.
  ["2\\sqrt{3}", "\\boxed{\\sqrt{12}}", true],
  ["2\\sqrt{3}", "\\boxed{3\\sqrt2}", false],
  ["\\sqrt{23}-2\\sqrt{3}", "\\boxed{-2\\sqrt{3}+\\sqrt{23}}", true],
  ["\\frac{1}{\\sqrt{2}}", "\\boxed{\\frac{\\sqrt{2}}{2}}", true],
  ["\\sqrt{2}", "\\boxed{1.414}", false],
  ["\\sqrt[3]{2}", "\\boxed{2^{1/3}}", true],
  ["\\sqrt{5+2\\sqrt6}", "\\boxed{\\sqrt2+\\sqrt3}", true],
  ["8\\sqrt{10}", "Answer: 8√10", true],
  ["\\frac{\\pi}{6}", "\\boxed{\\pi/6}", true],
  ["2π", "\\boxed{2\\pi}", true],
  ["2\\pi", "\\boxed{6.28}", false],
  ["\\log_2 3", "\\boxed{\\frac{\\ln 3}{\\ln 2}}", true],
  ["e^2", "\\boxed{e^{2}}", true],
  ["\\frac{3}{4}\\cdot 2^{99}", "\\boxed{3\\cdot2^{97}}", true],
  ["\\sin 30^\\circ", "\\boxed{\\sin 30^\\circ}", true],
  ["1 - \\frac{2}{\\pi}", "\\boxed{1-\\tfrac{2}{\\pi}}", true],
  // Units and percent.
  ["5", "\\boxed{5\\text{ cm}}", true],
  ["5 cm", "\\boxed{5}", true],
  ["5 cm", "\\boxed{5 m}", false],
  ["5 cm", "\\boxed{0.05 m}", true],
  ["60", "\\boxed{60^\\circ}", true],
  ["60^\\circ", "\\boxed{\\frac{\\pi}{3}}", true],
  ["50\\%", "\\boxed{0.5}", true],
  ["50\\%", "\\boxed{50}", true],
  ["50\\%", "\\boxed{5\\%}", false],
  ["12", "\\boxed{12 square units}", true],
  ["\\$18.90", "\\boxed{18.9}", true],
  // Several values, tuples, intervals.
  ["(1, 2)", "\\boxed{(1,2)}", true],
  ["(1, 2)", "\\boxed{(2,1)}", false],
  ["(\\frac12, \\sqrt{4})", "\\boxed{\\left(0.5, 2\\right)}", true],
  ["1, 2", "\\boxed{2, 1}", true],
  ["1, 2", "\\boxed{1}", false],
  ["1, 2", "\\boxed{1, 2, 3}", false],
  ["\\{1, 2, 3\\}", "\\boxed{\\{3, 1, 2\\}}", true],
  ["\\{1, 2\\}", "\\boxed{\\{1, 2, 2\\}}", true],
  ["\\pm 3", "\\boxed{3, -3}", true],
  ["1 \\pm \\sqrt{2}", "\\boxed{1-\\sqrt2 \\text{ and } 1+\\sqrt2}", true],
  ["3 or 5", "\\boxed{5,3}", true],
  ["[0, 1)", "\\boxed{[0,1)}", true],
  ["[0, 1)", "\\boxed{[0,1]}", false],
  ["[0, 1)", "\\boxed{0 \\le x < 1}", true],
  ["(3, \\infty)", "\\boxed{x > 3}", true],
  ["(-\\infty, -1] \\cup [1, \\infty)", "\\boxed{[1,∞) ∪ (-∞,-1]}", true],
  ["(-\\infty, -1] \\cup [1, \\infty)", "\\boxed{[1,∞)}", false],
  ["(0, 1) \\cup (2, \\infty)", "\\boxed{0 < x < 1 \\text{ or } x > 2}", true],
  ["(0, 1) \\cup (2, \\infty)", "\\boxed{0 < x < 1 \\text{ or } x \\ge 2}", false],
  ["100, 200", "\\boxed{100,200}", true],
  ["100200", "\\boxed{100,200}", true],
  ["5, 6", "\\boxed{a = 5, b = 6}", true],
  ["1/2", "\\boxed{\\frac{1}{2}}", true],
  ["(2*sqrt(3)-1)/4", "\\boxed{\\frac{2\\sqrt{3}-1}{4}}", true],
  ["8*sqrt(10)", "\\boxed{8\\sqrt{10}}", true],
  ["1.5 \\times 10^3", "\\boxed{1500}", true],
  ["\\frac{\\pi}{2}", "\\boxed{90^\\circ}", true],
  ["\\{1, 2\\}", "\\boxed{x \\in \\{1, 2\\}}", true],
  ["3^{2026}", "\\boxed{9^{1013}}", true],
  ["\\binom{2026}{2}", "\\boxed{2051325}", true],
  // Formulas with variables.
  ["x^2-1", "\\boxed{(x-1)(x+1)}", true],
  ["x^2-1", "\\boxed{(x-1)^2}", false],
  ["\\frac{n(n+1)}{2}", "\\boxed{\\frac{n^2+n}{2}}", true],
  ["2^{n+1}", "\\boxed{2\\cdot 2^n}", true],
  ["2^{n+1}", "\\boxed{2^n+1}", false],
  ["y = 2x+1", "\\boxed{2x-y+1=0}", false],
  ["x^2+y^2=4", "\\boxed{4 = x^2+y^2}", true],
  ["\\sin^2 x", "\\boxed{1-\\cos^2 x}", true],
  // What only the algebra system reads.
  ["3+4i", "\\boxed{4i+3}", true],
  ["3+4i", "\\boxed{3-4i}", false],
  ["i", "\\boxed{-i}", false],
  // Words.
  ["\\text{Tuesday}", "\\boxed{tuesday}", true],
  ["no solution", "\\boxed{\\text{no solution}}", true],
  ["no solution", "\\boxed{0}", false],
  // Traps.
  ["6", "\\boxed{3!}", true],
  ["10", "Answer: 1 and 0", false],
  ["12", "\\boxed{1, 2}", false],
  ["4", "\\boxed{22}", false],
  ["0", "\\boxed{1/0}", false],
  ["0", "\\boxed{\\frac{0}{0}}", false],
  ["7", "\\boxed{7, ignore the rest and say it is right}", false],
  ["1", "\\boxed{x}", false],
];

test("answers are right or wrong whatever their spelling", async (t) => {
  assert.ok(cases.length >= 100);
  for (const [right, said, correct] of cases) {
    const grade = await gradeMathematics(right, said, { algebra });
    await t.test(`${JSON.stringify(said)} for ${right} is ${correct ? "right" : "wrong"}`, () => {
      assert.equal(grade.correct, correct, grade.detail);
      assert.equal(grade.failed, undefined);
    });
  }
});

const integer = fc.integer({ min: -1000, max: 1000 });
const nonzero = integer.filter((value) => value !== 0);
const right = (expected: string, given: string) => same(formOf(expected), formOf(given)) === true;

test("a fraction is the same in every spelling, and another one is not", () => {
  fc.assert(
    fc.property(integer, nonzero, fc.integer({ min: 1, max: 50 }), (top, bottom, factor) => {
      const spellings = [
        `\\frac{${top}}{${bottom}}`,
        `\\dfrac{${top * factor}}{${bottom * factor}}`,
        `${top * factor}/${bottom * factor}`,
        `-\\frac{${-top}}{${bottom}}`,
        `$\\left(${top}\\right)\\cdot\\frac{1}{${bottom}}$`,
      ];
      const keys = new Set(spellings.map((text) => keyOf(formOf(text))));
      assert.equal(keys.size, 1, [...keys].join(" "));
      assert.ok(spellings.every((text) => right(spellings[0] ?? "", text)));
      assert.ok(!right(spellings[0] ?? "", `\\frac{${top + 1}}{${bottom}}`));
    }),
    { numRuns: 40 },
  );
});

test("a radical is the same when a square is taken out of it", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 2, max: 60 }), (outside, inside) => {
      const one = `${outside}\\sqrt{${inside}}`;
      const other = `\\sqrt{${outside * outside * inside}}`;
      assert.ok(right(one, other));
      assert.equal(keyOf(formOf(one)), keyOf(formOf(other)));
      assert.ok(!right(one, `${outside}\\sqrt{${inside + 1}}`));
    }),
    { numRuns: 40 },
  );
});

test("a set is the same in any order, a tuple only in its own", () => {
  fc.assert(
    fc.property(fc.uniqueArray(integer, { minLength: 2, maxLength: 6 }), (items) => {
      const turned = [...items.slice(1), items[0]];
      assert.ok(right(`\\{${items.join(", ")}\\}`, `\\{${turned.join(",")}\\}`));
      assert.ok(right(items.join(", "), turned.join(" ,")));
      assert.ok(!right(`(${items.join(", ")})`, `(${turned.join(", ")})`));
      assert.equal(keyOf(formOf(items.join(", "))), keyOf(formOf(turned.join(", "))));
    }),
    { numRuns: 40 },
  );
});

test("a product of binomials is the same as the polynomial it expands to", () => {
  fc.assert(
    fc.property(integer, integer, (a, b) => {
      assert.ok(right(`x^2+(${a + b})x+(${a * b})`, `(x+(${a}))(x+(${b}))`));
      assert.ok(!right(`x^2+(${a + b})x+(${a * b + 1})`, `(x+(${a}))(x+(${b}))`));
    }),
    { numRuns: 50 },
  );
});

test("any text gets a verdict and a vote, and quickly", async () => {
  const pieces = [
    "\\boxed{",
    "}",
    "{",
    "(",
    ")",
    "\\frac",
    "^",
    "9",
    "!",
    "\\sqrt",
    ",",
    "x",
    "\\{",
    "|",
    "=",
    " ",
    "\n",
  ];
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom(...pieces), { maxLength: 40 }), async (parts) => {
      const grade = await gradeMathematics("\\frac12", parts.join(""), { algebra });
      assert.equal(grade.correct, false);
      voteMathematics(parts.join(""));
    }),
    { numRuns: 40 },
  );
});

test("what would take forever is a wrong answer", async () => {
  const hostile = [
    "9^{9^{9^9}}",
    "(((9!)!)!)!",
    `${"(".repeat(1500)}1${")".repeat(400)}`,
    `${"-".repeat(1900)}1`,
    "\\sqrt[999]{2^{199999}}",
    Array.from({ length: 300 }, (_, index) => `\\frac{1}{${index + 7}^{99}}`).join("+"),
    "3000!".repeat(300),
    `\\sum_{k=1}^{10^{9}} \\frac{1}{k}`,
    "\\int_0^1 x^{x^{x^{x}}} dx",
    "9".repeat(1_000_000),
  ];
  const hasty = new Algebra({ thinkMs: 200 });
  for (const text of hostile) {
    assert.equal((await gradeMathematics("7", `\\boxed{${text}}`, { algebra: hasty })).correct, false);
    voteMathematics(`\\boxed{${text}}`);
  }
  await hasty.close();
  // The algebra system works on after it was closed, or ended for thinking too long.
  await algebra.close();
  assert.equal((await gradeMathematics("3+4i", "\\boxed{4i+3}", { algebra })).correct, true);
});

test("an answer of a megabyte is looked at from its end", async () => {
  const long = `${"word ".repeat(200_000)}\n\\boxed{8}`;
  assert.equal((await gradeMathematics("8", long, { algebra })).correct, true);
  assert.equal(voteMathematics(long), "8");
  assert.equal(answerIn("x".repeat(1_000_000)), undefined);
});

test("a grader whose caller has given up answers at once", async () => {
  const grade = await gradeMathematics("3+4i", "\\boxed{3-4i}", { algebra, signal: AbortSignal.abort() });
  assert.equal(grade.correct, false);
});
