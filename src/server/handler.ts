import { Hono } from "hono";
import { cors } from "hono/cors";
import { routePath } from "hono/route";
import { onAbort } from "../base/signal.ts";
import { a2aRoutes } from "./a2a.ts";
import { readText } from "./body.ts";
import { readChat } from "./chat-request.ts";
import { streamed, whole } from "./chat.ts";
import { toResponse } from "./failure.ts";
import { contextOf } from "./follow.ts";
import { guard } from "./guard.ts";
import { readResponses } from "./responses-request.ts";
import { respond } from "./responses.ts";
import { serviceOf, teamNamed } from "./service.ts";
import type { HandlerOptions, Service } from "./service.ts";
import { HttpError } from "./simulate-request.ts";
import type { Asked } from "./chat-request.ts";
import type { Entry } from "./runs.ts";
import { runRoutes } from "./run-routes.ts";

/** Answers requests; mount it anywhere that speaks Request and Response. */
export type Handler = ((request: Request) => Promise<Response>) & {
  /** Takes no more runs; those that go on may end until the deadline in milliseconds (10,000), then they are cancelled. */
  readonly close: (options?: { readonly deadlineMs?: number }) => Promise<void>;
};

/** Starts the run a client asks for, and waits for its first word, so that a failure before it has a status of its own. */
async function begin(service: Service, asked: Asked, request: Request): Promise<Entry> {
  const team = teamNamed(service, asked.model);
  const { task, settings, model: name } = asked;
  const { signal } = request;
  const entry = await service.runs.start({ name, team, task, settings, signal, context: contextOf(request) });
  const { tape } = entry;
  const forget = onAbort(signal, () => entry.cancel("the client left"));
  void entry.over.then(forget);
  const late = new AbortController();
  let waited = false;
  // Headers go out in time for those between, who take long silence for a dead connection.
  const wait = service.options.clock.sleep(service.options.keepAliveMs, late.signal).then(() => (waited = true));
  await Promise.race([tape.until(() => tape.ended || tape.events.some(({ type }) => type === "chunk")), wait]);
  late.abort();
  const failed = tape.failure !== undefined && !tape.events.some(({ type }) => type === "chunk");
  if (failed && !waited) throw tape.failure?.error;
  return entry;
}

function modelRoutes(app: Hono, service: Service): void {
  const entry = (name: string) => ({
    id: name,
    object: "model",
    created: Math.floor(service.began / 1000),
    owned_by: "duplex",
    ...(service.teams.get(name)?.description === undefined
      ? {}
      : { description: service.teams.get(name)?.description }),
  });
  const text = (request: Request) => readText(request, service.options.limits.bodyBytes);
  app.get("/v1/models", () => Response.json({ object: "list", data: [...service.teams.keys()].map(entry) }));
  app.get("/v1/models/:name{.+}", ({ req }) => {
    teamNamed(service, req.param("name"));
    return Response.json(entry(req.param("name")));
  });
  app.post("/v1/chat/completions", async ({ req }) => {
    const asked = readChat(await text(req.raw));
    const started = await begin(service, asked, req.raw);
    const call = { entry: started, team: teamNamed(service, asked.model), asked };
    return asked.stream ? streamed(call, service) : whole(call);
  });
  app.post("/v1/responses", async ({ req }) => {
    const asked = readResponses(await text(req.raw));
    const started = await begin(service, asked, req.raw);
    return respond({ entry: started, team: teamNamed(service, asked.model), asked }, service);
  });
}

function stateRoutes(app: Hono, service: Service, page: HandlerOptions["page"]): void {
  const { metrics, admission, runs, teams } = service;
  app.get("/healthz", () =>
    Response.json({ status: runs.closing ? "closing" : "ok" }, { status: runs.closing ? 503 : 200 }),
  );
  app.get("/metrics", () => {
    metrics.set("duplex_runs_active", admission.active);
    metrics.set("duplex_runs_queued", admission.queued);
    return new Response(metrics.text(), { headers: { "content-type": "text/plain; version=0.0.4; charset=utf-8" } });
  });
  app.get("/", async ({ html }) => {
    if (page !== undefined) return html(await page(), 200, { "cache-control": "no-store" });
    const lines = ["Duplex serves these models at /v1:", ...teams.keys()].join("\n  ");
    return new Response(`${lines}\n\nTraces are at /runs, counts at /metrics.\n`, {
      headers: { "content-type": "text/plain; charset=utf-8" },
    });
  });
}

/** What is known at a path, by any method; throws an `HttpError` 404 or 405. */
function lost(app: Hono, { method, path }: { readonly method: string; readonly path: string }): never {
  const matches = (route: string) => new RegExp(`^${route.replaceAll(/:[a-z]+(\{[^}]*\})?/g, "[^/]+")}$`).test(path);
  const known = app.routes
    .filter((route) => route.method !== "ALL" && matches(route.path))
    .map((route) => route.method);
  if (known.length === 0) throw new HttpError(404, "there is nothing at this path", { code: "not_found" });
  const allow = [...new Set(known)].join(", ");
  throw new HttpError(405, `this path takes ${allow}, not ${method}`, { headers: { allow } });
}

/**
 * Serves teams of agents as models of an OpenAI-compatible API: chat completions and responses, traces of runs as they happen,
 * and a hand for people. Throws ConfigError for wrong options.
 */
export function handler(options: HandlerOptions): Handler {
  const service = serviceOf(options);
  const { metrics, redact, runs, store } = service;
  const { keys = [], origins = [], hosts, page } = options;
  // A page has nothing of the runs in it: it asks for a key itself.
  const check = guard({ keys, origins, hosts, open: page === undefined ? ["/healthz"] : ["/healthz", "/"] });
  const app = new Hono();
  app.onError((error) => toResponse(error, redact));
  app.use(async (context, next) => {
    await next();
    const { status } = context.res;
    if (status === 429) metrics.add("duplex_refused_total", { reason: "busy" });
    else if (status === 401 || status === 403 || status === 421)
      metrics.add("duplex_refused_total", { reason: "guard" });
    const path = routePath(context, -1);
    const route = path === "" || path.includes("*") ? "none" : path;
    metrics.add("duplex_requests_total", { route, status: String(status) });
    context.res.headers.set("x-content-type-options", "nosniff");
  });
  app.use(async ({ req }, next) => {
    check(req.raw, req.path);
    await next();
  });
  if (origins.length > 0)
    app.use(
      cors({
        origin: [...origins],
        exposeHeaders: ["x-duplex-run"],
        allowHeaders: ["authorization", "content-type", "last-event-id", "a2a-version"],
      }),
    );
  modelRoutes(app, service);
  runRoutes(app, service);
  a2aRoutes(app, service, { secured: keys.length > 0 });
  stateRoutes(app, service, page);
  app.notFound(({ req }) => lost(app, req));
  return Object.assign(async (request: Request) => app.fetch(request), {
    close: async ({ deadlineMs = 10_000 }: { readonly deadlineMs?: number } = {}) => {
      await runs.close(deadlineMs);
      await store?.close();
    },
  });
}
