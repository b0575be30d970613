import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { ConfigError } from "../base/errors.ts";
import { chain } from "./plan.ts";
import type { Plan } from "./plan.ts";
import { contextRatios, schedule, totals } from "./schedule.ts";
import { pipelineLimit, speedRatios, speedUpBound, uniformChain, waitingCalls } from "./speed.ts";

const near = (actual: number, expected: number, relative = 1e-9) =>
  assert.ok(Math.abs(actual - expected) <= relative * Math.max(1, Math.abs(expected)), `${actual} is not ${expected}`);
const size = fc.integer({ min: 1, max: 64 });
const ratio = fc.double({ min: 0, max: 10, noNaN: true });
const contexts = fc.record({ rPo: ratio, rDp: ratio, rDc: ratio, alpha: ratio, beta: ratio });
const none = { rPo: 0, rDp: 0, rDc: 0, alpha: 0, beta: 0 };

test("the 18 published shares of the bound are the published speed-ups over AS/(S+A−1), as exactly as those are printed", () => {
  // arXiv 2606.05158, project page, HMMT 2026 with GPT-5.4: speed-up and whole percent of the bound, by A, for each S.
  const steps = [2, 4, 8, 16, 32, 64];
  const published = [
    { agents: 4, speedUp: [1.3, 1.8, 2.02, 2.2, 2.19, 2.22], percent: [81, 79, 69, 65, 60, 58] },
    { agents: 16, speedUp: [1.75, 2.72, 4.32, 5.92, 7.45, 7.86], percent: [93, 81, 78, 72, 68, 61] },
    { agents: 64, speedUp: [1.92, 3.23, 5.83, 8.68, 17.09, 26.91], percent: [97, 85, 81, 67, 79, 83] },
  ];
  let same = 0;
  for (const { agents, speedUp, percent } of published)
    for (const [index, count] of steps.entries()) {
      const share = (printed: number) => (100 * printed) / pipelineLimit({ agents, steps: count });
      const [low, high] = [share(speedUp[index]! - 0.005), share(speedUp[index]! + 0.005)];
      assert.ok(Math.round(low) <= percent[index]! && percent[index]! <= Math.round(high), `A=${agents} S=${count}`);
      if (Math.round(share(speedUp[index]!)) === percent[index]) same++;
    }
  // A = 64, S = 2 is 97.5 % of the printed 1.92 and was printed as 97.
  assert.equal(same, 17);
});

test("the limit is 1 for one agent or one step, grows with both, and never exceeds either", () => {
  fc.assert(
    fc.property(size, size, (agents, steps) => {
      const limit = pipelineLimit({ agents, steps });
      assert.ok(limit <= Math.min(agents, steps));
      assert.ok(pipelineLimit({ agents: agents + 1, steps }) >= limit);
      assert.ok(pipelineLimit({ agents, steps: steps + 1 }) >= limit);
      assert.equal(pipelineLimit({ agents: 1, steps }), 1);
      assert.equal(pipelineLimit({ agents, steps: 1 }), 1);
    }),
  );
});

test("the bound falls to the limit as reading becomes free", () => {
  fc.assert(
    fc.property(size, size, contexts, (agents, steps, context) => {
      near(speedUpBound({ agents, steps, ...context, rDp: 0, rDc: 0 }), pipelineLimit({ agents, steps }));
      near(speedUpBound({ agents, steps, ...context, rDp: 1e-9, rDc: 1e-9 }), pipelineLimit({ agents, steps }), 1e-6);
    }),
  );
});

test("the bound rises with r_po and falls with α, β and r_dc", () => {
  fc.assert(
    fc.property(size, size, contexts, (agents, steps, context) => {
      const bound = (change: Partial<typeof none>) => speedUpBound({ agents, steps, ...context, ...change });
      assert.ok(bound({ rPo: context.rPo + 1 }) >= bound({}));
      for (const name of ["alpha", "beta", "rDc"] as const)
        assert.ok(bound({ [name]: context[name] + 1 }) <= bound({}));
    }),
  );
});

/** A chain without time to first token, on a model with these speeds. */
const plain = (input: { agents: number; steps: number; prompt: number; prefill: number; cacheRead: number }): Plan => ({
  ...chain(input.agents),
  protocol: "stream",
  steps: input.steps,
  tokens: { prompt: input.prompt, step: 100 },
  speeds: { timeToFirstTokenMs: 0, prefill: input.prefill, cacheRead: input.cacheRead, decode: 50 },
});
const models = fc.record({
  agents: fc.integer({ min: 1, max: 12 }),
  steps: fc.integer({ min: 1, max: 24 }),
  prompt: fc.integer({ min: 0, max: 2000 }),
  prefill: fc.integer({ min: 500, max: 10_000 }),
  cacheRead: fc.integer({ min: 20_000, max: 100_000 }),
});
const caches = fc.constantFrom("off", "request", "conversation" as const);

test("the bound's numerator is the serial time of a chain, but for S·r_dp that its first agent does not read", () => {
  fc.assert(
    fc.property(models, (model) => {
      const { agents, steps } = model;
      const { rDp } = speedRatios(plain(model).speeds);
      const stepMs = 2000;
      const serial = totals({ ...plain(model), protocol: "serial" }).makespanMs / stepMs;
      near(agents * ((steps + model.prompt / 100) * rDp + steps) - steps * rDp, serial);
    }),
  );
});

test("no chain with growing contexts is faster than the bound at the α, β and r_po measured on it", () => {
  fc.assert(
    fc.property(models, caches, (model, cache) => {
      const plan: Plan = { ...plain(model), cache };
      const stream = totals(plan);
      const exact = totals({ ...plan, protocol: "serial" }).makespanMs / stream.makespanMs;
      const bound = speedUpBound({ ...model, ...speedRatios(plan.speeds), ...contextRatios(stream, plan) });
      assert.ok(exact <= bound * (1 + 1e-9), `${exact} exceeds ${bound}`);
    }),
  );
});

/** A chain in which a call costs `first` and each step `step` milliseconds. */
const uniform = (input: { agents: number; steps: number; first: number; step: number }): Plan => ({
  ...chain(input.agents),
  protocol: "stream",
  steps: input.steps,
  tokens: { prompt: 0, step: 1 },
  speeds: { timeToFirstTokenMs: input.first, prefill: Infinity, cacheRead: Infinity, decode: 1000 / input.step },
});
const uniforms = fc.record({
  agents: fc.integer({ min: 1, max: 20 }),
  steps: size,
  first: fc.integer({ min: 0, max: 4000 }),
  step: fc.integer({ min: 1, max: 1000 }),
});

test("the closed forms of a uniform chain are what the recurrences give", () => {
  fc.assert(
    fc.property(uniforms, (input) => {
      const plan = uniform(input);
      const closed = uniformChain({ ...input, timeToFirstTokenMs: input.first, stepMs: input.step });
      const [single, serial, segmented, stream] = (["single", "serial", "segmented", "stream"] as const).map(
        (protocol) => totals({ ...plan, protocol }),
      );
      near(closed.singleMs, single!.makespanMs);
      near(closed.serialMs, serial!.makespanMs);
      near(closed.segmentedMs, segmented!.makespanMs);
      near(closed.streamMs, stream!.makespanMs);
      assert.equal(closed.streamCalls, stream!.usage.calls);
      assert.equal(closed.streamCalls, segmented!.usage.calls);
      near(closed.selfReferenced, stream!.busyMs / stream!.makespanMs);
    }),
  );
});

test("the calls of the second agent under waiting are counted by the closed form, ties included", () => {
  fc.assert(
    fc.property(uniforms, fc.boolean(), (input, tie) => {
      const first = tie ? input.step * (input.first % 8) : input.first;
      const waiting = schedule({ ...uniform({ ...input, agents: 2, first }), hear: "waiting" });
      const calls = waitingCalls({ steps: input.steps, timeToFirstTokenMs: first, stepMs: input.step });
      assert.equal(waiting.agents[1]!.usage.calls, calls);
    }),
  );
});

test("a time to first token as long as a step costs a call per step half of the speed-up, and waiting much less", () => {
  const input = { agents: 4, steps: 64, first: 500, step: 500 };
  const each = totals(uniform(input));
  assert.deepEqual([each.makespanMs, each.usage.calls], [67_000, 193]);
  const waiting = totals({ ...uniform(input), hear: "waiting" });
  assert.deepEqual([waiting.makespanMs, waiting.usage.calls], [46_000, 52]);
  const closed = uniformChain({ agents: 4, steps: 64, timeToFirstTokenMs: 500, stepMs: 500 });
  assert.equal(Math.round(100 * closed.shareOfLimit), 51);
});

test("against its own call times a chain seems to lose less to the time to first token: never below (A−1)/A of the limit", () => {
  fc.assert(
    fc.property(uniforms, ({ agents, steps, first, step }) => {
      const closed = uniformChain({ agents, steps, timeToFirstTokenMs: first, stepMs: step });
      const share = closed.selfReferenced / pipelineLimit({ agents, steps });
      assert.ok(closed.selfReferenced >= closed.speedUp - 1e-9);
      assert.ok(share >= (agents - 1) / agents - 1e-9 && share <= 1 + 1e-9, `${share}`);
    }),
  );
  const endless = uniformChain({ agents: 4, steps: 64, timeToFirstTokenMs: 1e9, stepMs: 1 });
  assert.equal(Math.round((100 * endless.selfReferenced) / pipelineLimit({ agents: 4, steps: 64 })), 75);
});

test("what is out of range is refused by its name", () => {
  const sized = { agents: 4, steps: 8 };
  const cases: [string, () => unknown][] = [
    ["agents", () => pipelineLimit({ ...sized, agents: 0 })],
    ["steps", () => pipelineLimit({ ...sized, steps: 1.5 })],
    ["alpha", () => speedUpBound({ ...sized, ...none, alpha: -1 })],
    ["rDp", () => speedUpBound({ ...sized, ...none, rDp: Number.NaN })],
    ["prefill", () => speedRatios({ decode: 50, prefill: 0, cacheRead: 1 })],
    ["decode", () => speedRatios({ decode: Infinity, prefill: 1, cacheRead: 1 })],
    ["stepMs", () => uniformChain({ ...sized, timeToFirstTokenMs: 0, stepMs: 0 })],
    ["timeToFirstTokenMs", () => waitingCalls({ steps: 8, timeToFirstTokenMs: -1, stepMs: 1 })],
  ];
  for (const [path, call] of cases)
    assert.throws(call, (error) => error instanceof ConfigError && error.path === path, path);
});
