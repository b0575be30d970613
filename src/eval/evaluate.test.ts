import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { test } from "node:test";
import { ConfigError, ModelError } from "../base/errors.ts";
import { armsNamed } from "./arms.ts";
import type { Casting } from "./cast.ts";
import { evaluate } from "./evaluate.ts";
import type { Evaluation } from "./evaluate.ts";
import { all, small } from "./play.fixture.ts";
import { keyOf } from "./result.ts";
import type { Result } from "./result.ts";
import { simulatedListeners, simulatedSpeakers } from "./simulated-listener.ts";
import { clues } from "./tasks/clues.ts";
import { debate } from "./tasks/debate.ts";
import { meeting } from "./tasks/meeting.ts";
import { pictionary } from "./tasks/pictionary.ts";
import type { Task } from "./task.ts";

const sorted = (results: readonly Result[]) => results.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));

function onTask(task: Task, names: readonly string[], overrides: Partial<Evaluation> = {}): Evaluation {
  const samples = task.samples({ split: "dev", size: 2, seed: 2 });
  const arms = armsNamed(names, { lead: samples[0]?.answer.marker });
  return small({ task, samples, arms, speaker: simulatedSpeakers({ decode: 50 }), pace: "live", ...overrides });
}

const failing: Casting = () => ({
  id: "failing",
  stream() {
    throw new ModelError("no such model", { model: "failing" });
  },
});

test("every sample, repeat and arm has one result, and its parts add up to what the models charged", async () => {
  const names = ["never", "after:1", "random:0.3", "prompted", "yesno:0.5", "own:0.5", "oracle"];
  for (const task of [pictionary(), meeting(), debate(), clues({ choices: 4 }), small().task]) {
    const results = await all(onTask(task, names));
    assert.equal(new Set(results.map(keyOf)).size, 2 * names.length, task.name);
    for (const { cost, usage, floorBack, cuts, policy, rounds, wallMs, answerMs = 0, detail, failure } of results) {
      const where = `${task.name} ${policy}: ${detail}`;
      assert.equal(failure, undefined, where);
      assert.equal(cost.spoken + cost.overrun + cost.decisions + cost.replies, cost.total, where);
      assert.equal(cost.total, usage.outputTokens, where);
      assert.ok(floorBack <= cost.replies && rounds >= 1 && answerMs <= wallMs, where);
      if (policy === "never") assert.deepEqual(cuts, []);
    }
  }
});

test("all arms hear the same message from the same start, and an evaluation repeats itself", async () => {
  const results = await all(small({ repeats: 2 }));
  assert.deepEqual(sorted(await all(small({ repeats: 2, concurrency: 4 }))), sorted(results));
  const spoken = (policy: string) =>
    results.filter((result) => result.policy === policy).map(({ cost }) => cost.spoken);
  for (const share of results.flatMap(({ cuts }) => cuts.map((cut) => cut.share)))
    assert.ok(share !== undefined && share <= 1);
  assert.ok(spoken("after:2").every((tokens, index) => tokens <= (spoken("never")[index] ?? 0)));
});

test("a cut that came too early is known as wrong, and the floor is given back until the answer is there", async () => {
  const results = await all(small({ arms: armsNamed(["after:1", "oracle"]) }));
  const early = results.filter(({ policy }) => policy === "after:1").flatMap(({ cuts }) => cuts);
  assert.ok(early.some(({ wrong }) => wrong === "floor"));
  const back = results.filter(({ floorBack }) => floorBack > 0);
  assert.ok(back.length > 0);
  // Told to go on, nothing is lost: what never answers right is answered right after all.
  const by = new Map(results.map((result) => [keyOf(result), result.success]));
  for (const result of back) assert.equal(result.success, by.get(keyOf({ ...result, policy: "never" })));
  for (const { cuts } of results.filter(({ policy }) => policy === "oracle"))
    assert.ok(cuts.every(({ wrong }) => wrong !== "early" && wrong !== "floor"));
});

test("the oracle succeeds as often as hearing everything and costs no more", async () => {
  for (const task of [small().task, clues({ choices: 4 }), pictionary({ choices: 8 })]) {
    const results = await all(onTask(task, ["oracle"]));
    const never = new Map(results.filter(({ policy }) => policy === "never").map((result) => [result.sample, result]));
    for (const best of results.filter(({ policy }) => policy === "oracle")) {
      const full = never.get(best.sample);
      assert.ok((best.success ?? 0) >= (full?.success ?? 0), best.detail);
      if (full?.success === 1) assert.ok(best.cost.total <= full.cost.total);
    }
  }
});

test("failed conversations are results of their own kind, and a cast that never works ends it", async () => {
  const listener = simulatedListeners();
  const broken: Casting = (seat) => (seat.sample.id === small().samples[1]?.id ? failing(seat) : listener(seat));
  const results = await all(small({ listener: broken }));
  const failed = results.filter(({ failure }) => failure !== undefined);
  assert.equal(failed.length, 3);
  assert.ok(failed.every(({ success, failure }) => success === undefined && failure?.name === "ModelError"));
  const seen: Result[] = [];
  const hopeless = async () => {
    for await (const result of evaluate(small({ listener: failing }))) seen.push(result);
  };
  await assert.rejects(hopeless(), /the first 5 conversations all failed: no such model/);
  assert.equal(seen.length, 5);
});

test("what is done is not played again but counts against the budget, which stops between samples", async () => {
  const first = await all(small());
  const tokens = first.reduce((sum, { spent }) => sum + spent.inputTokens + spent.outputTokens, 0);
  assert.deepEqual(await all(small({ done: first })), []);
  const done = first.slice(0, 4);
  const rest = await all(small({ done }));
  assert.deepEqual(sorted([...done, ...rest]), sorted(first));
  const playing = evaluate(small({ budget: { tokens: tokens / 2 } }));
  let played = 0;
  let next = await playing.next();
  for (; next.done !== true; next = await playing.next()) played++;
  assert.equal(next.value, "budget");
  assert.ok(played >= first.length / 2 - 3 && played < first.length && played % 3 === 0, `${played}`);
  assert.deepEqual(await all(small({ done, budget: { tokens: 1 } })), []);
});

test("the signal ends it with its reason, leaving ends it too, and no listener is left", async () => {
  const stop = new AbortController();
  const seen: Result[] = [];
  const stopped = async () => {
    for await (const result of evaluate(small({ signal: stop.signal, concurrency: 2 }))) {
      seen.push(result);
      if (seen.length === 4) stop.abort(new Error("enough"));
    }
  };
  await assert.rejects(stopped(), /enough/);
  assert.ok(seen.length >= 4 && seen.length < 18);
  assert.equal(getEventListeners(stop.signal, "abort").length, 0);
  for await (const result of evaluate(small())) {
    assert.ok(result.sample !== "");
    break;
  }
});

test("where all listen to each other, each may cut the others, and parts still add up", async () => {
  const base = small();
  const samples = base.samples.map((sample) => ({
    ...sample,
    roles: sample.roles.map((role) => ({ ...role, listens: true })),
  }));
  const speaking = base.speaker as Casting;
  const listening = base.listener as Casting;
  const listener: Casting = (seat) => (seat.role.says === undefined ? listening(seat) : speaking(seat));
  const results = await all(small({ samples, listener, arms: armsNamed(["after:2"]) }));
  const cut = results.filter(({ policy }) => policy === "after:2").flatMap(({ cuts }) => cuts);
  assert.ok(
    cut.length > 0 && cut.every(({ by, speaker, chunk }) => by === "reader" && speaker === "reporter" && chunk === 2),
  );
  for (const { cost, usage } of results) assert.equal(cost.total, usage.outputTokens);
});

test("money is counted by the price of each model, a template's words by that of its listener", async () => {
  const price = { currency: "USD", input: 1, cached: 0.1, output: 10 };
  const priceOf = (model: string) => (model === "template" ? undefined : price);
  for (const { money, usage, cost } of await all(small({ priceOf }))) {
    const expected = ((usage.inputTokens - usage.cachedTokens) * 1 + usage.cachedTokens * 0.1 + cost.total * 10) / 1e6;
    assert.equal(money?.currency, "USD");
    assert.ok(Math.abs((money?.amount ?? 0) - expected) < 1e-12);
  }
  const [unpriced] = await all(small({ priceOf: () => undefined }));
  assert.equal(unpriced?.money, undefined);
});

test("settings out of range, arms given twice and samples that nobody listens to are named", async () => {
  const base = small();
  const deaf = base.samples.map((sample) => ({
    ...sample,
    roles: sample.roles.map((role) => ({ ...role, listens: false })),
  }));
  const wrong: readonly [Partial<Evaluation>, RegExp][] = [
    [{ chunk: 0 }, /^chunk: .* was 0$/],
    [{ repeats: 1.5 }, /^repeats: /],
    [{ concurrency: -1 }, /^concurrency: /],
    [{ samples: [] }, /^samples: /],
    [{ arms: [] }, /^arms: /],
    [{ arms: [...base.arms, ...base.arms] }, /^arms: "never" is there twice$/],
    [{ samples: deaf }, /none of its roles listens/],
    [{ pace: "slow" as "live" }, /^pace: "slow"/],
    [{ seed: "a" as unknown as number }, /^seed: must be a whole number; was "a"$/],
    [{ temperature: -1 }, /^temperature: must be at least 0; was -1$/],
    [{ chunks: 4 } as Partial<Evaluation>, /^chunks: is no option of an evaluation; there are task,/],
  ];
  for (const [overrides, message] of wrong)
    await assert.rejects(all(small(overrides)), (error) => error instanceof ConfigError && message.test(error.message));
});
