// `/runs`: the runs of a server, their traces as they grow, and a person's hand.

import { z } from "zod";
import { explain } from "../base/errors.ts";
import { formatEvent } from "../core/trace.ts";
import { open, parseBody } from "./body.ts";
import { summaryOf } from "./follow.ts";
import type { RunSummary, StoredRun } from "./run-store.ts";
import type { Entry } from "./runs.ts";
import type { Service } from "./service.ts";
import { HttpError } from "./simulate-request.ts";
import { sseHeaders, sseStream } from "./sse.ts";

/** Answers have ids of their own kind, with the run's in them. */
const idOf = (id: string): string => id.replace(/^(chatcmpl|resp)[-_]/, "");

/** A run that is kept beyond memory. Rejects with an `HttpError`: 404 where there is none. */
async function storedRun({ store }: Service, id: string): Promise<StoredRun> {
  const found = await store?.find(id).catch((error: unknown) => {
    throw new HttpError(500, `this run cannot be read: ${explain(error)}`, { type: "server_error" });
  });
  if (found === undefined) throw notKept();
  return found;
}

const notKept = () =>
  new HttpError(404, "there is no such run; only the last ones are kept", { code: "run_not_found" });

/** A run of an id, in memory or kept beyond it. Rejects with an `HttpError` 404. */
export async function runOf(service: Service, given: string): Promise<Entry | StoredRun> {
  const id = idOf(given);
  return service.runs.get(id) ?? (await storedRun(service, id));
}

/** Whether a run is in memory. */
export const isEntry = (run: Entry | StoredRun): run is Entry => "tape" in run;

/** What is known of a run. */
export const summaryOfRun = (run: Entry | StoredRun, { redact }: Service): RunSummary =>
  isEntry(run) ? summaryOf(run, redact) : run.summary;

const page = z.strictObject({
  limit: z.coerce.number().int().min(1).max(1000).default(200),
  before: z.string().max(200).optional(),
});

/** Whether a run is kept beyond memory; of a store that cannot be read, nobody knows, and it may be. */
const isKept = async ({ store }: Service, id: string): Promise<boolean> =>
  store !== undefined &&
  (await store
    .find(id)
    .then((found) => found !== undefined)
    .catch(() => true));

/** The runs there are, the newest first. Rejects with an `HttpError` 400 for a page that is none, and for a run that is none. */
export async function listRuns(service: Service, query: Readonly<Record<string, string>>): Promise<RunSummary[]> {
  const asked = page.safeParse(query);
  if (!asked.success) throw new HttpError(400, "there are limit (1 to 1000) and before (the id of a run)");
  const { limit } = asked.data;
  const before = asked.data.before === undefined ? undefined : idOf(asked.data.before);
  const { runs, store, redact } = service;
  const live = runs.list().map((entry) => summaryOf(entry, redact));
  const at = before === undefined ? -1 : live.findIndex(({ id }) => id === before);
  const newer = before === undefined || at >= 0 ? live.slice(at + 1) : [];
  if (before !== undefined && at < 0 && !(await isKept(service, before)))
    throw new HttpError(400, "before: there is no such run; only the last ones are kept", { param: "before" });
  if (store === undefined || newer.length >= limit) return newer.slice(0, limit);
  const last = newer.at(-1)?.id ?? before;
  const older = await store.list({ limit, before: last }).catch(() => []);
  const known = new Set(newer.map(({ id }) => id));
  return [...newer, ...older.filter(({ id }) => !known.has(id))].slice(0, limit);
}

/** The first event to send after the one a client saw last. Throws an `HttpError` 400 for one that there was not yet. */
function resumeAt(value: string | undefined, events: number): number {
  if (value === undefined || value === "") return 0;
  if (!/^\d{1,15}$/.test(value)) throw new HttpError(400, "Last-Event-ID: is not the id of an event");
  const next = Number(value) + 1;
  if (next <= events) return next;
  throw new HttpError(400, `Last-Event-ID: this run has only ${events} events so far`);
}

const eventOf = (line: string, index: number): string => `id: ${index}\ndata: ${line}\n\n`;

/** The trace as server-sent events, from the first event or after the one with `lastEventId`; ids count from 0. */
export function traceStream(run: Entry | StoredRun, service: Service, lastEventId: string | undefined): Response {
  const { options, redact } = service;
  const { events, state } = summaryOfRun(run, service);
  const from = resumeAt(lastEventId, events);
  // This tells an EventSource, which always comes again, to stop.
  if (state !== "running" && from > 0 && from === events) return new Response(null, { status: 204 });
  if (!isEntry(run)) return new Response(storedStream(run, from), { headers: sseHeaders });
  const stream = sseStream({
    tape: run.tape,
    from,
    encode: (event, index) => eventOf(redact(formatEvent(event)), index),
    end: () => "",
    clock: options.clock,
    keepAliveMs: options.keepAliveMs,
  });
  return new Response(stream, { headers: sseHeaders });
}

const encoder = new TextEncoder();

/** A kept trace, read a piece at a time as its client does. */
function storedStream({ lines }: StoredRun, from: number): ReadableStream<Uint8Array> {
  let next = from;
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
    const read = await lines(next);
    if (read.length === 0) return controller.close();
    const text = read.map((line, index) => eventOf(line, next + index)).join("");
    next += read.length;
    controller.enqueue(encoder.encode(text));
  };
  return new ReadableStream({ pull }, { highWaterMark: 0 });
}

const name = z.string().min(1).max(200);
const hand = z.strictObject({
  agent: name,
  by: open(name),
  reason: open(z.string().max(2000)),
  turn: open(z.int().min(0)),
  hold_ms: open(z.number().min(0).max(600_000)),
});

/** Throws an `HttpError` 400 for an agent that the run does not have. */
function checkAgent({ tape }: Entry, agent: string): void {
  const start = tape.events[0];
  const ids = start?.type === "run-start" ? start.agents.map(({ id }) => id) : [];
  if (ids.length > 0 && !ids.includes(agent))
    throw new HttpError(400, `agent: this run has no such agent; there are ${ids.join(", ")}`, { param: "agent" });
}

/** Raises a person's hand: cuts the agent that speaks. `interrupted` tells whether that changed anything. */
export function interrupt(run: Entry | StoredRun, text: string): Response {
  const { agent, by = "person", reason, turn, hold_ms: holdMs } = parseBody(text, hand);
  if (!isEntry(run)) return Response.json({ run: run.summary.id, interrupted: false });
  checkAgent(run, agent);
  return Response.json({ run: run.id, interrupted: run.interrupt(agent, { by, reason, turn, holdMs }) });
}

/** Gives the floor back to an agent that was cut wrongly. `resumed` tells whether that changed anything. */
export function resume(run: Entry | StoredRun, text: string): Response {
  const { agent } = parseBody(text, z.strictObject({ agent: name }));
  if (!isEntry(run)) return Response.json({ run: run.summary.id, resumed: false });
  checkAgent(run, agent);
  return Response.json({ run: run.id, resumed: run.resume(agent) });
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
