import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { describe, test, type TestContext } from "node:test";
import { ModelError } from "../base/errors.ts";
import type { Model, ModelPart, ModelRequest } from "../core/types.ts";

/**
 * What a model under test is made to do. `plain`: says a few texts and stops. `slow`: says texts for far longer than a test
 * takes. `silent`: takes the request and says nothing. `stall`: says something, then nothing, with an idle time-out of less
 * than a second. `close`: says something, then its source closes without an end. `fail`: says something, then its source fails.
 */
export type Behaviour = "plain" | "slow" | "silent" | "stall" | "close" | "fail";

/** A model made for one test. */
export type Made = {
  readonly model: Model;
  /** All that a `plain` model says, where it is known. */
  readonly text?: string;
  /** Resolves once the source of the last call has noticed that nobody reads it any more (`slow`, `silent`). */
  readonly left?: () => Promise<unknown>;
  /** Runs a case to its end, where time has to be moved for it: `(work) => clock.run(work)`. */
  readonly run?: <T>(work: Promise<T>) => Promise<T>;
  readonly close?: () => unknown;
};

/** A model under test; what it cannot be made to do is skipped with the reason given. */
export type Subject = {
  make(behaviour: Behaviour): Made | { readonly skip: string } | Promise<Made | { readonly skip: string }>;
  /** Within how many milliseconds of real time an abort ends a stream. Default 2,000. */
  readonly abortMs?: number;
  /** Calls made on one signal in search of listeners left on it. Default 1,000. */
  readonly calls?: number;
};

type Case = (made: Made, subject: Required<Omit<Subject, "make">>) => Promise<void>;

const request: ModelRequest = {
  messages: [
    { role: "system", content: "You are brief." },
    { role: "user", content: "Count from one to five in words." },
  ],
  temperature: 0,
  seed: 1,
  maxTokens: 64,
};

/** Parts of a stream, and what it threw; `on` sees each part as it comes. */
async function play(model: Model, asked: ModelRequest, on: (part: ModelPart, index: number) => void = () => {}) {
  const parts: ModelPart[] = [];
  try {
    for await (const part of model.stream(asked)) on(part, parts.push(part) - 1);
  } catch (error) {
    return { parts, error };
  }
  return { parts };
}

const textOf = (parts: readonly ModelPart[]) => parts.map((part) => (part.type === "text" ? part.text : "")).join("");

/** The one end of a well-formed stream. */
function endOf(parts: readonly ModelPart[]): Extract<ModelPart, { type: "end" }> {
  const end = parts.at(-1);
  assert.ok(end?.type === "end", `the last part is ${end?.type ?? "missing"}, not the end`);
  assert.equal(parts.filter(({ type }) => type === "end").length, 1, "there is one end");
  const { calls, inputTokens, cachedTokens, outputTokens } = end.usage;
  for (const count of [calls, inputTokens, cachedTokens, outputTokens])
    assert.ok(Number.isInteger(count) && count >= 0, `usage is in whole numbers: ${JSON.stringify(end.usage)}`);
  assert.ok(cachedTokens <= inputTokens, "cached tokens are part of the input");
  let waiting = false;
  for (const part of parts) {
    if (part.type !== "wait") {
      assert.equal(waiting, false, `a ${part.type} while the request is held back`);
      continue;
    }
    assert.equal(part.ms !== undefined, waiting, "waits begin without a time and end with one");
    waiting = part.ms === undefined;
  }
  return end;
}

function failed({ parts, error }: { parts: readonly ModelPart[]; error?: unknown }): void {
  assert.ok(error instanceof ModelError, `a ModelError, not ${String(error)}`);
  assert.ok(!error.message.includes("\n"), "the message is one line");
  assert.ok(!parts.some(({ type }) => type === "end"), "a stream that fails has no end");
}

const listeners = (signal: AbortSignal) => getEventListeners(signal, "abort").length;

const plain: Readonly<Record<string, Case>> = {
  "says text, then exactly one end": async ({ model, text }) => {
    const { parts, error } = await play(model, request);
    if (error !== undefined) throw error;
    const { reason } = endOf(parts);
    assert.ok(reason === "stop" || reason === "length", reason);
    assert.notEqual(textOf(parts), "");
    if (text !== undefined) assert.equal(textOf(parts), text);
    assert.ok(!parts.some((part) => part.type === "text" && part.text === ""), "no text is empty");
  },
  "charges one call, and at least the tokens it says its texts took": async ({ model }) => {
    const { parts } = await play(model, request);
    const { usage } = endOf(parts);
    const told = parts.reduce((sum, part) => sum + (part.type === "text" ? (part.tokens ?? 0) : 0), 0);
    assert.equal(usage.calls, 1);
    assert.ok(usage.inputTokens > 0 && usage.outputTokens > 0, JSON.stringify(usage));
    assert.ok(usage.outputTokens >= told, `${usage.outputTokens} tokens charged, ${told} said`);
  },
  "two streams at once do not mix": async ({ model, text }) => {
    const both = await Promise.all([play(model, request), play(model, request)]);
    const [first = "", second = ""] = both.map(({ parts }) => textOf(parts));
    both.forEach(({ parts }) => endOf(parts));
    assert.notEqual(first, "");
    assert.equal(first, text ?? second);
    assert.equal(second, text ?? first);
  },
  "many calls leave no listener on their signal": async ({ model }, { calls }) => {
    const { signal } = new AbortController();
    for (let call = 0; call < calls; call++) endOf((await play(model, { ...request, signal })).parts);
    assert.equal(listeners(signal), 0);
  },
};

/** Plays a call that is cut by `cut`, and checks that it ends in time with its usage. */
async function interrupted({ model }: Made, abortMs: number, cut: (abort: () => void, part?: ModelPart) => void) {
  const controller = new AbortController();
  let since = performance.now();
  const abort = () => {
    if (controller.signal.aborted) return;
    since = performance.now();
    controller.abort();
  };
  cut(abort);
  const { parts, error } = await play(model, { ...request, signal: controller.signal }, (part) => cut(abort, part));
  if (error !== undefined) throw error;
  const took = performance.now() - since;
  const { reason, usage } = endOf(parts);
  assert.equal(reason, "interrupted");
  assert.ok(took <= abortMs, `ended ${Math.round(took)} ms after the abort; the bound is ${abortMs}`);
  assert.equal(listeners(controller.signal), 0, "no listener is left");
  return { parts, usage };
}

const slow: Readonly<Record<string, Case>> = {
  "aborted before it starts, it says nothing": async (made, { abortMs }) => {
    const { parts, usage } = await interrupted(made, abortMs, (abort, part) => part ?? abort());
    assert.equal(textOf(parts), "");
    assert.equal(usage.outputTokens, 0);
  },
  "aborted in the middle, it ends at once and says what it cost": async (made, { abortMs }) => {
    let texts = 0;
    const { usage } = await interrupted(made, abortMs, (abort, part) => {
      if (part?.type === "text" && ++texts === 3) abort();
    });
    assert.equal(usage.calls, 1);
    assert.ok(usage.inputTokens > 0 && usage.outputTokens > 0, JSON.stringify(usage));
    await made.left?.();
  },
  "left early, it stops its source": async (made) => {
    const { signal } = new AbortController();
    for await (const part of made.model.stream({ ...request, signal })) if (part.type === "text") break;
    assert.equal(listeners(signal), 0, "no listener is left");
    await made.left?.();
  },
};

const others: Readonly<Record<"silent" | "stall" | "close" | "fail", Readonly<Record<string, Case>>>> = {
  silent: {
    "aborted before its first text, it ends at once": async (made, { abortMs }) => {
      const { parts } = await interrupted(made, abortMs, (abort, part) => part ?? setImmediate(abort));
      assert.equal(textOf(parts), "");
    },
  },
  stall: {
    "a stream that stalls fails by its idle time-out": async ({ model }) => failed(await play(model, request)),
  },
  close: {
    "a stream that closes without its end is truncated or fails, and is never a success": async ({ model }) => {
      const played = await play(model, request);
      assert.notEqual(textOf(played.parts), "", "what was said before stands");
      if (played.error !== undefined) failed(played);
      else assert.equal(endOf(played.parts).reason, "truncated");
    },
  },
  fail: {
    "a failure in the middle is thrown after what was said": async ({ model }) => {
      const played = await play(model, request);
      assert.notEqual(textOf(played.parts), "", "what was said before stands");
      failed(played);
    },
  },
};

/** Checks a model against all that the runtime relies on; tests of `node:test`, one a case. */
export function modelSuite(name: string, subject: Subject): void {
  const settings = { abortMs: subject.abortMs ?? 2000, calls: subject.calls ?? 1000 };
  const perform = async (context: TestContext, behaviour: Behaviour, check: Case) => {
    const made = await subject.make(behaviour);
    if ("skip" in made) return context.skip(made.skip);
    try {
      await (made.run ?? ((work) => work))(check(made, settings));
    } finally {
      await made.close?.();
    }
  };
  void describe(name, () => {
    for (const [behaviour, cases] of Object.entries({ plain, slow, ...others })) {
      for (const [title, check] of Object.entries(cases))
        void test(title, { timeout: 60_000 }, (context) => perform(context, behaviour as Behaviour, check));
    }
  });
}
