import assert from "node:assert/strict";
import { test } from "node:test";
import { compare, evaluate, simulatedListeners, template } from "../eval/index.ts";
import type { Arm, Result } from "../eval/index.ts";
import { findingsLines, findingsMarkdown } from "../eval/findings-markdown.ts";
import { afterChunks, checkWeights, ownAnswer } from "../policies/index.ts";
import { fit } from "./fit.ts";
import { label } from "./label.ts";
import { lessonFindings } from "./lesson.ts";
import { mishapsOf } from "./mishaps.ts";
import type { KeptResult } from "./mishaps.ts";
import { messages } from "./points.fixture.ts";
import { checkHead } from "./head.ts";
import { shipped, shippedEar, shippedWeights } from "./shipped.ts";
import { heads } from "./shipped/ears.ts";
import { weights as comingAlong } from "./shipped/weights.ts";
import { draw, task } from "./world.fixture.ts";

const samples = draw("test", 6);
const never: Arm = { name: "never", policy: { name: "never" } };

async function compared(arms: readonly Arm[]) {
  const results: Result[] = [];
  const cast = { speaker: template(), listener: simulatedListeners({ accuracy: 1 }), virtual: true };
  for await (const result of evaluate({ ...cast, task, samples, arms, chunk: 4 })) results.push(result);
  const reports = compare(results, { task: task.name, policies: arms.map(({ name }) => name) });
  return { samples, results, reports };
}

test("What went wrong is told apart by where the cut fell, with the words that were heard", async () => {
  const { results } = await compared([
    never,
    { name: "after:1", policy: afterChunks(1) },
    { name: "oracle", policy: "oracle" },
  ]);
  const found = mishapsOf(results, samples);
  assert.ok(found.length >= 4 && found.every(({ policy }) => policy === "after:1"));
  for (const { kind, heard = "", next = "", sample } of found) {
    const says = samples.find(({ id }) => id === sample)?.roles.find((role) => role.says !== undefined)?.says ?? "";
    assert.equal(heard + next, says);
    const inWord = /[\p{L}\p{N}]$/u.test(heard) && /^[\p{L}\p{N}]/u.test(next);
    assert.equal(kind === "mid-word", inWord);
  }
  const [one] = samples;
  const says = one!.roles.find((role) => role.says !== undefined)!;
  const said = one!.enough![0]![0]!.said;
  const begun = says.says!.indexOf(said) + said.indexOf(" ");
  const cut = (end: number, wrong: "early" | "floor" | "answer" | undefined): KeptResult => ({
    ...results.find(({ policy, sample }) => policy === "after:1" && sample === one!.id)!,
    cuts: [{ by: "x", speaker: says.id, chunk: 3, tokens: 9, share: end / says.says!.length, wrong }],
  });
  const kindOf = (result: KeptResult) => mishapsOf([result], samples)[0]?.kind;
  assert.equal(kindOf(cut(begun, "early")), "chunk boundary");
  assert.equal(kindOf(cut(0, "early")), "too early");
  assert.equal(kindOf(cut(0, "floor")), "floor given back");
  assert.equal(kindOf(cut(says.says!.length, "answer")), "wrong answer");
  assert.equal(kindOf(cut(says.says!.length, undefined)), undefined);
});

test("A cut later than the best one in hindsight is too late, and never and the oracle are never wrong", async () => {
  const arms = [never, { name: "after:9", policy: afterChunks(9) }, { name: "oracle", policy: "oracle" as const }];
  const { results } = await compared(arms);
  const late = mishapsOf(results, samples).filter(({ kind }) => kind === "too late");
  assert.ok(late.length > 0);
  for (const { chunk = Infinity, best = Infinity } of late) assert.ok(best < chunk);
});

test("The findings of a lesson hold the table, the advice, what went wrong, and what was measured on places held out", async () => {
  const own = ownAnswer({ threshold: 0.8, candidates: samples[0]?.answer.candidates });
  const main = await compared([never, { name: "own", policy: own }, { name: "oracle", policy: "oracle" }]);
  const labels = label(messages(20, { prefix: "dev" }));
  const { weights } = fit(label(messages(40)));
  const lesson = {
    title: "A lesson",
    command: "duplex learn report",
    provenance: { seed: 1 },
    maxLoss: 0.01,
    main,
    others: [{ ...main, by: "chunk" as const, name: "8" }],
    held: { labels, weights: { calibrated: weights } },
  };
  const findings = lessonFindings(lesson);
  assert.equal(findings.simulated, true);
  assert.deepEqual(
    findings.sections.map(({ title }) => title),
    [
      "On samples held out",
      "What went wrong",
      "Can its probabilities be believed?",
      "What a cut is worth",
      "Chunk sizes",
    ],
  );
  const [held, , reliability, worth] = findings.sections;
  assert.match(held!.text![0]!, /^Advice: /);
  assert.equal(held!.tables![0]!.rows.length, 3);
  const places = reliability!.tables![0]!.rows.reduce((sum, row) => sum + Number(row[2]), 0);
  assert.equal(places, labels.filter(({ undecided }) => !undecided).length);
  // Cutting pays at ever more places the more was heard.
  const paying = worth!.figures!.at(-1)!.series[0]!.points;
  assert.equal(paying.length, 10);
  assert.ok(paying.at(-1)!.y > paying[0]!.y);
  for (const { y, low = 1, high = 0 } of paying) assert.ok(low <= y && y <= high);
  assert.match(findingsMarkdown(findings), /## What went wrong/);
  for (const line of findingsLines(findings).trim().split("\n")) JSON.parse(line);
});

test("What comes with the package can be read, and what does not is said", async () => {
  for (const head of heads) checkHead(JSON.parse(JSON.stringify(head)), "shipped");
  for (const { model, family, weights } of comingAlong) {
    checkWeights(JSON.parse(JSON.stringify(weights)));
    assert.equal(shippedWeights(`llama:${model}`, `${family}:facts=9`), weights);
  }
  assert.equal(shipped.ears.length, heads.length);
  assert.equal(shippedWeights("llama:nobody"), undefined);
  await assert.rejects(shippedEar("nobody"), /^ConfigError: ear: no ear/);
});
