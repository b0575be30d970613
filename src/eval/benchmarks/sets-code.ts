// LiveCodeBench: code generation, code execution, test output prediction.
import { ConfigError, explain } from "../../base/errors.ts";
import type { Item } from "./benchmark.ts";
import { filledOf, jsonOf, textOf } from "./columns.ts";
import { decodedTests } from "./encoded.ts";
import { jsonTextKey, literalKey, NoLiteral } from "./literal.ts";
import { gradeProgram, voteProgram } from "./programs.ts";
import type { CodeTest } from "./programs.ts";
import type { Published } from "./published.ts";
import type { Row } from "./rows.ts";
import { executionSample, generationSample, outputSample } from "./samples/code.ts";
import { gradeValue, voteValue } from "./values.ts";

/** A function's name, where the answer is one and no program, and the tests; the hidden ones as they are published. */
export type GenerationData = {
  readonly name?: string | undefined;
  readonly tests: readonly CodeTest[];
  readonly hidden: string;
};

const license = "CC (see the data set's card); the problems belong to LeetCode, AtCoder and Codeforces";

function testsIn(value: unknown): CodeTest[] {
  if (!Array.isArray(value)) throw new Error("it is no list of tests");
  return value.map((test: unknown) => {
    const { input, output } = (test ?? {}) as Record<string, unknown>;
    if (typeof input !== "string" || typeof output !== "string") throw new Error("a test lacks its input or output");
    return { input, output };
  });
}

function testsOf(row: Row, name: string): CodeTest[] {
  const value = jsonOf(row, name);
  try {
    return testsIn(value);
  } catch (error) {
    throw new ConfigError(row.place, `${name}: ${explain(error)}`, { cause: error });
  }
}

const programRequest = `Write a Python program that reads from standard input and writes to standard output. End with the whole
program in one code block that begins with \`\`\`python.`;

const functionRequest = (starter: string): string => `Complete this code in Python:

\`\`\`python
${starter}
\`\`\`

End with the whole code in one code block that begins with \`\`\`python.`;

function nameIn(row: Row): string | undefined {
  const metadata = row.fields["metadata"] === undefined ? {} : jsonOf(row, "metadata");
  const name = (metadata as Record<string, unknown> | null)?.["func_name"];
  return typeof name === "string" && name !== "" ? name : undefined;
}

function readGeneration(row: Row): Item<GenerationData> {
  const starter = textOf(row, "starter_code");
  const request = starter === "" ? programRequest : functionRequest(starter);
  return {
    id: filledOf(row, "question_id"),
    prompt: `${filledOf(row, "question_content")}\n\n${request}`,
    answer: "",
    data: {
      name: nameIn(row),
      tests: testsOf(row, "public_test_cases"),
      hidden: textOf(row, "private_test_cases"),
    },
  };
}

export const lcbGeneration: Published<GenerationData> = {
  title: "LiveCodeBench, code generation (the problems added in release 6)",
  repository: "livecodebench/code_generation_lite",
  files: /^test6\.jsonl$/,
  gated: false,
  license,
  columns: ["question_id", "question_content", "starter_code", "public_test_cases", "private_test_cases", "metadata"],
  sample: generationSample,
  read(row) {
    const item = readGeneration(row);
    if (item.data.tests.length === 0 && item.data.hidden === "") return { id: item.id, why: "it has no tests" };
    return item;
  },
  grader: ({ sandbox }) => ({
    async grade({ data }, text, signal) {
      let hidden: CodeTest[];
      try {
        hidden = data.hidden === "" ? [] : testsIn(decodedTests(data.hidden));
      } catch (error) {
        return { correct: false, failed: true, detail: `the hidden tests cannot be read: ${explain(error)}` };
      }
      return gradeProgram(text, { tests: [...data.tests, ...hidden], name: data.name }, { sandbox, signal });
    },
    vote: (_item, text) => voteProgram(text),
  }),
};

/** The right value as a key. */
export type ValueData = { readonly key: string };

const valueGrader: Published<ValueData>["grader"] = () => ({
  grade: ({ data }, text) => Promise.resolve(gradeValue(data.key, text)),
  vote: (_item, text) => voteValue(text),
});

/** The key of a right value, or undefined where it is none that can be compared. */
function keyOf(read: () => string): string | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof NoLiteral || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

export const lcbExecution: Published<ValueData> = {
  title: "LiveCodeBench, code execution",
  repository: "livecodebench/execution-v2",
  files: /^(?:data\/)?test.*\.(?:jsonl|parquet)$/,
  gated: false,
  license,
  columns: ["id", "question_id", "code", "input", "output"],
  sample: executionSample,
  read(row, { number }) {
    const id = textOf(row, "id", "question_id") || String(number);
    const output = textOf(row, "output");
    if (output === "") return { id, why: "it has no output" };
    const key = keyOf(() => literalKey(output));
    if (key === undefined) return { id, why: "its output is no Python literal" };
    const prompt = `What does this call return?

\`\`\`python
${filledOf(row, "code")}

${filledOf(row, "input")}
\`\`\`

Go through it step by step, and end with a line "Answer: " and the returned value as a Python literal.`;
    return { id, prompt, answer: output, data: { key } };
  },
  grader: valueGrader,
};

export const lcbTestOutput: Published<ValueData> = {
  title: "LiveCodeBench, test output prediction",
  repository: "livecodebench/test_generation",
  files: /^(?:data\/)?test.*\.(?:jsonl|parquet)$/,
  gated: false,
  license,
  columns: ["question_id", "test_id", "question_content", "starter_code", "function_name", "test"],
  sample: outputSample,
  read(row) {
    const id = `${filledOf(row, "question_id")}/${filledOf(row, "test_id")}`;
    const [test] = testsOf(row, "test");
    if (test === undefined || test.output === "") return { id, why: "it has no output" };
    const key = keyOf(() => jsonTextKey(test.output));
    if (key === undefined) return { id, why: "its output is no JSON" };
    const call = `${filledOf(row, "function_name")}(${test.input.split("\n").join(", ")})`;
    const prompt = `${filledOf(row, "question_content")}

\`\`\`python
${textOf(row, "starter_code")}
\`\`\`

Do not write the function. Complete this test with the value that a right one returns, and end with the completed line
in one code block:

\`\`\`python
assert ${call} ==
\`\`\``;
    return { id, prompt, answer: test.output, data: { key } };
  },
  grader: valueGrader,
};
