import assert from "node:assert/strict";
import { test } from "node:test";
import { findingsLines, findingsMarkdown } from "../eval/findings-markdown.ts";
import { random } from "../base/random.ts";
import { ConfigError } from "../base/errors.ts";
import { drawnFromSteps, sumItems, sums } from "./grading.ts";
import { mainDefaults, mainExperiment } from "./main-arms.ts";
import { assemble } from "./report.ts";
import type { Sample } from "./sample.ts";
import type { Basis } from "./setup.ts";
import { simulatedVoice } from "./voice.ts";

const basisOf = (items: number, repeats = 1): Basis => ({
  voice: simulatedVoice(),
  exams: [
    { benchmark: { ...drawnFromSteps(sums), name: "aime25" }, items: sumItems(items, { seed: 1 }) },
    { benchmark: { ...drawnFromSteps(sums), name: "hmmt26" }, items: sumItems(items, { seed: 2 }) },
  ],
  seed: 1,
  repeats,
  vote: 1,
  agents: 4,
  steps: 4,
  stepTokens: 24,
});

/** Samples as a model would give them, without playing. */
function made(setup: ReturnType<typeof mainExperiment>): Sample[] {
  const next = random(5);
  return setup.cells.map((cell, index): Sample => {
    const figures = { ms: 1000 * next(), calls: 4, input: 100, cached: 10, output: 50, selfReferenced: 1.5, bound: 2 };
    if (index % 97 === 3) return { ...cell, figures, failure: { name: "ModelError", message: "timed out" } };
    return { ...cell, correct: next() < 0.6 ? 1 : 0, figures, simulated: true };
  });
}

const about = { command: "duplex experiment main", version: "0" };

test("the same samples in any order give the same report, and failures are counted and left out", () => {
  const setup = mainExperiment(basisOf(12), mainDefaults);
  const samples = made(setup);
  const findings = setup.findings(samples, about);
  assert.deepEqual(setup.findings(samples.toReversed(), about), findings);
  const failed = samples.filter(({ failure }) => failure !== undefined).length;
  assert.equal(findings.provenance["samples failed"], failed);
  assert.equal(findings.provenance["samples scored"], samples.length - failed);
  const rows = findings.sections[0]?.tables?.[0]?.rows ?? [];
  const counted = (pool: boolean) =>
    rows.filter(([benchmark]) => (benchmark === "all") === pool).reduce((sum, row) => sum + Number(row[5]), 0);
  assert.deepEqual([counted(false), counted(true)], [failed, failed]);
  assert.match(findingsMarkdown(findings), /timed out/);
});

test("published numbers stand beside the benchmark, topology and protocol they belong to", () => {
  const setup = mainExperiment(basisOf(2), mainDefaults);
  const rows = setup.findings([], about).sections[0]?.tables?.[0]?.rows ?? [];
  const published = (...labels: string[]) =>
    rows.find((row) => labels.every((label, index) => row[index] === label))?.[7];
  assert.equal(published("hmmt26", "chain", "stream"), 85.61);
  assert.equal(published("aime25", "tree", "serial"), 86.25);
  assert.equal(published("hmmt26", "–", "single"), 48.11);
  assert.equal(published("hmmt26", "chain", "segmented"), null);
});

test("every table and figure of a simulated experiment says so, on all forms", () => {
  const setup = mainExperiment(basisOf(3), mainDefaults);
  const findings = setup.findings(made(setup), about);
  assert.ok(findings.simulated);
  const text = findingsMarkdown(findings);
  const headings = text.split("\n").filter((line) => line.startsWith("| -")).length;
  assert.equal(text.split("(*simulated*)**").length - 1, headings);
  const lines = findingsLines(findings)
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { simulated?: boolean });
  assert.ok(lines.length > 50 && lines.every(({ simulated }) => simulated === true));
});

test("a report of 100,000 samples is made in 10 s", () => {
  const setup = mainExperiment(basisOf(200, 25), mainDefaults);
  const samples = made(setup);
  assert.equal(samples.length, 100_000);
  // Processor time: other work on the machine is not ours.
  const start = process.cpuUsage();
  const text = findingsMarkdown(setup.findings(samples, about));
  const { user, system } = process.cpuUsage(start);
  const ms = (user + system) / 1000;
  assert.ok(text.length > 5000);
  assert.ok(ms < 10_000, `${ms} ms`);
});

test("two parts with an arm in common are refused", () => {
  const cells = [{ arm: "a", item: "1", of: "", repeat: 0 }];
  const part = {
    cells,
    play: async () => ({ ...cells[0]!, figures: {} }),
    workload: () => ({ runs: 1, calls: 1, inputTokens: 1, outputTokens: 1 }),
    sections: () => [],
  };
  const told = { name: "x", title: "X", identity: {}, simulated: false, provenance: {}, notes: [] };
  assert.throws(() => assemble(told, [part, part]), ConfigError);
});
