// How much faster streaming is at most: StreamMA (arXiv 2606.05158), theorem 2, and what it leaves out.

import { atLeast, positive, speed, whole } from "./check.ts";

/** A chain of A agents that each say S steps. */
export type Size = { readonly agents: number; readonly steps: number };

/** How fast a model is; `Infinity` tokens a second where something takes no time. */
export type Speeds = {
  /** Milliseconds a call takes before anything is read or said. */
  readonly timeToFirstTokenMs: number;
  /** Uncached input, tokens a second. */
  readonly prefill: number;
  /** Cached input, tokens a second. */
  readonly cacheRead: number;
  /** Output, tokens a second. */
  readonly decode: number;
};

/** What a context costs beside the step it is read for; all measured, none a constant of nature. */
export type ContextRatios = {
  /** α: uncached input tokens per output token. */
  readonly alpha: number;
  /** β: cached input tokens per output token. */
  readonly beta: number;
  /** r_po: prompt tokens (instructions and task) in units of one step's output tokens. */
  readonly rPo: number;
};

/** Speeds as ratios, as theorem 2 of arXiv 2606.05158 takes them. */
export type SpeedRatios = {
  /** r_dp: decode over prefill speed. */
  readonly rDp: number;
  /** r_dc: decode over cache-read speed. */
  readonly rDc: number;
};

/** AS/(S+A−1): the speed-up where only decoding takes time; for a DAG, with its depth for A. */
export function pipelineLimit({ agents, steps }: Size): number {
  whole("agents", agents, 1);
  whole("steps", steps, 1);
  return (agents * steps) / (steps + agents - 1);
}

/** r_dp and r_dc of a model. */
export function speedRatios({ decode, prefill, cacheRead }: Omit<Speeds, "timeToFirstTokenMs">): SpeedRatios {
  positive("decode", decode);
  return { rDp: decode / speed("prefill", prefill), rDc: decode / speed("cacheRead", cacheRead) };
}

/**
 * A[(S+r_po) r_dp + S] / [(S+A−1)(1 + α r_dp + β r_dc)], theorem 2: serial time over stream time in steps decoded.
 * The numerator lets the first agent, too, read S steps it never hears, so it is S·r_dp above the serial time of a chain.
 * The time to first token is not in it.
 */
export function speedUpBound(input: Size & ContextRatios & SpeedRatios): number {
  const { agents, steps, rPo, rDp, rDc, alpha, beta } = input;
  for (const [name, value] of Object.entries({ rPo, rDp, rDc, alpha, beta })) atLeast(name, value, 0);
  const read = ((steps + rPo) * rDp + steps) / steps;
  return (pipelineLimit({ agents, steps }) * read) / (1 + alpha * rDp + beta * rDc);
}

/** The closed forms of a chain in which a call costs F and each of its steps D, and reading costs nothing. */
export type UniformChain = {
  /** F + SD. */
  readonly singleMs: number;
  /** A(F + SD): a call an agent. */
  readonly serialMs: number;
  /** F + SD + (A−1)S(F+D): a call a step, one agent after the other. */
  readonly segmentedMs: number;
  /** (S+A−1)(F+D): a call a step, all agents at once. For A = 1 there is nobody to hear: F + SD. */
  readonly streamMs: number;
  /** 1 + (A−1)S: the calls of `segmented` and of `stream` with a call per step. */
  readonly streamCalls: number;
  /** serial over stream: what a user gains. */
  readonly speedUp: number;
  /** segmented over stream: the sum of the stream run's own call times over its wall time, which is what the paper reports. */
  readonly selfReferenced: number;
  /** `speedUp` over AS/(S+A−1); for A > 1 it is (F/S+D)/(F+D), which falls to D/(F+D) as S grows. */
  readonly shareOfLimit: number;
};

/** Makespans of a chain with time to first token F = `timeToFirstTokenMs` and `stepMs` D for each decoded step. */
export function uniformChain(input: Size & { timeToFirstTokenMs: number; stepMs: number }): UniformChain {
  const { agents, steps, timeToFirstTokenMs, stepMs } = input;
  const limit = pipelineLimit({ agents, steps });
  const first = atLeast("timeToFirstTokenMs", timeToFirstTokenMs, 0);
  const step = positive("stepMs", stepMs);
  const singleMs = first + steps * step;
  const serialMs = agents * singleMs;
  const segmentedMs = singleMs + (agents - 1) * steps * (first + step);
  const streamMs = agents === 1 ? singleMs : (steps + agents - 1) * (first + step);
  return {
    singleMs,
    serialMs,
    segmentedMs,
    streamMs,
    streamCalls: 1 + (agents - 1) * steps,
    speedUp: serialMs / streamMs,
    selfReferenced: segmentedMs / streamMs,
    shareOfLimit: serialMs / streamMs / limit,
  };
}

/**
 * Calls the second agent of a uniform chain makes under `waiting`: the smallest K with Σ_{k<K} (1 + ⌊kF/D⌋) ≥ S. Each call
 * finds F/D steps more than the last, since its first token takes that long: about √(2SD/F) calls in place of S. Where F is
 * a multiple of D, a step completed at the very moment the agent becomes free counts as waiting.
 */
export function waitingCalls(input: { steps: number; timeToFirstTokenMs: number; stepMs: number }): number {
  const { steps, timeToFirstTokenMs, stepMs } = input;
  whole("steps", steps, 1);
  const ratio = atLeast("timeToFirstTokenMs", timeToFirstTokenMs, 0) / positive("stepMs", stepMs);
  let calls = 0;
  // The small addend takes back what the division rounded off, as in 3 · (0.1/0.3).
  for (let heard = 0; heard < steps; calls++) heard += 1 + Math.floor(calls * ratio + 1e-9);
  return calls;
}
