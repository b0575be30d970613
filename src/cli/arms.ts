// One team under several protocols: what each came to, beside the serial run.

import { timeline } from "../core/timeline.ts";
import type { Timeline } from "../core/timeline.ts";
import type { RunEvent, Usage } from "../core/types.ts";
import type { Price } from "../core/usage.ts";
import { summarize } from "./summary.ts";
import type { Summary } from "./summary.ts";

/** A protocol and its runs. */
export type Arm = { readonly protocol: string; readonly runs: readonly (readonly RunEvent[])[] };

/** What `compare --json` prints, a line a protocol; times in milliseconds. The run told of is the one with the median time. */
export type ArmLine = {
  readonly protocol: string;
  readonly answer: string;
  readonly wallMs: number;
  readonly workingMs: number;
  readonly speedUp: {
    /** Median time of serial / median time of this; null without serial. */
    readonly vsSerial: number | null;
    readonly selfReferenced: number | null;
    readonly bound: number | null;
    /** `vsSerial` / `bound`; of stream only. */
    readonly efficiency: number | null;
  };
  readonly usage: Omit<Usage, "estimated">;
  readonly cost: { readonly currency: string; readonly amount: number } | null;
  readonly alpha: number | null;
  readonly beta: number | null;
  readonly rPo: number | null;
  readonly simulated: boolean;
  /** Tokens were counted here and not told by the provider. */
  readonly estimated: boolean;
  readonly steps: number;
  readonly apiMs: number;
  /** Time in which more than one call was worked on, a call at a time: `apiMs` - `workingMs`. */
  readonly overlapMs: number;
  readonly waitedMs: number;
  /** The time of each run, in the order they were made. */
  readonly wallMsOfRuns: readonly number[];
};

/** An arm with the run that stands for it. */
export type Told = { readonly line: ArmLine; readonly timeline: Timeline; readonly summary: Summary };

/** What the arms came to. Each needs a run. */
export function tell(arms: readonly Arm[], priceOf: (model: string) => Price | undefined): readonly Told[] {
  const medians = arms.map(({ protocol, runs }) => ({ protocol, runs, events: middle(runs) }));
  const serial = medians.find(({ protocol }) => protocol === "serial")?.events;
  return medians.map(({ protocol, runs, events }) => {
    const summary = summarize(events, { priceOf, serial });
    const { vsSerial, selfReferenced, bound, efficiency } = summary.speedUp;
    const { calls, inputTokens, cachedTokens, outputTokens, estimated = false } = summary.usage;
    const { answer, wallMs, workingMs, alpha, beta, rPo, simulated, steps, apiMs, waitedMs } = summary;
    const paid = summary.cost;
    const line: ArmLine = {
      protocol,
      answer,
      wallMs: rounded(wallMs),
      workingMs: rounded(workingMs),
      speedUp: { vsSerial, selfReferenced, bound, efficiency: protocol === "stream" ? efficiency : null },
      usage: { calls, inputTokens, cachedTokens, outputTokens },
      cost: paid === null ? null : { currency: paid.currency, amount: paid.amount },
      alpha,
      beta,
      rPo,
      simulated,
      estimated,
      steps,
      apiMs: rounded(apiMs),
      overlapMs: rounded(Math.max(0, apiMs - workingMs)),
      waitedMs: rounded(waitedMs),
      wallMsOfRuns: runs.map(wallOf),
    };
    return { line, summary, timeline: timeline(events) };
  });
}

/** Milliseconds to the microsecond. */
const rounded = (ms: number): number => Math.round(ms * 1000) / 1000;

const wallOf = (events: readonly RunEvent[]): number => events.at(-1)?.at ?? 0;

/** The run with the median time; of an even number the faster of both in the middle. */
function middle(runs: Arm["runs"]): readonly RunEvent[] {
  const byTime = runs.toSorted((a, b) => wallOf(a) - wallOf(b));
  return byTime[Math.floor((byTime.length - 1) / 2)] ?? [];
}
