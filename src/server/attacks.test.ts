// Clients that mean no good, or are broken, over raw sockets.

import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import type { Socket } from "node:net";
import { test, type TestContext } from "node:test";
import { ConfigError } from "../base/errors.ts";
import type { Model, ModelPart, ModelRequest } from "../core/types.ts";
import { held, until } from "./held.fixture.ts";
import { serve } from "./serve.ts";
import type { ServeOptions, Serving } from "./serve.ts";

async function serving(context: TestContext, model: Model, options: Partial<ServeOptions> = {}): Promise<Serving> {
  const server = await serve({ teams: {}, models: { model }, ...options });
  context.after(() => server.close({ deadlineMs: 0 }));
  return server;
}

async function opened(context: TestContext, { port }: Serving): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  context.after(() => socket.destroy());
  socket.on("error", () => {});
  await once(socket, "connect");
  return socket;
}

const bodyOf = (more: object = {}) =>
  JSON.stringify({ model: "model", messages: [{ role: "user", content: "go" }], ...more });
const requestOf = (body: string, length = Buffer.byteLength(body)) =>
  `POST /v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: ${length}\r\n\r\n${body}`;

const received = async (socket: Socket): Promise<string> => {
  let text = "";
  socket.on("data", (data: Buffer) => (text += data.toString()));
  if (!socket.closed) await once(socket, "close");
  return text;
};

const isWell = async ({ url }: Serving) => (await fetch(`${url}/healthz`)).status === 200;

test("who sends headers or a body drop by drop is let go", async (context) => {
  const server = await serving(context, held(["x"]), { requestMs: 150 });
  const [headers, body] = [await opened(context, server), await opened(context, server)];
  headers.write("POST /v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1\r\nx-a: ");
  body.write(requestOf('{"model":', 1000));
  const answers = await Promise.all([received(headers), received(body)]);
  for (const answer of answers) assert.match(answer, /^HTTP\/1\.1 408 /);
  assert.ok(await isWell(server));
});

test("headers that are too large, bodies that are too large, and nonsense are refused", async (context) => {
  const server = await serving(context, held(["x"]), { limits: { bodyBytes: 10_000 } });
  const large = await opened(context, server);
  large.write(`GET / HTTP/1.1\r\nhost: 127.0.0.1\r\nx-large: ${"a".repeat(20_000)}\r\n\r\n`);
  assert.match(await received(large), /^HTTP\/1\.1 431 /);
  const nonsense = await opened(context, server);
  nonsense.write("\x16\x03\x01 this is not HTTP\r\n\r\n");
  assert.match(await received(nonsense), /^HTTP\/1\.1 400 /);
  const claimed = await opened(context, server);
  claimed.write(requestOf("{", 2 ** 40));
  assert.match(await received(claimed), /^HTTP\/1\.1 413 /);
  const endless = await opened(context, server);
  endless.write("POST /v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1\r\ntransfer-encoding: chunked\r\n\r\n");
  const answer = received(endless);
  for (let sent = 0; sent < 100 && endless.writable; sent++) endless.write(`400\r\n${"x".repeat(1024)}\r\n`);
  assert.match(await answer, /^HTTP\/1\.1 413 /);
  assert.ok(await isWell(server));
});

test("a socket that is half closed, or torn in the middle of a body, ends its run", async (context) => {
  const model = held(["word "]);
  const server = await serving(context, model);
  const torn = await opened(context, server);
  torn.write(requestOf('{"model":', 1000));
  torn.destroy();
  const gone = await opened(context, server);
  gone.write(requestOf(bodyOf({ stream: true })));
  await until(() => model.requests.length === 1, "the call");
  gone.resetAndDestroy();
  await until(() => model.aborted() === 1, "the abort");
  const half = await opened(context, server);
  half.end(requestOf(bodyOf({ stream: true })));
  await until(() => model.requests.length === 2 || half.closed, "the call");
  model.release();
  await received(half);
  assert.ok(await isWell(server));
});

/** Says `texts` texts as fast as it can, a turn of the event loop for each hundred. */
const flood = (texts: number): Model & { readonly said: () => number } => {
  let said = 0;
  async function* stream({ signal }: ModelRequest): AsyncGenerator<ModelPart, void, undefined> {
    for (let each = 0; each < texts && signal?.aborted !== true; each++) {
      if (each % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
      said++;
      yield { type: "text", text: "x".repeat(500), tokens: 1 };
    }
    const usage = { calls: 1, inputTokens: 1, cachedTokens: 0, outputTokens: said };
    yield { type: "end", reason: signal?.aborted === true ? "interrupted" : "stop", usage };
  }
  return { id: "flood", stream, said: () => said };
};

test("a client that never reads is let go, and its run ends", async (context) => {
  const model = held(Array.from({ length: 10_000 }, () => "x".repeat(1000)));
  const server = await serving(context, model, { unreadMs: 100 });
  const socket = await opened(context, server);
  socket.pause();
  socket.write(requestOf(bodyOf({ stream: true })));
  const again = async () => (await fetch(`${server.url}/healthz`)).status;
  while (model.aborted() === 0) assert.equal(await again(), 200);
  socket.resume();
  await received(socket);
});

test("what waits for a client that never reads is bounded by its run's trace", async (context) => {
  const model = flood(1_000_000);
  const server = await serving(context, model, { limits: { runBytes: 8_000_000 } });
  const socket = await opened(context, server);
  socket.pause();
  const before = process.memoryUsage().arrayBuffers + process.memoryUsage().external;
  socket.write(requestOf(bodyOf({ stream: true })));
  const list = async () =>
    (await (await fetch(`${server.url}/runs`)).json()) as { runs: { state: string; events: number }[] };
  let runs = (await list()).runs;
  while (runs[0]?.state !== "cancelled") runs = (await list()).runs;
  // The run was cancelled at 8 MB, of which 1.25 kB an event.
  assert.ok(model.said() < 20_000, `${model.said()} texts`);
  const buffers = process.memoryUsage().arrayBuffers + process.memoryUsage().external - before;
  assert.ok(buffers < 16_000_000, `${buffers} bytes of buffers`);
  assert.ok(await isWell(server));
});

test("a slow client gets every byte", async (context) => {
  const server = await serving(context, flood(3000));
  const response = await fetch(`${server.url}/v1/chat/completions`, { method: "POST", body: bodyOf({ stream: true }) });
  let text = "";
  for await (const part of response.body!.pipeThrough(new TextDecoderStream())) {
    text += part;
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.equal(text.match(/x{500}/g)?.length, 3000);
  assert.match(text, /data: \[DONE\]\n\n$/);
});

test("what a model says does not leave its place in the stream", async (context) => {
  const words = ["data: [DONE]\n\n", "\u2028</script>\u001b[31m\r\n\r\n", 'event: x"\\'];
  const model = held(words);
  model.release();
  const server = await serving(context, model);
  const response = await fetch(`${server.url}/v1/chat/completions`, { method: "POST", body: bodyOf({ stream: true }) });
  const text = await response.text();
  const events = text.split("\n\n").filter((block) => block !== "");
  assert.ok(events.every((event) => event.startsWith("data: ")));
  const parsed = events
    .slice(0, -1)
    .map((event) => JSON.parse(event.slice(6)) as { choices: { delta: { content?: string } }[] });
  assert.equal(parsed.map(({ choices }) => choices[0]?.delta.content ?? "").join(""), words.join(""));
});

test("other sites cannot reach a server on this machine by a name of theirs", async (context) => {
  const server = await serving(context, held(["x"]));
  const socket = await opened(context, server);
  socket.write("GET /runs HTTP/1.1\r\nhost: evil.example\r\nconnection: close\r\n\r\n");
  assert.match(await received(socket), /^HTTP\/1\.1 421 /);
});

test("two servers on one port: the second says so", async (context) => {
  const { port } = await serving(context, held(["x"]));
  await assert.rejects(
    serve({ teams: {}, models: { model: held(["x"]) }, port }),
    (error) => error instanceof ConfigError && /is in use/.test(error.message),
  );
});

test("an address that others reach needs keys, or a word that anybody may call", async () => {
  const options = { teams: {}, models: { model: held(["x"]) }, host: "0.0.0.0" };
  await assert.rejects(serve(options), (error) => error instanceof ConfigError && error.path === "host");
  for (const more of [{ anybody: true }, { keys: ["some-key"] }]) {
    const server = await serve({ ...options, ...more });
    await server.close();
  }
});

test("closing lets a stream end, and cancels what has not ended by the deadline", async (context) => {
  const [patient, stuck] = [held(["a"], ["b"]), held(["a"])];
  const server = await serve({ teams: {}, models: { patient, stuck } });
  context.after(() => server.close());
  const ask = async (model: string) =>
    (
      await fetch(`${server.url}/v1/chat/completions`, { method: "POST", body: bodyOf({ stream: true, model }) })
    ).text();
  const answers = Promise.all([ask("patient"), ask("stuck")]);
  await until(() => patient.requests.length + stuck.requests.length === 2, "both calls");
  const closed = server.close({ deadlineMs: 100 });
  patient.release();
  const [first, second] = await answers;
  assert.match(first, /"b".*\[DONE\]/s);
  assert.match(second, /the server is shutting down/);
  await closed;
  await assert.rejects(ask("patient"));
});
