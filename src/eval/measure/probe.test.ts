import assert from "node:assert/strict";
import { test } from "node:test";
import { ConfigError, ModelError } from "../../base/errors.ts";
import { integer, random } from "../../base/random.ts";
import type { Model } from "../../core/types.ts";
import { simulated } from "../../models/simulated.ts";
import { VirtualClock } from "../../testing/clock.ts";
import { Asking } from "./asking.ts";
import { timeCalls } from "./calls.ts";
import { Coverage } from "./coverage.fixture.ts";
import { grade } from "./grading.ts";
import { leastBudget, probe } from "./probe.ts";
import type { ProbeOptions } from "./probe.ts";
import { speedsOf } from "./timings.ts";
import { checkProfile, formatProfile, parseProfile } from "./profile.ts";
import { sumPuzzle } from "./puzzles.ts";

const settings = 200;

function probing(model: (clock: VirtualClock) => Model, options: Partial<ProbeOptions> = {}) {
  const clock = new VirtualClock();
  return clock.run(probe(model(clock), { budget: leastBudget, clock, ...options }));
}

test("speeds of simulated models are recovered within the stated intervals in at least 93 % of random settings", async () => {
  const coverage = new Coverage();
  for (let seed = 0; seed < settings; seed++) {
    const next = random(seed);
    const between = (low: number, high: number) => low * (high / low) ** next();
    const [ttft, prefill, decode] = [between(20, 2000), between(500, 20_000), between(10, 300)];
    const cacheRead = prefill * between(1, 20);
    const jitter = next() < 0.1 ? 0 : 0.5 * next();
    const clock = new VirtualClock();
    const model = simulated({ clock, ttft, prefill, cacheRead, decode, jitter, seed });
    const timings = await clock.run(
      timeCalls(new Asking(model, { clock }), { until: 3000, rounds: 3, seed, tell: () => {} }),
    );
    const { speeds } = speedsOf(timings);
    coverage.add("time to first token", speeds.timeToFirstTokenMs, ttft);
    coverage.add("prefill", speeds.prefill, prefill);
    coverage.add("cache read", speeds.cacheRead, cacheRead);
    coverage.add("decode", speeds.decode, decode);
  }
  coverage.check({ share: 0.93, seen: 200 });
});

test("p_j, base, delta and epsilon of simulated models are recovered within the stated intervals in at least 93 %", async () => {
  const coverage = new Coverage();
  for (let seed = 0; seed < settings; seed++) {
    const next = random(seed + 1000);
    const steps = integer(next, 2, 4);
    const accuracy = Array.from({ length: steps }, () => 0.35 + 0.3 * next());
    const [delta, epsilon] = [0.07 * next(), 0.07 * next()];
    const clock = new VirtualClock();
    const fast = { ttft: 0, decode: Infinity, prefill: Infinity, cacheRead: Infinity, stepTokens: 8 };
    const model = simulated({ clock, ...fast, accuracy, delta, epsilon, seed });
    const asking = new Asking(model, { clock });
    const quality = await clock.run(grade(asking, { until: 9_000, seed, steps, tell: () => {} }));
    for (const [step, truth] of accuracy.entries()) coverage.add("p_j", quality?.profile[step], truth);
    coverage.add("base", quality?.base, accuracy.reduce((a, b) => a + b) / steps);
    coverage.add("delta", quality?.delta, delta);
    coverage.add("epsilon", quality?.epsilon, epsilon);
  }
  coverage.check({ share: 0.93, seen: 200 });
});

test("a probe keeps to its budget, gives the same profile for the same seed, and its profile is read as it was written", async () => {
  for (const budget of [leastBudget, 20_000]) {
    const model = (clock: VirtualClock) => simulated({ clock, ttft: 50, stepTokens: 12, jitter: 0.2, accuracy: 0.7 });
    const profile = await probing(model, { budget, seed: 3 });
    const spent = profile.from.inputTokens + profile.from.outputTokens;
    assert.ok(spent <= budget * 1.05, `${spent} of ${budget}`);
    assert.deepEqual(parseProfile(formatProfile(profile)), profile);
    assert.deepEqual(await probing(model, { budget, seed: 3 }), profile);
    assert.equal(profile.simulated, true);
    assert.equal(profile.cache, "request");
    if (budget > leastBudget) assert.ok(profile.quality !== null);
    assert.deepEqual(profile.tokens?.steps, { value: 4, low: 4, high: 4 });
    assert.equal(profile.tokens?.step.value, 12);
  }
});

test("speeds without bound are written and read", async () => {
  const free = await probing((clock) => simulated({ clock, prefill: Infinity, cacheRead: Infinity, stepTokens: 8 }));
  assert.equal(free.speeds.prefill?.high, Infinity);
  assert.deepEqual(parseProfile(formatProfile(free)), free);
});

test("failures now and then are left out; a model that always fails stops the probe with its error", async () => {
  const flaky = await probing((clock) => simulated({ clock, fail: 0.2, stepTokens: 8 }), { seed: 2 });
  assert.match(flaky.notes.join(" "), /calls or runs failed/);
  assert.ok(flaky.speeds.decode !== null);
  await assert.rejects(
    probing((clock) => simulated({ clock, fail: 1 })),
    (error: unknown) => error instanceof ModelError && error.message.startsWith("measuring stopped: "),
  );
});

test("a budget that is too small, a wrong number of steps, and an aborted signal end it in a line", async () => {
  const model = (clock: VirtualClock) => simulated({ clock });
  await assert.rejects(probing(model, { budget: 10 }), /^ConfigError: budget: must be at least 5000 tokens, got 10/);
  await assert.rejects(probing(model, { budget: Number.NaN }), ConfigError);
  await assert.rejects(probing(model, { steps: 0 }), /^ConfigError: steps: must be a whole number from 1 to 64/);
  await assert.rejects(probing(model, { signal: AbortSignal.abort(new Error("enough")) }), /enough/);
});

/** A judge that knows sums, and says the wrong thing at every `off`-th step. */
function judge(off: number): Model {
  let asked = 0;
  return {
    id: "judge",
    async *stream({ messages }) {
      const step = /solution:\n([^]*)\n\nIs/.exec(messages[0]!.content)?.[1] ?? "";
      const [, a, b, total] = /(\d+) \+ (\d+) = (\d+)\s*$/.exec(step) ?? [];
      const right = Number(a) + Number(b) === Number(total);
      await Promise.resolve();
      yield { type: "text", text: ++asked % off === 0 ? (right ? "No." : "Yes.") : right ? "Yes" : " no" };
      yield { type: "end", reason: "stop", usage: { calls: 1, inputTokens: 20, cachedTokens: 0, outputTokens: 1 } };
    },
  };
}

test("a judge model can say which steps are right, and its agreement with known steps is told", async () => {
  const model = (clock: VirtualClock) => simulated({ clock, ttft: 0, decode: Infinity, stepTokens: 8, accuracy: 0.6 });
  const options = { budget: 40_000, seed: 5 };
  const good = await probing(model, { ...options, quality: { puzzle: sumPuzzle, judge: judge(Infinity) } });
  assert.equal(good.quality?.judge.name, "judge");
  assert.equal(good.quality?.judge.agreement?.value, 1);
  const poor = await probing(model, { ...options, quality: { puzzle: sumPuzzle, judge: judge(3) } });
  const agreement = poor.quality!.judge.agreement!;
  assert.ok(agreement.low <= 2 / 3 && agreement.high >= 2 / 3 - 0.1 && agreement.high < 0.9, JSON.stringify(agreement));
  assert.ok(good.from.inputTokens + good.from.outputTokens <= options.budget * 1.05);
});

test("a profile that is none, of another version, or wrong in a place is refused with the place", async () => {
  const profile = await probing((clock) => simulated({ clock, stepTokens: 8 }), { budget: 20_000 });
  const refused = (change: object) => {
    try {
      checkProfile({ ...profile, ...change });
      return "accepted";
    } catch (error) {
      assert.ok(error instanceof ConfigError, String(error));
      return error.message;
    }
  };
  assert.match(refused({ version: 2 }), /^profile: is a profile of version 2, and this program reads version 1/);
  assert.match(refused({ kind: "trace" }), /^profile: is no profile/);
  assert.throws(() => parseProfile("{", "p.json"), /^ConfigError: p.json: is no JSON/);
  assert.throws(() => parseProfile("[1]", "p.json"), /^ConfigError: p.json: is no profile/);
  const { speeds, quality } = profile;
  const at = (value: number) => ({ value, low: value, high: value });
  assert.match(refused({ speeds: { ...speeds, decode: at(0) } }), /^profile speeds.decode: a speed must be above 0/);
  assert.match(refused({ speeds: { ...speeds, decode: undefined } }), /^profile speeds.decode: /);
  assert.match(refused({ quality: { ...quality, delta: at(1.5) } }), /^profile quality.delta.value: /);
  assert.match(refused({ quality: { ...quality, profile: [at(-1)] } }), /^profile quality.profile\[0\].value: /);
  assert.match(refused({ quality: { ...quality, profile: [] } }), /^profile quality.profile: /);
  const crossed = { value: 1, low: 2, high: 3 };
  assert.match(refused({ rho: crossed }), /^profile rho: the value must lie in its interval/);
  assert.match(refused({ extra: 1 }), /^profile: .*extra/);
});
