import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { Log } from "../base/log.ts";
import { ModelError } from "../base/errors.ts";
import type { Message, Model, ModelPart, ModelRequest } from "../core/types.ts";
import { modelSuite } from "../testing/model-suite.ts";
import { VirtualClock } from "../testing/clock.ts";
import type { SimulatedOptions } from "./simulated-settings.ts";
import { simulated } from "./simulated.ts";

const user = (content: string): Message => ({ role: "user", content });
const assistant = (content: string): Message => ({ role: "assistant", content });
const instant = { ttft: 0, prefill: Infinity, cacheRead: Infinity, decode: Infinity } as const;

type Said = { readonly text: string; readonly times: readonly number[]; readonly end: ModelPart & { type: "end" } };

/** One call under a virtual clock, with the moment of each token. */
async function call(options: SimulatedOptions, request: ModelRequest, clock = new VirtualClock()): Promise<Said> {
  return clock.run(collect(simulated({ ...options, clock }), request, clock));
}

async function collect(model: Model, request: ModelRequest, clock: VirtualClock): Promise<Said> {
  const parts: ModelPart[] = [];
  const times: number[] = [];
  for await (const part of model.stream(request)) {
    parts.push(part);
    if (part.type === "text") times.push(clock.now());
  }
  const end = parts.pop();
  assert.ok(end?.type === "end");
  const text = parts.map((part) => (part.type === "text" ? part.text : "")).join("");
  return { text, times, end };
}

const ask = (steps: number): readonly Message[] => [user(`Solve it in ${steps} steps.`)];

test("the k-th token comes at start + ttft + reading the prompt + k / decode, and is counted", () =>
  fc.assert(
    fc.asyncProperty(
      fc.record({
        ttft: fc.integer({ min: 0, max: 5000 }),
        prefill: fc.integer({ min: 1, max: 100000 }),
        decode: fc.integer({ min: 1, max: 1000 }),
        stepTokens: fc.integer({ min: 1, max: 60 }),
        steps: fc.integer({ min: 1, max: 8 }),
        seed: fc.integer(),
      }),
      fc.string({ maxLength: 200 }),
      async (options, content) => {
        const { times, end } = await call(options, { messages: [user(content)] });
        const read = (1000 * Math.ceil(content.length / 4)) / options.prefill;
        const tokens = options.steps * options.stepTokens;
        assert.equal(times.length, tokens);
        times.forEach((time, index) => {
          const due = options.ttft + read + (1000 * (index + 1)) / options.decode;
          assert.ok(Math.abs(time - due) < 1e-6, `token ${index} at ${time}, not ${due}`);
        });
        const usage = { calls: 1, inputTokens: Math.ceil(content.length / 4), cachedTokens: 0, outputTokens: tokens };
        assert.deepEqual(end, { type: "end", reason: "stop", usage });
      },
    ),
    { numRuns: 60 },
  ));

test("the words depend on seed and messages, not on the order of calls or on time", async () => {
  const one = simulated({ ...instant, seed: 1 });
  const other = simulated({ ...instant, seed: 1, ttft: 1 });
  const clock = new VirtualClock();
  const [a, b] = [{ messages: [user("a")] }, { messages: [user("b")] }];
  const forward = [await collect(one, a, clock), await collect(one, b, clock)].map(({ text }) => text);
  const backward = [await collect(other, b, clock), await collect(other, a, clock)].map(({ text }) => text);
  assert.deepEqual(forward, backward.toReversed());
  assert.notEqual(forward[0], forward[1]);
  assert.notEqual((await collect(one, { ...a, seed: 2 }, clock)).text, forward[0]);
  assert.notEqual((await call({ ...instant, seed: 2 }, a)).text, forward[0]);
});

test("a limit of tokens ends with length, a stop text is generated and not said", async () => {
  const whole = (await call(instant, { messages: ask(2) })).text;
  const limited = await call(instant, { messages: ask(2), maxTokens: 5 });
  assert.deepEqual(
    [limited.text, limited.end.reason, limited.end.usage.outputTokens],
    [whole.slice(0, 20), "length", 5],
  );
  const stopped = await call(instant, { messages: ask(2), stop: ["nowhere", "END_STEP"] });
  assert.equal(stopped.text, whole.slice(0, whole.indexOf("END_STEP")));
  assert.equal(stopped.end.reason, "stop");
  assert.equal(stopped.end.usage.outputTokens, Math.ceil((stopped.text.length + "END_STEP".length) / 4));
});

test("an abort ends the call within its sleep, with what was generated", () =>
  fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: 2000 }), async (at) => {
      const clock = new VirtualClock();
      const controller = new AbortController();
      const model = simulated({ ttft: 500, decode: 50, prefill: Infinity, clock });
      const abort = clock.sleep(at + 0.5).then(() => controller.abort());
      const said = await clock.run(collect(model, { messages: ask(4), signal: controller.signal }, clock));
      await abort;
      const tokens = Math.max(0, Math.floor((at + 0.5 - 500) / 20));
      assert.equal(said.end.reason, "interrupted");
      assert.deepEqual([said.times.length, said.end.usage.outputTokens], [tokens, tokens]);
      assert.equal(clock.now(), at + 0.5);
    }),
    { numRuns: 30 },
  ));

test("cached tokens are read at their own speed", async () => {
  const clock = new VirtualClock();
  const model = simulated({ ttft: 0, prefill: 100, cacheRead: 1000, decode: Infinity, clock });
  const request = { messages: [user("x".repeat(400))] };
  await clock.run(collect(model, request, clock));
  assert.equal(clock.now(), 1000);
  await clock.run(collect(model, request, clock));
  assert.equal(clock.now(), 1100);
});

test("jitter spreads the gaps around their mean, the same for the same call", async () => {
  const options = { ttft: 1000, prefill: Infinity, decode: 10, jitter: 0.5, stepTokens: 100 };
  const { times } = await call(options, { messages: ask(10) });
  assert.deepEqual((await call(options, { messages: ask(10) })).times, times);
  const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0));
  assert.ok(gaps.every((gap) => gap >= 50 && gap <= 150));
  const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length;
  assert.ok(Math.abs(mean - 100) < 5);
  assert.ok(Math.max(...gaps) - Math.min(...gaps) > 80);
});

test("a failing call is refused at once with a status, and its repetition has a new chance", async () => {
  const model = simulated({ ...instant, fail: 0.5 });
  const statuses: (number | undefined)[] = [];
  for (let i = 0; i < 200; i++) {
    try {
      await collect(model, { messages: [user("again")] }, new VirtualClock());
    } catch (error) {
      assert.ok(error instanceof ModelError && error.retryable);
      assert.equal(error.retryAfterMs, error.status === 429 ? 1000 : undefined);
      statuses.push(error.status);
    }
  }
  assert.ok(statuses.length > 60 && statuses.length < 140);
  assert.deepEqual(new Set(statuses), new Set([429, 500]));
});

test("a stalled call waits for its abort, a truncated one ends without its end, one that breaks off fails", async () => {
  const clock = new VirtualClock();
  const controller = new AbortController();
  void clock.sleep(60_000).then(() => controller.abort());
  const model = simulated({ stall: 1, clock });
  const { end } = await clock.run(collect(model, { messages: ask(2), signal: controller.signal }, clock));
  assert.deepEqual([end.reason, clock.now()], ["interrupted", 60_000]);
  const cut = await call({ truncate: 1 }, { messages: ask(2) });
  assert.equal(cut.end.reason, "truncated");
  assert.ok(cut.times.length > 0 && cut.times.length < 24);
  await assert.rejects(call({ breakOff: 1 }, { messages: ask(2) }), { name: "ModelError", truncated: true });
});

test("choosing takes the time of one token and leans to the first option the more was heard", async () => {
  const clock = new VirtualClock();
  const model = simulated({ ttft: 100, prefill: Infinity, decode: 50, clock });
  const choose = (messages: readonly Message[]) => clock.run(model.choose!({ messages }, ["Yes", "No"]));
  const early = await choose([user("short")]);
  const late = await choose([user("long ".repeat(400))]);
  assert.equal(clock.now(), 240);
  assert.deepEqual(early.usage, { calls: 1, inputTokens: 2, cachedTokens: 0, outputTokens: 1 });
  assert.ok((early.probabilities[0] ?? 1) < 0.3 && (late.probabilities[0] ?? 0) > 0.8);
  for (const { probabilities } of [early, late]) {
    assert.ok(Math.abs(probabilities.reduce((sum, p) => sum + p, 0) - 1) < 1e-12);
  }
  assert.equal(late.top?.text, "Yes");
});

/** A chain in the plainest way: each agent hears the steps of the one before as they complete, a call for each. */
async function chain(agents: number, steps: number, model: Model): Promise<void> {
  const logs = Array.from({ length: agents }, () => new Log<string>());
  const speak = async (index: number, messages: Message[]) => {
    let [text, buffer] = ["", ""];
    for await (const part of model.stream({ messages, session: String(index) })) {
      if (part.type !== "text") continue;
      text += part.text;
      buffer += part.text;
      if (!buffer.endsWith("END_STEP\n")) continue;
      logs[index]?.append(buffer);
      buffer = "";
    }
    messages.push(assistant(text));
  };
  const agent = async (index: number) => {
    const messages: Message[] = [user(`Task in ${steps} steps.`)];
    if (index === 0) await speak(index, messages);
    else for await (const step of logs[index - 1]!) await speak(index, (messages.push(user(step)), messages));
    logs[index]?.close();
  };
  await Promise.all(logs.map((_, index) => agent(index)));
  assert.ok(logs.every((log) => log.items.length === steps));
}

test("a streamed chain of A agents and S steps takes S + A - 1 steps of time, to the millisecond", () =>
  fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 6 }),
      fc.integer({ min: 1, max: 6 }),
      fc.record({ decode: fc.integer({ min: 1, max: 500 }), stepTokens: fc.integer({ min: 1, max: 30 }) }),
      async (agents, steps, { decode, stepTokens }) => {
        const clock = new VirtualClock();
        const model = simulated({ ttft: 0, prefill: Infinity, cacheRead: Infinity, decode, stepTokens, clock });
        await clock.run(chain(agents, steps, model));
        const bound = (1000 * (steps + agents - 1) * stepTokens) / decode;
        assert.ok(Math.abs(clock.now() - bound) < 1e-6, `${clock.now()}, not ${bound}`);
      },
    ),
    { numRuns: 40 },
  ));

test("tokens that are due at once neither sleep nor starve the event loop", async () => {
  let turns = 0;
  let over = false;
  const turn = () => {
    turns++;
    if (!over) setImmediate(turn);
  };
  setImmediate(turn);
  let tokens = 0;
  const before = performance.now();
  for await (const part of simulated({ ...instant, stepTokens: 100 }).stream({ messages: ask(200) })) {
    if (part.type === "text") tokens++;
  }
  over = true;
  assert.equal(tokens, 20_000);
  assert.ok(turns >= 70, `${turns} turns`);
  assert.ok(performance.now() - before < 2000);
});

test("on the machine's own clock no token comes before its time, and other clocks are never waited for busily", async () => {
  for (const precise of [false, true]) {
    const start = performance.now();
    let tokens = 0;
    for await (const part of simulated({ ...instant, decode: 400, precise }).stream({
      messages: ask(1),
      maxTokens: 6,
    })) {
      if (part.type === "text") assert.ok(performance.now() - start >= 2.5 * ++tokens);
    }
    assert.equal(tokens, 6);
  }
  const { times } = await call({ ttft: 0, prefill: Infinity, decode: 1000, precise: true }, { messages: ask(1) });
  assert.deepEqual(times.slice(0, 3), [1, 2, 3]);
});

test("options out of their range are refused by name", () => {
  const refused = (options: SimulatedOptions, wanted: RegExp) => assert.throws(() => simulated(options), wanted);
  refused({ decode: 0 }, /^ConfigError: decode: 0 is not a number above 0/);
  refused({ jitter: 1.5 }, /jitter: 1.5 is not a number of at least 0 and at most 1/);
  refused({ steps: 2.5 }, /steps: 2.5 is not a whole number/);
  refused({ ttft: Number.NaN }, /ttft: NaN/);
  refused({ accuracy: [] }, /accuracy: give at least one/);
  refused({ accuracy: [0.5, 2] }, /accuracy: 2 is not/);
  refused({ cache: "disk" as "off" }, /cache: "disk" is none of shared, session, off/);
});

const behaviours: Readonly<Record<string, SimulatedOptions>> = {
  plain: instant,
  slow: { ...instant, decode: 50, steps: 1000 },
  silent: { ttft: 1e8 },
  close: { ...instant, truncate: 1 },
  fail: { ...instant, breakOff: 1 },
};

modelSuite("simulated", {
  make: (behaviour) => {
    const options = behaviours[behaviour];
    return options === undefined ? { skip: "nothing but the caller times it out" } : { model: simulated(options) };
  },
});
