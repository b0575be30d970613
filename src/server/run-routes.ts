// `/runs`: the runs of a server, to be watched, started, cancelled and cut by people.

import type { Context, Hono } from "hono";
import { readText } from "./body.ts";
import { contextOf, summaryOf } from "./follow.ts";
import { teamNamed } from "./service.ts";
import type { Service } from "./service.ts";
import { interrupt, isEntry, listRuns, readWish, resume, runOf, summaryOfRun, traceStream } from "./watch.ts";

type Route = (context: Context) => Response | Promise<Response>;

/** Adds the routes. */
export function runRoutes(app: Hono, service: Service): void {
  const { runs, redact } = service;
  const text = (request: Request) => readText(request, service.options.limits.bodyBytes);
  const named = ({ req }: Context) => runOf(service, req.param("id") ?? "");
  const start: Route = async ({ req }) => {
    const { model, task, settings } = readWish(await text(req.raw));
    const team = teamNamed(service, model);
    const { signal } = req.raw;
    const entry = await runs.start({ name: model, team, task, settings, signal, context: contextOf(req.raw) });
    return Response.json(summaryOf(entry, redact), { status: 202, headers: { location: `/runs/${entry.id}` } });
  };
  const cancel: Route = async (context) => {
    const run = await named(context);
    if (isEntry(run)) {
      run.cancel("somebody cancelled it");
      await run.over;
    }
    return Response.json(summaryOfRun(run, service));
  };
  const routes: readonly (readonly ["GET" | "POST" | "DELETE", string, Route])[] = [
    ["GET", "/runs", async ({ req }) => Response.json({ runs: await listRuns(service, req.query()) })],
    ["POST", "/runs", start],
    ["GET", "/runs/:id", async (context) => Response.json(summaryOfRun(await named(context), service))],
    ["DELETE", "/runs/:id", cancel],
    [
      "GET",
      "/runs/:id/events",
      async (context) => traceStream(await named(context), service, context.req.header("last-event-id")),
    ],
    ["POST", "/runs/:id/interrupt", async (context) => interrupt(await named(context), await text(context.req.raw))],
    ["POST", "/runs/:id/resume", async (context) => resume(await named(context), await text(context.req.raw))],
  ];
  for (const [method, path, route] of routes) app.on(method, path, route);
}
