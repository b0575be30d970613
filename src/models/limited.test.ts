import assert from "node:assert/strict";
import { test } from "node:test";
import { asyncProperty, assert as always, array, integer, record } from "fast-check";
import { ModelError } from "../base/errors.ts";
import { random } from "../base/random.ts";
import type { Model, ModelPart, ModelRequest } from "../core/types.ts";
import { VirtualClock } from "../testing/clock.ts";
import { type Line, scripted } from "../testing/scripted.ts";
import { answering, collect } from "./__fixtures__/answering.ts";
import { say } from "./__fixtures__/server.ts";
import { gate, gateFor, limited, type LimitedOptions } from "./limited.ts";
import { countTokens, estimate } from "./tokens.ts";

const messages = [{ role: "user", content: "Count." }] as const;
const inputTokens = "Count.".length;

// Loading the vocabulary takes real time, which a virtual clock does not wait for.
await countTokens("a");

const failing = (more: Partial<ConstructorParameters<typeof ModelError>[1]> = {}) => ({
  fail: new ModelError("test: busy", { model: "test", retryable: true, ...more }),
});

/** A limited model that plays these tries. */
function playing(tries: readonly (readonly Line[])[], options: LimitedOptions = {}, continues = false) {
  const clock = new VirtualClock();
  const began: number[] = [];
  const inner = scripted(clock, (call) => {
    began.push(clock.now());
    return tries[call] ?? ["done"];
  });
  const model = limited({ ...inner, continues }, { clock, random: random(1), ...options });
  return { clock, began, inner, model };
}

const two = { calls: 1, inputTokens, cachedTokens: 0, outputTokens: 2 };

test("a call that is let in at once passes through untouched", async () => {
  const { clock, model } = playing([["a", "b"]]);
  assert.deepEqual(await clock.run(collect(model.stream({ messages }))), [
    { type: "text", text: "a", tokens: 1 },
    { type: "text", text: "b", tokens: 1 },
    { type: "end", reason: "stop", usage: two },
  ]);
});

test("after 429 it waits at least as long as Retry-After asks, and shows the wait", async () => {
  const { clock, began, model } = playing([[failing({ status: 429, retryAfterMs: 7000 })], ["a", "b"]]);
  const parts = await clock.run(collect(model.stream({ messages })));
  const [first, second] = parts;
  assert.deepEqual(first, { type: "wait" });
  assert.ok(began[1]! >= 7000 && began[1]! <= 8000, String(began[1]));
  assert.deepEqual(second, { type: "wait", ms: began[1] });
  assert.deepEqual(parts.at(-1), { type: "end", reason: "stop", usage: two });
});

test("a 429 holds back everybody at the gate", async () => {
  const { clock, began, model } = playing([[failing({ status: 429, retryAfterMs: 5000 })]]);
  const later = async () => {
    await clock.sleep(1000);
    return collect(model.stream({ messages }));
  };
  const [, second] = await clock.run(Promise.all([collect(model.stream({ messages })), later()]));
  assert.ok(
    began.slice(1).every((at) => at >= 5000),
    String(began),
  );
  assert.equal(second?.[0]?.type, "wait");
});

test("failures without Retry-After wait longer and longer, by chance at most twice as long", async () => {
  const { clock, began, model } = playing([[failing()], [failing({ status: 500 })], [failing()], ["ok"]]);
  await clock.run(collect(model.stream({ messages })));
  const pauses = began.slice(1).map((at, index) => at - began[index]!);
  pauses.forEach((pause, index) => {
    const most = 500 * 2 ** index;
    assert.ok(pause >= most / 2 && pause <= most, String(pauses));
  });
});

for (const [what, tries, options] of [
  ["that would fail again", [[failing({ retryable: false })]], {}],
  ["when no try is left", [[failing()], [failing()]], { retries: 1 }],
  ["where the provider asks for more patience than allowed", [[failing({ retryAfterMs: 9000 })]], { maxWaitMs: 8999 }],
] as const) {
  test(`the failure is thrown ${what}`, async () => {
    const { clock, inner, model } = playing(tries, options);
    await assert.rejects(clock.run(collect(model.stream({ messages }))), { name: "ModelError", message: "test: busy" });
    assert.equal(inner.requests.length, tries.length);
  });
}

test("what is not the provider's failure is thrown as it is", async () => {
  const { clock, model } = playing([[{ fail: new TypeError("a bug") }]]);
  await assert.rejects(clock.run(collect(model.stream({ messages }))), new TypeError("a bug"));
});

test("once something was said it is never said again: the call fails as truncated", async () => {
  for (const last of [failing(), { do: "close" } as const]) {
    const { clock, inner, model } = playing([["so", " far", last]]);
    const heard: ModelPart[] = [];
    const reading = async () => {
      for await (const part of model.stream({ messages })) heard.push(part);
    };
    await assert.rejects(clock.run(reading()), { name: "ModelError", truncated: true });
    assert.equal(heard.length, 2);
    assert.equal(inner.requests.length, 1);
  }
});

test("a model that can go on from a prefix resumes, and all tries are charged", async () => {
  const { clock, inner, model } = playing(
    [
      ["so", " far", failing()],
      [" so", " good"],
    ],
    {},
    true,
  );
  const parts = await clock.run(collect(model.stream({ messages, maxTokens: 10 })));
  const text = parts.map((part) => (part.type === "text" ? part.text : "")).join("");
  assert.equal(text, "so far so good");
  const resumed = inner.requests[1]!;
  assert.deepEqual(resumed.messages, [...messages, { role: "assistant", content: "so far" }]);
  assert.equal(resumed.maxTokens, 10 - (await countTokens("so far")));
  const lost = await estimate(messages, "so far");
  assert.deepEqual(parts.at(-1), {
    type: "end",
    reason: "stop",
    usage: {
      calls: 2,
      inputTokens: lost.inputTokens + inputTokens + "so far".length,
      cachedTokens: 0,
      outputTokens: lost.outputTokens + 2,
      estimated: true,
    },
  });
});

test("a resumed call goes on within an assistant's message that was there, and ends where no token is left", async () => {
  const { clock, inner, model } = playing(
    [
      ["b", failing()],
      [" c", failing()],
    ],
    {},
    true,
  );
  const asked: ModelRequest = { messages: [...messages, { role: "assistant", content: "a" }], maxTokens: 2 };
  const parts = await clock.run(collect(model.stream(asked)));
  assert.deepEqual(inner.requests[1]!.messages.at(-1), { role: "assistant", content: "ab" });
  const end = parts.at(-1);
  assert.equal(end?.type === "end" && end.reason, "length");
});

test("a stream that closes before its first text is tried again", async () => {
  const { clock, inner, model } = playing([[{ do: "close" }], ["ok"]]);
  assert.equal((await clock.run(collect(model.stream({ messages })))).at(-1)?.type, "end");
  assert.equal(inner.requests.length, 2);
});

test("a call aborted in the queue leaves it at once and costs nothing", async () => {
  const { clock, inner, model } = playing([[{ wait: 100 }, "a"], ["b"]], { concurrency: 1 });
  const cut = new AbortController();
  const cutting = async () => {
    await clock.sleep(40);
    cut.abort();
  };
  const [, queued, third] = await clock.run(
    Promise.all([
      collect(model.stream({ messages })),
      collect(model.stream({ messages, signal: cut.signal })),
      collect(model.stream({ messages })),
      cutting(),
    ]),
  );
  assert.deepEqual(queued, [
    { type: "wait" },
    { type: "wait", ms: 40 },
    { type: "end", reason: "interrupted", usage: { calls: 0, inputTokens: 0, cachedTokens: 0, outputTokens: 0 } },
  ]);
  assert.deepEqual(third?.slice(0, 3), [
    { type: "wait" },
    { type: "wait", ms: 100 },
    { type: "text", text: "b", tokens: 1 },
  ]);
  assert.equal(inner.requests.length, 2);
});

test("a call aborted during a pause ends with what it cost so far", async () => {
  const { clock, model } = playing([[failing({ retryAfterMs: 60_000, status: 503 })]]);
  const cut = new AbortController();
  const cutting = async () => {
    await clock.sleep(10);
    cut.abort();
  };
  const [parts] = await clock.run(Promise.all([collect(model.stream({ messages, signal: cut.signal })), cutting()]));
  assert.equal(clock.now(), 10);
  assert.deepEqual(parts?.at(-1), {
    type: "end",
    reason: "interrupted",
    usage: { calls: 0, inputTokens: 0, cachedTokens: 0, outputTokens: 0 },
  });
});

test("a reader that leaves, in the queue or in the middle, frees its place", async () => {
  const shared = gate({ concurrency: 1 });
  const { model } = playing([["a", "b"]], { gate: shared });
  const first = model.stream({ messages })[Symbol.asyncIterator]();
  const queued = model.stream({ messages })[Symbol.asyncIterator]();
  await first.next();
  assert.deepEqual(await queued.next(), { value: { type: "wait" }, done: false });
  const pending = queued.next();
  assert.deepEqual(shared.load, { inside: 1, waiting: 1 });
  await queued.return?.();
  await pending;
  assert.deepEqual(shared.load, { inside: 1, waiting: 0 });
  await first.return?.();
  assert.deepEqual(shared.load, { inside: 0, waiting: 0 });
});

test("never more are inside than allowed, and all get in by their order", async () => {
  const call = record({ at: integer({ min: 0, max: 50 }), ms: integer({ min: 1, max: 30 }) });
  const check = async (concurrency: number, calls: readonly { at: number; ms: number }[]) => {
    const clock = new VirtualClock();
    const started: number[] = [];
    const asked: number[] = [];
    let inside = 0;
    const slow: Model = {
      id: "slow",
      async *stream({ session }) {
        started.push(Number(session));
        assert.ok(++inside <= concurrency);
        await clock.sleep(calls[Number(session)]!.ms);
        inside--;
        yield { type: "end", reason: "stop", usage: two };
      },
    };
    const model = limited(slow, { concurrency, clock });
    const one = async ({ at }: { at: number }, index: number) => {
      await clock.sleep(at);
      asked.push(index);
      await collect(model.stream({ messages, session: String(index) }));
    };
    await clock.run(Promise.all(calls.map(one)));
    assert.deepEqual(started, asked);
  };
  const calls = array(call, { minLength: 1, maxLength: 8 });
  await always(asyncProperty(integer({ min: 1, max: 3 }), calls, check), { numRuns: 40 });
});

test("a choice is tried again, and rejects with the signal's reason while it waits", async () => {
  const clock = new VirtualClock();
  let calls = 0;
  const choice = { probabilities: [1], usage: two };
  const inner: Model = {
    ...scripted(clock, () => ["x"]),
    choose: () => (calls++ === 0 ? Promise.reject(failing().fail) : Promise.resolve(choice)),
  };
  const shared = gate({ concurrency: 1, clock });
  const model = limited(inner, { clock, gate: shared });
  assert.equal(await clock.run(model.choose!({ messages }, ["Yes"])), choice);
  assert.equal(calls, 2);
  assert.ok(shared.tryEnter());
  const cut = new AbortController();
  const waiting = model.choose!({ messages, signal: cut.signal }, ["Yes"]);
  cut.abort(new Error("enough"));
  await assert.rejects(waiting, { message: "enough" });
  assert.deepEqual(shared.load, { inside: 1, waiting: 0 });
  assert.ok(!("choose" in limited(scripted(clock, () => []))));
});

test("one key has one gate", () => {
  assert.equal(gateFor("http://a model key"), gateFor("http://a model key"));
  assert.notEqual(gateFor("http://a model key"), gateFor("http://a model other"));
});

test("bad limits are the caller's mistake", () => {
  const model = scripted(new VirtualClock(), () => []);
  const bad = [
    { concurrency: 0 },
    { concurrency: 1.5 },
    { retries: -1 },
    { maxWaitMs: NaN },
    { gate: gate(), concurrency: 2 },
  ];
  for (const options of bad) assert.throws(() => limited(model, options), { name: "ConfigError" });
});

test("a real server that is busy once is asked again", async (t) => {
  const { model, server } = await answering(t, (exchange, index) =>
    index === 0 ? exchange.reply(429, {}, { "retry-after-ms": "1" }) : say(exchange, ["ok"]),
  );
  const parts = await collect(limited(model, { random: () => 0 }).stream({ messages }));
  assert.deepEqual(
    parts.map(({ type }) => type),
    ["wait", "wait", "text", "end"],
  );
  assert.equal(server.exchanges.length, 2);
});
