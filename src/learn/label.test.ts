import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { random } from "../base/random.ts";
import { chooseRule, coursesOf, fullOf, nextLooks, oracleOf, playOf } from "./course.ts";
import { balanceOf, label, normalBelow, probabilityOfGain, stopping } from "./label.ts";
import { checkApart, formatPoint, parsePoints } from "./points.ts";
import type { DecisionPoint, Outcome, Roll } from "./points.ts";
import { exactly, messages, point } from "./points.fixture.ts";

const rolled = (rolls: readonly Roll[]): Outcome => ({
  success: rolls.reduce((sum, [success]) => sum + success / rolls.length, 0),
  cost: rolls.reduce((sum, [, cost]) => sum + cost / rolls.length, 0),
  rollouts: rolls.length,
  rolls,
});
const times = (count: number, roll: Roll): Roll[] => Array.from({ length: count }, () => roll);

test("Points written are the points read", () => {
  const points = messages(3);
  assert.deepEqual(parsePoints(points.map(formatPoint).join("\n")), points);
});

test("What is no decision point is refused with its line", () => {
  const line = (given: object) => JSON.stringify({ ...point(), ...given });
  const good = formatPoint(point());
  const cases: readonly (readonly [string, RegExp])[] = [
    [`${good}\nnonsense`, /file:2: is not a line of JSON/],
    [line({ version: 2 }), /file:1: has version 2, and this reads version 1/],
    [line({ features: { margin: Number.NaN } }), /file:1 features.margin: is no decision point: .*number/],
    [line({ cut: { success: 2, cost: 1, rollouts: 1 } }), /file:1 cut.success/],
    [line({ exact: false }), /cut.rolls: must hold its 1 rollouts/],
    [line({ exact: false, cut: rolled(times(2, [1, 2])), full: rolled(times(3, [1, 2])) }), /as many as those of cut/],
    [`${good}\n${good}`, /file:2: is the same decision point as line 1/],
    [`${good}\n${formatPoint(point({ chunk: 2, split: "test" }))}`, /file:2: sample "a" is in test here and in train/],
  ];
  for (const [text, message] of cases) assert.throws(() => parsePoints(text, "file"), message);
  assert.throws(() => formatPoint(point({ features: { margin: Number.NaN } })), /decision point a/);
  assert.throws(() => checkApart([point()], [point({ chunk: 5 })]), /sample "a" of report is in both/);
  checkApart([point()], [point({ sample: "b" })]);
});

test("A label is positive if and only if cost falls and success does not", () => {
  const of = (cut: Outcome, full: Outcome) => label([point({ cut, full })])[0]?.label;
  assert.equal(of(exactly(1, 40), exactly(1, 100)), 1);
  assert.equal(of(exactly(1, 40), exactly(0, 100)), 1);
  assert.equal(of(exactly(0, 40), exactly(1, 100)), 0);
  assert.equal(of(exactly(1, 100), exactly(1, 100)), 0);
  assert.equal(of(exactly(1, 140), exactly(0, 100)), 0);
});

test("Where cutting and hearing all come to the same nothing is decided, and no rollout would", () => {
  const [found] = label([point({ cut: exactly(1, 100), full: exactly(1, 100) })]);
  assert.deepEqual([found?.undecided, found?.more], [true, Infinity]);
  assert.equal(balanceOf([found!]).more, 0);
});

test("The advantage is tokens saved plus success at its worth, with the interval of its rollouts", () => {
  const cut = rolled([
    [1, 40],
    [1, 60],
  ]);
  const full = rolled([
    [1, 100],
    [0, 100],
  ]);
  const [found] = label([point({ exact: false, cut, full })], { worth: 1000 });
  // The two rollouts: 60 tokens, and 40 tokens and a success.
  assert.equal(found?.advantage.mean, (60 + 1040) / 2);
  assert.ok(Math.abs((found?.advantage.high ?? 0) - (550 + 1.959963984540054 * 490)) < 1e-9);
});

test("The share of a normal below x is the integral of its density", () => {
  for (const x of [-3, -1.2, 0, 0.4, 2.5]) {
    let sum = 0;
    for (let t = -8; t < x; t += 1e-3) sum += Math.exp(-((t + 5e-4) ** 2) / 2) * Math.min(1e-3, x - t);
    assert.ok(Math.abs(sum / Math.sqrt(2 * Math.PI) - normalBelow(x)) < 1e-5);
  }
});

test("Confidence grows with rollouts that agree, and few or mixed ones stay undecided", () => {
  const gain = (n: number) => probabilityOfGain(times(n, [1, 40]), times(n, [1, 100]));
  assert.ok(gain(1) < gain(3) && gain(3) < gain(10) && gain(10) > 0.9);
  assert.ok(probabilityOfGain(times(3, [0, 40]), times(3, [1, 100])) < 0.02);
  const few = point({ exact: false, cut: rolled(times(1, [1, 40])), full: rolled(times(1, [1, 100])) });
  const many = point({ exact: false, chunk: 2, cut: rolled(times(12, [1, 40])), full: rolled(times(12, [1, 100])) });
  const [one, other] = label([few, many]);
  assert.ok(one?.undecided === true && one.more > 0 && other?.undecided === false && other.more === 0);
  assert.deepEqual(balanceOf([one, other]), {
    points: 2,
    samples: 1,
    positive: 1,
    negative: 0,
    undecided: 1,
    more: one.more,
  });
});

test("Stopping by its labels is worth as much as the best cut in hindsight, whatever the message", () => {
  const outcome = fc.record({ success: fc.constantFrom(0, 1), cost: fc.integer({ min: 1, max: 200 }) });
  fc.assert(
    fc.property(fc.array(outcome, { minLength: 1, maxLength: 12 }), outcome, (cuts, end) => {
      const points = cuts.map(({ success, cost }, index) =>
        point({ chunk: index + 1, cut: exactly(success, cost), full: exactly(end.success, end.cost) }),
      );
      const worth = 70;
      const labels = stopping(points, { worth });
      const first = labels.find((each) => each.label === 1)?.point;
      const value = ({ success, cost }: Outcome) => worth * success - cost;
      const best = Math.max(value(points[0]!.full), ...points.map(({ cut }) => value(cut)));
      const got = first === undefined ? value(points[0]!.full) : value(first.cut);
      assert.ok(Math.abs(got - best) < 1e-9);
    }),
  );
});

const known = (points: readonly DecisionPoint[]) =>
  coursesOf(
    points,
    points.map(({ cut }) => (cut.success === 1 ? 5 : -5)),
  );

test("One that knows does as well as the best cut in hindsight, and hearing all costs all", () => {
  const courses = known(messages(40));
  const oracle = oracleOf(courses);
  const rule = chooseRule(courses, { over: [1] });
  assert.deepEqual({ ...rule.played, looks: 0 }, oracle);
  assert.equal(oracle.success, 1);
  assert.deepEqual([fullOf(courses).saved, fullOf(courses).cost], [0, 180]);
  assert.deepEqual(playOf(courses, { threshold: 9, over: 1 }).cut, 0);
});

test("The rule chosen keeps the bound, and no other candidate that does is cheaper", () => {
  const points = messages(60, { noise: 0.3 });
  const courses = coursesOf(
    points,
    points.map(({ features }) => features?.["margin"] ?? 0),
  );
  for (const maxLoss of [0, 0.05, 0.2]) {
    const rule = chooseRule(courses, { maxLoss, lookCost: 1 });
    assert.ok(rule.played.success >= rule.full.success - maxLoss - 1e-9);
    for (let threshold = -1; threshold < 2; threshold += 0.05)
      for (const over of [1, 2]) {
        const other = playOf(courses, { threshold, over }, 1);
        const within = other.success >= rule.full.success - maxLoss - 1e-9;
        // Candidates are thinned, so a hair is allowed.
        assert.ok(!within || other.cost >= rule.played.cost - 0.5);
      }
  }
});

test("Where a success is worth more than its tokens the rule waits for it", () => {
  const look = (logOdds: number, success: number) => ({ logOdds, success, tokens: 16, cost: 20 + 10 * logOdds });
  const courses = [1, 2, 3].map((sample) => ({
    sample: `${sample}`,
    looks: [look(1, 0.6), look(2, 1), look(3, 1)],
    full: { success: 0.5, cost: 200 },
  }));
  const chosen = (worth?: number) => chooseRule(courses, { worth, over: [1] }).played;
  assert.deepEqual([chosen().success, chosen().cost], [0.6, 30]);
  assert.deepEqual([chosen(1000).success, chosen(1000).cost], [1, 40]);
});

test("Where cutting never pays the rule never cuts", () => {
  const rule = chooseRule(known(messages(20, { never: true })), { lookCost: 1 });
  assert.deepEqual([rule.pays, rule.threshold, rule.played.saved], [false, Infinity, 0]);
});

test("The next look comes later the less is known, and every chunk where a look costs nothing", () => {
  const next = random(3);
  // Log-odds rise steadily: -6 is six chunks away from 0.
  const looks = (from: number) =>
    Array.from({ length: 12 }, (_, index) => ({
      logOdds: from + index + 0.2 * next(),
      tokens: 16 * (index + 1),
      success: 1,
      cost: 16 * (index + 1),
    }));
  const courses = Array.from({ length: 40 }, (_, sample) => ({
    sample: `${sample}`,
    looks: looks(-6.5 + (sample % 3)),
    full: { success: 1, cost: 200 },
  }));
  const paid = nextLooks(courses, { threshold: 0, lookCost: 20, chunk: 16 });
  const free = nextLooks(courses, { threshold: 0, lookCost: 0, chunk: 16 });
  assert.ok(paid[0]!.tokens >= 48, JSON.stringify(paid));
  assert.ok(paid.at(-1)!.tokens <= paid[0]!.tokens);
  assert.equal(paid.at(-1)!.below, 0);
  assert.ok(free.every(({ tokens }) => tokens <= 32));
});
