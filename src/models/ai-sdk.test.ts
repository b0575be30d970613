import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { createOpenAICompatible as createV2 } from "openai-compatible-v2";
import { createOpenAICompatible as createV3 } from "openai-compatible-v3";
import { createOpenAICompatible as createV4 } from "openai-compatible-v4";
import { ModelError } from "../base/errors.ts";
import type { Model, ModelPart } from "../core/types.ts";
import { type Answering, collect, failure, joined, messages } from "./__fixtures__/answering.ts";
import { finishing, saying, serve } from "./__fixtures__/server.ts";
import { streams } from "./__fixtures__/streams.ts";
import { type AISDKModel, fromAISDK } from "./ai-sdk.ts";
import { estimate } from "./tokens.ts";

type Connect = (baseURL: string) => Model;

const settings = { name: "test", includeUsage: true, apiKey: "sk-very-secret" };

const versions: Readonly<Record<string, Connect>> = {
  v2: (baseURL) => fromAISDK(createV2({ ...settings, baseURL })("test")),
  v3: (baseURL) => fromAISDK(createV3({ ...settings, baseURL })("test")),
  v4: (baseURL) => fromAISDK(createV4({ ...settings, baseURL })("test")),
};

async function connected(t: TestContext, connect: Connect, answer: Answering) {
  const server = await serve(answer);
  t.after(() => server.close());
  return { model: connect(server.baseURL), server };
}

const stream = (server: string) => streams.find((each) => each.server.startsWith(server))!;

for (const [version, connect] of Object.entries(versions)) {
  for (const { server, raw, text, reasoning = "", usage } of [stream("OpenAI"), stream("vLLM"), stream("OpenRouter")]) {
    test(`${version} says what ${server} says, thinking apart, with its usage`, async (t) => {
      const { model } = await connected(t, connect, (exchange) => exchange.write(raw).then(() => exchange.end()));
      const parts = await collect(model.stream({ messages }));
      assert.equal(joined(parts, "text"), text);
      assert.equal(joined(parts, "reasoning"), reasoning);
      assert.deepEqual(parts.at(-1), { type: "end", reason: "stop", usage });
    });
  }

  test(`${version} passes the request's settings on`, async (t) => {
    const { model, server } = await connected(t, connect, (exchange) =>
      exchange.write(stream("OpenAI").raw).then(() => exchange.end()),
    );
    await collect(model.stream({ messages, maxTokens: 9, temperature: 0.5, seed: 3, stop: ["END"] }));
    const { body } = server.exchanges[0]!;
    assert.deepEqual(
      [body["messages"], body["max_tokens"], body["temperature"], body["seed"], body["stop"]],
      [messages, 9, 0.5, 3, ["END"]],
    );
  });

  test(`${version} ends for length, and estimates a usage that was not reported`, async (t) => {
    const { model } = await connected(t, connect, async (exchange) => {
      await exchange.data(saying("A dozen is"));
      await exchange.data(finishing("length"));
      exchange.end();
    });
    const usage = await estimate(messages, "A dozen is");
    assert.deepEqual((await collect(model.stream({ messages }))).at(-1), { type: "end", reason: "length", usage });
  });

  test(`${version} is truncated where the stream has no end`, async (t) => {
    const { model } = await connected(t, connect, async (exchange) => {
      await exchange.data(saying("A dozen is"));
      exchange.end();
    });
    const usage = await estimate(messages, "A dozen is");
    assert.deepEqual((await collect(model.stream({ messages }))).at(-1), { type: "end", reason: "truncated", usage });
  });

  test(`${version} fails in one line that names the place and not the key`, async (t) => {
    const { model, server } = await connected(t, connect, (exchange) =>
      exchange.reply(429, { error: { message: "slow\ndown" } }, { "retry-after": "2" }),
    );
    const error = await failure(model);
    const { status, retryable, retryAfterMs } = error;
    assert.deepEqual({ status, retryable, retryAfterMs }, { status: 429, retryable: true, retryAfterMs: 2000 });
    assert.equal(error.message, `test of test.chat (${server.baseURL}/chat/completions): answered 429: slow down`);
  });

  test(`${version} fails where no server listens, and is worth another try`, async () => {
    const server = await serve(() => {});
    await server.close();
    const error = await failure(connect(server.baseURL));
    assert.equal(error.retryable, true);
    assert.match(error.message, /connect/i);
  });

  test(`${version} fails for a line that is not JSON`, async (t) => {
    const { model } = await connected(t, connect, (exchange) => exchange.write("data: {not json}\n\n"));
    assert.ok((await failure(model)) instanceof ModelError);
  });
}

/** A model that streams these parts. */
const parting = (parts: readonly object[], specificationVersion = "v3"): AISDKModel => ({
  specificationVersion,
  provider: "stub",
  modelId: "stub",
  doStream: () =>
    Promise.resolve({
      stream: new ReadableStream({
        start(controller) {
          for (const part of parts) controller.enqueue(part as { type: string });
          controller.close();
        },
      }),
    }),
});

const usage = { inputTokens: { total: 10, cacheRead: 4 }, outputTokens: { total: 2 } };
const counted = { calls: 1, inputTokens: 10, cachedTokens: 4, outputTokens: 2 };

for (const [what, finish, reason] of [
  ["a nested reason and usage", { finishReason: { unified: "stop", raw: "stop" }, usage }, "stop"],
  ["another reason that the provider gave", { finishReason: { unified: "other", raw: "eos" }, usage }, "stop"],
  ["another reason that nobody gave", { finishReason: { unified: "other", raw: undefined }, usage }, "truncated"],
  ["a cut by the provider itself", { finishReason: { unified: "interrupted", raw: "abort" }, usage }, "truncated"],
  [
    "a flat reason and usage",
    { finishReason: "tool-calls", usage: { inputTokens: 10, outputTokens: 2, cachedInputTokens: 4 } },
    "stop",
  ],
] as const) {
  test(`${what}: ${reason}`, async () => {
    const parts = await collect(fromAISDK(parting([{ type: "finish", ...finish }])).stream({ messages }));
    assert.deepEqual(parts, [{ type: "end", reason, usage: counted }] satisfies ModelPart[]);
  });
}

for (const unified of ["content-filter", "error"]) {
  test(`an answer that ends with ${unified} fails`, async () => {
    const model = fromAISDK(parting([{ type: "finish", finishReason: { unified, raw: unified }, usage }]));
    assert.match((await failure(model)).message, /^stub of stub: the provider/);
  });
}

test("a stream that ends without a finish is truncated", async () => {
  const parts = await collect(fromAISDK(parting([{ type: "text-delta", id: "0", delta: "so" }])).stream({ messages }));
  assert.equal(parts.at(-1)?.type === "end" && parts.at(-1), parts[1]);
  assert.deepEqual(parts[1], { type: "end", reason: "truncated", usage: await estimate(messages, "so") });
});

test("a model of an unknown specification is the caller's mistake", () => {
  assert.throws(() => fromAISDK(parting([], "v1")), {
    name: "ConfigError",
    message: /"v1"; those known are v2, v3, v4/,
  });
});
