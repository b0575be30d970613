import type { RunEvent } from "../core/types.ts";

/** The runs of one file. */
export type RunsOf = { readonly file: string; readonly runs: readonly (readonly RunEvent[])[] };

/** Runs under names that tell them apart: their protocol, where that is not enough their file, then a number. */
export function namedRuns(files: readonly RunsOf[]): { name: string; events: readonly RunEvent[] }[] {
  const all = files.flatMap(({ file, runs }) => runs.map((events) => ({ file, events, protocol: protocolOf(events) })));
  const alone = (protocol: string) => all.filter((run) => run.protocol === protocol).length === 1;
  const seen = new Map<string, number>();
  return all.map(({ file, events, protocol }) => {
    const base = alone(protocol) || files.length === 1 ? protocol : `${protocol} (${file})`;
    const number = (seen.get(base) ?? 0) + 1;
    seen.set(base, number);
    return { name: number === 1 ? base : `${base} ${number}`, events };
  });
}

const protocolOf = ([first]: readonly RunEvent[]): string => (first?.type === "run-start" ? first.protocol : "run");
