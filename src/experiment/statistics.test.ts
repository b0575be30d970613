import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { random } from "../base/random.ts";
import type { Sample } from "./sample.ts";
import { accuracyOf, armsOf, differenceOf, figure, holm, meanOf, ratioOf, right, signFlip } from "./statistics.ts";

const sample = (arm: string, item: number, more: Partial<Sample> = {}): Sample => ({
  arm,
  item: String(item),
  of: "",
  repeat: 0,
  correct: 1,
  figures: {},
  ...more,
});

test("the permutation test is the share of all signs that reach the sum, and chance beyond a dozen items", () => {
  const brute = (values: readonly number[]): number => {
    const observed = Math.abs(values.reduce((a, b) => a + b, 0));
    let sums = [0];
    for (const value of values) sums = sums.flatMap((sum) => [sum + value, sum - value]);
    return sums.filter((sum) => Math.abs(sum) >= observed - 1e-9).length / sums.length;
  };
  const values = fc.array(fc.integer({ min: -3, max: 3 }), { maxLength: 8 });
  fc.assert(fc.property(values, (some) => Math.abs(signFlip(some) - brute(some)) < 1e-12));
  assert.equal(signFlip([]), 1);
  assert.ok(signFlip(Array.from({ length: 40 }, () => 1)) < 0.001);
  const next = random(3);
  const chance = Array.from({ length: 40 }, () => next() - 0.5);
  assert.ok(signFlip(chance) > 0.05);
});

test("a test of two arms that do not differ says so about as often as it should", () => {
  const next = random(9);
  let found = 0;
  for (let trial = 0; trial < 200; trial++)
    if (signFlip(Array.from({ length: 30 }, () => next() - next())) < 0.05) found++;
  assert.ok(found <= 20, `${found} of 200`);
});

test("Holm's correction agrees with a worked example and never lowers a p", () => {
  const close = (a: readonly number[], b: readonly number[]) =>
    assert.ok(a.length === b.length && a.every((one, index) => Math.abs(one - b[index]!) < 1e-9), a.join(" "));
  close(holm([0.01, 0.04, 0.03, 0.005]), [0.03, 0.06, 0.06, 0.02]);
  fc.assert(
    fc.property(fc.array(fc.double({ min: 0, max: 1, noNaN: true })), (ps) => {
      const corrected = holm(ps);
      assert.ok(corrected.every((p, index) => p >= ps[index]! && p <= 1));
    }),
  );
});

test("differences and ratios take what both arms finished, whatever the order", () => {
  const a = [1, 2, 3].map((item) => sample("a", item, { figures: { ms: 10 * item }, correct: item === 1 ? 0 : 1 }));
  const b = [3, 2, 4].map((item) => sample("b", item, { figures: { ms: 5 * item }, correct: 0 }));
  const difference = differenceOf(a, b, right);
  assert.equal(difference?.value, 1);
  assert.deepEqual([difference?.n, difference?.items], [2, 2]);
  assert.equal(ratioOf(a, b, figure("ms"))?.value, 2);
  assert.equal(ratioOf(a, b, figure("none")), null);
  assert.equal(differenceOf(a, [], right), null);
});

test("repeats of an item are no new evidence about other items", () => {
  const once = Array.from({ length: 30 }, (_, item) => sample("a", item, { figures: { x: item % 3 } }));
  const often = once.flatMap((one) => [0, 1, 2, 3].map((repeat) => ({ ...one, repeat })));
  const [single, repeated] = [meanOf(once, figure("x")), meanOf(often, figure("x"))];
  assert.deepEqual([single?.low, single?.high], [repeated?.low, repeated?.high]);
  const share = Array.from({ length: 30 }, (_, item) => sample("a", item, { correct: item % 3 === 0 ? 1 : 0 }));
  const shares = share.flatMap((one) => [0, 1, 2, 3].map((repeat) => ({ ...one, repeat })));
  assert.deepEqual(
    [accuracyOf(share)?.low, accuracyOf(share)?.high],
    [accuracyOf(shares)?.low, accuracyOf(shares)?.high],
  );
});

test("failures are kept apart, and an arm without a score has no numbers", () => {
  const failure = { name: "ModelError", message: "gone" };
  const { correct: _, ...rest } = sample("a", 2);
  const arms = armsOf([sample("a", 1), { ...rest, failure }, sample("b", 1)]);
  assert.deepEqual(
    [arms.scored.get("a")?.length, arms.failed.get("a")?.length, arms.failed.get("b")],
    [1, 1, undefined],
  );
  assert.equal(accuracyOf([]), null);
  assert.equal(meanOf([], figure("ms")), null);
});
