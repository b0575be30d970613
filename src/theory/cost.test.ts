import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { ConfigError } from "../base/errors.ts";
import { cost } from "../core/usage.ts";
import type { Usage } from "../core/types.ts";
import { costRatio, priceRatios } from "./cost.ts";
import type { Plan } from "./plan.ts";
import { chain } from "./plan.ts";
import { contextRatios, totals } from "./schedule.ts";

const near = (actual: number, expected: number, relative = 1e-9) =>
  assert.ok(
    Math.abs(actual - expected) <= relative * Math.max(1e-9, Math.abs(expected)),
    `${actual} is not ${expected}`,
  );
// The paper's price list: 5 in, 0.5 cached, 25 out, per million.
const prices = { currency: "USD", input: 5, cached: 0.5, output: 25 };
const priceOf = (usage: Usage, price: typeof prices) => cost(usage, price).amount;
const paper = { ...priceRatios(prices), rho: 1, rPo: 0, steps: 4 };

const plans = fc
  .record({
    agents: fc.integer({ min: 1, max: 12 }),
    steps: fc.integer({ min: 1, max: 24 }),
    prompt: fc.integer({ min: 0, max: 3000 }),
    step: fc.integer({ min: 1, max: 300 }),
    cache: fc.constantFrom("off", "request", "conversation" as const),
    hear: fc.constantFrom("each", "waiting" as const),
  })
  .map(({ agents, steps, prompt, step, cache, hear }): Plan => {
    const speeds = { timeToFirstTokenMs: 300, prefill: 2000, cacheRead: 20_000, decode: 50 };
    return { ...chain(agents), protocol: "stream", hear, steps, tokens: { prompt, step }, speeds, cache };
  });

test("the ratio at measured α, β and ρ is the exact price of the stream run over theorem 3's serial price", () => {
  fc.assert(
    fc.property(plans, (plan) => {
      const stream = totals(plan);
      const { rCpd } = priceRatios(prices);
      const { hear: _, ...rest } = plan;
      const serial = totals({ ...rest, protocol: "serial" });
      const { alpha, beta, rPo } = contextRatios(stream, plan);
      const rho = stream.usage.outputTokens / serial.usage.outputTokens;
      const ratio = costRatio({ ...priceRatios(prices), rho, alpha, beta, rPo, steps: plan.steps });
      const said = (serial.usage.outputTokens * prices.output) / 1e6;
      const theirs = said * (rCpd * (1 + rPo / plan.steps) + 1);
      near(ratio * theirs, priceOf(stream.usage, prices));
      // Their serial price charges the first agent for S steps that it does not hear, and nothing else too much.
      near(theirs - priceOf(serial.usage, prices), (plan.steps * plan.tokens.step * prices.input) / 1e6, 1e-6);
    }),
  );
});

test("0.925 at A = S = 4 fits several α and β, and not the accounting by which each new step is read once", () => {
  for (const [alpha, beta] of [
    [0.25, 3],
    [7 / 16, 9 / 8],
    [0, 5.5],
    [0.4, 1.5],
  ] as const)
    near(costRatio({ ...paper, alpha, beta }), 0.925);
  near(costRatio({ ...paper, alpha: 1, beta: 3 }), 1.05);
});

test("without a price for reading only ρ is left, and the ratio is proportional to ρ", () => {
  near(costRatio({ ...paper, rCpd: 0, rho: 1.3, alpha: 9, beta: 9 }), 1.3);
  near(costRatio({ ...paper, rho: 2, alpha: 1, beta: 3 }), 2 * costRatio({ ...paper, alpha: 1, beta: 3 }));
});

test("caching never makes a run dearer where cached tokens are cheaper", () => {
  fc.assert(
    fc.property(plans, (plan) => {
      const [off, request, conversation] = (["off", "request", "conversation"] as const).map((cache) =>
        // The same calls: under `waiting`, faster reading would change who waits for whom.
        priceOf(totals({ ...plan, hear: "each", cache }).usage, prices),
      );
      assert.ok(request! <= off! && conversation! <= request!);
    }),
  );
});

test("what is out of range is refused by its name", () => {
  const cases: [string, () => unknown][] = [
    ["input", () => priceRatios({ input: 0, cached: 0, output: 1 })],
    ["output", () => priceRatios({ input: 1, cached: 0, output: 0 })],
    ["cached", () => priceRatios({ input: 1, cached: -1, output: 1 })],
    ["rho", () => costRatio({ ...paper, alpha: 0, beta: 0, rho: -1 })],
    ["steps", () => costRatio({ ...paper, alpha: 0, beta: 0, steps: 0 })],
  ];
  for (const [path, call] of cases)
    assert.throws(call, (error) => error instanceof ConfigError && error.path === path, path);
});
