// Clients that people use, over real sockets.

import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { ChatOpenAI } from "@langchain/openai";
import { generateText, streamText } from "ai";
import OpenAI, { APIUserAbortError, AuthenticationError, BadRequestError, NotFoundError } from "openai";
import { createOpenAICompatible } from "openai-compatible-v3";
import { createParser } from "eventsource-parser";
import { systemClock } from "../base/clock.ts";
import { parseTrace } from "../core/trace.ts";
import { chain } from "../core/topology.ts";
import { scripted } from "../testing/scripted.ts";
import { held, until } from "./held.fixture.ts";
import type { HeldModel } from "./held.fixture.ts";
import { serve } from "./serve.ts";
import type { Serving } from "./serve.ts";

const apiKey = "a-key-for-tests";
const expected = "checked one\n\nchecked two";
const solver = scripted(systemClock, () => ["one\nEND_STEP\n", "two\nEND_STEP"]);
const reviewer = scripted(systemClock, (_, { messages }) => [
  "checked ",
  (messages.at(-1)?.content ?? "").includes("two") ? "two" : "one",
  "\nEND_STEP",
]);
const topology = chain([
  { id: "solver", instructions: "Solve.", model: solver },
  { id: "reviewer", instructions: "Review.", model: reviewer },
]);
const slow: HeldModel = held(["word "], ["more"]);
const breaking = scripted(systemClock, () => ["half ", { fail: new Error("the model broke") }]);

let serving: Serving;
before(async () => {
  serving = await serve({
    teams: { team: { topology }, open: { topology, reasoning: true } },
    models: { slow, breaking },
    keys: [apiKey],
  });
});
after(() => serving.close({ deadlineMs: 0 }));

const messages = [{ role: "user" as const, content: "Do it." }];
const openai = () => new OpenAI({ baseURL: `${serving.url}/v1`, apiKey, maxRetries: 0 });
const provider = () =>
  createOpenAICompatible({ name: "duplex", baseURL: `${serving.url}/v1`, apiKey, includeUsage: true });

test("the openai package: models, answers whole and streamed, usage", async () => {
  const client = openai();
  const models = await client.models.list();
  assert.deepEqual(
    models.data.map(({ id }) => id),
    ["team", "open", "slow", "breaking"],
  );
  const whole = await client.chat.completions.create({ model: "team", messages });
  assert.equal(whole.choices[0]?.message.content, expected);
  const stream = client.chat.completions.stream({ model: "team", messages, stream_options: { include_usage: true } });
  const final = await stream.finalChatCompletion();
  assert.equal(final.choices[0]?.message.content, expected);
  assert.equal(final.usage?.completion_tokens, 8);
});

test("the openai package: responses", async () => {
  const client = openai();
  const include = ["reasoning.encrypted_content" as const];
  const whole = await client.responses.create({ model: "team", input: "Do it.", store: false, include });
  assert.equal(whole.output_text, expected);
  const final = await client.responses.stream({ model: "team", input: "Do it." }).finalResponse();
  assert.equal(final.output_text, expected);
  assert.equal(final.usage?.output_tokens, 8);
  const other = client.responses.create({ model: "team", input: "Do it.", include: ["file_search_call.results"] });
  await assert.rejects(other, /include\[0\]: this parameter is not supported/);
});

test("the openai package: errors are its own kinds, before a stream and in its midst", async () => {
  const client = openai();
  const wrongKey = new OpenAI({ baseURL: `${serving.url}/v1`, apiKey: "wrong", maxRetries: 0 });
  await assert.rejects(wrongKey.models.list(), AuthenticationError);
  await assert.rejects(client.chat.completions.create({ model: "nobody", messages }), NotFoundError);
  await assert.rejects(client.chat.completions.create({ model: "team", messages, n: 2 }), BadRequestError);
  let text = "";
  await assert.rejects(async () => {
    for await (const chunk of await client.chat.completions.create({ model: "breaking", messages, stream: true }))
      text += chunk.choices[0]?.delta.content ?? "";
  }, /the model broke/);
  assert.equal(text, "half");
});

test("the openai package: leaving a stream, or aborting a call, ends the run", async () => {
  const client = openai();
  const earlier = slow.aborted();
  for await (const chunk of await client.chat.completions.create({ model: "slow", messages, stream: true }))
    if (chunk.choices[0]?.delta.content === "word") break;
  await until(() => slow.aborted() === earlier + 1, "the abort of a stream");
  const calls = slow.requests.length;
  const stop = new AbortController();
  const whole = client.chat.completions.create({ model: "slow", messages }, { signal: stop.signal });
  whole.catch(() => {});
  await until(() => slow.requests.length === calls + 1, "the call");
  stop.abort();
  await assert.rejects(whole, APIUserAbortError);
  await until(() => slow.aborted() === earlier + 2, "the abort of a whole call");
});

test("the AI SDK: text, usage, reasoning and errors", async () => {
  const { text, usage } = await generateText({ model: provider()("team"), messages });
  assert.equal(text, expected);
  assert.equal(usage.outputTokens, 8);
  const streamed = streamText({ model: provider()("open"), messages });
  await streamed.consumeStream();
  assert.equal(await streamed.text, expected);
  assert.match((await streamed.reasoningText) ?? "", /\[solver\] one/);
  assert.equal((await streamed.usage).outputTokens, 8);
  const errors: unknown[] = [];
  const broken = streamText({
    model: provider()("breaking"),
    messages,
    onError: ({ error }) => void errors.push(error),
  });
  await broken.consumeStream();
  assert.equal(errors.length, 1);
});

test("the AI SDK: an abort ends the run, of a whole answer too", async () => {
  const stop = new AbortController();
  const earlier = slow.aborted();
  const result = streamText({ model: provider()("slow"), messages, abortSignal: stop.signal });
  for await (const part of result.fullStream) if (part.type === "text-delta") stop.abort();
  await until(() => slow.aborted() === earlier + 1, "the abort");
  const calls = slow.requests.length;
  const late = new AbortController();
  const whole = generateText({ model: provider()("slow"), messages, abortSignal: late.signal, maxRetries: 0 });
  whole.catch(() => {});
  await until(() => slow.requests.length === calls + 1, "the call");
  late.abort();
  await assert.rejects(whole, { name: "AbortError" });
  await until(() => slow.aborted() === earlier + 2, "the abort of a whole answer");
});

test("LangChain: an abort, and leaving a stream, end the run", async () => {
  const model = new ChatOpenAI({
    model: "slow",
    apiKey,
    maxRetries: 0,
    configuration: { baseURL: `${serving.url}/v1` },
  });
  const earlier = slow.aborted();
  const stop = new AbortController();
  await assert.rejects(async () => {
    for await (const chunk of await model.stream("Do it.", { signal: stop.signal }))
      if (chunk.text === "word") stop.abort();
  });
  await until(() => slow.aborted() === earlier + 1, "the abort of a stream");
  const calls = slow.requests.length;
  const late = new AbortController();
  const whole = model.invoke("Do it.", { signal: late.signal });
  whole.catch(() => {});
  await until(() => slow.requests.length === calls + 1, "the call");
  late.abort();
  await assert.rejects(whole);
  await until(() => slow.aborted() === earlier + 2, "the abort of a whole call");
});

test("LangChain: answers whole and streamed", async () => {
  const model = new ChatOpenAI({
    model: "team",
    apiKey,
    maxRetries: 0,
    configuration: { baseURL: `${serving.url}/v1` },
  });
  const whole = await model.invoke("Do it.");
  assert.equal(whole.text, expected);
  assert.equal((whole.usage_metadata as { output_tokens: number } | undefined)?.output_tokens, 8);
  let text = "";
  for await (const chunk of await model.stream("Do it.")) text += chunk.text;
  assert.equal(text, expected);
});

test("curl: the line that is printed works, whole too, and to end it ends the run", async () => {
  const args = (model: string, stream: boolean) => {
    const body = JSON.stringify({ model, stream, messages });
    const key = ["-H", `authorization: Bearer ${apiKey}`, "-d", body];
    return ["-sSN", `${serving.url}/v1/chat/completions`, "-H", "content-type: application/json", ...key];
  };
  const curl = promisify(execFile);
  assert.match((await curl("curl", args("team", true))).stdout, /data: \[DONE\]\n\n$/);
  const { stdout } = await curl("curl", args("team", false));
  assert.ok(stdout.includes(JSON.stringify(expected)), stdout);
  const earlier = slow.aborted();
  const child = spawn("curl", args("slow", true));
  for await (const text of child.stdout.setEncoding("utf8")) if (String(text).includes('"word"')) child.kill();
  await until(() => slow.aborted() === earlier + 1, "the abort");
});

const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
const call = (path: string, init: RequestInit = {}) => fetch(`${serving.url}${path}`, { headers, ...init });

type Event = { readonly id: string | undefined; readonly data: string };
async function eventsOf(response: Response, most = Infinity): Promise<Event[]> {
  const events: Event[] = [];
  const parser = createParser({ onEvent: ({ id, data }) => void events.push({ id, data }) });
  for await (const text of response.body!.pipeThrough(new TextDecoderStream())) {
    parser.feed(text);
    if (events.length >= most) break;
  }
  return events;
}

test("a run's trace is streamed from its first event however late, and resumed after any", async () => {
  const id = (await openai().chat.completions.create({ model: "team", messages })).id;
  const all = await eventsOf(await call(`/runs/${id}/events`));
  const { runs, problem } = parseTrace(all.map(({ data }) => data));
  assert.equal(problem, undefined);
  assert.equal(runs[0]?.at(-1)?.type, "run-end");
  assert.deepEqual(
    all.map((event) => event.id),
    all.map((_, index) => String(index)),
  );
  const resumed = (last: string) => call(`/runs/${id}/events`, { headers: { ...headers, "last-event-id": last } });
  assert.deepEqual(await eventsOf(await resumed("4")), all.slice(5));
  assert.equal((await resumed(String(all.length - 1))).status, 204);
  for (const wrong of [String(all.length), "99999999", "-1", "abc", "1".repeat(30)])
    assert.equal((await resumed(wrong)).status, 400, wrong);
  assert.equal((await call("/runs/nothing/events")).status, 404);
});

test("a person raises the hand: the speaker is cut, and the trace says by whom", async () => {
  const started = await call("/runs", { method: "POST", body: JSON.stringify({ model: "slow", task: "Do it." }) });
  assert.equal(started.status, 202);
  const { id } = (await started.json()) as { id: string };
  const live = await call(`/runs/${id}/events`);
  await until(() => slow.requests.length > 0);
  const hand = (body: object) => call(`/runs/${id}/interrupt`, { method: "POST", body: JSON.stringify(body) });
  assert.equal((await hand({ agent: "nobody" })).status, 400);
  assert.equal((await hand({})).status, 400);
  assert.deepEqual(await (await hand({ agent: "model", turn: 7 })).json(), { run: id, interrupted: false });
  assert.deepEqual(await (await hand({ agent: "model", by: "Ada", reason: "enough" })).json(), {
    run: id,
    interrupted: true,
  });
  const events = (await eventsOf(live)).map(({ data }) => JSON.parse(data) as Record<string, unknown>);
  const cut = events.find(({ type }) => type === "interrupt");
  assert.deepEqual([cut?.["by"], cut?.["reason"]], ["Ada", "enough"]);
  assert.equal(((await (await hand({ agent: "model" })).json()) as { interrupted: boolean }).interrupted, false);
});

test("whoever leaves a trace cancels nothing; a run is cancelled by DELETE", async () => {
  const started = await call("/runs", { method: "POST", body: JSON.stringify({ model: "slow", task: "Do it." }) });
  const { id } = (await started.json()) as { id: string };
  await eventsOf(await call(`/runs/${id}/events`), 1);
  const state = async (method = "GET") =>
    ((await (await call(`/runs/${id}`, { method })).json()) as { state: string }).state;
  assert.equal(await state(), "running");
  assert.equal(await state("DELETE"), "cancelled");
  const last = (await eventsOf(await call(`/runs/${id}/events`))).at(-1);
  assert.match(last?.data ?? "", /"run-end".*"cancelled"/);
});
