import assert from "node:assert/strict";
import { test } from "node:test";
import type { Benchmark } from "../eval/benchmarks/benchmark.ts";
import { sumItems } from "./grading.ts";
import type { Exam } from "./grading.ts";
import { mainExperiment } from "./main-arms.ts";
import type { Sample } from "./sample.ts";
import { simulatedVoice } from "./voice.ts";

const usage = { calls: 1, inputTokens: 1000, cachedTokens: 0, outputTokens: 50 };
const price = { currency: "USD", input: 2, cached: 1, output: 10 };

/** Asks a judge about every second item, whose verdict is missing for the last. */
const judged = (items: number): Benchmark => ({
  name: "judged",
  grade: ({ id }) => {
    const number = Number(id.split("-").at(-1));
    const failed = number === items ? ({ failed: true } as const) : {};
    const detail = "as it was told";
    return Promise.resolve({ correct: true, detail, ...failed, ...(number % 2 === 0 ? { usage } : {}) });
  },
  vote: () => "right",
});

async function played(exam: Exam, vote = 1) {
  const setup = mainExperiment(
    {
      voice: { ...simulatedVoice(), price: { ...price, input: 5 } },
      exams: [exam],
      seed: 1,
      repeats: vote,
      vote,
      agents: 2,
      steps: 2,
      stepTokens: 8,
    },
    { topologies: ["chain"], protocols: ["serial", "stream"] },
  );
  const samples: Sample[] = [];
  for (const cell of setup.cells) samples.push(await setup.play(cell, new AbortController().signal));
  return { samples, findings: setup.findings(samples, { command: "duplex experiment main", version: "0" }) };
}

const four = { benchmark: judged(4), items: sumItems(4, { seed: 1 }), judge: { name: "openai:strict", price } };

const costsOf = ({ findings }: Awaited<ReturnType<typeof played>>) =>
  findings.sections.find(({ title }) => title === "Cost")?.tables?.[0] ?? assert.fail("there are no costs");
const ofItem = ({ samples }: Awaited<ReturnType<typeof played>>, id: string) =>
  samples.find(({ item }) => item === id)?.figures ?? assert.fail(id);

test("what a judge took is in a sample's figures, also where it gave no grade", async () => {
  const all = await played(four);
  const figures = ofItem(all, "sum-1-2");
  assert.deepEqual(
    ["judgeCalls", "judgeInput", "judgeCached", "judgeOutput", "judgeCost"].map((name) => figures[name]),
    [1, 1000, 0, 50, 0.0025],
  );
  const failed = all.samples.filter(({ failure }) => failure !== undefined);
  assert.deepEqual(
    failed.map(({ item, figures: own }) => [item, own["judgeInput"]]),
    Array.from({ length: 2 }, () => ["sum-1-4", 1000]),
  );
});

test("it is a part of the costs of its own, a mean a run, and changes no other", async () => {
  const all = await played(four);
  const table = costsOf(all);
  assert.deepEqual(table.columns.slice(-3), ["judge, input", "judge, output", "judge, USD"]);
  // One of three scored items was judged.
  for (const row of table.rows) {
    assert.equal(row.length, table.columns.length);
    assert.match(row.slice(-3).join(" | "), /^333\b.* \| 16\.7\b.* \| 0\.000833\b/);
  }
  assert.equal(all.findings.provenance["judge"], "openai:strict");
  const notes = all.findings.sections.at(-1)?.text?.join("\n") ?? "";
  assert.match(notes, /Judge models took 4 calls, 4000 tokens in and 200 out to grade/);

  const byRules: Benchmark = { ...four.benchmark, grade: async () => ({ correct: true, detail: "" }) };
  const plain = await played({ benchmark: byRules, items: four.items });
  assert.ok(!costsOf(plain).columns.some((name) => name.startsWith("judge")));
  assert.equal(plain.findings.provenance["judge"], undefined);
  // Where rules graded everything, a judge that stood by is not named.
  const idle = await played({ ...four, benchmark: byRules });
  assert.equal(idle.findings.provenance["judge"], undefined);
  assert.equal(ofItem(all, "sum-1-2")["cost"], ofItem(plain, "sum-1-2")["cost"]);
});

test("without a price its tokens are told alone, and runs that vote add theirs up", async () => {
  const exam = { benchmark: judged(5), items: sumItems(2, { seed: 1 }), judge: { name: "llama:small" } };
  const { findings } = await played(exam, 3);
  const table = findings.sections.find(({ title }) => title === "Cost")?.tables?.[0];
  assert.deepEqual(table?.columns.slice(-2), ["judge, input", "judge, output"]);
  assert.match(String(table?.rows[0]?.at(-2)), /^1500\b/);
});
