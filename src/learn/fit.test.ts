import assert from "node:assert/strict";
import { test } from "node:test";
import { hearing } from "../policies/hearing.fixture.ts";
import { calibrated, checkWeights, scoreOf } from "../policies/index.ts";
import { chooseRule, coursesOf, playOf } from "./course.ts";
import { fit } from "./fit.ts";
import { label } from "./label.ts";
import { messages } from "./points.fixture.ts";

test("Fitted on one part of a simulated world it saves on another nearly what hindsight saves, at no loss", () => {
  const dev = messages(60, { seed: 2, prefix: "dev" });
  const held = messages(200, { seed: 3, prefix: "test" });
  const { weights, auc, calibration, rule } = fit(label(messages(80)), {
    dev,
    maxLoss: 0.005,
    provenance: { seed: 1 },
  });
  assert.ok(auc > 0.98);
  assert.ok(calibration.ece < 0.05);
  assert.ok(rule.pays);
  assert.equal(weights.provenance["seed"], 1);
  const checked = checkWeights(JSON.parse(JSON.stringify(weights)));
  const odds = held.map(({ features }) =>
    scoreOf(
      checked,
      checked.features.map((name) => features?.[name] ?? 0),
    ),
  );
  const courses = coursesOf(held, odds);
  const threshold = Math.log(checked.threshold / (1 - checked.threshold));
  const { oracle } = chooseRule(courses);
  const played = playOf(courses, { threshold, over: 1 });
  assert.ok(played.saved > 0.9 * oracle.saved, `${played.saved} of ${oracle.saved}`);
  assert.ok(played.success > 0.975, `${played.success}`);
});

test("In a world where cutting never pays the weights never cut", () => {
  const world = messages(40);
  const labels = label(world).map((each, index) => ({ ...each, label: (index % 2) as 0 | 1 }));
  const { rule, weights, looks } = fit(labels, { dev: messages(20, { never: true, prefix: "dev" }) });
  assert.equal(rule.pays, false);
  assert.ok(weights.threshold > 0.999999 && weights.threshold < 1);
  assert.deepEqual(looks, { first: 0, next: [] });
});

test("Places where a listener's model gave nothing to measure are waited at, and learned nothing from", () => {
  const blind = (points: ReturnType<typeof messages>) =>
    points.map((each) => (each.chunk % 3 === 0 ? { ...each, features: undefined } : each));
  const dev = blind(messages(40, { seed: 2, prefix: "dev" }));
  const { weights, rule } = fit(label(blind(messages(60))), { dev });
  assert.equal(weights.provenance["points"], 420);
  assert.ok(rule.pays && Number.isFinite(rule.threshold) && rule.played.saved > 0.3);
  assert.throws(
    () => fit(label(messages(9).map((each) => ({ ...each, features: undefined })))),
    /the labels have none/,
  );
});

test("What cannot be fitted is named", () => {
  const labels = label(messages(10));
  assert.throws(() => fit(label(messages(10, { never: true }))), /all 100 are negative/);
  assert.throws(() => fit(labels, { features: ["entropy"] }), /has no feature "entropy" at chunk 1/);
  assert.throws(() => fit(labels, { features: ["luck" as never] }), /features: there is no "luck"/);
  assert.throws(() => fit(labels, { dev: messages(1) }), /sample "s0" of report is in both/);
  assert.throws(() => fit(labels, { maxLoss: 3 }), /maxLoss: must be a share/);
});

test("An ear's log-odds are a feature like others; the weights name the ear and are refused without it", async () => {
  const heard = (points: ReturnType<typeof messages>) =>
    points.map((each) => ({
      ...each,
      features: { ear: 8 * (each.features?.["margin"] ?? 0) - 4, tokens: each.tokens },
    }));
  const { weights } = fit(label(heard(messages(40))), {
    features: ["ear", "tokens"],
    dev: heard(messages(20, { prefix: "dev" })),
  });
  assert.throws(() => checkWeights(weights), /weights.ear: must name the file and the sha256/);
  const named = checkWeights({ ...weights, ear: { file: "ear.json", sha256: "0".repeat(64) } });
  assert.throws(() => calibrated(named), /features: "ear" is the log-odds of an ear, and none was given/);
  const usage = { calls: 1, inputTokens: 30, cachedTokens: 0, outputTokens: 0 };
  const ask = (logOdds: number | undefined) =>
    calibrated({ ...named, looks: undefined }, { ear: async () => ({ logOdds, usage }) }).decide?.(
      hearing(),
      new AbortController().signal,
    );
  const [low, high, off] = [await ask(-2), await ask(4), await ask(undefined)];
  assert.ok((low?.advantage ?? 0) < 0 && (high?.advantage ?? 0) > 0);
  assert.equal(off?.advantage, 0);
  assert.deepEqual(high?.usage, usage);
});

test("Weights look only where a look is worth its cost, and that is counted where they are judged", () => {
  const dev = messages(60, { seed: 2, prefix: "dev" });
  const cheap = fit(label(messages(80)), { dev, lookCost: 0 });
  const dear = fit(label(messages(80)), { dev, lookCost: 12 });
  assert.ok(
    dear.rule.played.looks < cheap.rule.played.looks,
    `${dear.rule.played.looks} and ${cheap.rule.played.looks}`,
  );
  assert.ok(dear.looks.first > 0 || dear.looks.next.some(({ tokens }) => tokens > 0));
  assert.deepEqual(checkWeights(JSON.parse(JSON.stringify(dear.weights))).looks, dear.looks);
  const broken = { ...dear.weights, looks: { first: "soon", next: [] } };
  assert.throws(() => checkWeights(broken), /weights.looks.first: must be a number/);
});
