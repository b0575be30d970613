// When every step of every agent is said, for any DAG: the recurrences that the bounds approximate.

import type { Usage } from "../core/types.ts";
import type { Layout, Part, Plan } from "./plan.ts";
import { layOut } from "./plan.ts";
import type { ContextRatios } from "./speed.ts";

/** One model call. Times are milliseconds since the run began. */
export type Call = {
  readonly agent: string;
  readonly startMs: number;
  readonly endMs: number;
  /** The agent's steps `first` … `first + steps − 1` (from 0) are said in it. */
  readonly first: number;
  readonly steps: number;
  readonly inputTokens: number;
  readonly cachedTokens: number;
  readonly outputTokens: number;
};

/** When one agent says each step, in milliseconds from the start. */
export type AgentSchedule = {
  readonly id: string;
  /** When each step is complete and reaches the listeners. */
  readonly saidMs: readonly number[];
  /** How many steps of each speaker were heard before each step was said (a speaker that says fewer: all of them). */
  readonly heardThrough: readonly number[];
  readonly endMs: number;
  readonly usage: Usage;
};

/** What a run takes, in milliseconds and tokens. */
export type Totals = {
  /** From the start to the end of the last call. */
  readonly makespanMs: number;
  /** Sum of the durations of all calls; for a chain, over `makespanMs` it is the paper's own speed-up. */
  readonly busyMs: number;
  readonly usage: Usage;
};

/** When everything happens, and what it takes. */
export type Schedule = Totals & {
  /** In the order of the plan; only the first source under `single`. */
  readonly agents: readonly AgentSchedule[];
  /** By agent, each agent's in order. */
  readonly calls: readonly Call[];
};

/** An agent while its calls are laid end to end. */
type Voice = {
  readonly part: Part;
  readonly said: Float64Array;
  readonly heardThrough: Int32Array;
  steps: number;
  freeMs: number;
  busyMs: number;
  /** Tokens of the agent's context so far; those of them that are cached for its next call. */
  context: number;
  cached: number;
  calls: number;
  inputTokens: number;
  cachedTokens: number;
};

type Walk = { readonly plan: Plan; readonly voices: Voice[]; readonly visit: ((call: Call) => void) | undefined };

/** Steps that come within this after an agent becomes free are waiting: sums of the same durations round differently. */
const simultaneousMs = 1e-6;

/**
 * Every call and step of a run. A source says S steps in one call from time 0. Row j of a listener is complete once each
 * speaker has said step j or ended; a call starts at max(row complete, own last call ended) and takes
 * timeToFirstToken + uncached/prefill + cached/cacheRead + output/decode, saying its k-th step after the output so far.
 * `stream` + `each`: a call a row. `stream` + `waiting`: a call takes all rows complete when it starts and says as many
 * steps. `segmented`: a call a row, the first once all speakers ended. `serial`: one call then, on everything. `single`:
 * the first source alone. Throws a ConfigError for a plan that is out of range.
 */
export function schedule(plan: Plan): Schedule {
  const calls: Call[] = [];
  const voices = walk(plan, (call) => calls.push(call));
  const agents = voices.map((voice) => ({
    id: voice.part.id,
    saidMs: [...voice.said],
    heardThrough: [...voice.heardThrough],
    endMs: voice.freeMs,
    usage: total([voice]).usage,
  }));
  return { ...total(voices), agents, calls: calls };
}

/** The totals of a schedule without its calls: several times faster, for searching over many plans. */
export const totals = (plan: Plan): Totals => total(walk(plan, undefined));

/** α and β as a trace would measure them (tokens read per token said), and r_po of the plan. */
export function contextRatios({ usage }: Totals, { tokens }: Plan): ContextRatios {
  return {
    alpha: (usage.inputTokens - usage.cachedTokens) / usage.outputTokens,
    beta: usage.cachedTokens / usage.outputTokens,
    rPo: tokens.prompt / tokens.step,
  };
}

function walk(plan: Plan, visit: Walk["visit"]): readonly Voice[] {
  const layout: Layout = layOut(plan);
  const voices = layout.parts.map(voiceOf);
  const state: Walk = { plan, voices, visit };
  for (const index of layout.order) {
    const voice = voices[index]!;
    if (voice.part.parents.length === 0)
      speak(state, voice, { startMs: 0, steps: voice.part.steps, heard: 0, rows: 0 });
    else listen(state, voice);
  }
  return voices;
}

function listen(state: Walk, voice: Voice): void {
  const { protocol, hear } = state.plan;
  const parents = voice.part.parents.map((parent) => state.voices[parent]!);
  const rows = voice.part.steps;
  const barrier = protocol === "stream" ? 0 : Math.max(...parents.map(({ freeMs }) => freeMs));
  const label = state.plan.tokens.heard ?? 0;
  let next = 0;
  while (next < rows) {
    const startMs = Math.max(voice.freeMs, barrier, protocol === "stream" ? completeMs(parents, next) : 0);
    let upTo = protocol === "serial" ? rows : next + 1;
    if (hear === "waiting") while (upTo < rows && completeMs(parents, upTo) <= startMs + simultaneousMs) upTo++;
    let heard = 0;
    for (const { part } of parents) {
      const [from, to] = [Math.min(next, part.steps), Math.min(upTo, part.steps)];
      heard += part.output[to]! - part.output[from]! + (to - from) * label;
    }
    speak(state, voice, { startMs, steps: upTo - next, heard, rows: upTo });
    next = upTo;
  }
}

/** When row `row` is complete: each parent has said that step, or ended. */
function completeMs(parents: readonly Voice[], row: number): number {
  let complete = 0;
  for (const { said, part, freeMs } of parents) complete = Math.max(complete, row < part.steps ? said[row]! : freeMs);
  return complete;
}

type Request = {
  readonly startMs: number;
  readonly steps: number;
  /** Tokens of the newly heard steps, and the rows heard by then. */
  readonly heard: number;
  readonly rows: number;
};

function speak({ plan, visit }: Walk, voice: Voice, { startMs, steps, heard, rows }: Request): void {
  const { speeds, output } = voice.part;
  const { tokens, cache = "off", cacheMinimum = 0 } = plan;
  const first = voice.steps;
  const inputTokens = Math.max(0, voice.context + heard + (voice.calls > 0 ? (tokens.turn ?? 0) : 0));
  const cachedTokens = voice.cached >= cacheMinimum ? Math.min(voice.cached, inputTokens) : 0;
  const uncachedMs = ((inputTokens - cachedTokens) / speeds.prefill) * 1000;
  const beginMs = startMs + speeds.timeToFirstTokenMs + uncachedMs + (cachedTokens / speeds.cacheRead) * 1000;
  for (let step = first; step < first + steps; step++) {
    voice.said[step] = beginMs + ((output[step + 1]! - output[first]!) / speeds.decode) * 1000;
    voice.heardThrough[step] = rows;
  }
  const outputTokens = output[first + steps]! - output[first]!;
  const endMs = voice.said[first + steps - 1]!;
  voice.steps += steps;
  voice.freeMs = endMs;
  voice.busyMs += endMs - startMs;
  voice.context = inputTokens + outputTokens + steps * (tokens.own ?? 0);
  voice.cached = cache === "off" ? 0 : cache === "request" ? inputTokens : voice.context;
  voice.calls++;
  voice.inputTokens += inputTokens;
  voice.cachedTokens += cachedTokens;
  visit?.({ agent: voice.part.id, startMs, endMs, first, steps, inputTokens, cachedTokens, outputTokens });
}

function voiceOf(part: Part): Voice {
  const [said, heardThrough] = [new Float64Array(part.steps), new Int32Array(part.steps)];
  const counts = { steps: 0, freeMs: 0, busyMs: 0, cached: 0, calls: 0, inputTokens: 0, cachedTokens: 0 };
  return { part, said, heardThrough, context: part.prompt, ...counts };
}

function total(voices: readonly Voice[]): Totals {
  let [makespanMs, busyMs, calls, inputTokens, cachedTokens, outputTokens] = [0, 0, 0, 0, 0, 0];
  for (const voice of voices) {
    makespanMs = Math.max(makespanMs, voice.freeMs);
    busyMs += voice.busyMs;
    calls += voice.calls;
    inputTokens += voice.inputTokens;
    cachedTokens += voice.cachedTokens;
    outputTokens += voice.part.output[voice.steps]!;
  }
  return { makespanMs, busyMs, usage: { calls, inputTokens, cachedTokens, outputTokens } };
}
