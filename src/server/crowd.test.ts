// Many clients at once, half of them slow, and what one that does not read costs.

import assert from "node:assert/strict";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { connect } from "node:net";
import { test } from "node:test";
import type { Model, ModelPart } from "../core/types.ts";
import { serve } from "./serve.ts";

const text = "x".repeat(500);

/** Says so many texts, ten in each turn of the event loop, and ends a step with every tenth. */
const saying = (count: number): Model => ({
  id: "m",
  async *stream(): AsyncGenerator<ModelPart, void, undefined> {
    for (let each = 0; each < count; each++) {
      if (each % 10 === 0) await new Promise((resolve) => setImmediate(resolve));
      yield { type: "text", text: each % 10 === 9 ? "\nEND_STEP\n" : text, tokens: 1 };
    }
    const usage = { calls: 1, inputTokens: 1, cachedTokens: 0, outputTokens: count };
    yield { type: "end", reason: "stop", usage };
  },
});
const team = (count: number) => ({
  topology: { agents: [{ id: "a", instructions: "", model: saying(count) }], edges: [] },
});

test("200 clients, half of them slow, lose nothing", async (context) => {
  const server = await serve({ teams: { m: team(30) }, limits: { runs: 200 } });
  context.after(() => server.close({ deadlineMs: 0 }));
  const body = JSON.stringify({ model: "m", stream: true, messages: [{ role: "user", content: "go" }] });
  const ask = async (slow: boolean) => {
    const response = await fetch(`${server.url}/v1/chat/completions`, { method: "POST", body });
    let all = "";
    for await (const part of response.body!.pipeThrough(new TextDecoderStream())) {
      all += part;
      for (let turn = 0; slow && turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
    }
    return `${all.match(/x{500}/g)?.length} ${all.endsWith("data: [DONE]\n\n")}`;
  };
  const got = await Promise.all(Array.from({ length: 200 }, (_, index) => ask(index % 2 === 0)));
  assert.deepEqual([...new Set(got)], ["27 true"]);
});

test("what waits for a client that does not read is 100 kB at most, however long the trace", async (context) => {
  const server = await serve({ teams: { m: team(12_000) } });
  context.after(() => server.close({ deadlineMs: 0 }));
  const responses: ServerResponse[] = [];
  const see = (message: unknown) => {
    const { request, response } = message as { request: { url: string }; response: ServerResponse };
    if (request.url.endsWith("/events")) responses.push(response);
  };
  const started = await fetch(`${server.url}/runs`, {
    method: "POST",
    body: JSON.stringify({ model: "m", task: "go" }),
  });
  const { id } = (await started.json()) as { id: string };
  subscribe("http.server.request.start", see);
  context.after(() => unsubscribe("http.server.request.start", see));
  const clients = Array.from({ length: 5 }, () => {
    const socket = connect(server.port, "127.0.0.1").pause();
    socket.write(`GET /runs/${id}/events HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n`);
    context.after(() => socket.destroy());
    return socket;
  });
  await Promise.all(clients.map((socket) => once(socket, "connect")));
  const state = async () => ((await (await fetch(`${server.url}/runs/${id}`)).json()) as { state: string }).state;
  while ((await state()) === "running");
  const waiting = responses.map(({ writableLength }) => writableLength);
  assert.equal(waiting.length, 5);
  for (const bytes of waiting) assert.ok(bytes > 0 && bytes < 100_000, `${bytes} bytes`);
});
