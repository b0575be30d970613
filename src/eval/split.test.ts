import assert from "node:assert/strict";
import test from "node:test";
import * as fc from "fast-check";
import { ConfigError } from "../base/errors.ts";
import { drawItems, drawMade, shares, shuffled, splitOf, splits, type Draw } from "./split.ts";

test("the shares of the splits add up to one, and the splits come out in these shares", () => {
  assert.equal(shares.train + shares.dev + shares.test, 1);
  const keys = Array.from({ length: 5000 }, (_, index) => `key ${index}`);
  for (const split of splits) {
    const share = keys.filter((key) => splitOf(key) === split).length / keys.length;
    assert.ok(Math.abs(share - shares[split]) < 0.02, `${split} has ${share}`);
  }
});

test("a key's split never changes between releases", () => {
  const pinned = ["elephant", "volcano", "Marie Curie", "hydrogen", "a", ""].map((key) => splitOf(key));
  assert.deepEqual(pinned, ["test", "train", "train", "train", "train", "dev"]);
});

test("another split seed is another partition", () => {
  const keys = Array.from({ length: 300 }, (_, index) => `key ${index}`);
  assert.ok(keys.some((key) => splitOf(key, 0) !== splitOf(key, 1)));
});

test("items drawn from three splits with any seeds are disjoint and together are all items", () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.string(), { minLength: 80, maxLength: 120 }), fc.integer(), (items, seed) => {
      const draws = splits.map((split) => drawItems(items, (item) => item, { split, size: 1000, seed }));
      assert.deepEqual(draws.flat().toSorted(), items.toSorted());
    }),
    { numRuns: 50 },
  );
});

test("shuffling depends on each item alone, so leaving one out keeps the order of the others", () => {
  const items = Array.from({ length: 30 }, (_, index) => String(index));
  const all = shuffled(items, (item) => item, 4);
  const fewer = shuffled(
    items.filter((item) => item !== "7"),
    (item) => item,
    4,
  );
  assert.deepEqual(
    all.filter((item) => item !== "7"),
    fewer,
  );
});

test("a wrong draw is refused by name", () => {
  const base: Draw = { split: "dev", size: 1, seed: 1 };
  const draw = (change: Partial<Record<keyof Draw, unknown>>) => () =>
    drawItems(["a"], (item) => item, { ...base, ...change } as Draw);
  assert.throws(draw({ split: "valid" }), new ConfigError("split", 'must be one of train, dev, test; was "valid"'));
  assert.throws(draw({ size: 0 }), new ConfigError("size", "must be a whole number of at least 1; was 0"));
  assert.throws(draw({ size: 1.5 }), /size: must be a whole number/);
  assert.throws(draw({ seed: Number.NaN }), /seed: must be a whole number/);
  assert.throws(draw({ splitSeed: 0.1 }), /splitSeed: must be a whole number/);
});

test("an empty split of a list is refused", () => {
  const [item = ""] = Array.from({ length: 50 }, (_, index) => `${index}`).filter((key) => splitOf(key) === "train");
  assert.throws(
    () => drawItems([item], (key) => key, { split: "test", size: 1, seed: 1 }),
    /split: "test" is empty: none of the 1 items belongs to it/,
  );
});

test("a generator with too few different samples says how many there are", () => {
  const draw: Draw = { split: "train", size: 50, seed: 1 };
  assert.throws(
    () => drawMade((next) => Math.floor(next() * 10), String, draw),
    /size: only \d+ different samples can be made with these options/,
  );
});
