// The numbers of the StreamMA paper (arXiv 2606.05158), measured on a run instead of assumed.

import { heaviestPath } from "./fold-path.ts";
import { timeline } from "./timeline.ts";
import type { Timeline, TimelineAgent, TimelineTurn } from "./timeline.ts";
import type { Edge, RunEvent } from "./types.ts";
import { sum } from "./usage.ts";

/** What a run measures, of its turns (what decisions took is in `usageOf`). Null where the denominator is 0: nothing was said, or no time passed. Milliseconds and tokens. */
export type Measured = {
  /** Step events of all agents. */
  readonly steps: number;
  readonly calls: number;
  /**
   * Uncached context per step, in units of one step's output (arXiv 2606.05158, theorem 2):
   * (Σ uncached input / steps) / (Σ output / steps) = Σ (input − cached) / Σ output.
   */
  readonly alpha: number | null;
  /** Cached context per step in the same unit: Σ cached / Σ output. */
  readonly beta: number | null;
  /** The prompt in the same unit: mean input of the turns that heard nobody / (Σ output / steps). */
  readonly rPo: number | null;
  /** Σ cached / Σ input. */
  readonly cacheShare: number | null;
  /** From the run's start to its end. */
  readonly wallMs: number;
  /**
   * The part of `wallMs` in which at least one call was worked on: the union of the turns, each without its first
   * `waitedMs` (a request is held back before its first word).
   */
  readonly workingMs: number;
  /** Σ over turns of (end − start − waited). */
  readonly apiMs: number;
  /** Σ over turns of the time their request was held back. */
  readonly waitedMs: number;
  /** How many agents worked at once on average: `apiMs` / `wallMs`. */
  readonly concurrency: number | null;
  /**
   * The paper's speed-up: the time the same calls would have taken one agent after another / `wallMs`. Siblings would have
   * worked side by side, so that time is the heaviest path of agents by their `apiMs`; along a chain that is all of `apiMs`.
   */
  readonly selfReferenced: number | null;
  /**
   * The greatest speed-up a pipeline can have (theorem 2 with free prefill): D·S / (S + D − 1), where D is the number of
   * agents on the longest path of agents that heard one another and spoke, and S the most steps said by one that heard nobody.
   */
  readonly bound: number | null;
  /** Generated tokens nobody heard. */
  readonly overrunTokens: number;
  readonly interrupts: number;
};

/** What a run's events measure. */
export const measured = (events: Iterable<RunEvent>): Measured => measure(timeline(events));

/** What a run measures, from its timeline. */
export function measure({ agents, wallMs }: Timeline): Measured {
  const turns = agents.flatMap((agent) => agent.turns);
  const { calls, inputTokens, cachedTokens, outputTokens } = sum(turns.map(({ usage }) => usage));
  const steps = total(agents, (agent) => agent.steps.length);
  const apiMs = total(agents, ({ workedMs }) => workedMs);
  const sources = turns.filter(({ heard, end }) => heard.length === 0 && end !== undefined);
  const prompt = total(sources, ({ usage }) => usage.inputTokens);
  const serialMs = heaviestPath(
    weights(agents, ({ workedMs }) => workedMs),
    hearings(agents),
  );
  return {
    steps,
    calls,
    alpha: ratio(inputTokens - cachedTokens, outputTokens),
    beta: ratio(cachedTokens, outputTokens),
    rPo: ratio(prompt * steps, sources.length * outputTokens),
    cacheShare: ratio(cachedTokens, inputTokens),
    wallMs,
    workingMs: union(turns, wallMs),
    apiMs,
    waitedMs: total(agents, ({ waitedMs }) => waitedMs),
    concurrency: ratio(apiMs, wallMs),
    selfReferenced: ratio(serialMs, wallMs),
    bound: boundOf(agents),
    overrunTokens: total(turns, (turn) => turn.overrunTokens),
    interrupts: total(agents, ({ interrupts }) => interrupts.length),
  };
}

/** How much faster a run was, by both readings. */
export type SpeedUp = {
  /** Wall time of the serial run / wall time of this one; null without a serial run. */
  readonly vsSerial: number | null;
  /** The paper's reading, without a serial run: see `Measured`. */
  readonly selfReferenced: number | null;
  readonly bound: number | null;
  /** `vsSerial` / `bound`. */
  readonly efficiency: number | null;
};

/** Compares a run with a run of the same task under the serial protocol, where there is one. */
export function speedUp({
  trace,
  serial,
}: {
  readonly trace: Iterable<RunEvent>;
  readonly serial?: Iterable<RunEvent> | undefined;
}): SpeedUp {
  return speedUpOf(measured(trace), serial === undefined ? undefined : timeline(serial).wallMs);
}

/** `speedUp`, from what was measured and the wall time of the serial run. */
export function speedUpOf({ wallMs, selfReferenced, bound }: Measured, serialMs?: number): SpeedUp {
  const vsSerial = serialMs === undefined ? null : ratio(serialMs, wallMs);
  return { vsSerial, selfReferenced, bound, efficiency: vsSerial === null ? null : ratio(vsSerial, bound ?? 0) };
}

const ratio = (a: number, b: number): number | null => (b > 0 ? a / b : null);

function total<T>(items: readonly T[], of: (item: T) => number): number {
  let all = 0;
  for (const item of items) all += of(item);
  return all;
}

const weights = (agents: readonly TimelineAgent[], of: (agent: TimelineAgent) => number): ReadonlyMap<string, number> =>
  new Map(agents.map((agent) => [agent.agent, of(agent)]));

/** Who really heard whom, each pair once. */
function hearings(agents: readonly TimelineAgent[]): Edge[] {
  return agents.flatMap(({ agent, turns }) => {
    const speakers = new Set<string>();
    for (const { heard } of turns) for (const { speaker } of heard) speakers.add(speaker);
    return Array.from(speakers, (speaker): Edge => [speaker, agent]);
  });
}

function boundOf(agents: readonly TimelineAgent[]): number | null {
  const spoke = agents.filter(({ steps }) => steps.length > 0);
  const depth = heaviestPath(
    weights(spoke, () => 1),
    hearings(spoke),
  );
  let steps = 0;
  for (const agent of spoke)
    if (agent.turns.every(({ heard }) => heard.length === 0)) steps = Math.max(steps, agent.steps.length);
  return steps === 0 ? null : (depth * steps) / (steps + depth - 1);
}

/** Milliseconds covered by at least one turn at work. */
function union(turns: readonly TimelineTurn[], wallMs: number): number {
  const spans = turns.map(({ start, waitedMs, end }) => {
    const to = end ?? wallMs;
    return [Math.min(start + waitedMs, to), to] as const;
  });
  let covered = 0;
  let until = 0;
  for (const [from, to] of spans.toSorted((a, b) => a[0] - b[0])) {
    if (to <= until) continue;
    covered += to - Math.max(from, until);
    until = to;
  }
  return covered;
}
