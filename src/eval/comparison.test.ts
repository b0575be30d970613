import assert from "node:assert/strict";
import { test } from "node:test";
import { ConfigError } from "../base/errors.ts";
import { none } from "../core/usage.ts";
import type { Parts } from "./account.ts";
import { compare } from "./comparison.ts";
import type { PolicyReport } from "./comparison.ts";
import type { Result } from "./result.ts";
import { chooseThreshold } from "./threshold.ts";

type Made = Partial<Result> & { readonly spoken?: number; readonly decisions?: number };

function result({ spoken = 100, decisions = 0, ...rest }: Made = {}): Result {
  const cost: Parts = { spoken, overrun: 0, decisions, replies: 10, total: spoken + decisions + 10 };
  const usage = { ...none, calls: 2, inputTokens: 200, outputTokens: cost.total };
  return {
    sample: "a",
    of: "0",
    repeat: 0,
    policy: "never",
    success: 1,
    detail: "",
    cost,
    floorBack: 0,
    usage,
    decisionUsage: none,
    decided: { wait: 0, interrupt: 0, late: 0, timeout: 0, failed: 0, odd: 0 },
    decisionMs: 0,
    notes: [],
    cuts: [],
    messages: 2,
    rounds: 1,
    wallMs: 1000,
    answerMs: 1000,
    spent: usage,
    ...rest,
  };
}

const samples = Array.from({ length: 20 }, (_, index) => `sample ${index}`);
const never = samples.map((sample) => result({ sample }));
const of = (policy: string, make: (index: number) => Made = () => ({})) =>
  samples.map((sample, index) => result({ sample, policy, ...make(index) }));
const find = (reports: readonly PolicyReport[], policy: string): PolicyReport => {
  const report = reports.find((each) => each.policy === policy);
  assert.ok(report !== undefined, policy);
  return report;
};

test("costs are means a conversation, their parts add up, and the ratio is that of the sums", () => {
  const half = of("half", (index) => ({ spoken: index % 2 === 0 ? 20 : 60, decisions: 5 }));
  const report = find(compare([...never, ...half], { task: "t" }), "half");
  assert.deepEqual(report.cost, { spoken: 40, overrun: 0, decisions: 5, replies: 10, total: 55 });
  assert.equal(report.costVsNever, 0.5);
  const [low, high] = report.costVsNeverCI ?? [];
  assert.ok(low !== undefined && high !== undefined && low > 0.35 && low < 0.5 && high > 0.5 && high < 0.65);
  assert.deepEqual(
    [report.paidForItself, report.paid.tokens, report.paid.time, report.paid.money],
    [true, "yes", "unclear", "unknown"],
  );
  assert.deepEqual([report.samples, report.repeats, report.runs, report.success], [20, 1, 20, 1]);
});

test("a policy that saves speech but takes more to decide has not paid for itself", () => {
  const dear = of("dear", () => ({ spoken: 50, decisions: 80 }));
  const report = find(compare([...never, ...dear], { task: "t" }), "dear");
  assert.deepEqual([report.paidForItself, report.paid.tokens], [false, "no"]);
  assert.equal(find(compare(never, { task: "t" }), "never").paidForItself, false);
});

test("failed conversations are counted and left out, with their partner in every comparison", () => {
  const flaky = of("flaky", (index) =>
    index < 5 ? { success: undefined, failure: { name: "E", message: "m" }, spoken: 9000 } : {},
  );
  const report = find(compare([...never, ...flaky], { task: "t" }), "flaky");
  assert.deepEqual([report.failures, report.runs, report.samples, report.success], [5, 15, 15, 1]);
  assert.equal(report.costVsNever, 1);
});

test("success is compared on the same samples, and its interval knows that repeats agree", () => {
  const worse = of("worse", (index) => ({ success: index < 4 ? 0 : 1 }));
  const report = find(compare([...never, ...worse], { task: "t" }), "worse");
  assert.equal(report.successVsNever, -0.2);
  const repeated = [0, 1, 2].flatMap((repeat) => worse.map((each) => ({ ...each, repeat })));
  const again = find(compare(repeated, { task: "t" }), "worse");
  assert.deepEqual([again.repeats, again.runs], [3, 60]);
  assert.deepEqual(again.successCI, report.successCI);
  assert.equal(again.costVsNever, null);
});

test("cuts are counted in all, wrong, and at the first chunk; the oracle's saving is the measure of others'", () => {
  const cut = { by: "reader", speaker: "reporter", chunk: 1, tokens: 16, share: 0.25 };
  const early = of("early", (index) => ({
    spoken: 80,
    cuts: index < 10 ? [{ ...cut, wrong: "early" as const }] : [{ ...cut, chunk: 3 }],
  }));
  const reports = compare([...never, ...early, ...of("oracle", () => ({ spoken: 60 }))], { task: "t" });
  const { cuts, cutsPerRun, wrongCuts, firstChunkCuts, cutChunk, cutShare, ofOracle } = find(reports, "early");
  assert.deepEqual([cuts, cutsPerRun, wrongCuts, firstChunkCuts, cutChunk, cutShare], [20, 1, 10, 10, 2, 0.25]);
  assert.ok(Math.abs((ofOracle ?? 0) - 0.5) < 1e-12);
});

test("the line of JSON has the fields of the contract", () => {
  const [report] = compare(never, { task: "report:facts=7" });
  const line = JSON.parse(JSON.stringify(report)) as Record<string, unknown>;
  const contract =
    "task policy samples repeats success successCI cost costVsNever costVsNeverCI wallMs cutsPerRun paidForItself";
  for (const field of contract.split(" ")) assert.ok(field in line, field);
});

test("the threshold chosen is the cheapest that loses no more than stated", () => {
  const thresholds = [
    ...of("own:0.2", (index) => ({ spoken: 20, success: index < 4 ? 0 : 1 })),
    ...of("own:0.5", (index) => ({ spoken: 50, success: index < 1 ? 0 : 1 })),
    ...of("own:0.9", () => ({ spoken: 90 })),
    ...of("after:1", () => ({ spoken: 1 })),
  ];
  const results = [...never, ...thresholds];
  assert.equal(chooseThreshold(results, { maxLoss: 0 })?.policy, "own:0.9");
  assert.equal(chooseThreshold(results, { maxLoss: 0.05 })?.threshold, 0.5);
  assert.equal(chooseThreshold(results, { maxLoss: 0.2 })?.threshold, 0.2);
  assert.equal(chooseThreshold(results, { maxLoss: 0, policies: ["after:1"] })?.policy, "after:1");
  assert.equal(chooseThreshold(never, { maxLoss: 1 }), undefined);
  assert.throws(() => chooseThreshold(thresholds, { maxLoss: 0 }), ConfigError);
  assert.throws(() => chooseThreshold(results, { maxLoss: 2 }), /maxLoss/);
});
