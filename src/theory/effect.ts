// How streaming changes correctness: StreamMA (arXiv 2606.05158), theorem 1. The paper gives the regimes and says which
// steps weigh more; the weights here are reconstructed from what each protocol lets a downstream step hear.

import { ConfigError } from "../base/errors.ts";
import { atLeast, profile as checked, whole } from "./check.ts";

/** What one heard step does to the probability that a downstream step is right. */
export type Effect = {
  /** δ ≥ 0: added by a right step. */
  readonly delta: number;
  /** ε ≥ 0: taken by a wrong one. δ and ε are not both 0. */
  readonly epsilon: number;
};

/** The protocols that differ in what a step has heard; `segmented` hears what `stream` does. */
export type EffectProtocol = "stream" | "serial" | "single";

/** The six regimes of theorem 1, each an order of the three protocols. */
export type Regime = "I.a" | "I.b" | "II.a" | "II.b" | "III.a" | "III.b";

/** Protocols by correctness. */
export type Ranking = {
  /** Absent where protocols tie, as they do for S = 1. */
  readonly regime: Regime | undefined;
  /** Best first; protocols that tie stand together, in the order stream, serial, single. */
  readonly order: readonly (readonly EffectProtocol[])[];
};

const regimes: Readonly<Record<string, Regime>> = {
  "stream serial single": "I.a",
  "stream single serial": "I.b",
  "serial stream single": "II.a",
  "serial single stream": "II.b",
  "single stream serial": "III.a",
  "single serial stream": "III.b",
};

/** Differences of correctness below this are rounding, not an order. */
const rounding = 1e-12;

/** p̄ = (1/S) Σ p_j: the correctness of a step, all steps alike. */
export const meanCorrectness = (profile: readonly number[]): number => weighted(profile, () => 1);

/** p_head = 2/(S(S+1)) Σ (S−j+1) p_j: early steps weigh more, since under Stream more downstream steps hear them. */
export const headCorrectness = (profile: readonly number[]): number => weighted(profile, (j, steps) => steps - j + 1);

/**
 * p_tail = 2/(S(S−1)) Σ (j−1) p_j: late steps weigh more, since Serial hears them where Stream does not yet.
 * Undefined for S = 1: there is no later step, and Serial and Stream hear the same.
 */
export const tailCorrectness = (profile: readonly number[]): number | undefined =>
  profile.length === 1 ? void checked("profile", profile) : weighted(profile, (j) => j - 1);

/** p* = ε/(δ+ε): the correctness at which hearing a step changes nothing. */
export function breakEven(effect: Effect): number {
  const { delta, epsilon } = checkedEffect("effect", effect);
  return epsilon / (delta + epsilon);
}

/** μ = p δ − (1−p) ε: what hearing one step of correctness p adds to a downstream step, in expectation. */
export function stepEffect(correctness: number, { delta, epsilon }: Effect): number {
  return correctness * delta - (1 - correctness) * epsilon;
}

/** Serial − Single = Σ μ_j = S(δ+ε)(p̄ − p*), in probability that a downstream step is right. */
export function serialOverSingle(profile: readonly number[], effect: Effect): number {
  return profile.length * sum(effect) * (meanCorrectness(profile) - breakEven(effect));
}

/** Stream − Single = (1/S) Σ (S−j+1) μ_j = ((S+1)/2)(δ+ε)(p_head − p*). */
export function streamOverSingle(profile: readonly number[], effect: Effect): number {
  return ((profile.length + 1) / 2) * sum(effect) * (headCorrectness(profile) - breakEven(effect));
}

/** Serial − Stream = (1/S) Σ (j−1) μ_j = ((S−1)/2)(δ+ε)(p_tail − p*); 0 for S = 1. */
export function serialOverStream(profile: readonly number[], effect: Effect): number {
  const tail = tailCorrectness(profile);
  const star = breakEven(effect);
  return tail === undefined ? 0 : ((profile.length - 1) / 2) * sum(effect) * (tail - star);
}

/**
 * The gain over Single of any way of hearing: (1/T) Σ_s Σ_{j ≤ h(s)} μ_j, where downstream step s of T is said after h(s)
 * upstream steps were heard. h(s) = s is Stream, h(s) = S is Serial, `heardThrough` of a schedule is `waiting`.
 */
export function gain(profile: readonly number[], effect: Effect, heardThrough: readonly number[]): number {
  checked("profile", profile);
  checkedEffect("effect", effect);
  if (heardThrough.length === 0) throw new ConfigError("heardThrough", "must hold at least one downstream step");
  const total = [0];
  for (const correctness of profile) total.push(total.at(-1)! + stepEffect(correctness, effect));
  const gains = heardThrough.map((heard, index) => {
    whole(`heardThrough[${index}]`, heard, 0);
    if (heard > profile.length)
      throw new ConfigError(`heardThrough[${index}]`, `is ${heard}, but only ${profile.length} steps are said`);
    return total[heard]!;
  });
  return gains.reduce((a, b) => a + b, 0) / gains.length;
}

/**
 * The order of Stream, Serial and Single and its regime. Stream beats Serial iff p_tail < p*, Stream beats Single iff
 * p_head > p*, Serial beats Single iff p̄ > p*; p̄ lies between the other two, so six of the eight patterns can occur.
 */
export function rank(profile: readonly number[], effect: Effect): Ranking {
  const scores: readonly (readonly [EffectProtocol, number])[] = [
    ["stream", streamOverSingle(profile, effect)],
    ["serial", serialOverSingle(profile, effect)],
    ["single", 0],
  ];
  const tolerance = rounding * profile.length * sum(effect);
  const order: EffectProtocol[][] = [];
  let last = Infinity;
  for (const [protocol, score] of scores.toSorted(([, a], [, b]) => b - a)) {
    if (last - score <= tolerance) order.at(-1)!.push(protocol);
    else order.push([protocol]);
    last = score;
  }
  const given = scores.map(([protocol]) => protocol);
  const ranked = order.map((group) => group.toSorted((a, b) => given.indexOf(a) - given.indexOf(b)));
  return { regime: ranked.length === 3 ? regimes[ranked.join(" ")] : undefined, order: ranked };
}

/** δ and ε of at least 0, not both 0; else a ConfigError. */
export function checkedEffect<T extends Effect>(path: string, effect: T): T {
  atLeast(`${path}.delta`, effect.delta, 0);
  atLeast(`${path}.epsilon`, effect.epsilon, 0);
  if (sum(effect) === 0) throw new ConfigError(path, "delta and epsilon are both 0: hearing changes nothing");
  return effect;
}

const sum = ({ delta, epsilon }: Effect) => delta + epsilon;

function weighted(profile: readonly number[], weight: (j: number, steps: number) => number): number {
  checked("profile", profile);
  let [total, weights] = [0, 0];
  for (const [index, correctness] of profile.entries()) {
    const share = weight(index + 1, profile.length);
    total += share * correctness;
    weights += share;
  }
  return total / weights;
}
