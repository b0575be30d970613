import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import type { Decision, Policy } from "../core/policy.ts";
import { all, any, budget, cooldown, every, minChunks } from "./combine.ts";
import { afterChunks, concise, never } from "./fixed.ts";
import { cuts, decide as ask, hearing, signal, usage } from "./hearing.fixture.ts";
import { Memory } from "./memory.ts";

/** A policy that counts how often it is asked. */
function counting(advantage: number) {
  const state = { asked: 0 };
  const decide = (): Decision => {
    state.asked++;
    return { advantage, usage };
  };
  const policy: Policy = { name: "counting", decide };
  return { state, policy };
}

test("any and all are or and and, ask no more than they must, and add up what they asked", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -2, max: 2 }), { minLength: 1, maxLength: 6 }), (advantages) => {
      const asks = (combine: typeof any) => {
        const parts = advantages.map((advantage) => counting(advantage));
        const policy = combine(...parts.map((part) => part.policy));
        const decision = policy.decide?.(hearing(), signal) as Decision;
        const asked = parts.filter(({ state }) => state.asked > 0).length;
        assert.equal(decision.usage?.calls, asked);
        return { cut: decision.advantage > 0, asked };
      };
      const first = (found: (advantage: number) => boolean) => {
        const index = advantages.findIndex(found);
        return index < 0 ? advantages.length : index + 1;
      };
      const positive = (advantage: number) => advantage > 0;
      assert.deepEqual(asks(any), { cut: advantages.some(positive), asked: first(positive) });
      assert.deepEqual(asks(all), { cut: advantages.every(positive), asked: first((one) => !positive(one)) });
    }),
  );
});

test("what speakers are told survives combining, and a policy that never cuts makes all of them wait", () => {
  assert.equal(any(concise, afterChunks(1)).speakerNote, concise.speakerNote);
  assert.equal(all(concise, afterChunks(1)).decide, undefined);
  assert.equal(minChunks(2, concise).speakerNote, concise.speakerNote);
  assert.throws(() => any(), /at least one/);
});

test("bounds ask only where they let something through", async () => {
  const { state, policy } = counting(-1);
  for (const chunks of [1, 2, 3]) await ask(minChunks(3, policy), { chunks });
  assert.equal(state.asked, 1);
  const spaced = every(2, policy);
  for (const chunks of [1, 2, 3, 5, 6, 7]) await ask(spaced, { chunks });
  assert.equal(state.asked, 1 + 3);
});

test("a budget is spent by decisions or by tokens, per listener", async () => {
  const byDecisions = counting(-1);
  const two = budget({ decisions: 2 }, byDecisions.policy);
  for (const chunks of [1, 2, 3]) await ask(two, { chunks });
  assert.equal(byDecisions.state.asked, 2);
  assert.deepEqual(await ask(two), { advantage: 0, note: "budget used up" });
  await ask(two, { session: "other" });
  assert.equal(byDecisions.state.asked, 3);
  const byTokens = counting(-1);
  const fifteen = budget({ tokens: 15 }, byTokens.policy);
  // Each takes 10 - 4 + 1 tokens, so the third is the last.
  for (const chunks of [1, 2, 3, 4, 5]) await ask(fifteen, { chunks });
  assert.equal(byTokens.state.asked, 3);
  assert.throws(() => budget({}, never), /gives no limit/);
});

test("after a cut a cooldown lets chunks pass, of later turns too", async () => {
  const policy = cooldown(3, afterChunks(1));
  const heard: [turn: number, chunks: number][] = [
    [0, 2],
    [1, 1],
    [1, 2],
    [2, 1],
    [2, 2],
    [3, 1],
  ];
  const cut: boolean[] = [];
  for (const [turn, chunks] of heard) cut.push(await cuts(policy, { turn, chunks }));
  assert.deepEqual(cut, [true, false, false, false, true, false]);
});

test("memory keeps a thousand states and forgets the one longest unused", () => {
  const memory = new Memory(() => ({ touched: 0 }));
  memory.of("first").touched = 1;
  for (let i = 0; i < 999; i++) memory.of(String(i));
  assert.equal(memory.of("first").touched, 1);
  memory.of("one more");
  assert.equal(memory.size, 1000);
  assert.equal(memory.of("first").touched, 1);
});
