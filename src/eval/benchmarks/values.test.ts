import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { jsonTextKey, literalKey, NoLiteral } from "./literal.ts";
import { gradeValue, voteValue } from "./values.ts";

/** The right value in Python, what is said, whether that is right. */
const cases: readonly (readonly [right: string, said: string, correct: boolean])[] = [
  ["3", "Answer: 3", true],
  ["3", "3", true],
  ["3", "The answer is 3.", true],
  ["3", "Answer: 4", false],
  ["3", "Answer: 3.0", true],
  ["3", "Answer: 0x3", true],
  ["3", "Answer: '3'", false],
  ["3", "[ANSWER]3[/ANSWER]", true],
  ["3", "[ANSWER]\nassert count(s = 'banana', c = 'a') == 3\n[/ANSWER]", true],
  ["3", "```python\nassert f(1, [2]) == 3\n```", true],
  ["3", "```\n3\n```", true],
  ["3", "```python\n# the count\nassert f('==', 2) == 3\n```", true],
  ["3", "```python\nassert f(x == 2) == 3\n```", true],
  ["3", "```python\nassert f(1) != 3\n```", false],
  ["3", "f(1) == 3", true],
  ["3", "I would say three.", false],
  ["3", "Answer: three", false],
  ["3", "", false],
  ["3", "Answer: 1 + 2", false],
  ["3", "Answer: int('3')", false],
  ["3", "Answer: `3`", true],
  ["3", "**Answer:** `3`", true],
  ["3", "Answer: 2\n\nNo, wait.\n\nAnswer: 3", true],
  ["-5", "Answer: -5", true],
  ["-5", "Answer: 5", false],
  ["1.5", "Answer: 1.50", true],
  ["1.5", "Answer: 15e-1", true],
  ["0.1", "Answer: 0.1000001", false],
  ["True", "Answer: True", true],
  ["True", "Answer: 1", true],
  ["True", "Answer: true", false],
  ["True", "Answer: 'True'", false],
  ["False", "```python\nassert inside(x = 5) == False\n```", true],
  ["None", "Answer: None", true],
  ["None", "Answer: null", false],
  ["None", "Answer: ''", false],
  ["'CBA'", "Answer: 'CBA'", true],
  ["'CBA'", 'Answer: "CBA"', true],
  ["'CBA'", "Answer: CBA", false],
  ["'CBA'", "Answer: 'cba'", false],
  ["'CBA'", "Answer: '''CBA'''", true],
  ["'CBA'", "Answer: 'C' 'BA'", true],
  ["'CBA'", "Answer: r'CBA'", true],
  ["'CBA'", "Answer: b'CBA'", false],
  ["'a\\nb'", "Answer: 'a\\nb'", true],
  ["'é'", "Answer: '\\u00e9'", true],
  ["'é'", "Answer: '\\xe9'", true],
  ["''", "Answer: ''", true],
  ["[1, 2]", "Answer: [1,2]", true],
  ["[1, 2]", "Answer: [1, 2,]", true],
  ["[1, 2]", "Answer: (1, 2)", false],
  ["[1, 2]", "Answer: [2, 1]", false],
  ["[1, 2]", "Answer: [1, 2", false],
  ["[1, 2]", "```python\nassert f() == [\n    1,\n    2,\n]\n```", true],
  ["[]", "Answer: []", true],
  ["[]", "Answer: list()", true],
  ["[(1, 2), (2, 3)]", "Answer: [(1, 2), (2, 3)]", true],
  ["[(1, 2), (2, 3)]", "Answer: [[1, 2], [2, 3]]", false],
  ["(1,)", "Answer: (1,)", true],
  ["(1,)", "Answer: (1)", false],
  ["(1, 2)", "Answer: 1, 2", true],
  ["{'a': 2, 'b': 1}", "Answer: {'b': 1, 'a': 2}", true],
  ["{'a': 2, 'b': 1}", "Answer: {'a': 2}", false],
  ["{'a': 2}", "Answer: {'a': 1, 'a': 2}", true],
  ["{'a: b': 1}", "Answer: {'a: b': 1}", true],
  ["{1: 'x'}", "Answer: {'1': 'x'}", false],
  ["{2, 3}", "Answer: {3, 2, 2}", true],
  ["{2, 3}", "Answer: [2, 3]", false],
  ["set()", "Answer: set()", true],
  ["set()", "Answer: {}", false],
  ["{}", "Answer: {}", true],
  ["float('inf')", "Answer: float('inf')", true],
  ["12345678901234567890", "Answer: 12345678901234567890", true],
  ["12345678901234567890", "Answer: 12345678901234567891", false],
];

test("values are right or wrong as Python would compare them", async (t) => {
  assert.ok(cases.length >= 60);
  for (const [right, said, correct] of cases) {
    await t.test(`${JSON.stringify(said)} for ${right} is ${correct ? "right" : "wrong"}`, () => {
      const grade = gradeValue(literalKey(right), said);
      assert.equal(grade.correct, correct, grade.detail);
      if (correct) assert.equal(voteValue(said), literalKey(right));
    });
  }
});

/** The key of a JSON value, written down anew. */
function jsonKey(value: unknown): string {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "1" : "0";
  if (typeof value === "number") return String(value);
  if (typeof value === "string") return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(jsonKey).join(", ")}]`;
  const pairs = Object.entries(value as object).map(([key, inner]) => `${JSON.stringify(key)}: ${jsonKey(inner)}`);
  return `{${pairs.toSorted().join(", ")}}`;
}

test("JSON becomes the key of what Python reads it as", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 3 }), (value) => {
      // Whole numbers that are no numbers of JavaScript are tested below.
      const text = JSON.stringify(value, (_key, inner: unknown) =>
        typeof inner === "number" && Math.abs(inner) > 2 ** 53 ? 7 : inner,
      );
      assert.equal(jsonTextKey(text), jsonKey(JSON.parse(text)));
    }),
    { numRuns: 200 },
  );
  assert.equal(jsonTextKey("[true, null, 1.0]"), literalKey("[True, None, 1]"));
  assert.equal(jsonTextKey('"true \\/ null"'), literalKey("'true / null'"));
  assert.equal(jsonTextKey("41595240690253771"), "41595240690253771");
  assert.throws(() => jsonTextKey("[1"), SyntaxError);
});

test("a list is the same however it is spaced, another one is not", () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.integer(), fc.string({ maxLength: 4 })), { maxLength: 5 }), (items) => {
      const right = literalKey(JSON.stringify(items));
      assert.equal(literalKey(` [ ${items.map((item) => JSON.stringify(item)).join(" ,\n ")} ]`), right);
      assert.notEqual(literalKey(JSON.stringify([...items, 0])), right);
    }),
    { numRuns: 50 },
  );
});

test("any text gets a verdict, whatever its size and nesting", () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      try {
        literalKey(text);
      } catch (error) {
        assert.ok(error instanceof NoLiteral);
      }
    }),
  );
  for (const text of ["[".repeat(1_000_000), "(".repeat(300), `"${"\\".repeat(9)}`, `[${"1,".repeat(300_000)}]`]) {
    assert.equal(gradeValue("3", `Answer: ${text}`).correct, false);
    assert.equal(gradeValue("3", `\`\`\`\n${text}\n\`\`\``).correct, false);
  }
});
