// Teams as agents of the A2A protocol, by the official SDK: cards, and tasks over JSON-RPC and server-sent events.

import type { Context, Hono } from "hono";
import type { Clock } from "../base/clock.ts";
import { after } from "../base/clock.ts";
import { cardOf, legacyCardOf } from "./a2a-card.ts";
import { loadSdk } from "./a2a-sdk.ts";
import type { Sdk } from "./a2a-sdk.ts";
import { refusalKey, requestKey, TeamTasks } from "./a2a-tasks.ts";
import type { Tasks } from "./a2a-tasks.ts";
import { readText } from "./body.ts";
import { teamNamed } from "./service.ts";
import type { Service } from "./service.ts";
import { HttpError } from "./simulate-request.ts";
import { sseEvent, sseHeaders } from "./sse.ts";

export type A2aOptions = {
  /** Whether callers need a key, which the cards then say. */
  readonly secured: boolean;
  /** For tests. */
  readonly load?: (() => Promise<Sdk>) | undefined;
};

const legacyVersion = "0.3";
const notFound = -32601;
const invalidParams = -32602;
const parseError = { code: -32700, message: "the body is not JSON" };

/** The methods of the versions that are spoken. */
const methods: readonly unknown[] = [
  "SendMessage",
  "SendStreamingMessage",
  "GetTask",
  "ListTasks",
  "CancelTask",
  "SubscribeToTask",
  "CreateTaskPushNotificationConfig",
  "GetTaskPushNotificationConfig",
  "ListTaskPushNotificationConfigs",
  "DeleteTaskPushNotificationConfig",
  "GetExtendedAgentCard",
  "message/send",
  "message/stream",
  "tasks/get",
  "tasks/cancel",
  "tasks/resubscribe",
  "tasks/pushNotificationConfig/set",
  "tasks/pushNotificationConfig/get",
  "tasks/pushNotificationConfig/list",
  "tasks/pushNotificationConfig/delete",
  "agent/getAuthenticatedExtendedCard",
];

/** The SDK looks at the parameters first, also of a method that it does not have. */
const isUnknown = (method: unknown, outcome: object): boolean =>
  typeof method === "string" &&
  !methods.includes(method) &&
  "error" in outcome &&
  (outcome.error as { readonly code?: unknown }).code === invalidParams;

/** The parts that answer one request. */
type Call = { readonly sdk: Sdk; readonly tasks: TeamTasks; readonly version: string; readonly request: Request };

async function handle({ sdk, tasks, version, request }: Call, body: Record<string, unknown>) {
  const { server, legacy } = sdk;
  const state = new Map<string, unknown>([[requestKey, request]]);
  const context = new server.ServerCallContext({ requestedVersion: version, state });
  const old = version === legacyVersion;
  const toError = old
    ? (error: unknown) => legacy.LegacyJsonRpcTransportHandler.mapToLegacyJSONRPCError(error)
    : (error: unknown) => server.JsonRpcTransportHandler.mapToJSONRPCError(error);
  const failed = (error: unknown) => ({ jsonrpc: "2.0", id: body["id"] ?? null, error: toError(error) });
  try {
    server.validateVersion(version, await tasks.getAgentCard(), "JSONRPC");
    const handler = old ? new legacy.LegacyJsonRpcTransportHandler(tasks) : new server.JsonRpcTransportHandler(tasks);
    const outcome: object = await handler.handle(body, context);
    if (isUnknown(body["method"], outcome)) {
      const error = { code: notFound, message: `there is no method ${JSON.stringify(body["method"])}` };
      return { outcome: { jsonrpc: "2.0", id: body["id"] ?? null, error }, state, failed };
    }
    if (!(Symbol.asyncIterator in outcome)) return { outcome, state, failed };
    const stream = (outcome as AsyncIterable<object>)[Symbol.asyncIterator]();
    return { first: await stream.next(), stream, state, failed };
  } catch (error) {
    return { outcome: failed(error), state, failed };
  }
}

type Stream = {
  readonly first: IteratorResult<object>;
  readonly stream: AsyncIterator<object>;
  readonly failed: (error: unknown) => object;
};

/** The updates as events, pulled at the client's pace. Leaving cancels nothing: whoever left may subscribe again. */
function sse({ first, stream, failed }: Stream, { clock, keepAliveMs }: { clock: Clock; keepAliveMs: number }) {
  const encoder = new TextEncoder();
  let held: IteratorResult<object> | undefined = first;
  let off = () => {};
  let left = false;
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    const send = (text: string) => {
      if (!left) controller.enqueue(encoder.encode(text));
    };
    const beat = () => {
      off = after(clock, keepAliveMs, () => {
        send(": keep-alive\n\n");
        beat();
      });
    };
    beat();
    try {
      const { value, done } = held ?? (await stream.next());
      held = undefined;
      if (done !== true) send(sseEvent(value));
      else if (!left) controller.close();
    } catch (error) {
      send(sseEvent(failed(error), "error"));
      if (!left) controller.close();
    } finally {
      off();
    }
  };
  const cancel = () => {
    left = true;
    off();
    // Not awaited: it ends with the next event, which may be long in coming.
    void stream.return?.().catch(() => {});
  };
  return new ReadableStream({ pull, cancel }, { highWaterMark: 1 });
}

/**
 * Adds A2A to a server: `/a2a` is one agent whose skills are the teams, `/a2a/TEAM` each team by itself; their cards are at
 * `/.well-known/agent-card.json` and `/a2a/TEAM/.well-known/agent-card.json`. Without the SDK they answer 501.
 */
export function a2aRoutes(app: Hono, service: Service, { secured, load = loadSdk }: A2aOptions): void {
  const known: Tasks = { asked: new WeakMap(), over: new WeakMap() };
  const teamsFor = (name: string | undefined) =>
    name === undefined ? service.teams : new Map([[name, teamNamed(service, name)]]);
  const cardFor = ({ req }: Context, name: string | undefined) => {
    const url = new URL(name === undefined ? "/a2a" : `/a2a/${encodeURIComponent(name)}`, req.url);
    // A proxy that ends TLS says so; the answer is the caller's alone, who could lie to nobody else.
    if (req.header("x-forwarded-proto") === "https") url.protocol = "https:";
    return cardOf({ teams: teamsFor(name), url: url.href, secured });
  };
  const versionOf = ({ req }: Context) => req.header("a2a-version")?.trim() || legacyVersion;

  const card = async (context: Context) => {
    const { types } = await load();
    const found = cardFor(context, context.req.param("team"));
    const body = versionOf(context) === legacyVersion ? legacyCardOf(found) : types.AgentCard.toJSON(found);
    return Response.json(body, { headers: { vary: "a2a-version", "cache-control": "no-store" } });
  };
  const call = async (context: Context) => {
    const sdk = await load();
    const { raw } = context.req;
    const name = context.req.param("team");
    const tasks = new TeamTasks({ sdk, service, tasks: known, teams: teamsFor(name), card: cardFor(context, name) });
    let body: unknown;
    try {
      body = JSON.parse(await readText(raw, service.options.limits.bodyBytes));
    } catch (error) {
      if (error instanceof HttpError) throw error;
      return Response.json({ jsonrpc: "2.0", id: null, error: parseError });
    }
    const fields = (typeof body === "object" && body !== null ? body : {}) as Record<string, unknown>;
    const result = await handle({ sdk, tasks, version: versionOf(context), request: raw }, fields);
    const refusal = result.state.get(refusalKey);
    if (refusal instanceof HttpError) {
      const error = { code: -32603, message: service.redact(refusal.message) };
      const answer = { jsonrpc: "2.0", id: fields["id"] ?? null, error };
      return Response.json(answer, { status: refusal.status, headers: refusal.headers });
    }
    if (result.stream === undefined) return Response.json(result.outcome);
    return new Response(sse(result, service.options), { headers: sseHeaders });
  };

  for (const path of ["/.well-known/agent-card.json", "/a2a/.well-known/agent-card.json"]) app.get(path, card);
  app.get("/a2a/:team/.well-known/agent-card.json", card);
  app.post("/a2a", call);
  app.post("/a2a/:team", call);
}
