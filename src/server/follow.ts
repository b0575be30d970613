// Who is told of every run: the store, and OpenTelemetry.

import { context as contexts, propagation, trace } from "@opentelemetry/api";
import type { Context } from "@opentelemetry/api";
import { formatEvent } from "../core/trace.ts";
import { telemetry } from "../telemetry/index.ts";
import type { TelemetryOptions } from "../telemetry/index.ts";
import type { Redact } from "./failure.ts";
import type { RunStore, RunSummary } from "./run-store.ts";
import type { Entry, Follow } from "./runs.ts";

const longestTask = 200;

/** What a list of runs says of one. */
export function summaryOf({ id, team, task, started, tape, usage }: Entry, redact: Redact): RunSummary {
  const last = tape.events.at(-1);
  const shown = redact(task);
  return {
    id,
    team,
    task: shown.length > longestTask ? `${shown.slice(0, longestTask)}...` : shown,
    started: new Date(started).toISOString(),
    state: !tape.ended ? "running" : last?.type === "run-end" ? last.reason : "failed",
    events: tape.events.length,
    ms: last?.at ?? 0,
    usage: usage().total,
  };
}

/** Has every run kept, without the secrets. */
export const intoStore =
  (store: RunStore, redact: Redact): Follow =>
  (entry) => {
    const { id, team, task, started } = summaryOf(entry, redact);
    const recorder = store.begin({ id, team, task, started });
    return {
      add: (event) => recorder.add(redact(formatEvent(event)), event.at),
      end: () => {
        const { state, usage } = summaryOf(entry, redact);
        recorder.end({ state, usage });
      },
    };
  };

/** Has OpenTelemetry told of every run, by its team's name and without the secrets. */
export function intoTelemetry(options: TelemetryOptions, redact: Redact): Follow {
  const { redact: theirs = (text: string) => text } = options;
  const { begin } = telemetry({ ...options, redact: (text) => redact(theirs(text)) });
  return ({ team }, context) => begin({ name: team, context });
}

/** What a request is a part of: of the span that somebody has begun for it here, else of the one its headers name. */
export function contextOf(request: Request): Context {
  const active = contexts.active();
  if (trace.getSpan(active) !== undefined) return active;
  return propagation.extract(active, request.headers, {
    get: (headers, key) => headers.get(key) ?? undefined,
    keys: (headers) => [...headers.keys()],
  });
}
