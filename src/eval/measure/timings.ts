// How fast a model is, from the times of its calls.

import type { RunEvent, TurnEnd, Usage } from "../../core/types.ts";
import type { Estimate, MeasuredSpeeds } from "./profile.ts";
import { clamped, fit } from "./regression.ts";

/** One call: its tokens, the time to its first text and from there to its end. Milliseconds. */
export type Timing = {
  readonly inputTokens: number;
  readonly cachedTokens: number;
  /** From the request, less the time it was held back, to the first text. */
  readonly firstMs: number;
  /** Tokens of the first text. */
  readonly firstTokens: number;
  readonly restMs: number;
  readonly restTokens: number;
};

/** The timing of a call, of what was seen of it. */
export function timingOf(
  usage: Usage,
  seen: { readonly firstMs: number; readonly firstTokens: number; readonly restMs: number },
): Timing {
  const { inputTokens, cachedTokens, outputTokens } = usage;
  const firstTokens = Math.min(seen.firstTokens, outputTokens);
  return { inputTokens, cachedTokens, ...seen, firstTokens, restTokens: outputTokens - firstTokens };
}

/** Traces tell times to the microsecond. */
const resolutionMs = 1e-3;

/** A speed in tokens a second, of the milliseconds a token takes. */
function speedOf(perToken: Estimate): Estimate {
  const { value, low, high } = clamped(perToken);
  // Time that cannot be told from none is a speed without bound.
  const speed = (ms: number) => (ms > 0 ? 1000 / ms : Infinity);
  return { value: speed(value), low: speed(Math.max(high, 1e-9)), high: speed(low) };
}

const few = (what: string, calls: number): string =>
  `${what} cannot be told from ${calls} call${calls === 1 ? "" : "s"}`;

/** The time of a token, from what was said after the first text; a call's spread grows with the root of its tokens. */
function decodeOf(timings: readonly Timing[]): Estimate | undefined {
  const said = timings.filter(({ restTokens, restMs }) => restTokens > 0 && restMs >= 0);
  const roots = said.map(({ restTokens }) => Math.sqrt(restTokens));
  const [perToken] =
    fit(
      roots.map((root) => [root]),
      said.map(({ restMs }, index) => restMs / roots[index]!),
      { resolution: resolutionMs },
    ) ?? [];
  return perToken;
}

type Reading = {
  readonly first: Estimate;
  readonly uncached: Estimate | undefined;
  readonly cached: Estimate | undefined;
};

/** First text = time to first token + uncached · a + cached · b + the first text's own tokens. */
function readingOf(timings: readonly Timing[], tokenMs: number): Reading | undefined {
  const values = (from: readonly Timing[]) => from.map(({ firstMs, firstTokens }) => firstMs - firstTokens * tokenMs);
  const rows = timings.map(({ inputTokens, cachedTokens }) => [1, inputTokens - cachedTokens, cachedTokens]);
  const options = { resolution: resolutionMs };
  if (timings.some(({ cachedTokens }) => cachedTokens > 0)) {
    const [first, uncached, cached] = fit(rows, values(timings), options) ?? [];
    if (first !== undefined) return { first, uncached, cached };
  }
  const fresh = timings.filter(({ cachedTokens }) => cachedTokens === 0);
  const lengths = fresh.map(({ inputTokens }) => [1, inputTokens]);
  const [first, uncached] = fit(lengths, values(fresh), options) ?? [];
  if (first !== undefined) return { first, uncached, cached: undefined };
  const [whole] =
    fit(
      fresh.map(() => [1]),
      values(fresh),
      options,
    ) ?? [];
  return whole === undefined ? undefined : { first: whole, uncached: undefined, cached: undefined };
}

/** Speeds with 95 % intervals, and what could not be told. Calls should differ in the length of their prompts. */
export function speedsOf(timings: readonly Timing[]): { speeds: MeasuredSpeeds; notes: readonly string[] } {
  const perToken = decodeOf(timings);
  if (perToken === undefined) {
    const none = { timeToFirstTokenMs: null, prefill: null, cacheRead: null, decode: null };
    return { speeds: none, notes: [few("Speeds", timings.length)] };
  }
  const reading = readingOf(timings, perToken.value);
  const notes: string[] = [];
  if (reading === undefined) notes.push(few("The time to first token", timings.length));
  else if (reading.uncached === undefined)
    notes.push(
      "All prompts are of the same length: the time to first token has the reading in it, and prefill is unknown.",
    );
  if (reading !== undefined && reading.cached === undefined)
    notes.push("No call tells how fast cached tokens are read.");
  const speeds = {
    timeToFirstTokenMs: reading === undefined ? null : clamped(reading.first),
    prefill: reading?.uncached === undefined ? null : speedOf(reading.uncached),
    cacheRead: reading?.cached === undefined ? null : speedOf(reading.cached),
    decode: speedOf(perToken),
  };
  return { speeds, notes };
}

type Open = { readonly start: number; first: number | undefined; firstTokens: number; reasoned: boolean };

/**
 * The timings of a trace's calls that ended by themselves. Calls that thought first are left out: when their first token came is
 * not in the trace. What follows the last word that was shown, a delimiter, is in the time to the end.
 */
export function timingsIn(events: Iterable<RunEvent>): Timing[] {
  const open = new Map<string, Open>();
  const timings: Timing[] = [];
  for (const event of events) {
    if (!("turn" in event) || event.turn === undefined) continue;
    const key = `${event.turn} ${event.agent}`;
    const turn = open.get(key);
    if (event.type === "turn-start")
      open.set(key, { start: event.at, first: undefined, firstTokens: 1, reasoned: event.resumes !== undefined });
    else if (turn === undefined) continue;
    else if (event.type === "turn-end") timings.push(...ended(turn, event));
    else follow(turn, event);
  }
  return timings;
}

function follow(turn: Open, event: RunEvent): void {
  if (event.type === "reasoning") turn.reasoned = true;
  if (event.type !== "chunk" || turn.first !== undefined) return;
  turn.first = event.at;
  turn.firstTokens = event.tokens ?? 1;
}

function ended({ start, first, firstTokens, reasoned }: Open, { at, reason, usage, waitedMs }: TurnEnd): Timing[] {
  const whole = reason === "stop" || reason === "length";
  if (!whole || reasoned || first === undefined) return [];
  return [timingOf(usage, { firstMs: first - start - (waitedMs ?? 0), firstTokens, restMs: at - first })];
}
