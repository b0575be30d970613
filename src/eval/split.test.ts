import assert from "node:assert/strict";
import test from "node:test";
import * as fc from "fast-check";
import { ConfigError } from "../base/errors.ts";
import { drawItems, drawMade, shares, shuffled, splitOf, splits, type Draw } from "./split.ts";
import type { Sample, Task } from "./task.ts";
import { clues } from "./tasks/clues.ts";
import { debate } from "./tasks/debate.ts";
import { meeting } from "./tasks/meeting.ts";
import { pictionary } from "./tasks/pictionary.ts";
import { report } from "./tasks/report.ts";

const tasks: readonly Task[] = [
  pictionary(),
  pictionary({ choices: 8 }),
  meeting({ level: "easy" }),
  meeting({ level: "hard", choices: 6 }),
  debate(),
  report({ facts: 7 }),
  report({ facts: 15, needs: 2, choices: 8 }),
  clues(),
  clues({ choices: 6 }),
];

/** What a sample is about, whatever its id says. */
const content = ({ prompt, roles, answer }: Sample): string => JSON.stringify([prompt, roles, answer.right]);

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

for (const task of tasks) {
  test(`${task.name}: no sample is in two splits, whatever seeds draw them`, () => {
    const owner = new Map<string, string>();
    for (const split of splits) {
      for (const seed of [1, 2, 3]) {
        for (const sample of task.samples({ split, size: 60, seed })) {
          assert.equal(sample.split, split);
          for (const key of [`id ${sample.id}`, content(sample)]) {
            assert.equal(owner.get(key) ?? split, split, key);
            owner.set(key, split);
          }
        }
      }
    }
  });

  test(`${task.name}: the same draw gives the same samples, and a larger one only adds`, () => {
    const small = task.samples({ split: "dev", size: 7, seed: 5 });
    const large = task.samples({ split: "dev", size: 20, seed: 5 });
    assert.equal(small.length, 7);
    assert.deepEqual(large.slice(0, 7), small);
    assert.equal(new Set(large.map(({ id }) => id)).size, large.length);
    assert.notDeepEqual(task.samples({ split: "dev", size: 7, seed: 6 }), small);
  });

  test(`${task.name}: samples are plain JSON that says who answers, and name the task`, () => {
    for (const sample of task.samples({ split: "train", size: 10, seed: 9 })) {
      assert.deepEqual(JSON.parse(JSON.stringify(sample)), JSON.parse(JSON.stringify(structuredClone(sample))));
      assert.equal(sample.task, task.name);
      assert.ok(sample.roles.some(({ id, listens }) => id === sample.answer.by && listens));
      assert.ok(sample.roles.some(({ listens }) => !listens));
      const { candidates, right } = sample.answer;
      assert.ok(right.length > 0);
      if (candidates === undefined) continue;
      assert.equal(new Set(candidates).size, candidates.length);
      assert.equal(candidates.filter((candidate) => right.includes(candidate)).length, 1, candidates.join());
    }
  });

  test(`${task.name}: the right answer succeeds, and each wrong candidate fails`, () => {
    for (const sample of task.samples({ split: "test", size: 25, seed: 3 })) {
      const say = (answer: string) =>
        task.judge([{ agent: sample.answer.by, text: `${sample.answer.marker} ${answer}` }], sample);
      for (const answer of sample.answer.right) {
        const verdict = say(answer);
        assert.deepEqual([verdict.over, verdict.success], [true, 1], `${sample.id}: ${answer}`);
      }
      for (const candidate of sample.answer.candidates ?? []) {
        const success = sample.answer.right.includes(candidate) ? 1 : 0;
        assert.equal(say(candidate).success, success, `${sample.id}: ${candidate}`);
      }
      assert.deepEqual([task.judge([], sample).over, task.judge([], sample).success], [false, 0]);
    }
  });
}

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
