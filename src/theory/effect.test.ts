import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { ConfigError } from "../base/errors.ts";
import { integer, random } from "../base/random.ts";
import type { Effect } from "./effect.ts";
import {
  breakEven,
  gain,
  headCorrectness,
  meanCorrectness,
  rank,
  serialOverSingle,
  serialOverStream,
  stepEffect,
  streamOverSingle,
  tailCorrectness,
} from "./effect.ts";

const near = (actual: number, expected: number, tolerance = 1e-9) =>
  assert.ok(Math.abs(actual - expected) <= tolerance, `${actual} is not ${expected}`);

const probability = fc.double({ min: 0, max: 1, noNaN: true });
const profiles = fc.array(probability, { minLength: 2, maxLength: 40 });
const effects = fc.record({
  delta: fc.double({ min: 0.001, max: 1, noNaN: true }),
  epsilon: fc.double({ min: 0.001, max: 1, noNaN: true }),
});
const tail = (profile: readonly number[]) => tailCorrectness(profile) ?? Number.NaN;

test("p̄ is p_head and p_tail weighted by (S+1)/2S and (S−1)/2S", () => {
  fc.assert(
    fc.property(profiles, (profile) => {
      const steps = profile.length;
      const mixed = ((steps + 1) * headCorrectness(profile) + (steps - 1) * tail(profile)) / (2 * steps);
      near(meanCorrectness(profile), mixed);
    }),
  );
});

test("p̄, p_head and p_tail of steps that are all alike are that step's correctness", () => {
  fc.assert(
    fc.property(probability, fc.integer({ min: 2, max: 64 }), (correctness, steps) => {
      const profile = Array.from({ length: steps }, () => correctness);
      for (const mean of [meanCorrectness, headCorrectness, tail]) near(mean(profile), correctness);
    }),
  );
});

test("a profile turned around turns p_head, less its last rank, into p_tail", () => {
  // Σ (S−j+1) p_j of the reversed profile is Σ j p_j, which is Σ (j−1) p_j + Σ p_j.
  fc.assert(
    fc.property(profiles, (profile) => {
      const steps = profile.length;
      const turned = (headCorrectness(profile.toReversed()) * steps * (steps + 1)) / 2;
      near(turned, (tail(profile) * steps * (steps - 1)) / 2 + steps * meanCorrectness(profile), 1e-7);
    }),
  );
});

test("the gains are the sums of the effects of the steps that each protocol lets a step hear", () => {
  fc.assert(
    fc.property(profiles, effects, (profile, effect) => {
      const steps = profile.length;
      const mu = profile.map((correctness) => stepEffect(correctness, effect));
      let [serial, stream] = [0, 0];
      for (let s = 0; s < steps; s++) {
        serial += mu.reduce((a, b) => a + b) / steps;
        stream += mu.slice(0, s + 1).reduce((a, b) => a + b) / steps;
      }
      near(serialOverSingle(profile, effect), serial);
      near(streamOverSingle(profile, effect), stream);
      near(serialOverStream(profile, effect), serial - stream);
      const through = [...profile.keys()].map((s) => s + 1);
      near(gain(profile, effect, through), stream);
      near(gain(profile, effect, through.fill(steps)), serial);
      near(gain(profile, effect, through.fill(0)), 0);
    }),
  );
});

test("a more correct step never lowers a gain over Single, and lowers Stream's lead over Serial or leaves it", () => {
  fc.assert(
    fc.property(profiles, effects, fc.nat(), (profile, effect, at) => {
      const better = [...profile];
      better[at % profile.length] = 1;
      assert.ok(serialOverSingle(better, effect) >= serialOverSingle(profile, effect) - 1e-9);
      assert.ok(streamOverSingle(better, effect) >= streamOverSingle(profile, effect) - 1e-9);
      assert.ok(serialOverStream(better, effect) >= serialOverStream(profile, effect) - 1e-9);
    }),
  );
});

test("exactly six of the eight sign patterns occur, each with its regime and order", () => {
  const next = random(1);
  // Signs of p_head − p*, p̄ − p*, p_tail − p*.
  const expected: Record<string, [string, string]> = {
    "++-": ["I.a", "stream serial single"],
    "+--": ["I.b", "stream single serial"],
    "+++": ["II.a", "serial stream single"],
    "-++": ["II.b", "serial single stream"],
    "---": ["III.a", "single stream serial"],
    "--+": ["III.b", "single serial stream"],
  };
  const seen = new Map<string, number>();
  for (let round = 0; round < 20_000; round++) {
    // A slope through the profile makes head and tail differ: independent steps rarely would.
    const [slope, steps] = [2 * next() - 1, integer(next, 2, 12)];
    const profile = Array.from({ length: steps }, (_, j) =>
      Math.min(1, Math.max(0, 0.5 + slope * (j / (steps - 1) - 0.5) + 0.3 * (next() - 0.5))),
    );
    const effect: Effect = { delta: 0.1 + next(), epsilon: 0.1 + next() };
    const sign = (mean: number) => (mean > breakEven(effect) ? "+" : "-");
    const pattern = [headCorrectness(profile), meanCorrectness(profile), tail(profile)].map(sign).join("");
    const { regime, order } = rank(profile, effect);
    assert.deepEqual([regime, order.join(" ")], expected[pattern], `pattern ${pattern}`);
    seen.set(pattern, (seen.get(pattern) ?? 0) + 1);
  }
  assert.deepEqual([...seen.keys()].toSorted(), Object.keys(expected).toSorted());
});

test("p_tail below p* means that Stream beats Serial, whatever the rest", () => {
  fc.assert(
    fc.property(profiles, effects, (profile, effect) => {
      const distance = tail(profile) - breakEven(effect);
      fc.pre(Math.abs(distance) > 1e-6);
      const places = rank(profile, effect).order.flat();
      assert.equal(distance < 0, places.indexOf("stream") < places.indexOf("serial"));
    }),
  );
});

test("with one step p_tail is undefined, Serial and Stream tie, and there is no regime", () => {
  const effect = { delta: 0.3, epsilon: 0.1 };
  assert.equal(tailCorrectness([0.9]), undefined);
  assert.equal(serialOverStream([0.9], effect), 0);
  near(streamOverSingle([0.9], effect), serialOverSingle([0.9], effect));
  assert.deepEqual(rank([0.9], effect), { regime: undefined, order: [["stream", "serial"], ["single"]] });
  assert.deepEqual(rank([0.1], effect), { regime: undefined, order: [["single"], ["stream", "serial"]] });
});

test("at p* throughout, all three protocols tie", () => {
  for (const steps of [1, 2, 7, 64]) {
    const effect = { delta: 0.07, epsilon: 0.03 };
    const profile = Array.from({ length: steps }, () => breakEven(effect));
    assert.deepEqual(rank(profile, effect), { regime: undefined, order: [["stream", "serial", "single"]] });
  }
});

test("what is out of range is refused by its name", () => {
  const effect = { delta: 0.1, epsilon: 0.1 };
  const cases: [string, () => unknown][] = [
    ["profile", () => meanCorrectness([])],
    ["profile", () => tailCorrectness([])],
    ["profile[1]", () => headCorrectness([0.5, 1.5])],
    ["profile[0]", () => tailCorrectness([Number.NaN])],
    ["profile[0]", () => meanCorrectness([-0.1])],
    ["effect.delta", () => breakEven({ delta: -1, epsilon: 1 })],
    ["effect.epsilon", () => rank([0.5], { delta: 1, epsilon: Number.POSITIVE_INFINITY })],
    ["effect", () => breakEven({ delta: 0, epsilon: 0 })],
    ["heardThrough", () => gain([0.5], effect, [])],
    ["heardThrough[1]", () => gain([0.5], effect, [1, 2])],
    ["heardThrough[0]", () => gain([0.5], effect, [0.5])],
  ];
  for (const [path, call] of cases)
    assert.throws(call, (error) => error instanceof ConfigError && error.path === path, path);
});
