import assert from "node:assert/strict";
import test from "node:test";
import * as fc from "fast-check";
import type { ConfigError } from "../../base/errors.ts";
import { parseCsv } from "./csv.ts";
import { parseQuestions } from "./questions-file.ts";

const row = {
  question_id: 70,
  question: "Which number is even?",
  options: ["One", "Two", "Three", "N/A"],
  answer: "B",
  answer_index: 1,
  cot_content: "",
  category: "math",
  src: "own",
};

const expected = {
  id: "70",
  subject: "math",
  question: "Which number is even?",
  options: ["One", "Two", "Three"],
  answer: 1,
};

const jsonl = (...rows: readonly object[]) => rows.map((item) => JSON.stringify(item)).join("\n");

test("JSONL, JSON and CSV give the same questions", () => {
  assert.deepEqual(parseQuestions(jsonl(row), "q.jsonl", "jsonl"), [expected]);
  assert.deepEqual(parseQuestions(`\uFEFF${jsonl(row)}\r\n\r\n`, "q.jsonl", "jsonl"), [expected]);
  assert.deepEqual(parseQuestions(JSON.stringify([row]), "q.json", "json"), [expected]);
  assert.deepEqual(parseQuestions(JSON.stringify({ rows: [{ row_idx: 0, row }] }), "q.json", "json"), [expected]);
  const head = "question_id,question,options,answer,answer_index,category";
  for (const options of [
    `"[""One"", ""Two"", ""Three""]"`,
    `"['One', 'Two', 'Three']"`,
    `"['One' ""Two""\n 'Three']"`,
    `"['One', 'Two', 'Three', 'N/A']"`,
  ]) {
    const csv = `${head}\n70,Which number is even?,${options},B,1,math\n`;
    assert.deepEqual(parseQuestions(csv, "q.csv", "csv"), [expected], options);
  }
});

test("quotes, apostrophes and escapes in Python's lists are kept", () => {
  const csv = (options: string) =>
    `question_id,question,options,answer,category\r\n1,"Who said ""no""?","${options.replaceAll('"', '""')}",A,x\r\n`;
  const [question] = parseQuestions(csv(String.raw`["It's", 'a "b"', 'c\'d', 'e\\f']`), "q.csv", "csv");
  assert.equal(question?.question, 'Who said "no"?');
  assert.deepEqual(question.options, ["It's", 'a "b"', "c'd", "e\\f"]);
});

test("an answer may be a letter, an index, or both", () => {
  const { answer: _letter, answer_index: _index, ...rest } = row;
  for (const answer of [{ answer: "b" }, { answer: 1 }, { answer_index: 1 }, { answer: "B", answer_index: 1 }]) {
    assert.equal(parseQuestions(jsonl({ ...rest, ...answer }), "q", "jsonl")[0]?.answer, 1);
  }
  const padded = { ...row, options: ["N/A", "One", "Two"], answer: "C", answer_index: 2 };
  assert.equal(parseQuestions(jsonl(padded), "q", "jsonl")[0]?.answer, 1);
});

const wrong: readonly (readonly [change: object, message: string])[] = [
  [{ question: undefined }, "question: is missing"],
  [{ question: " " }, "question: is empty"],
  [{ question_id: undefined }, "question_id: is missing"],
  [{ question_id: true }, "question_id: must be a text"],
  [{ category: undefined }, "category: is missing"],
  [{ options: undefined }, "options: is missing"],
  [{ options: "One, Two" }, "options: must be a list of texts"],
  [{ options: ["One", null] }, "options[1]: must be a text"],
  [{ options: ["One", ""] }, "options[1]: is empty"],
  [{ options: ["One"], answer: "A", answer_index: 0 }, "options: must be 2 to 26 texts; was 1"],
  [{ answer: "F", answer_index: 5 }, 'answer: must name one of the 4 options; was "F"'],
  [{ answer: "Two" }, 'answer: must be a letter, A for the first option; was "Two"'],
  [{ answer: undefined, answer_index: undefined }, "answer: is missing"],
  [{ answer_index: 2 }, 'answer_index: must agree with answer "B"; was 2'],
];

test("what is wrong in a question is told with its line and field", () => {
  for (const [change, message] of wrong) {
    assert.throws(
      () => parseQuestions(jsonl(row, { ...row, question_id: 71, ...change }), "q.jsonl", "jsonl"),
      (error: ConfigError) => error.path === "q.jsonl:2" && error.message === `q.jsonl:2: ${message}`,
      message,
    );
  }
  assert.throws(
    () => parseQuestions(jsonl(row, row), "q.jsonl", "jsonl"),
    /^ConfigError: q\.jsonl:2: question_id: "70" is already used at q\.jsonl:1$/,
  );
  assert.throws(
    () => parseQuestions(JSON.stringify([row, { ...row, question: 5, question_id: null }]), "q.json", "json"),
    /^ConfigError: q\.json\[1\]: question_id: is missing$/,
  );
  assert.throws(() => parseQuestions("", "q.jsonl", "jsonl"), /^ConfigError: q\.jsonl: has no questions$/);
  assert.throws(() => parseQuestions("{", "q.jsonl", "jsonl"), /^ConfigError: q\.jsonl:1: is not valid JSON/);
  assert.throws(() => parseQuestions("[1]", "q.jsonl", "jsonl"), /^ConfigError: q\.jsonl:1: must be an object/);
  assert.throws(() => parseQuestions("{}", "q.json", "json"), /^ConfigError: q\.json: must be a list of questions/);
});

test("a CSV file tells the line of what is wrong, across cells with line breaks", () => {
  assert.throws(
    () => parseCsv('a,b\n"x\ny",1\n1\n', "f.csv"),
    /^ConfigError: f\.csv:4: has 1 cells where the first line names 2$/,
  );
  assert.throws(
    () => parseCsv('a,b\n1,"x\n', "f.csv"),
    /^ConfigError: f\.csv:2: cell 2: has a stray or unclosed quote$/,
  );
  assert.throws(() => parseCsv('a,b\n1,x"y"\n', "f.csv"), /f\.csv:2: cell 2: has a stray/);
});

test("a CSV file that was written by the rules is read back", () => {
  const cell = fc.string({ unit: fc.constantFrom("a", "é", ",", '"', "\n", "\r\n", " ", "'") });
  const quote = (text: string) => `"${text.replaceAll('"', '""')}"`;
  fc.assert(
    fc.property(fc.array(fc.tuple(cell, cell)), fc.constantFrom("\n", "\r\n"), fc.boolean(), (rows, end, last) => {
      const lines = [["x", "y"], ...rows].map((cells) => cells.map(quote).join(","));
      const read = parseCsv(lines.join(end) + (last ? end : ""), "f.csv");
      assert.deepEqual(
        read.map(({ fields }) => [fields["x"], fields["y"]]),
        rows,
      );
    }),
    { numRuns: 50 },
  );
});
