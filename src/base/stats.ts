// Statistics of samples: what a mean is worth, and how sure a comparison is.

import { random } from "./random.ts";
import type { Random } from "./random.ts";

/** Both ends of an interval. */
export type Interval = readonly [low: number, high: number];

/** The sum over the count; NaN of nothing. */
export const mean = (values: readonly number[]): number =>
  values.reduce((total, value) => total + value, 0) / values.length;

/** The standard deviation of the mean: s / √n, with n − 1 in s; NaN below two values. */
export function standardError(values: readonly number[]): number {
  const middle = mean(values);
  const squares = values.reduce((total, value) => total + (value - middle) ** 2, 0);
  return values.length < 2 ? Number.NaN : Math.sqrt(squares / (values.length - 1) / values.length);
}

/** The value below which a share `q` of the values lies, linear between neighbours (type 7 of Hyndman and Fan); NaN of nothing. */
export function quantile(values: readonly number[], q: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const place = (sorted.length - 1) * Math.min(1, Math.max(0, q));
  const low = sorted[Math.floor(place)] ?? Number.NaN;
  const high = sorted[Math.ceil(place)] ?? Number.NaN;
  return low + (high - low) * (place - Math.floor(place));
}

/** Two-sided 95 % of a standard normal. */
const z95 = 1.959963984540054;

/** Wilson's score interval of a proportion; it stays within [0, 1] and is right near its ends. `n` need not be whole. */
export function wilson(proportion: number, n: number, z: number = z95): Interval {
  if (!(n > 0)) return [0, 1];
  const square = z * z;
  const center = (proportion + square / (2 * n)) / (1 + square / n);
  const half = (z / (1 + square / n)) * Math.sqrt((proportion * (1 - proportion)) / n + square / (4 * n * n));
  // Rounding must not push the interval off the proportion.
  return [Math.max(0, Math.min(center - half, proportion)), Math.min(1, Math.max(center + half, proportion))];
}

/**
 * Wilson's interval of the share of ones among clustered zeros and ones: n is divided by the design effect (Kish), between
 * 1 and the mean size of a cluster, and the latter where all values are the same and nothing can be told.
 */
export function clusteredProportion(clusters: readonly (readonly number[])[]): Interval {
  const filled = clusters.filter((cluster) => cluster.length > 0);
  const all = filled.flat();
  const [n, k] = [all.length, filled.length];
  const p = mean(all);
  if (n === 0) return [0, 1];
  const size = n / k;
  const squares = filled.reduce((total, cluster) => total + cluster.reduce((sum, value) => sum + value - p, 0) ** 2, 0);
  const between = k < 2 ? Infinity : ((k / (k - 1)) * squares) / n ** 2;
  const binomial = (p * (1 - p)) / n;
  const effect = binomial === 0 ? size : Math.min(size, Math.max(1, between / binomial));
  return wilson(p, n / effect);
}

export type BootstrapOptions = {
  readonly seed: number;
  /** Default 2000. */
  readonly resamples?: number;
  /** Default 0.95. */
  readonly level?: number;
};

/**
 * The percentile interval of a statistic when whole clusters are drawn again with replacement (Efron). Pairs stay together
 * when both sides of a comparison are in one item. Undefined results of a draw (NaN) are left out; [NaN, NaN] of nothing.
 */
export function bootstrap<T>(
  clusters: readonly (readonly T[])[],
  statistic: (items: readonly T[]) => number,
  { seed, resamples = 2000, level = 0.95 }: BootstrapOptions,
): Interval {
  const next = random(seed);
  const values: number[] = [];
  for (let draw = 0; draw < resamples; draw++) {
    const value = statistic(again(clusters, next));
    if (!Number.isNaN(value)) values.push(value);
  }
  return [quantile(values, (1 - level) / 2), quantile(values, (1 + level) / 2)];
}

function again<T>(clusters: readonly (readonly T[])[], next: Random): T[] {
  const items: T[] = [];
  for (let drawn = 0; drawn < clusters.length; drawn++)
    for (const item of clusters[Math.floor(next() * clusters.length)] ?? []) items.push(item);
  return items;
}

/** The chance that a positive has the higher score than a negative, ties counted half (Mann and Whitney); NaN without both. */
export function auc(positives: readonly number[], negatives: readonly number[]): number {
  const all = [
    ...positives.map((score) => ({ score, positive: 1 })),
    ...negatives.map((score) => ({ score, positive: 0 })),
  ].toSorted((a, b) => a.score - b.score);
  let ranks = 0;
  for (let from = 0; from < all.length;) {
    let to = from;
    while (to < all.length && all[to]?.score === all[from]?.score) to++;
    // Ranks count from 1; equal scores share the mean of theirs.
    const rank = (from + to + 1) / 2;
    for (const { positive } of all.slice(from, to)) ranks += positive * rank;
    from = to;
  }
  const [p, n] = [positives.length, negatives.length];
  return (ranks - (p * (p + 1)) / 2) / (p * n);
}
