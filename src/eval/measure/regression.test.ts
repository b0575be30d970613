import assert from "node:assert/strict";
import { test } from "node:test";
import { normal, random } from "../../base/random.ts";
import { mean, standardError } from "../../base/stats.ts";
import { clamped, fit, fitShares, jackknife, t95 } from "./regression.ts";

test("Student's t is that of the tables", () => {
  const table = { 1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 10: 2.228, 30: 2.042, 1000: 1.962 };
  for (const [degrees, value] of Object.entries(table))
    assert.ok(Math.abs(t95(Number(degrees)) - value) < 0.03, `${degrees}: ${t95(Number(degrees))}`);
  assert.equal(t95(0), Infinity);
});

test("a line without noise is found, and outliers hardly move it", () => {
  const rows = Array.from({ length: 30 }, (_, index) => [1, index, index ** 2]);
  const values = rows.map(([, x, square]) => 7 + 3 * x! - 0.5 * square!);
  for (const found of [fit(rows, values), fitShares(rows, values)])
    for (const [index, truth] of [7, 3, -0.5].entries())
      assert.ok(Math.abs(found![index]!.value - truth) < 1e-6, `${found![index]!.value}`);
  const next = random(4);
  const noisy = values.map((value) => value + normal(next));
  const spoilt = noisy.with(3, 5000).with(20, -4000);
  const [, slope] = fit(rows, spoilt)!;
  assert.ok(Math.abs(slope!.value - 3) < 0.5, `${slope!.value}`);
});

test("columns that cannot be told apart, and too few rows, give nothing", () => {
  const twice = Array.from({ length: 9 }, (_, index) => [1, index, 2 * index]);
  const values = twice.map(([, x]) => x!);
  assert.equal(fit(twice, values), undefined);
  assert.equal(fitShares(twice, values), undefined);
  assert.equal(fit([[1, 2]], [3]), undefined);
  assert.equal(fit([], []), undefined);
});

test("the jackknife of a mean has its standard error, and one item has no width", () => {
  const values = [3, 1, 4, 1, 5, 9, 2, 6];
  const average = ([sum = 0, count = 0]: readonly number[]) => (count > 0 ? sum / count : null);
  const { value, low, high } = jackknife(
    values.map((each) => [each, 1]),
    average,
  )!;
  assert.ok(Math.abs(value - mean(values)) < 1e-12);
  assert.ok(Math.abs((high - low) / 2 - t95(7) * standardError(values)) < 1e-9);
  assert.deepEqual(jackknife([[3, 1]], average), { value: 3, low: 3, high: 3 });
  assert.equal(jackknife([[3, 0]], average), null);
  assert.equal(jackknife([], average), null);
  assert.deepEqual(clamped({ value: -1, low: -2, high: 3 }, 0, 1), { value: 0, low: 0, high: 1 });
});
