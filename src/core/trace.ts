// A trace on disk: one event a line, JSON. The format is public: docs/trace.md.

import { TraceError } from "../base/errors.ts";
import { faultOf } from "./trace-check.ts";
import type { RunEvent } from "./types.ts";

/** What could be read of a trace. */
export type ParsedTrace = {
  /** The runs in the order they were appended, each from its run-start on. */
  readonly runs: readonly (readonly RunEvent[])[];
  /** Lines that a crash cut short; everything else was read. */
  readonly torn: readonly TraceError[];
  /** Where reading stopped before the end: not a trace, another version, or a wrong field. */
  readonly problem?: TraceError | undefined;
};

/** One event as one line of JSON, without the line's end. */
export const formatEvent = (event: RunEvent): string => JSON.stringify(event);

/** Reads lines; whole or not, with or without blank ones between them. Never throws: see `problem`. */
export function parseTrace(lines: Iterable<string>): ParsedTrace {
  const reader = traceReader();
  for (const line of lines) if (!reader.line(line)) break;
  return reader.end();
}

/** Reads a file's text as it comes, cut anywhere. Never throws but what `source` throws: see `problem`. */
export async function readTrace(source: AsyncIterable<string>): Promise<ParsedTrace> {
  const reader = traceReader();
  let rest = "";
  for await (const text of source) {
    let from = 0;
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", from)) {
      if (!reader.line(rest + text.slice(from, end))) return reader.end();
      rest = "";
      from = end + 1;
    }
    rest += text.slice(from);
  }
  reader.line(rest);
  return reader.end();
}

type Reader = { readonly line: (text: string) => boolean; readonly end: () => ParsedTrace };

/** More of the run comes after it, so it was not a crash that cut it. */
const damaged = ({ line }: TraceError): TraceError => new TraceError(line, "is no JSON: the file is damaged here");

/** Takes one line at a time; answers false when reading stops. */
function traceReader(): Reader {
  const runs: RunEvent[][] = [];
  const torn: TraceError[] = [];
  let current: RunEvent[] | undefined;
  let number = 0;
  // A line that is no JSON was cut short by a crash only if nothing or another run comes after it.
  let suspect: TraceError | undefined;
  let problem: TraceError | undefined;

  const stop = (error: TraceError): false => {
    problem = error;
    return false;
  };
  const take = (event: RunEvent): boolean => {
    if (event.type === "run-start") {
      if (suspect !== undefined) torn.push(suspect);
      suspect = undefined;
      runs.push((current = []));
    }
    if (suspect !== undefined) return stop(damaged(suspect));
    if (current === undefined)
      return stop(new TraceError(number, `a trace begins with a run-start event, not with ${event.type}`));
    current.push(event);
    return true;
  };
  return {
    line(text) {
      number++;
      if (text === "" || text.trim() === "") return true;
      const value = parseJson(number === 1 ? text.replace(/^\uFEFF/, "") : text);
      if (value === undefined) {
        if (suspect !== undefined) return stop(damaged(suspect));
        if (!text.trimStart().startsWith("{"))
          return stop(new TraceError(number, "not a trace: a trace is JSONL, one JSON object a line"));
        suspect = new TraceError(number, "this line was cut short and is left out");
        return true;
      }
      const fault = faultOf(value);
      return fault === undefined ? take(value as RunEvent) : stop(new TraceError(number, fault));
    },
    end() {
      if (problem === undefined && suspect !== undefined) torn.push(suspect);
      return { runs, torn, ...(problem === undefined ? {} : { problem }) };
    },
  };
}

/** Undefined where `text` is no JSON; no JSON text means undefined itself. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
