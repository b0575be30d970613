import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { test } from "node:test";
import * as fc from "fast-check";
import type { Policy } from "../core/policy.ts";
import type { Splitter } from "../core/types.ts";
import { byDelimiter } from "../core/splitters.ts";
import { afterChunks, any, never, onPattern, prompted } from "../policies/index.ts";
import { scripted } from "../testing/scripted.ts";
import { VirtualClock } from "../testing/clock.ts";
import { listen } from "./listen.ts";
import type { Listened, ListenOptions } from "./listen.ts";
import type { Source } from "./source.ts";

const word = "word";

/** A source of items a while apart, that tells how far it went and whether it was closed. */
function source(
  clock: VirtualClock,
  items: readonly unknown[],
  { ms = 10, fails }: { ms?: number; fails?: Error } = {},
) {
  const state = { said: 0, closed: false };
  async function* say(): AsyncGenerator<unknown, void, undefined> {
    try {
      for (const item of items) {
        await clock.sleep(ms);
        state.said++;
        yield item;
      }
      if (fails !== undefined) throw fails;
    } finally {
      state.closed = true;
    }
  }
  return { state, stream: say() };
}

const words = (count: number) => Array.from({ length: count }, (_, index) => `${word}${index % 10} `.slice(0, 4));

type Heard = { readonly heard: readonly string[]; readonly result: Listened; readonly error?: unknown };

/** Hears to the end, on virtual time. */
async function hear(clock: VirtualClock, from: Source, options: Omit<ListenOptions, "clock">): Promise<Heard> {
  const listening = listen(from, { ...options, clock });
  const heard: string[] = [];
  const work = async (): Promise<Heard> => {
    try {
      for await (const text of listening) heard.push(text);
    } catch (error) {
      return { heard, error, result: await listening.result };
    }
    return { heard, result: await listening.result };
  };
  return clock.run(work());
}

/** Decides after a while. */
const slow = (clock: VirtualClock, ms: number, policy: Policy): Policy => ({
  name: "slow",
  decide: async (hearing, signal) => {
    await clock.sleep(ms, signal);
    return policy.decide!(hearing, signal);
  },
});

test("a source without an interruption is heard whole", async () => {
  const clock = new VirtualClock();
  const { stream, state } = source(clock, words(40));
  const { heard, result } = await hear(clock, stream, { policy: never });
  assert.deepEqual(heard, words(40));
  assert.deepEqual(
    { ...result, text: result.text.length },
    {
      text: 160,
      reason: "ended",
      chunks: 2,
      tokens: 40,
      decisions: [],
      usage: { calls: 0, inputTokens: 0, cachedTokens: 0, outputTokens: 0 },
      heardMs: 400,
      cutAt: undefined,
    },
  );
  assert.equal(state.closed, true);
});

test("a cut closes the source at the chunk, and nothing after it is heard", async () => {
  const clock = new VirtualClock();
  const { stream, state } = source(clock, words(100));
  const aborted: number[] = [];
  const options = { policy: afterChunks(2), chunk: 8, abort: () => void aborted.push(clock.now()) };
  const { heard, result } = await hear(clock, stream, options);
  assert.deepEqual(heard, words(16));
  assert.equal(result.reason, "interrupted");
  assert.deepEqual([result.chunks, result.tokens, result.cutAt, result.heardMs], [2, 16, 160, 160]);
  assert.deepEqual(
    result.decisions.map(({ outcome }) => outcome),
    ["wait", "interrupt"],
  );
  assert.deepEqual([aborted, state.said, state.closed], [[160], 16, true]);
});

test("a slow policy hears the newest chunk, delays nobody, and its cut counts from when it comes", async () => {
  const clock = new VirtualClock();
  const { stream } = source(clock, words(100));
  const { result } = await hear(clock, stream, { policy: slow(clock, 25, afterChunks(3)), chunk: 1 });
  assert.deepEqual(
    result.decisions.map(({ chunks, at }) => [chunks, at]),
    [
      [1, 35],
      [3, 60],
    ],
  );
  assert.deepEqual([result.tokens, result.cutAt], [5, 60]);
});

test("a decision that hangs means wait after its time, one in progress at the end is late, and both are in the result", async () => {
  const clock = new VirtualClock();
  const hangs: Policy = { name: "hangs", decide: () => new Promise(() => {}) };
  const { result } = await hear(clock, source(clock, words(10)).stream, { policy: hangs, chunk: 4, decisionMs: 20 });
  assert.equal(result.reason, "ended");
  assert.deepEqual(
    result.decisions.map(({ outcome }) => outcome),
    ["timeout"],
  );
  const late = await hear(clock, source(clock, words(10)).stream, { policy: hangs, chunk: 4 });
  assert.deepEqual(
    late.result.decisions.map(({ outcome }) => outcome),
    ["late"],
  );
});

test("the cost of decisions is in the result, and what the model is sent brings the task and what was heard", async () => {
  const clock = new VirtualClock();
  const model = scripted(clock, (call) => [call < 2 ? "No" : "Yes"]);
  const { stream } = source(clock, words(100));
  const options = { policy: prompted(), chunk: 4, model, task: "Which one?", listener: { instructions: "Listen." } };
  const { result } = await hear(clock, stream, options);
  assert.deepEqual([result.reason, result.usage.calls, result.usage.outputTokens], ["interrupted", 3, 3]);
  assert.equal(
    result.usage.inputTokens,
    model.charged.reduce((sum, { inputTokens }) => sum + inputTokens, 0),
  );
  const [system, asked] = model.requests[2]?.messages ?? [];
  assert.equal(system?.content, "Listen.");
  assert.ok(asked?.content.startsWith(`Which one?\n\nspeaker: ${words(12).join("")}\n\n`), asked?.content);
});

test("a policy that asks where there is no model fails to decide, and the source is heard whole", async () => {
  const clock = new VirtualClock();
  const { result } = await hear(clock, source(clock, words(20)).stream, { policy: prompted() });
  assert.equal(result.reason, "ended");
  assert.deepEqual(
    result.decisions.map(({ outcome }) => outcome),
    ["failed"],
  );
  assert.match(result.decisions[0]?.note ?? "", /give listen\(\) a model/);
});

test("a source's failure is thrown to the reader after what was heard, and is in the result", async () => {
  const clock = new VirtualClock();
  const fails = new Error("connection lost");
  const { heard, result, error } = await hear(clock, source(clock, words(5), { fails }).stream, { policy: never });
  assert.deepEqual([heard, error, result.reason, result.error], [words(5), fails, "failed", fails]);
  const reported = source(clock, ["a", { type: "error", error: fails }, "b"]);
  const inBand = await hear(clock, reported.stream, { policy: never });
  assert.deepEqual([inBand.heard, inBand.error, reported.state.closed], [["a"], fails, true]);
});

test("cancelling throws the signal's reason, closes the source and leaves no listener", async () => {
  const clock = new VirtualClock();
  const caller = new AbortController();
  const { stream, state } = source(clock, words(100));
  clock.after(45, () => caller.abort("enough"));
  const { heard, error, result } = await hear(clock, stream, { policy: never, signal: caller.signal });
  assert.deepEqual([heard.length, error, result.reason, result.tokens], [4, "enough", "cancelled", 4]);
  assert.equal(getEventListeners(caller.signal, "abort").length, 0);
  await clock.run(clock.sleep(10));
  assert.equal(state.closed, true);
  const before = await hear(clock, source(clock, words(3)).stream, { policy: never, signal: caller.signal });
  assert.deepEqual([before.heard, before.error, before.result.reason], [[], "enough", "cancelled"]);
});

test("leaving early closes the source, also one that ignores it", async () => {
  const clock = new VirtualClock();
  const { stream, state } = source(clock, words(100));
  const listening = listen(stream, { policy: never, clock });
  const leave = async () => {
    for await (const _ of listening) break;
    return listening.result;
  };
  const { reason } = await clock.run(leave());
  await clock.run(clock.sleep(10));
  assert.deepEqual([reason, state.closed], ["cancelled", true]);
  const silent: AsyncIterable<string> = { [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }) };
  const iterator = listen(silent, { policy: never, clock })[Symbol.asyncIterator]();
  const waiting = iterator.next();
  await iterator.return?.();
  assert.deepEqual(await waiting, { value: undefined, done: true });
});

test("an abort that throws does not keep the source open", async () => {
  const clock = new VirtualClock();
  const { stream, state } = source(clock, words(100));
  const wrong = new Error("no such request");
  const abort = () => {
    throw wrong;
  };
  const { result } = await hear(clock, stream, { policy: afterChunks(1), abort });
  assert.deepEqual([result.reason, result.error], ["interrupted", wrong]);
  await clock.run(clock.sleep(10));
  assert.equal(state.closed, true);
});

test("each chunk may be a step, and several readers hear the same", async () => {
  const clock = new VirtualClock();
  const splitter: Splitter = byDelimiter({ delimiter: "END_STEP" });
  const steps = ["one\nEND_STEP\n", "two\n", "END_STEP\n", "three"];
  const listening = listen(source(clock, steps).stream, { policy: afterChunks(2), splitter, clock });
  const read = async () => {
    let text = "";
    for await (const piece of listening) text += piece;
    return text;
  };
  const texts = await clock.run(Promise.all([read(), read()]));
  assert.deepEqual(texts, [steps.slice(0, 3).join(""), steps.slice(0, 3).join("")]);
});

test("whatever the pace of source, policy and chunk, what is heard is the beginning of what was said", async () => {
  const nat = (max: number) => fc.integer({ min: 0, max });
  const scene = fc.record({
    ms: nat(5),
    deciding: nat(40),
    chunk: fc.integer({ min: 1, max: 9 }),
    cutAfter: fc.integer({ min: 1, max: 12 }),
    count: nat(60),
  });
  await fc.assert(
    fc.asyncProperty(scene, async ({ ms, deciding, chunk, cutAfter, count }) => {
      const clock = new VirtualClock();
      const { stream, state } = source(clock, words(count), { ms });
      const policy = deciding === 0 ? afterChunks(cutAfter) : slow(clock, deciding, afterChunks(cutAfter));
      const { heard, result } = await hear(clock, stream, { policy, chunk });
      assert.deepEqual(heard, words(count).slice(0, heard.length));
      assert.equal(result.text, heard.join(""));
      assert.equal(result.tokens, heard.length);
      assert.equal(result.chunks, Math.floor(heard.length / chunk));
      const cut = result.decisions.filter(({ outcome }) => outcome === "interrupt").length;
      assert.equal(cut, result.reason === "interrupted" ? 1 : 0);
      if (result.reason === "ended") assert.equal(heard.length, count);
      assert.ok(state.said - heard.length <= 1, "at most the item under way is made for nothing");
    }),
    { numRuns: 60 },
  );
});

test("what is no stream, and options out of range, are named", () => {
  const wrong: readonly (readonly [unknown, Partial<ListenOptions>, RegExp])[] = [
    ["text", {}, /source: is no stream/],
    [{ textStream: 1 }, {}, /source: is no stream/],
    [Promise.resolve(), {}, /source: is a promise of a stream; await it first/],
    [source(new VirtualClock(), []).stream, { chunk: 0 }, /chunk: 0 is out of range/],
    [source(new VirtualClock(), []).stream, { decisionMs: -1 }, /decisionMs: -1 is out of range/],
  ];
  for (const [from, options, message] of wrong)
    assert.throws(() => listen(from as Source, { policy: any(never, onPattern(/x/)), ...options }), message);
});
