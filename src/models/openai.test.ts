import assert from "node:assert/strict";
import { test } from "node:test";
import type { ModelPart } from "../core/types.ts";
import { answering, collect, joined, messages } from "./__fixtures__/answering.ts";
import { charging, type Exchange, finishing, say, saying } from "./__fixtures__/server.ts";
import { streams } from "./__fixtures__/streams.ts";
import { openai } from "./openai.ts";
import { countMessages, countTokens } from "./tokens.ts";

for (const { server, raw, text, reasoning = "", usage } of streams) {
  test(`reads the stream of ${server}`, async (t) => {
    const { model } = await answering(t, async (exchange) => {
      await exchange.write(raw);
      exchange.end();
    });
    const parts = await collect(model.stream({ messages }));
    assert.equal(joined(parts, "text"), text);
    assert.equal(joined(parts, "reasoning"), reasoning);
    assert.deepEqual(parts.at(-1), { type: "end", reason: "stop", usage });
    assert.equal(parts.filter(({ type }) => type === "end").length, 1);
  });

  test(`reads the stream of ${server} byte by byte`, async () => {
    const bytes = new TextEncoder().encode(raw);
    const body = () =>
      new ReadableStream<Uint8Array>({
        start(controller) {
          for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
          controller.close();
        },
      });
    const fetch = () => Promise.resolve(new Response(body(), { headers: { "content-type": "text/event-stream" } }));
    const parts = await collect(openai({ baseURL: "http://local/v1", model: "test", fetch }).stream({ messages }));
    assert.equal(joined(parts, "text"), text);
    assert.equal(joined(parts, "reasoning"), reasoning);
    assert.deepEqual(parts.at(-1), { type: "end", reason: "stop", usage });
  });
}

test("asks for a stream with its usage, and passes the request's settings on", async (t) => {
  const { model, server } = await answering(t, (exchange) => say(exchange, ["ok"]), {
    apiKey: " sk-secret\n",
    body: { top_k: 1 },
    headers: { "X-Team": "red" },
  });
  await collect(model.stream({ messages, maxTokens: 9, temperature: 0.5, seed: 3, stop: ["END"], session: "s" }));
  const { path, headers, body } = server.exchanges[0]!;
  assert.equal(path, "/v1/chat/completions");
  assert.equal(headers.authorization, "Bearer sk-secret");
  assert.equal(headers["x-team"], "red");
  assert.deepEqual(body, {
    model: "test",
    messages,
    max_tokens: 9,
    temperature: 0.5,
    seed: 3,
    stop: ["END"],
    stream: true,
    stream_options: { include_usage: true },
    top_k: 1,
  });
});

test("names the session as cache key, and continues an assistant's message, only when told to", async (t) => {
  const { model, server } = await answering(t, (exchange) => say(exchange, ["ok"]), {
    cacheKey: true,
    continues: true,
  });
  await collect(model.stream({ messages: [...messages, { role: "assistant", content: "Tw" }], session: "s" }));
  await collect(model.stream({ messages }));
  const [first, second] = server.exchanges.map(({ body }) => body);
  assert.equal(model.continues, true);
  assert.equal(first?.["prompt_cache_key"], "s");
  assert.equal(first?.["continue_final_message"], true);
  assert.equal(first?.["add_generation_prompt"], false);
  assert.equal(second !== undefined && "continue_final_message" in second, false);
});

for (const [finish, reason] of [
  ["stop", "stop"],
  ["length", "length"],
  ["tool_calls", "stop"],
  ["abort", "truncated"],
] as const) {
  test(`a finish of "${finish}" ends with ${reason}`, async (t) => {
    const { model } = await answering(t, async (exchange) => {
      await exchange.data(saying("x"));
      await exchange.data(finishing(finish));
      exchange.end();
    });
    const end = (await collect(model.stream({ messages }))).at(-1);
    assert.equal(end?.type === "end" && end.reason, reason);
  });
}

for (const [how, close] of [
  ["ends", (exchange: Exchange) => exchange.end()],
  ["breaks", (exchange: Exchange) => exchange.destroy()],
  ["ends within a line", (exchange: Exchange) => exchange.end('data: {"choices":[{"delta":{"content":"lo')],
] as const) {
  test(`a body that ${how} without its end is truncated, with an estimated usage`, async (t) => {
    let hear = () => {};
    const heard = new Promise<void>((resolve) => {
      hear = resolve;
    });
    const { model } = await answering(t, async (exchange) => {
      await exchange.data(saying("A dozen is"));
      await heard;
      close(exchange);
    });
    const parts: ModelPart[] = [];
    for await (const part of model.stream({ messages })) {
      parts.push(part);
      hear();
    }
    const usage = {
      calls: 1,
      inputTokens: await countMessages(messages),
      cachedTokens: 0,
      outputTokens: await countTokens("A dozen is"),
      estimated: true,
    };
    assert.deepEqual(parts, [
      { type: "text", text: "A dozen is" },
      { type: "end", reason: "truncated", usage },
    ]);
  });
}

test("after a cut the usage so far is the server's, and what came since is counted", async (t) => {
  const { model, server } = await answering(t, async (exchange) => {
    await exchange.data({ ...saying("One"), usage: { prompt_tokens: 70, completion_tokens: 1 } });
    await exchange.data(saying(" two three"));
  });
  const cut = new AbortController();
  const parts: ModelPart[] = [];
  for await (const part of model.stream({ messages, signal: cut.signal })) {
    parts.push(part);
    if (part.type === "text" && part.text.endsWith("three")) cut.abort();
  }
  assert.deepEqual(parts.at(-1), {
    type: "end",
    reason: "interrupted",
    usage: { calls: 1, inputTokens: 70, cachedTokens: 0, outputTokens: 3, estimated: true },
  });
  await server.exchanges[0]!.closed;
});

test("a finished answer's connection is used again, and one the server keeps open is closed", async (t) => {
  const ports = new Set<unknown>();
  const { model, server } = await answering(t, async (exchange, index) => {
    if (index < 5) await say(exchange, ["ok"]);
    else for (const event of [saying("ok"), finishing(), charging(1, 1), "[DONE]"]) await exchange.data(event);
  });
  for (let call = 0; call < 6; call++) await collect(model.stream({ messages }));
  for (const { port } of server.exchanges) ports.add(port);
  // The client may take a moment to see that a connection is free.
  assert.ok(ports.size <= 2, `${ports.size} connections`);
  await server.exchanges[5]!.closed;
});
