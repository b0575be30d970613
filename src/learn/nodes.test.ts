import assert from "node:assert/strict";
import { test } from "node:test";
import { heardEnough, simulatedListeners } from "../eval/index.ts";
import type { Sampling } from "./sample.ts";
import { sample } from "./sample.ts";
import { Slots } from "./slots.ts";
import { tookOf } from "./spent.ts";
import { all, draw, world } from "./world.fixture.ts";

const pause = () => new Promise((resolve) => setImmediate(resolve));

test("So many at once and no more, first come, first served, also where some fail", async () => {
  const slots = new Slots(2);
  const order: number[] = [];
  let [now, most] = [0, 0];
  const work = async (index: number) => {
    order.push(index);
    now++;
    most = Math.max(most, now);
    for (let turn = 0; turn < 3; turn++) await pause();
    now--;
    if (index % 3 === 0) throw new Error("failed");
    return index;
  };
  const ended = await Promise.allSettled([0, 1, 2, 3, 4, 5, 6].map((index) => slots.run(() => work(index))));
  assert.equal(most, 2);
  assert.deepEqual(order, [0, 1, 2, 3, 4, 5, 6]);
  assert.deepEqual(
    ended.map(({ status }) => status === "rejected"),
    [true, false, false, true, false, false, true],
  );
});

test("The nodes of one conversation are tried side by side, and come to what they come to one after the other", async () => {
  let [now, most] = [0, 0];
  const made = simulatedListeners({ accuracy: 1 });
  const listener: Sampling["listener"] = (seat) => {
    const model = made(seat);
    return {
      ...model,
      async *stream(request) {
        most = Math.max(most, ++now);
        try {
          await pause();
          yield* model.stream(request);
        } finally {
          now--;
        }
      },
    };
  };
  const samples = draw("train", 1);
  const beside = await all(world({ samples, listener, virtual: false, concurrency: 4 }));
  assert.ok(most > 1 && most <= 4, `${most}`);
  const apart = await all(world({ samples, listener, virtual: false }));
  const byChunk = (found: typeof apart) => found.points.toSorted((a, b) => a.chunk - b.chunk);
  assert.deepEqual(byChunk(beside), byChunk(apart));
});

test("Half of the nodes are where the policy is least sure, or where the answer is just out; chance draws the others", async () => {
  const samples = draw("train", 5);
  const measure: Sampling["measure"] = {
    features: ["chunks"],
    of: async ({ chunks }) => ({
      values: [chunks],
      usage: { calls: 0, inputTokens: 0, cachedTokens: 0, outputTokens: 0 },
    }),
  };
  const base = { samples, chunk: 4, nodes: 4, rollouts: 2, deterministic: true };
  const unsure = await all(world({ ...base, measure, doubt: ({ chunks = 0 }) => chunks - 5.5 }));
  for (const { id } of samples) {
    const chunks = unsure.points.filter((point) => point.sample === id).map(({ chunk }) => chunk);
    assert.equal(chunks.length, 4);
    assert.ok(chunks.includes(5) && chunks.includes(6), chunks.join());
  }
  const whole = await all(world({ ...base, nodes: undefined }));
  const hard = await all(world({ ...base, hard: true }));
  for (const one of samples) {
    const knows = ({ speaker, text }: { speaker: string; text: string }) =>
      heardEnough([{ agent: speaker, text }], one) === true;
    const first = whole.points.find((point) => point.sample === one.id && knows(point));
    if (first === undefined) continue;
    const chunks = hard.points.filter((point) => point.sample === one.id).map(({ chunk }) => chunk);
    assert.ok(
      chunks.includes(first.chunk) || chunks.includes(first.chunk - 1),
      `${chunks.join()} around ${first.chunk}`,
    );
  }
  await assert.rejects(all(world({ doubt: () => 0 })), /doubt: goes by what is measured/);
});

test("What each point took adds up to what all took, and a budget of money ends it", async () => {
  const priceOf = () => ({ currency: "USD", input: 1, cached: 0, output: 1e6 });
  const run = async (given: Partial<Sampling>) => {
    const made = [];
    const sampling = sample(world({ priceOf, samples: draw("train", 3), ...given }));
    for (let next = await sampling.next(); ; next = await sampling.next()) {
      if (next.done === true) return { made, end: next.value };
      made.push(next.value);
    }
  };
  const { made, end } = await run({});
  assert.equal(end.whole, true);
  for (const name of ["generated", "replayed", "amount"] as const) {
    const sum = made.reduce((total, { took }) => total + took[name], 0);
    assert.ok(Math.abs(sum - end.spent[name]) < 1e-6, `${name}: ${sum} and ${end.spent[name]}`);
  }
  assert.ok(end.spent.amount >= end.spent.generated);
  const short = await run({ budgetAmount: end.spent.amount / 3 });
  assert.equal(short.end.whole, false);
  assert.ok(short.made.length < made.length);
  const spentBefore = { generated: 0, amount: end.spent.amount };
  assert.equal((await run({ budgetAmount: end.spent.amount / 3, spentBefore })).made.length, 0);
});

test("Tokens are read again where an earlier prompt began the same and the cache did not help", () => {
  const prompts = new Map<string, string[]>();
  const usage = (inputTokens: number, cachedTokens: number) => ({
    calls: 1,
    inputTokens,
    cachedTokens,
    outputTokens: 5,
  });
  const call = { session: "a", price: undefined };
  const first = tookOf({ ...call, prompt: "x".repeat(100), said: "y".repeat(20), usage: usage(50, 0) }, prompts);
  assert.deepEqual([first.evaluated, first.again], [50, 0]);
  const going = `${"x".repeat(100)}${"y".repeat(20)}${"z".repeat(40)}`;
  const cached = tookOf({ ...call, prompt: going, said: "", usage: usage(80, 60) }, prompts);
  assert.deepEqual([cached.evaluated, cached.again], [20, 0]);
  const lost = tookOf({ ...call, prompt: going, said: "", usage: usage(80, 10) }, prompts);
  assert.deepEqual([lost.evaluated, lost.again], [70, 70]);
  const other = tookOf({ ...call, session: "b", prompt: going, said: "", usage: usage(80, 0) }, prompts);
  assert.equal(other.again, 0);
});
