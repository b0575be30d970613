// `/runs`: the runs of a server, their traces as they grow, and a person's hand.

import { z } from "zod";
import { formatEvent } from "../core/trace.ts";
import { open, parseBody } from "./body.ts";
import type { Entry } from "./runs.ts";
import type { Service } from "./service.ts";
import { HttpError } from "./simulate-request.ts";
import { sseHeaders, sseStream } from "./sse.ts";

/** The run of an id. Throws an `HttpError` 404. */
export function entryOf({ runs }: Service, id: string): Entry {
  const entry = runs.get(id.replace(/^(chatcmpl|resp)[-_]/, ""));
  if (entry !== undefined) return entry;
  throw new HttpError(404, "there is no such run; only the last ones are kept", { code: "run_not_found" });
}

/** What a list of runs says of one. */
export function summaryOf({ id, team, task, started, tape, usage }: Entry) {
  const last = tape.events.at(-1);
  return {
    id,
    team,
    task: task.length > 200 ? `${task.slice(0, 200)}...` : task,
    started: new Date(started).toISOString(),
    state: !tape.ended ? "running" : last?.type === "run-end" ? last.reason : "failed",
    events: tape.events.length,
    ms: last?.at ?? 0,
    usage: usage().total,
  };
}

/** The first event to send after the one a client saw last. Throws an `HttpError` 400 for one that there was not yet. */
function resumeAt(value: string | undefined, { tape }: Entry): number {
  if (value === undefined || value === "") return 0;
  if (!/^\d{1,15}$/.test(value)) throw new HttpError(400, "Last-Event-ID: is not the id of an event");
  const next = Number(value) + 1;
  if (next <= tape.events.length) return next;
  throw new HttpError(400, `Last-Event-ID: this run has only ${tape.events.length} events so far`);
}

/** The trace as server-sent events, from the first event or after the one with `lastEventId`; ids count from 0. */
export function traceStream(entry: Entry, { options, redact }: Service, lastEventId: string | undefined): Response {
  const { tape } = entry;
  const from = resumeAt(lastEventId, entry);
  // This tells an EventSource, which always comes again, to stop.
  if (tape.ended && from > 0 && from === tape.events.length) return new Response(null, { status: 204 });
  const stream = sseStream({
    tape,
    from,
    encode: (event, index) => `id: ${index}\ndata: ${redact(formatEvent(event))}\n\n`,
    end: () => "",
    clock: options.clock,
    keepAliveMs: options.keepAliveMs,
  });
  return new Response(stream, { headers: sseHeaders });
}

const name = z.string().min(1).max(200);
const hand = z.strictObject({
  agent: name,
  by: open(name),
  reason: open(z.string().max(2000)),
  turn: open(z.int().min(0)),
});

/** Raises a person's hand: cuts the agent that speaks. `interrupted` tells whether that changed anything. */
export function interrupt(entry: Entry, text: string): Response {
  const { agent, by = "person", reason, turn } = parseBody(text, hand);
  const start = entry.tape.events[0];
  const ids = start?.type === "run-start" ? start.agents.map(({ id }) => id) : [];
  if (ids.length > 0 && !ids.includes(agent))
    throw new HttpError(400, `agent: this run has no such agent; there are ${ids.join(", ")}`, { param: "agent" });
  return Response.json({ run: entry.id, interrupted: entry.interrupt(agent, { by, reason, turn }) });
}

const wish = z.strictObject({
  model: z.string(),
  task: z.string().max(10_000_000),
  max_tokens: open(z.int().min(1)),
  temperature: open(z.number().min(0).max(2)),
  seed: open(z.int()),
});

/** Reads what run somebody wants to start and watch. */
export function readWish(text: string) {
  const { model, task, max_tokens: maxTokens, temperature, seed } = parseBody(text, wish);
  return { model, task, settings: { maxTokens, temperature, seed } };
}
