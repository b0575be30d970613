// What holds for every task.
import assert from "node:assert/strict";
import test from "node:test";
import * as fc from "fast-check";
import { splits } from "../split.ts";
import type { Sample, Task } from "../task.ts";
import { clues } from "./clues.ts";
import { debate } from "./debate.ts";
import { heardEnough } from "./enough.ts";
import { meeting } from "./meeting.ts";
import { pictionary } from "./pictionary.ts";
import { report } from "./report.ts";

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

  test(`${task.name}: the judge and the ear for enough take whatever is said, and do not change their mind once it is over`, () => {
    const [sample] = task.samples({ split: "dev", size: 1, seed: 1 });
    assert.ok(sample);
    const { by, marker, right } = sample.answer;
    const agent = fc.constantFrom(...sample.roles.map(({ id }) => id), "stranger");
    const text = fc.oneof(
      fc.string({ unit: "grapheme" }),
      fc.constantFrom("", marker, `${marker} no`, `${marker} ${right[0]}`, "x".repeat(20_000), "a ".repeat(20_000)),
      fc.string().map((answer) => `${marker} ${answer}`),
    );
    fc.assert(
      fc.property(fc.array(fc.record({ agent, text }), { maxLength: 6 }), (transcript) => {
        let before = task.judge([], sample);
        for (let length = 1; length <= transcript.length; length++) {
          const heard = transcript.slice(0, length);
          const verdict = task.judge(heard, sample);
          assert.equal(verdict.over && !heard.some((one) => one.agent === by || one.agent === "describer"), false);
          if (before.over) assert.deepEqual([verdict.over, verdict.success], [true, before.success]);
          if (verdict.success === 1) assert.ok(verdict.over);
          assert.ok(!verdict.detail.includes("\n"));
          heardEnough(heard, sample);
          before = verdict;
        }
      }),
      { numRuns: 40 },
    );
  });
}
