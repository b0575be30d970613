import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { openai } from "../models/openai.ts";
import { simulated } from "../models/simulated.ts";
import type { SimulatedOptions } from "../models/simulated-settings.ts";
import type { Message, Model, ModelPart, ModelRequest } from "../core/types.ts";
import { modelSuite } from "../testing/model-suite.ts";
import type { Behaviour } from "../testing/model-suite.ts";
import { simulateServer } from "./simulate.ts";
import type { Charged, SimulateOptions } from "./simulate.ts";

const instant = { ttft: 0, prefill: Infinity, cacheRead: Infinity, decode: Infinity } as const;
const messages: readonly Message[] = [{ role: "user", content: "Solve it in 3 steps." }];

async function serving(context: TestContext, options: SimulateOptions = {}) {
  const charged: Charged[] = [];
  const server = await simulateServer({ ...instant, ...options, onCall: (call) => charged.push(call) });
  context.after(() => server.close());
  const ask = (body: object, init: RequestInit = {}) =>
    fetch(`${server.url}/chat/completions`, {
      method: "POST",
      body: JSON.stringify({ model: "simulated", messages, ...body }),
      ...init,
    });
  return { ...server, ask, charged };
}

type Json = Record<string, any>;

const eventsOf = (text: string): readonly string[] => text.split("\n\n").filter((event) => event !== "");
const dataOf = (text: string): readonly Json[] =>
  eventsOf(text)
    .filter((event) => event !== "data: [DONE]")
    .map((event) => JSON.parse(event.slice("data: ".length)) as Json);

async function collect(model: Model, request: ModelRequest): Promise<readonly ModelPart[]> {
  const parts: ModelPart[] = [];
  for await (const part of model.stream(request)) parts.push(part);
  return parts;
}
const textOf = (parts: readonly ModelPart[]) => parts.map((part) => (part.type === "text" ? part.text : "")).join("");

test("a whole answer says what the model says, with its usage", async (context) => {
  const { ask, charged } = await serving(context);
  const response = await ask({});
  const body = (await response.json()) as Json;
  const parts = await collect(simulated(instant), { messages });
  assert.equal(response.status, 200);
  assert.deepEqual(body["choices"], [
    { index: 0, message: { role: "assistant", content: textOf(parts) }, logprobs: null, finish_reason: "stop" },
  ]);
  assert.deepEqual(body["usage"], {
    prompt_tokens: 5,
    completion_tokens: 72,
    total_tokens: 77,
    prompt_tokens_details: { cached_tokens: 0 },
  });
  assert.deepEqual(charged, [
    { reason: "stop", usage: { calls: 1, inputTokens: 5, cachedTokens: 0, outputTokens: 72 } },
  ]);
});

test("a streamed answer is one event a token, a reason, the usage if asked for, and an end", async (context) => {
  const { ask } = await serving(context);
  const response = await ask({ stream: true, stream_options: { include_usage: true }, max_completion_tokens: 30 });
  assert.match(response.headers.get("content-type") ?? "", /^text\/event-stream/);
  const text = await response.text();
  const chunks = dataOf(text);
  assert.equal(eventsOf(text).at(-1), "data: [DONE]");
  assert.deepEqual(chunks[0]?.["choices"][0].delta, { role: "assistant", content: "" });
  assert.equal(chunks.length, 1 + 30 + 2);
  const said = chunks.flatMap(({ choices }) => choices.map((choice: Json) => choice["delta"].content ?? "")).join("");
  assert.equal(said, textOf(await collect(simulated(instant), { messages, maxTokens: 30 })));
  assert.equal(chunks.at(-2)?.["choices"][0].finish_reason, "length");
  assert.deepEqual(chunks.at(-1)?.["choices"], []);
  assert.equal(chunks.at(-1)?.["usage"].completion_tokens, 30);
  const without = dataOf(await (await ask({ stream: true })).text());
  assert.ok(without.every((chunk) => chunk["usage"] === undefined));
});

/** A clock whose sleeper is woken by hand, when it is told how late it is. */
function byHand() {
  let now = 0;
  let asleep: (wake: (at: number) => void) => void = () => {};
  let sleeper = new Promise<(at: number) => void>((resolve) => (asleep = resolve));
  const sleep = () =>
    new Promise<void>((resolve) =>
      asleep((at) => {
        sleeper = new Promise((next) => (asleep = next));
        now = at;
        resolve();
      }),
    );
  return { clock: { now: () => now, sleep }, wake: async (at: number) => (await sleeper)(at) };
}

test("tokens that are due together are one write, and later ones are not waited for", async (context) => {
  const { clock, wake } = byHand();
  const { ask } = await serving(context, { decode: 100, clock });
  const asking = ask({ stream: true, max_tokens: 9 });
  await wake(50);
  const reader = (await asking).body!.getReader();
  const read = async () => eventsOf(new TextDecoder().decode((await reader.read()).value));
  assert.equal((await read()).length, 1 + 5, "the role and the first five tokens");
  await wake(70);
  assert.equal((await read()).length, 2);
  await wake(1000);
  assert.equal((await read()).length, 2 + 2, "the last two, the reason and the end");
  assert.equal((await reader.read()).done, true);
});

test("one token with logprobs tells the same as choosing in the process", async (context) => {
  const { ask, url } = await serving(context);
  const asking = [{ role: "user", content: "Have you heard enough? Answer Yes or No." } as const];
  const there = await simulated(instant).choose!({ messages: asking }, ["Yes", "No"]);
  const here = await openai({ baseURL: url, model: "simulated" }).choose!({ messages: asking }, ["Yes", "No"]);
  here.probabilities.forEach((p, i) => assert.ok(Math.abs(p - (there.probabilities[i] ?? 0)) < 1e-9));
  assert.ok(Math.abs((here.entropy ?? 0) - (there.entropy ?? 1)) < 1e-9);
  assert.equal(here.top?.text, there.top?.text);
  assert.deepEqual(here.usage, { ...there.usage, cachedTokens: 0 });
  const letters = [{ role: "user", content: "Which is it?\nA) one\nB) two\nC) three" }];
  const body = { messages: letters, logprobs: true, top_logprobs: 2, max_tokens: 1 };
  const shown = (await (await ask(body)).json()) as Json;
  assert.equal(shown["choices"][0].logprobs.content[0].top_logprobs.length, 2);
  const [chunk] = dataOf(await (await ask({ ...body, stream: true })).text());
  assert.deepEqual(chunk?.["choices"][0].logprobs, shown["choices"][0].logprobs);
});

test("a last message by the assistant is gone on from where asked, else answered", async (context) => {
  const { ask, url } = await serving(context);
  const whole = textOf(await collect(simulated(instant), { messages }));
  const cut = [...messages, { role: "assistant", content: whole.slice(0, 90) } as const];
  const model = openai({ baseURL: url, model: "simulated", continues: true });
  assert.equal(textOf(await collect(model, { messages: cut })), whole.slice(90));
  const answered = (await (await ask({ messages: cut })).json()) as Json;
  assert.notEqual(answered["choices"][0].message.content, whole.slice(90));
});

test("what it charges is what the client is told, cached tokens too, also under load", async (context) => {
  const { url, charged } = await serving(context, { decode: 20_000 });
  const model = openai({ baseURL: url, model: "simulated" });
  const calls = Array.from({ length: 40 }, (_, i) => ({
    messages: [...messages, ...messages.slice(0, i % 2)],
    seed: i,
  }));
  const ends = (await Promise.all(calls.map((call) => collect(model, call)))).map((parts) => parts.at(-1));
  const sum = (
    all: readonly (ModelPart | Charged | undefined)[],
    name: "inputTokens" | "cachedTokens" | "outputTokens",
  ) => all.reduce((total, end) => total + (end !== undefined && "usage" in end ? end.usage[name] : Number.NaN), 0);
  for (const name of ["inputTokens", "cachedTokens", "outputTokens"] as const) {
    assert.equal(sum(ends, name), sum(charged, name), name);
  }
  assert.ok(sum(charged, "cachedTokens") > 0);
});

test("a client that leaves ends its call at once", async (context) => {
  let told: (charged: Charged) => void = () => {};
  const ended = new Promise<Charged>((resolve) => (told = resolve));
  const server = await simulateServer({ ...instant, decode: 50, steps: 1000, onCall: (call) => told(call) });
  context.after(() => server.close());
  const controller = new AbortController();
  const body = JSON.stringify({ model: "simulated", messages, stream: true });
  const response = await fetch(`${server.url}/chat/completions`, { method: "POST", body, signal: controller.signal });
  await response.body!.getReader().read();
  controller.abort();
  const { reason, usage } = await ended;
  assert.equal(reason, "interrupted");
  assert.ok(usage.outputTokens < 50, `${usage.outputTokens} tokens generated`);
});

test("models are listed; what is wrong is an error in OpenAI's shape that names it", async (context) => {
  const { url, ask } = await serving(context);
  const listed = (await (await fetch(`${url}/models`)).json()) as Json;
  assert.deepEqual(
    listed["data"].map(({ id }: Json) => id),
    ["simulated"],
  );
  type Wanted = readonly [status: number, message: RegExp, param?: string | null];
  const refused = async (response: Response, ...[status, message, param = null]: Wanted) => {
    const { error } = (await response.json()) as Json;
    assert.equal(response.status, status);
    assert.match(error.message, message);
    assert.deepEqual([error.type, error.param], ["invalid_request_error", param]);
  };
  await refused(await ask({ model: "other" }), 404, /"other".*only "simulated"/, "model");
  await refused(await ask({ messages: [] }), 400, /^messages: /, "messages");
  await refused(await ask({ messages: [{ role: "tool", content: "" }] }), 400, /role/, "messages[0].role");
  const missing = /^messages\[0\]\.content: is missing; it must be a string, or a list of parts as in/;
  await refused(await ask({ messages: [{ role: "user" }] }), 400, missing, "messages[0].content");
  await refused(await ask({ max_tokens: 0 }), 400, /^max_tokens: /, "max_tokens");
  await refused(await ask({ n: 2 }), 400, /^n: only one/, "n");
  await refused(await ask({ logprobs: true }), 400, /^logprobs: .*max_tokens/, "logprobs");
  await refused(await ask({ tools: [{}] }), 400, /^tools: no tools/, "tools");
  await refused(await ask({}, { body: "{" }), 400, /not JSON/);
  await refused(await fetch(`${url}/nothing`), 404, /\/nothing/);
  await refused(await fetch(`${url}/chat/completions`), 405, /POST/);
});

test("a key is required where one is set, and is not told", async (context) => {
  const { url } = await serving(context, { apiKey: "sesame" });
  const wrong = await fetch(`${url}/models`, { headers: { authorization: "Bearer open" } });
  assert.equal(wrong.status, 401);
  assert.doesNotMatch(await wrong.text(), /sesame|open/);
  const right = await fetch(`${url}/models`, { headers: { authorization: "Bearer sesame" } });
  assert.equal(right.status, 200);
});

test("refused calls have a status, and 429 says when to come again", async (context) => {
  const { ask } = await serving(context, { fail: 1 });
  const seen = new Map<number, string | null>();
  for (let seed = 0; seed < 20; seed++) {
    const response = await ask({ seed, stream: true });
    seen.set(response.status, response.headers.get("retry-after"));
    assert.match(await response.text(), /simulated/);
  }
  assert.deepEqual(
    new Map([...seen].toSorted(([a], [b]) => a - b)),
    new Map([
      [429, "1"],
      [500, null],
    ]),
  );
});

test("a port in use is named", async (context) => {
  const { url } = await serving(context);
  const port = Number(new URL(url).port);
  await assert.rejects(simulateServer({ port }), {
    name: "ConfigError",
    message: `port: ${port} is in use; choose another, or 0 for any free one`,
  });
  await assert.rejects(simulateServer({ port: 70_000 }), /port: 70000 is no port number/);
});

const behaviours: Readonly<Record<Behaviour, SimulatedOptions>> = {
  plain: instant,
  slow: { ...instant, decode: 50, steps: 1000 },
  silent: { ttft: 1e8 },
  stall: { ...instant, stall: 1 },
  close: { ...instant, truncate: 1 },
  fail: { ...instant, breakOff: 1 },
};

modelSuite("openai over a simulated server", {
  calls: 200,
  make: async (behaviour) => {
    let tell = () => {};
    const told = new Promise<void>((resolve) => (tell = resolve));
    const server = await simulateServer({ ...behaviours[behaviour], onCall: () => tell() });
    const model = openai({ baseURL: server.url, model: "simulated", idleMs: behaviour === "stall" ? 200 : 0 });
    return { model, left: () => told, close: () => server.close() };
  },
});
