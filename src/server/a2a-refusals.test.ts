// A2A as those speak it who do not follow it, or follow an earlier version.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  ClientFactory,
  ClientFactoryOptions,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
} from "@a2a-js/sdk/client";
import { TaskNotFoundError } from "@a2a-js/sdk/errors";
import { Hono } from "hono";
import { systemClock } from "../base/clock.ts";
import { chain } from "../core/topology.ts";
import { scripted } from "../testing/scripted.ts";
import { all, asking, byId, done, textOf, together } from "./a2a.fixture.ts";
import { missing } from "./a2a-sdk.ts";
import { a2aRoutes } from "./a2a.ts";
import { toResponse } from "./failure.ts";
import { handler } from "./handler.ts";
import { held } from "./held.fixture.ts";
import { serve } from "./serve.ts";
import { serviceOf } from "./service.ts";
import type { Serving } from "./serve.ts";

const expected = "one\n\ntwo";
const model = scripted(systemClock, () => ["one\nEND_STEP\n", "\ntwo\nEND_STEP"]);
let serving: Serving;
before(async () => {
  serving = await serve({ teams: { team: { topology: chain([{ id: "solver", instructions: "Solve.", model }]) } } });
});
after(() => serving.close({ deadlineMs: 0 }));

const rpc = async (body: unknown, { path = "/a2a/team", version = "1.0" } = {}) => {
  const response = await fetch(`${serving.url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", "a2a-version": version },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as { error?: { code: number; message: string } } };
};
const call = (method: string, params?: unknown) => ({ jsonrpc: "2.0", id: 1, method, params });

test("unknown tasks and malformed calls are refused by their code, and nothing falls over", async () => {
  const client = await new ClientFactory().createFromUrl(serving.url);
  await assert.rejects(client.getTask({ tenant: "", id: "nothing" }), TaskNotFoundError);
  await assert.rejects(client.cancelTask(byId("nothing")), TaskNotFoundError);
  const said = { messageId: "1", role: "ROLE_USER", parts: [{ text: "Do it." }] };
  const cases: readonly (readonly [unknown, number])[] = [
    ["{", -32700],
    ["[]", -32602],
    ["7", -32602],
    [{ jsonrpc: "1.0", id: 1, method: "GetTask" }, -32602],
    [call("Nonsense", {}), -32601],
    [call("Nonsense"), -32601],
    [call("Nonsense", []), -32601],
    [call("GetTask"), -32602],
    [call("SendMessage", []), -32602],
    [call("SendMessage", {}), -32602],
    [call("SendMessage", { message: { ...said, messageId: "" } }), -32602],
    [call("SendMessage", { message: { ...said, parts: [] } }), -32602],
    [call("SendMessage", { message: { ...said, parts: [{ text: " " }] } }), -32602],
    [call("SendMessage", { message: { ...said, parts: [{ url: "http://127.0.0.1/" }] } }), -32005],
    [call("SendStreamingMessage", { message: { ...said, parts: [{ data: {} }] } }), -32005],
    [call("SendMessage", { message: { ...said, taskId: "nothing" } }), -32001],
    [call("SendMessage", { message: said, metadata: { skill: "nobody" } }), -32602],
    [call("SendMessage", { message: said, configuration: { acceptedOutputModes: ["image/png"] } }), -32005],
    [call("CreateTaskPushNotificationConfig", { taskId: "x", url: "http://127.0.0.1/" }), -32003],
    [call("GetExtendedAgentCard"), -32004],
    [call("ListTasks", { pageSize: 1000 }), -32602],
    [call("SubscribeToTask", { id: "nothing" }), -32001],
  ];
  for (const [body, code] of cases) {
    const answer = await rpc(body);
    assert.deepEqual([answer.status, answer.body.error?.code], [200, code], JSON.stringify(body));
  }
  for (const version of ["0.3", "1.0"])
    assert.equal((await rpc(call("tasks/none"), { version })).body.error?.code, -32601, version);
  assert.equal((await rpc(call("tasks/get"), { version: "0.3" })).body.error?.code, -32602);
  assert.equal((await rpc(call("GetTask", { id: "x" }), { version: "7.0" })).body.error?.code, -32009);
  assert.equal((await rpc(call("GetTask", { id: "x" }), { path: "/a2a/nobody" })).status, 404);
  assert.equal((await fetch(`${serving.url}/a2a/team`)).status, 405);
});

test("clients of version 0.3 are served as well: message/send, message/stream, tasks/cancel", async () => {
  const legacyCompat = { enabled: true };
  const url = `${serving.url}/a2a/team/.well-known/agent-card.json`;
  const old = (await (await fetch(url)).json()) as { protocolVersion: string; url: string };
  assert.deepEqual([old.protocolVersion, old.url], ["0.3.0", `${serving.url}/a2a/team`]);
  const options = ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
    transports: [new JsonRpcTransportFactory({ legacyCompat })],
    cardResolver: new DefaultAgentCardResolver({ legacyCompat }),
  });
  const client = await new ClientFactory(options).createFromAgentCard(old as never);
  assert.equal(textOf(await done(client, asking("Do it."))), expected);
  const updates = await all(client.sendMessageStream(asking("Do it.")));
  assert.equal(together(updates).texts.get("answer"), expected);
  const params = {
    message: { kind: "message", messageId: "1", role: "user", parts: [{ kind: "text", text: "Do it." }] },
  };
  const raw = await rpc(call("message/send", params), { version: "" });
  assert.equal((raw.body as { result?: { status: { state: string } } }).result?.status.state, "completed");
  assert.equal((await rpc(call("tasks/cancel", { id: "nothing" }), { version: "0.3" })).body.error?.code, -32001);
});

test("a server that is full, asks for a key says so by status", async () => {
  const busy = held(["word "]);
  const answer = handler({ teams: {}, models: { busy }, keys: ["a-long-key"], limits: { runs: 1, queue: 0 } });
  const parts = [{ text: "Do it." }];
  const body = JSON.stringify(
    call("SendMessage", { message: { messageId: "1", parts }, configuration: { returnImmediately: true } }),
  );
  const send = (key: string) => {
    const headers = { "a2a-version": "1.0", authorization: `Bearer ${key}` };
    return answer(new Request("http://host/a2a", { method: "POST", headers, body }));
  };
  assert.equal((await send("a-wrong-key")).status, 401);
  assert.equal((await send("a-long-key")).status, 200);
  const refused = await send("a-long-key");
  assert.equal(refused.status, 429);
  assert.ok(Number(refused.headers.get("retry-after")) > 0);
  const card = await answer(
    new Request("http://host/.well-known/agent-card.json", {
      headers: { "a2a-version": "1.0", authorization: "Bearer a-long-key", "x-forwarded-proto": "https" },
    }),
  );
  const { securitySchemes, supportedInterfaces } = (await card.json()) as {
    securitySchemes: object;
    supportedInterfaces: { url: string }[];
  };
  assert.deepEqual(Object.keys(securitySchemes), ["bearer"]);
  assert.equal(supportedInterfaces[0]?.url, "https://host/a2a", "as the proxy is called");
  await answer.close({ deadlineMs: 0 });
});

test("without the package its addresses say what to install, and the rest is served", async () => {
  const app = new Hono();
  const cause = Object.assign(new Error("Cannot find package"), { code: "ERR_MODULE_NOT_FOUND" });
  const service = serviceOf({ teams: {}, models: { model } });
  a2aRoutes(app, service, { secured: false, load: () => Promise.reject(missing(cause)) });
  app.onError((error) => toResponse(error, service.redact));
  for (const [path, method] of [
    ["/.well-known/agent-card.json", "GET"],
    ["/a2a", "POST"],
  ] as const) {
    const response = await app.request(path, { method });
    assert.equal(response.status, 501);
    assert.match(await response.text(), /A2A needs the optional package @a2a-js\/sdk: run `npm i @a2a-js\/sdk`/);
  }
});

test("pages of an origin that is let in may call, and ask for the version they speak", async () => {
  const answer = handler({ teams: {}, models: { model }, origins: ["https://example.com"] });
  const headers = {
    origin: "https://example.com",
    "access-control-request-method": "POST",
    "access-control-request-headers": "a2a-version,content-type",
  };
  const preflight = await answer(new Request("http://host/a2a", { method: "OPTIONS", headers }));
  assert.match(preflight.headers.get("access-control-allow-headers") ?? "", /a2a-version/);
  const others = new Request("http://host/a2a", {
    method: "POST",
    headers: { origin: "https://example.org" },
    body: "{}",
  });
  assert.equal((await answer(others)).status, 403);
});
