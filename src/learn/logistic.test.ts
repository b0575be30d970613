import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { normal, random } from "../base/random.ts";
import { auc as aucOf } from "../base/stats.ts";
import { calibrationOf } from "./calibration.ts";
import { choleskyOf, solveLower, solveUpper } from "./cholesky.ts";
import { checkExamples, crossValidate, foldsOf } from "./crossing.ts";
import { derivatives, fitLogistic, fitPath, logistic, logLossOf, logOddsOf, standardize } from "./logistic.ts";

/** Labels drawn from a known logistic. */
function drawn(seed: number, count: number, { truth, bias = 0 }: { truth: readonly number[]; bias?: number }) {
  const next = random(seed);
  const rows = Array.from({ length: count }, () => truth.map(() => normal(next)));
  const labels = rows.map((row) => {
    const z = row.reduce((sum, value, i) => sum + value * truth[i]!, bias);
    return next() < logistic(z) ? 1 : 0;
  });
  return { rows, labels };
}

test("Gradient and Hessian are those of the loss, by finite differences", () => {
  const { rows, labels } = drawn(1, 40, { truth: [1, -2, 0.5] });
  const flat = Float64Array.from(rows.flatMap((row) => [...row, 1]));
  const problem = { flat, labels, width: 4, l2: 0.3 };
  const beta = Float64Array.from([0.3, -0.2, 0.7, 0.1]);
  const step = 1e-5;
  const moved = (i: number, by: number) =>
    derivatives(
      problem,
      beta.map((value, j) => (i === j ? value + by : value)),
    );
  const { gradient, hessian } = derivatives(problem, beta);
  for (let i = 0; i < 4; i++) {
    const [up, down] = [moved(i, step), moved(i, -step)];
    assert.ok(Math.abs((up.loss - down.loss) / (2 * step) - gradient[i]!) < 1e-8);
    for (let j = 0; j <= i; j++)
      assert.ok(Math.abs((up.gradient[j]! - down.gradient[j]!) / (2 * step) - hessian[i * 4 + j]!) < 1e-7);
  }
});

test("With one feature of two values and no penalty the solution is the log-odds of each value", () => {
  // 8 of 10 where the feature is 1, 3 of 12 where it is 0.
  const rows = [...Array.from({ length: 10 }, () => [1]), ...Array.from({ length: 12 }, () => [0])];
  const labels = [
    ...Array.from({ length: 10 }, (_, i) => (i < 8 ? 1 : 0)),
    ...Array.from({ length: 12 }, (_, i) => (i < 3 ? 1 : 0)),
  ];
  const fit = fitLogistic({ rows, labels }, 0);
  assert.ok(Math.abs(logOddsOf(fit, [1]) - Math.log(8 / 2)) < 1e-4);
  assert.ok(Math.abs(logOddsOf(fit, [0]) - Math.log(3 / 9)) < 1e-4);
});

test("The weights that made the labels are found again", () => {
  const truth = [1.5, -0.8, 0];
  const fit = fitLogistic(drawn(2, 20_000, { truth, bias: 0.4 }), 0);
  truth.forEach((weight, i) => assert.ok(Math.abs(fit.weights[i]! / fit.scale[i]! - weight) < 0.06));
  assert.ok(Math.abs(logOddsOf(fit, [0, 0, 0]) - 0.4) < 0.06);
});

test("At the solution the gradient is nothing, also where there are more features than examples", () => {
  const width = fc.constantFrom(2, 5, 60);
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1000 }), width, fc.constantFrom(1e-3, 0.1, 1), (seed, features, l2) => {
      const { rows, labels } = drawn(seed, 30, { truth: Array.from({ length: features }, (_, i) => Math.sin(i)) });
      if (new Set(labels).size < 2) return;
      const fit = fitLogistic({ rows, labels }, l2);
      const { mean, scale } = standardize(rows);
      const flat = Float64Array.from(
        rows.flatMap((row) => [...row.map((value, i) => (value - mean[i]!) / scale[i]!), 1]),
      );
      const at = Float64Array.from([...fit.weights, fit.bias]);
      const { gradient } = derivatives({ flat, labels, width: features + 1, l2 }, at);
      assert.ok(
        gradient.every((value) => Math.abs(value) < 1e-4),
        `${Math.max(...gradient.map(Math.abs))}`,
      );
    }),
    { numRuns: 40 },
  );
});

test("Separable labels, constant columns and a path of penalties give finite weights, smaller the stronger the penalty", () => {
  const rows = Array.from({ length: 50 }, (_, i) => [i, 7]);
  const labels = rows.map(([x]) => (x! > 20 ? 1 : 0));
  const fits = fitPath({ rows, labels }, [0, 1e-4, 1e-2, 1]);
  const sizes = fits.map(({ weights }) => Math.abs(weights[0]!));
  assert.ok(sizes.every(Number.isFinite));
  assert.deepEqual(
    sizes,
    sizes.toSorted((a, b) => b - a),
  );
  for (const { weights } of fits) assert.ok(Math.abs(weights[1]!) < 1e-6);
});

test("The root of a positive matrix solves its system", () => {
  const next = random(5);
  const n = 12;
  const half = Float64Array.from({ length: n * n }, () => normal(next));
  const a = new Float64Array(n * n);
  for (let i = 0; i < n; i++)
    for (let j = 0; j < n; j++)
      for (let k = 0; k < n; k++) a[i * n + j]! += half[i * n + k]! * half[j * n + k]! + (i === j ? 0.1 : 0);
  const b = Float64Array.from({ length: n }, () => normal(next));
  const l = choleskyOf(a, n);
  const x = solveUpper(l, solveLower(l, b));
  for (let i = 0; i < n; i++) {
    let sum = 0;
    for (let j = 0; j < n; j++) sum += a[i * n + j]! * x[j]!;
    assert.ok(Math.abs(sum - b[i]!) < 1e-9);
  }
});

test("No group is in two folds, and folds are about equally large", () => {
  const groups = Array.from({ length: 1000 }, (_, i) => `sample ${i % 90}`);
  const folds = foldsOf(groups, 5, 1);
  const of = new Map<string, number>();
  groups.forEach((group, i) => {
    assert.equal(of.get(group) ?? folds[i], folds[i]);
    of.set(group, folds[i]!);
  });
  const sizes = [0, 1, 2, 3, 4].map((fold) => folds.filter((each) => each === fold).length);
  assert.ok(Math.max(...sizes) - Math.min(...sizes) <= 12, sizes.join());
});

test("Held out, noise has an AUC of one half and a signal that of its truth", () => {
  const next = random(8);
  const rows = Array.from({ length: 600 }, () => [normal(next), normal(next)]);
  const groups = rows.map((_, i) => `${i % 60}`);
  const noise = rows.map(() => (next() < 0.5 ? 1 : 0));
  const signal = rows.map(([x]) => (x! + 0.5 * normal(next) > 0 ? 1 : 0));
  assert.ok(Math.abs(crossValidate({ rows, labels: noise, groups }).auc - 0.5) < 0.08);
  assert.ok(crossValidate({ rows, labels: signal, groups }).auc > 0.9);
});

test("20,000 labels of 16 features, five folds, ten penalties: held out it tells nearly what is there to tell", () => {
  const truth = Array.from({ length: 16 }, (_, i) => Math.cos(i));
  const { rows, labels } = drawn(3, 20_000, { truth });
  const groups = rows.map((_, i) => `${i % 1000}`);
  const { auc } = crossValidate({ rows, labels, groups });
  const known = rows.map((row) => row.reduce((sum, value, i) => sum + value * truth[i]!, 0));
  const best = aucOf(
    known.filter((_, i) => labels[i] === 1),
    known.filter((_, i) => labels[i] === 0),
  );
  assert.ok(Math.abs(auc - best) < 0.005, `${auc} of ${best}`);
});

test("Within one standard error of the lowest loss the strongest penalty is taken, where that is wanted", () => {
  const { rows, labels } = drawn(11, 120, { truth: [1, -1, 0.5, 0, 0, 0, 0, 0] });
  const groups = rows.map((_, index) => `${Math.floor(index / 2)}`);
  const lowest = crossValidate({ rows, labels, groups });
  const simple = crossValidate({ rows, labels, groups }, { withinError: true });
  assert.equal(
    lowest.losses.find(({ penalty }) => penalty === lowest.penalty)?.loss,
    Math.min(...lowest.losses.map(({ loss }) => loss)),
  );
  // By hand: the error of the lowest loss over groups, and the strongest penalty that is within it.
  const odds = crossValidate({ rows, labels, groups }, { penalties: [lowest.penalty] }).logOdds;
  const each = odds.map((value, index) => logLossOf(value, labels[index]!));
  const middle = each.reduce((sum, loss) => sum + loss, 0) / each.length;
  const sums = [...new Set(groups)].map((group) =>
    each.reduce((sum, loss, index) => (groups[index] === group ? sum + loss - middle : sum), 0),
  );
  const error = Math.sqrt((sums.reduce((sum, value) => sum + value * value, 0) * 60) / 59) / each.length;
  const within = lowest.losses.filter(({ loss }) => loss <= middle + error).map(({ penalty }) => penalty);
  assert.equal(simple.penalty, Math.max(...within));
  assert.ok(simple.penalty > lowest.penalty && within.length < lowest.losses.length);
});

test("What cannot be learned from is named", () => {
  const check = (rows: readonly (readonly number[])[], labels: readonly number[]) => checkExamples({ rows, labels });
  assert.throws(() => check([], []), /labels: there are none/);
  assert.throws(() => check([[1], [2]], [1, 1]), /all 2 are positive/);
  assert.throws(() => check([[1], [2]], [0, 0]), /all 2 are negative/);
  assert.throws(() => check([[1], [Number.NaN]], [0, 1]), /labels\[1\]: feature 0 is NaN/);
  assert.throws(() => check([[1], [2, 3]], [0, 1]), /has 2 features, others 1/);
  assert.throws(() => crossValidate({ rows: [[1], [2]], labels: [0, 1], groups: ["a", "a"] }), /one sample only/);
});

test("Probabilities that are meant are calibrated, and those that are too sure are not", () => {
  const next = random(4);
  const meant = Array.from({ length: 20_000 }, () => next());
  const labels = meant.map((p) => (next() < p ? 1 : 0));
  const good = calibrationOf(meant, labels);
  assert.ok(good.ece < 0.02);
  // The mean of p (1 - p) over [0, 1] is 1/6.
  assert.ok(Math.abs(good.brier - 1 / 6) < 0.01);
  const sure = calibrationOf(
    meant.map((p) => (p > 0.5 ? 0.99 : 0.01)),
    labels,
  );
  assert.ok(sure.ece > 0.2 && sure.brier > good.brier);
  assert.equal(
    good.bins.reduce((sum, { count }) => sum + count, 0),
    20_000,
  );
  assert.deepEqual(
    calibrationOf([1, 0], [1, 0]).bins.map(({ observed }) => observed),
    [0, 1],
  );
});
