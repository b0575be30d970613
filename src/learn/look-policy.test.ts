import assert from "node:assert/strict";
import test from "node:test";
import { none } from "../core/usage.ts";
import { hearing } from "../policies/hearing.fixture.ts";
import { meanOver } from "./course.ts";
import { lookPolicy } from "./look-policy.ts";

test("The mean is of the last looks only, and of none before there are as many", () => {
  assert.equal(meanOver([3], 2), undefined);
  assert.equal(meanOver([], 1), undefined);
  assert.equal(meanOver([9, 3, -1], 2), 1);
  assert.equal(meanOver([9, 3, -1], 1), -1);
  assert.equal(meanOver([5, Number.NEGATIVE_INFINITY], 2), Number.NEGATIVE_INFINITY);
});

test("It cuts where the mean of the last two looks is above the threshold, message by message", async () => {
  const said = [4, -2, 3, 4, 9];
  const ask = async () => ({ logOdds: said.shift(), usage: none });
  const { decide } = lookPolicy("ear", ask, { threshold: 0.75, over: 2 });
  const { signal } = new AbortController();
  const first = hearing({ session: "one" });
  const advantages: (number | undefined)[] = [];
  for (let look = 0; look < 4; look++) advantages.push((await decide?.(first, signal))?.advantage);
  assert.deepEqual(advantages, [0, 0.25, -0.25, 2.75]);
  const other = await decide?.({ ...first, turn: first.turn + 1 }, signal);
  assert.equal(other?.advantage, 0);
  assert.equal(other?.note, "1 of 2 looks");
});

test("Without a threshold nothing is asked, and everything heard", () => {
  const ask = async () => Promise.reject(new Error("asked"));
  assert.equal(lookPolicy("ear", ask, { threshold: null, over: 1 }).decide, undefined);
});
