import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import type { Sample } from "./sample.ts";
import { majority, voted } from "./vote.ts";

const ballots = fc.array(fc.option(fc.constantFrom("a", "b", "c"), { nil: undefined }));

test("the winner has the most votes, and of equally many the first that was cast", () => {
  fc.assert(
    fc.property(ballots, (cast) => {
      const won = majority(cast);
      const count = (name: string | undefined) => cast.filter((ballot) => ballot === name).length;
      if (won === undefined) return assert.ok(cast.every((ballot) => ballot === undefined));
      const winner = cast[won];
      for (const other of new Set(cast)) {
        if (other === undefined || other === winner) continue;
        assert.ok(count(winner) >= count(other));
        if (count(winner) === count(other)) assert.ok(cast.indexOf(winner) < cast.indexOf(other));
      }
      assert.equal(cast.indexOf(winner), won);
    }),
  );
});

const sample = (repeat: number, answer: string | undefined, correct: 0 | 1): Sample => ({
  arm: "a",
  item: "i",
  of: "",
  repeat,
  correct,
  answer,
  figures: { ms: 10 * (repeat + 1), cost: 2 },
});

test("a vote is right where the answer of most is, costs the sum, and takes as long as the longest", () => {
  const samples = [sample(2, "7", 0), sample(0, "5", 1), sample(1, "5", 1), sample(4, "7", 0), sample(3, "5", 1)];
  const [first, ...rest] = voted(samples, 3);
  assert.deepEqual(
    [first?.correct, first?.answer, first?.repeat, first?.figures["ms"], first?.figures["cost"], rest.length],
    [1, "5", 0, 30, 6, 0],
  );
  assert.equal(voted(samples, 1).length, 5);
});

test("who gives no answer does not vote, and where nobody does the answer is that of the first", () => {
  const [one] = voted([sample(0, undefined, 0), sample(1, "5", 1)], 2);
  assert.equal(one?.correct, 1);
  const [none] = voted([sample(0, undefined, 0), sample(1, undefined, 0)], 2);
  assert.equal(none?.correct, 0);
});

test("a group with a failed run is no vote", () => {
  const { correct: _, ...failed } = sample(1, "5", 1);
  assert.deepEqual(voted([sample(0, "5", 1), { ...failed, failure: { name: "E", message: "" } }], 2), []);
});
