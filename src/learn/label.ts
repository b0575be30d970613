// What decision points teach: whether cutting there pays, how much, and how sure that is.

import { ConfigError } from "../base/errors.ts";
import type { DecisionPoint, Roll } from "./points.ts";
import { messageOf } from "./points.ts";

/** What a success is worth, and when a label is sure. */
export type LabelOptions = {
  /** Tokens that one success is worth; default: ten times what a conversation costs whose message is heard to its end. */
  readonly worth?: number | undefined;
  /** Below this confidence a point is undecided; default 0.8. */
  readonly confidence?: number | undefined;
  /** A fall of success up to this counts as none when confidence is judged; the label itself allows none. Default 0.15. */
  readonly tolerance?: number | undefined;
};

/** What a decision point teaches: whether cutting there pays, by how much, and how surely. */
export type Label = {
  readonly point: DecisionPoint;
  /** 1: cutting here pays. */
  readonly label: 0 | 1;
  /** In tokens, success included at its worth; 95 % interval. */
  readonly advantage: { readonly mean: number; readonly low: number; readonly high: number };
  /** Probability that more rollouts would not change the label. */
  readonly confidence: number;
  readonly undecided: boolean;
  /** About how many rollouts more would decide; 0 where it is decided, Infinity where nothing tells. */
  readonly more: number;
};

const z95 = 1.959963984540054;

/** The share of a standard normal below x, to 1e-7 (Abramowitz and Stegun 7.1.26). */
export function normalBelow(x: number): number {
  const t = 1 / (1 + (0.3275911 * Math.abs(x)) / Math.SQRT2);
  const poly = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
  const tail = (poly * Math.exp((-x * x) / 2)) / 2;
  return x > 0 ? 1 - tail : tail;
}

/** How far from zero two differences are, in standard deviations of their estimates: success kept, and cost saved. */
type Signal = { readonly success: number; readonly cost: number };

/**
 * A pair of rollouts that never differed must not look certain: the spread of success has half a loss or gain added, that of
 * cost a pair without a difference.
 */
function signalOf(cut: readonly Roll[], full: readonly Roll[], tolerance: number): Signal {
  const n = cut.length;
  let [gains, losses, saved, squares] = [0, 0, 0, 0];
  for (const [index, [success, cost]] of cut.entries()) {
    const [fullSuccess = 0, fullCost = 0] = full[index] ?? [];
    if (success > fullSuccess) gains += success - fullSuccess;
    else losses += fullSuccess - success;
    saved += (fullCost - cost) / n;
    squares += (fullCost - cost) ** 2;
  }
  const net = (gains - losses) / n;
  const spread = Math.max(0.05, (gains + losses + 0.5) / (n + 0.5) - net ** 2) / (n + 1);
  const costSpread = (Math.max(0, squares / n - saved ** 2) + saved ** 2 / n) / n;
  return { success: (net + tolerance) / Math.sqrt(spread), cost: costSpread > 0 ? saved / Math.sqrt(costSpread) : 0 };
}

/** The probability that cutting saves tokens and loses no more success than `tolerance`, from paired rollouts. */
export function probabilityOfGain(cut: readonly Roll[], full: readonly Roll[], tolerance = 0.15): number {
  const signal = signalOf(cut, full, tolerance);
  return normalBelow(signal.success) * normalBelow(signal.cost);
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value / values.length, 0);

/** The worth of a success where none is stated: ten conversations whose message is heard to its end. */
export const usualWorth = (points: readonly DecisionPoint[]): number => 10 * mean(points.map(({ full }) => full.cost));

/** Positive if and only if cost falls and success does not (arXiv 2604.06452). */
export const conservative = ({ cut, full }: Pick<DecisionPoint, "cut" | "full">): 0 | 1 =>
  cut.cost < full.cost && cut.success >= full.success ? 1 : 0;

function advantageOf({ cut, full }: DecisionPoint, worth: number): Label["advantage"] {
  const middle = worth * (cut.success - full.success) + full.cost - cut.cost;
  if (cut.rolls === undefined || full.rolls === undefined) return { mean: middle, low: middle, high: middle };
  const all = cut.rolls.map(([success, cost], index) => {
    const [fullSuccess = 0, fullCost = 0] = full.rolls?.[index] ?? [];
    return worth * (success - fullSuccess) + fullCost - cost;
  });
  const squares = all.reduce((sum, value) => sum + (value - middle) ** 2, 0);
  const half = all.length < 2 ? Infinity : z95 * Math.sqrt(squares / (all.length - 1) / all.length);
  return { mean: middle, low: middle - half, high: middle + half };
}

function labelOne(point: DecisionPoint, { worth, confidence, tolerance }: Settings): Label {
  const rule = conservative(point);
  const advantage = advantageOf(point, worth);
  const { rolls = [] } = point.cut;
  const exact = point.exact === true || rolls.length === 0;
  // Where both actions come to the same there is nothing to be learned, however often they are tried.
  if (exact && advantage.mean === 0 && point.cut.success === point.full.success)
    return { point, label: rule, advantage, confidence: 0.5, undecided: true, more: Infinity };
  if (exact) return { point, label: rule, advantage, confidence: 1, undecided: false, more: 0 };
  const gain = probabilityOfGain(rolls, point.full.rolls ?? [], tolerance);
  const sure = rule === 1 ? gain : 1 - gain;
  const undecided = sure < confidence;
  const more = undecided ? moreOf(point, tolerance) : 0;
  return { point, label: rule, advantage, confidence: sure, undecided, more };
}

// Confidence of 95 %.
const z90 = 1.645;

/** Signals grow with the root of the rollouts. */
function moreOf({ cut, full }: DecisionPoint, tolerance: number): number {
  const { rolls = [] } = cut;
  const signal = signalOf(rolls, full.rolls ?? [], tolerance);
  const weakest = Math.min(Math.abs(signal.success), Math.abs(signal.cost));
  return weakest === 0 ? Infinity : Math.max(1, Math.ceil(rolls.length * ((z90 / weakest) ** 2 - 1)));
}

type Settings = { worth: number; confidence: number; tolerance: number };

function settle(points: readonly DecisionPoint[], options: LabelOptions): Settings {
  const { worth = usualWorth(points), confidence = 0.8, tolerance = 0.15 } = options;
  if (!(confidence >= 0 && confidence <= 1))
    throw new ConfigError("confidence", `must be from 0 to 1; was ${confidence}`);
  if (!(tolerance >= 0 && tolerance <= 1)) throw new ConfigError("tolerance", `must be from 0 to 1; was ${tolerance}`);
  if (!(worth >= 0)) throw new ConfigError("worth", `must be 0 or more tokens; was ${worth}`);
  return { worth, confidence, tolerance };
}

/** Labels decision points by the conservative rule. Throws a ConfigError for none, and for options out of range. */
export function label(points: readonly DecisionPoint[], options: LabelOptions = {}): Label[] {
  if (points.length === 0) throw new ConfigError("labels", "there are none");
  const settings = settle(points, options);
  return points.map((point) => labelOne(point, settings));
}

/** Points of one message each, in the order they were heard. */
export function byMessage<T>(items: readonly T[], pointOf: (item: T) => DecisionPoint): T[][] {
  const messages = new Map<string, T[]>();
  for (const item of items) {
    const key = `${pointOf(item).task} ${messageOf(pointOf(item))}`;
    const of = messages.get(key);
    if (of === undefined) messages.set(key, [item]);
    else of.push(item);
  }
  return [...messages.values()].map((of) => of.toSorted((a, b) => pointOf(a).chunk - pointOf(b).chunk));
}

/**
 * Labels by optimal stopping: cutting is right where it is worth more than the best of what comes later in the message,
 * found from its end backwards. The advantage is that difference; intervals are of its mean alone and so not given.
 */
export function stopping(points: readonly DecisionPoint[], options: LabelOptions = {}): Label[] {
  if (points.length === 0) throw new ConfigError("labels", "there are none");
  const { worth } = settle(points, options);
  const found = new Map<DecisionPoint, Label>();
  for (const message of byMessage(points, (point) => point)) {
    const last = message.at(-1)!;
    let later = worth * last.full.success - last.full.cost;
    for (const point of message.toReversed()) {
      const now = worth * point.cut.success - point.cut.cost;
      const gain = now - later;
      const advantage = { mean: gain, low: gain, high: gain };
      found.set(point, { point, label: gain > 0 ? 1 : 0, advantage, confidence: 1, undecided: false, more: 0 });
      later = Math.max(later, now);
    }
  }
  return points.map((point) => found.get(point)!);
}

/** What labels come to. */
export type Balance = {
  readonly points: number;
  readonly samples: number;
  readonly positive: number;
  readonly negative: number;
  readonly undecided: number;
  /** Rollouts that would decide the undecided ones, those that nothing tells apart left out. */
  readonly more: number;
};

/** How many labels there are of each kind, and what is still to be decided. */
export function balanceOf(labels: readonly Label[]): Balance {
  const decided = labels.filter(({ undecided }) => !undecided);
  const positive = decided.filter((each) => each.label === 1).length;
  return {
    points: labels.length,
    samples: new Set(labels.map(({ point }) => `${point.task} ${point.sample}`)).size,
    positive,
    negative: decided.length - positive,
    undecided: labels.length - decided.length,
    more: labels.reduce((sum, { more }) => sum + (Number.isFinite(more) ? more : 0), 0),
  };
}
