import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { integer, random } from "./random.ts";
import { auc, bootstrap, clusteredProportion, mean, quantile, standardError, wilson } from "./stats.ts";

const close = (actual: number, expected: number, within = 1e-9) =>
  assert.ok(Math.abs(actual - expected) <= within, `${actual} is not ${expected}`);

test("mean, standard error and quantiles are those of the textbook", () => {
  close(mean([2, 4, 4, 4, 5, 5, 7, 9]), 5);
  // s² = 32 / 7.
  close(standardError([2, 4, 4, 4, 5, 5, 7, 9]), Math.sqrt(32 / 7 / 8));
  assert.ok(Number.isNaN(standardError([1])) && Number.isNaN(mean([])) && Number.isNaN(quantile([], 0.5)));
  close(quantile([3, 1, 2, 4], 0.5), 2.5);
  close(quantile([15, 20, 35, 40, 50], 0.4), 29);
  assert.deepEqual([quantile([5, 1], 0), quantile([5, 1], 1)], [1, 5]);
});

test("Wilson's interval agrees with published values", () => {
  // Newcombe, Statistics in Medicine 17 (1998), table I.
  const cases = [
    [81, 263, 0.2553, 0.3662],
    [15, 148, 0.0624, 0.1605],
    [0, 20, 0, 0.1611],
    [1, 29, 0.0061, 0.1718],
  ] as const;
  for (const [right, n, low, high] of cases) {
    const [from, to] = wilson(right / n, n);
    close(from, low, 5e-5);
    close(to, high, 5e-5);
  }
  assert.deepEqual(wilson(0, 0), [0, 1]);
});

test("an interval of a proportion holds it and lies within 0 and 1", () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(fc.constantFrom(0, 1), { minLength: 1, maxLength: 5 }), { minLength: 1 }),
      (clusters) => {
        const [low, high] = clusteredProportion(clusters);
        const p = mean(clusters.flat());
        assert.ok(low >= 0 && low <= p && p <= high && high <= 1, `${low} ${p} ${high}`);
      },
    ),
  );
});

test("repeats that always agree are worth one, and independent ones their number", () => {
  const single = Array.from({ length: 40 }, (_, index) => [index % 4 === 0 ? 0 : 1]);
  assert.deepEqual(clusteredProportion(single), wilson(0.75, 40));
  const agreeing = single.map(([value = 0]) => [value, value, value]);
  assert.deepEqual(clusteredProportion(agreeing), wilson(0.75, 40));
  // One 0 in each cluster of four: less spread than chance, which counts as no clustering.
  assert.deepEqual(clusteredProportion(Array.from({ length: 10 }, () => [0, 1, 1, 1])), wilson(0.75, 40));
  assert.deepEqual(
    clusteredProportion([
      [1, 1],
      [1, 1],
      [1, 1],
    ]),
    wilson(1, 3),
  );
});

test("a bootstrap has the standard error of the mean, and pairs are kept together", () => {
  const next = random(1);
  const values = Array.from({ length: 200 }, () => [integer(next, 0, 1000)]);
  const [low, high] = bootstrap(values, mean, { seed: 2 });
  const error = standardError(values.flat());
  close((high - low) / 2 / 1.96, error, error * 0.1);
  const pairs = values.map(([value = 0]) => [{ one: value, other: 2 * value }]);
  const ratio = (items: readonly { one: number; other: number }[]) =>
    mean(items.map(({ one }) => one)) / mean(items.map(({ other }) => other));
  const [from, to] = bootstrap(pairs, ratio, { seed: 3, resamples: 200 });
  close(from, 0.5);
  close(to, 0.5);
});

test("the same seed draws the same samples, and whole clusters are drawn", () => {
  const clusters = [[1, 1, 1], [5], [9, 9]];
  assert.deepEqual(bootstrap(clusters, mean, { seed: 7 }), bootstrap(clusters, mean, { seed: 7 }));
  const seen = new Set<string>();
  bootstrap(clusters, (items) => seen.add(items.filter((item) => item === 1).length.toString()).size, { seed: 1 });
  assert.ok(
    [...seen].every((count) => Number(count) % 3 === 0),
    [...seen].join(),
  );
});

test("the interval covers the truth about as often as it says", () => {
  const next = random(11);
  let covered = 0;
  for (let trial = 0; trial < 200; trial++) {
    const clusters = Array.from({ length: 40 }, () => [next() + next()]);
    const [low, high] = bootstrap(clusters, mean, { seed: trial, resamples: 200 });
    if (low <= 1 && 1 <= high) covered++;
  }
  assert.ok(covered >= 178 && covered <= 199, `${covered} of 200`);
});

test("the area under the curve is the share of pairs in the right order", () => {
  const scores = fc.array(fc.integer({ min: 0, max: 6 }), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(scores, scores, (positives, negatives) => {
      const pairs = positives.flatMap((p) => negatives.map((n) => (p > n ? 1 : p === n ? 0.5 : 0)));
      close(auc(positives, negatives), mean(pairs));
    }),
  );
  assert.ok(Number.isNaN(auc([], [1])));
});
