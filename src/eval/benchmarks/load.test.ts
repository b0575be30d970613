import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { ConfigError } from "../../base/errors.ts";
import { loadTask } from "../tasks/load.ts";
import { benchmarkNames } from "./catalog.ts";
import { loadBenchmark } from "./load.ts";
import type { LoadOptions } from "./load.ts";
import { aimeParquet, hleParquet, hmmtParquet, mmluParquet } from "./parquet.fixture.ts";

const folder = await mkdtemp(join(tmpdir(), "benchmarks-"));
after(() => rm(folder, { recursive: true, force: true }));

async function file(name: string, content: string | Buffer): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

const parquet = (name: string, base64: string) => file(name, Buffer.from(base64, "base64"));
const jsonl = (...rows: readonly object[]) => rows.map((row) => JSON.stringify(row)).join("\n");

const refused = (name: string, options: LoadOptions, message: RegExp) =>
  assert.rejects(loadBenchmark(name, options), (error: Error) => {
    assert.ok(error instanceof ConfigError, error.stack);
    assert.match(error.message, message);
    return true;
  });

/** What is said by somebody who knows the right answer of a sample item, in Python where JSON is published. */
const right = (answer: string) => `Answer: ${{ true: "True", false: "False" }[answer] ?? answer}`;

test("every benchmark has at least ten items of our own, and grades their right answers as right and no others", async () => {
  assert.equal(benchmarkNames.length, 9);
  for (const name of benchmarkNames) {
    const { benchmark, items, skipped } = await loadBenchmark(`${name}:sample`);
    assert.equal(benchmark.name, `${name}:sample`);
    assert.ok(items.length >= 10, name);
    assert.equal(skipped.length, 0, name);
    assert.equal(new Set(items.map(({ id }) => id)).size, items.length);
    for (const item of items) {
      assert.ok(item.prompt.length > 20);
      // Programs are graded in a test of their own.
      if (name === "lcb-generation") continue;
      const grade = await benchmark.grade(item, right(item.answer));
      assert.equal(grade.correct, true, `${name} ${item.id}: ${grade.detail}`);
      assert.equal(benchmark.vote(item, right(item.answer)), benchmark.vote(item, `So\n${right(item.answer)}`));
      const wrong = await benchmark.grade(item, "I give up.");
      assert.equal(wrong.correct, false, `${name} ${item.id}`);
    }
    await benchmark.close?.();
  }
});

test("what is asked holds the question and no answer that is not an option", async () => {
  for (const name of benchmarkNames) {
    const { items } = await loadBenchmark(name, { sample: true });
    for (const { prompt, data } of items) {
      assert.ok(!prompt.includes("undefined"), prompt);
      const hidden = (data as { hidden?: string } | null)?.hidden ?? "";
      assert.ok(hidden === "" || !prompt.includes(hidden));
    }
  }
});

test("parquet is read whatever its compression and its groups of rows, like the other forms", async () => {
  const aime = await loadBenchmark("aime-2026", { file: await parquet("aime.parquet", aimeParquet) });
  assert.deepEqual(
    aime.items.map(({ id, answer }) => [id, answer]),
    [
      ["1", "4"],
      ["3", "12"],
    ],
  );
  assert.deepEqual(aime.skipped, [{ id: "2", why: "it has no answer" }]);
  const hmmt = await loadBenchmark("hmmt-2026", { file: await parquet("hmmt.parquet", hmmtParquet) });
  assert.deepEqual(
    hmmt.items.map(({ answer }) => answer),
    ["\\frac{1}{2}", "(1, 2)"],
  );
  const mmlu = await loadBenchmark("mmlu-pro", { file: await parquet("mmlu.parquet", mmluParquet) });
  assert.deepEqual(
    mmlu.items.map(({ id, answer }) => [id, answer]),
    [
      ["70", "B) Two"],
      ["71", "B) Pear"],
    ],
  );
  const hle = await loadBenchmark("hle", { file: await parquet("hle.parquet", hleParquet) });
  assert.deepEqual([hle.items.length, hle.skipped], [1, [{ id: "b", why: "it needs its image" }]]);
});

test("the debate reads a parquet file of MMLU-Pro", async () => {
  const task = await loadTask(`debate:file=${await parquet("questions.parquet", mmluParquet)}`);
  const samples = (["train", "dev", "test"] as const).flatMap((split) => {
    try {
      return task.samples({ split, size: 10, seed: 1 });
    } catch {
      return [];
    }
  });
  const about = samples.map(({ prompt }) => /even|fruit/.exec(prompt)?.[0]);
  assert.deepEqual(new Set(about), new Set(["even", "fruit"]));
  assert.equal(about.length, 2);
});

test("JSON, JSONL and CSV with the published columns give the same items", async () => {
  const rows = [
    { problem_idx: 7, problem: "Find $2+2$.", answer: 4 },
    { problem_idx: 9, problem: "Find 6.", answer: 6 },
  ];
  const csv = `problem_idx,problem,answer\n${rows.map((row) => `${row.problem_idx},${row.problem},${row.answer}`).join("\n")}\n`;
  const wrapped = JSON.stringify({ rows: rows.map((row, row_idx) => ({ row_idx, row })) });
  const [first, ...others] = await Promise.all([
    loadBenchmark("aime-2025", { file: await file("a.jsonl", jsonl(...rows)) }),
    loadBenchmark("aime-2025", { file: await file("a.json", JSON.stringify(rows)) }),
    loadBenchmark("aime-2025", { file: await file("b.json", wrapped) }),
    loadBenchmark("aime-2025", { file: await file("a.csv", `\uFEFF${csv}`) }),
  ]);
  for (const other of others) assert.deepEqual(other.items, first?.items);
  // Other publications leave out the number, or name the columns otherwise.
  const bare = await loadBenchmark("aime-2025", {
    file: await file("c.jsonl", jsonl({ question: "Find 1.", answer: "1" })),
  });
  assert.deepEqual([bare.items[0]?.id, bare.items[0]?.answer], ["1", "1"]);
});

test("what is wrong in a file is told with its place and column", async () => {
  const row = { problem_idx: 1, problem: "Find 1.", answer: 1 };
  const wrong: readonly (readonly [name: string, file: string, content: string, message: RegExp])[] = [
    [
      "aime-2025",
      "w1.jsonl",
      jsonl(row, { problem_idx: 2, problem: "x" }),
      /w1\.jsonl:2: answer: is missing \(there are problem_idx, problem\)/,
    ],
    ["aime-2025", "w2.jsonl", jsonl(row, { ...row, problem_idx: 2, problem: " " }), /w2\.jsonl:2: problem: is empty/],
    ["aime-2025", "w3.jsonl", jsonl(row, row), /w3\.jsonl:2: id: "1" is already used at .*w3\.jsonl:1/],
    ["aime-2025", "w4.jsonl", `${jsonl(row)}\n{`, /w4\.jsonl:2: is not valid JSON/],
    ["aime-2025", "w5.jsonl", jsonl({ ...row, answer: "" }), /w5\.jsonl: has no items: of 1 rows none can be used/],
    ["aime-2025", "w6.jsonl", "", /w6\.jsonl: has no items$/],
    ["aime-2025", "w7.parquet", "nonsense", /w7\.parquet: is not a parquet file/],
    ["aime-2025", "w8.txt", "", /w8\.txt: must end in \.parquet, \.jsonl, \.json or \.csv/],
    ["aime-2025", "w9.json", JSON.stringify([{ ...row, problem: { a: 1 } }]), /w9\.json\[0\]: problem: must be a text/],
    ["gpqa-diamond", "g1.csv", "Question,Correct Answer\nWhy?,So\n", /g1\.csv:2: Incorrect Answer 1: is missing/],
    [
      "mmlu-pro",
      "m1.jsonl",
      jsonl({ question_id: 1, question: "Why?", options: ["a", "b"], answer: "C", category: "x" }),
      /m1\.jsonl:1: answer: must name one of the 2/,
    ],
    ["hle", "h1.jsonl", jsonl({ id: "a", answer: "x" }), /h1\.jsonl:1: question: is missing/],
    [
      "lcb-generation",
      "l1.jsonl",
      jsonl({ question_id: "a", question_content: "x", starter_code: "", public_test_cases: "[" }),
      /l1\.jsonl:1: public_test_cases: is not valid JSON/,
    ],
    [
      "lcb-generation",
      "l2.jsonl",
      jsonl({ question_id: "a", question_content: "x", starter_code: "", public_test_cases: "[{}]" }),
      /l2\.jsonl:1: public_test_cases: a test lacks its input/,
    ],
    ["lcb-execution", "x1.jsonl", jsonl({ id: "a", output: "1" }), /x1\.jsonl:1: code: is missing/],
    ["lcb-test-output", "t1.jsonl", jsonl({ question_id: "a", test_id: 0 }), /t1\.jsonl:1: test: is missing/],
  ];
  for (const [name, path, content, message] of wrong) await refused(name, { file: await file(path, content) }, message);
  await refused("aime-2025", { file: join(folder, "none.jsonl") }, /none\.jsonl: cannot be read/);
  await refused("aime-2025", { file: folder + "/x.jsonl" }, /x\.jsonl: cannot be read/);
  await mkdir(join(folder, "d.jsonl"));
  await refused("aime-2025", { file: join(folder, "d.jsonl") }, /d\.jsonl: is not a file/);
  await refused("aime-2024", {}, /^benchmark: "aime-2024" is none of aime-2025, /);
  await refused("toString", {}, /^benchmark: "toString" is none of/);
  await refused("aime-2025:sample", { limit: 0 }, /^limit: must be a whole number/);
  await refused("aime-2025:sample", { seed: 0.5 }, /^seed: must be a whole number/);
  await refused("aime-2025:sample", { file: "x.jsonl" }, /^file: is not read together with/);
});

test("items that cannot be asked or graded are told, and the rest goes on", async () => {
  const good = { id: "1", code: "def f(): return 1", input: "f()", output: "1" };
  const execution = jsonl(good, { ...good, id: "2", output: "<object>" }, { ...good, id: "3", output: "" });
  const { items, skipped } = await loadBenchmark("lcb-execution", { file: await file("e.jsonl", execution) });
  assert.equal(items.length, 1);
  assert.deepEqual(skipped, [
    { id: "2", why: "its output is no Python literal" },
    { id: "3", why: "it has no output" },
  ]);
});

test("a limit takes the first items, a seed decides which and in which order", async () => {
  const ids = async (options: LoadOptions) =>
    (await loadBenchmark("aime-2025", { sample: true, ...options })).items.map(({ id }) => id);
  assert.deepEqual(await ids({ limit: 3 }), ["1", "2", "3"]);
  assert.deepEqual(await ids({ limit: 3, seed: 5 }), (await ids({ seed: 5 })).slice(0, 3));
  assert.notDeepEqual(await ids({ seed: 5 }), await ids({ seed: 6 }));
  const options = async (seed?: number) =>
    (await loadBenchmark("gpqa-diamond", { sample: true, seed })).items.map(({ answer }) => answer.slice(0, 1));
  assert.deepEqual(await options(), await options());
  assert.ok(new Set(await options()).size > 1, "the right option is not always the same letter");
});
