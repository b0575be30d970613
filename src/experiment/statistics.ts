// What samples say: shares and means with intervals, and differences of arms on the same items.

import { random } from "../base/random.ts";
import { clusteredProportion, quantile } from "../base/stats.ts";
import type { Interval } from "../base/stats.ts";
import { isScored } from "./sample.ts";
import type { Sample } from "./sample.ts";

/** A value of `n` samples about `items` different items, with its 95 % interval clustered by item; null: there is none. */
export type Estimate = {
  readonly value: number;
  readonly low: number;
  readonly high: number;
  readonly n: number;
  readonly items: number;
};

/** A difference of two arms on what both finished, and how likely chance alone makes one as large (two-sided). */
export type Difference = Estimate & { readonly p: number };

/** The samples of each arm, the last of each cell; failures apart. */
export type Arms = {
  readonly scored: ReadonlyMap<string, readonly Sample[]>;
  readonly failed: ReadonlyMap<string, readonly Sample[]>;
};

/** Sorts samples by arm. */
export function armsOf(samples: readonly Sample[]): Arms {
  const scored = new Map<string, Sample[]>();
  const failed = new Map<string, Sample[]>();
  for (const sample of samples) {
    const side = isScored(sample) ? scored : failed;
    const own = side.get(sample.arm);
    if (own === undefined) side.set(sample.arm, [sample]);
    else own.push(sample);
  }
  return { scored, failed };
}

/** A number of a sample; undefined where it has none. */
export type Reading = (sample: Sample) => number | undefined;

/** The figure of that name. */
export const figure =
  (name: string): Reading =>
  ({ figures }) =>
    figures[name];

/** Whether the answer was right. */
export const right: Reading = ({ correct }) => correct;

/** Sums over one item, of which all estimates are made. */
type Sums = { n: number; over: number; under: number };

/** What resampling may draw in all: more than a hundred items get fewer resamples, but never below 200. */
const draws = 2e5;

const resamplesFor = (items: number): number => Math.min(2000, Math.max(200, Math.round(draws / Math.max(1, items))));

/** The percentile interval of Σ over / Σ under when whole items are drawn again (Efron): `bootstrap` of sums, in typed arrays. */
function resampled(items: readonly Sums[]): Interval {
  const over = Float64Array.from(items, (item) => item.over);
  const under = Float64Array.from(items, (item) => item.under);
  const next = random(1);
  const values: number[] = [];
  for (let round = resamplesFor(items.length); round > 0; round--) {
    let [a, b] = [0, 0];
    for (let drawn = 0; drawn < over.length; drawn++) {
      const index = Math.floor(next() * over.length);
      a += over[index]!;
      b += under[index]!;
    }
    if (b !== 0) values.push(a / b);
  }
  return [quantile(values, 0.025), quantile(values, 0.975)];
}

function estimateOf(items: readonly Sums[]): Estimate | null {
  let [n, over, under] = [0, 0, 0];
  for (const item of items) {
    n += item.n;
    over += item.over;
    under += item.under;
  }
  const value = over / under;
  if (under === 0 || !Number.isFinite(value)) return null;
  const about = { value, n, items: items.length };
  // Of one item nothing can be told about others.
  if (items.length < 2) return { ...about, low: -Infinity, high: Infinity };
  if (items.every((item) => item.over === value * item.under)) return { ...about, low: value, high: value };
  const [low, high] = resampled(items);
  return { ...about, low, high };
}

type Added = readonly [item: string, over: number, under: number];

function grouped(added: readonly (Added | undefined)[]): Sums[] {
  const sums = new Map<string, Sums>();
  for (const one of added) {
    if (one === undefined) continue;
    const [item, over, under] = one;
    const own = sums.get(item);
    if (own === undefined) sums.set(item, { n: 1, over, under });
    else {
      own.n++;
      own.over += over;
      own.under += under;
    }
  }
  return [...sums.values()];
}

/** The share of right answers: Wilson's interval, with n divided by the design effect of repeats. */
export function accuracyOf(samples: readonly Sample[]): Estimate | null {
  const clusters = new Map<string, number[]>();
  for (const { item, correct } of samples) {
    if (correct === undefined) continue;
    const own = clusters.get(item);
    if (own === undefined) clusters.set(item, [correct]);
    else own.push(correct);
  }
  const values = [...clusters.values()];
  const n = values.reduce((sum, { length }) => sum + length, 0);
  if (n === 0) return null;
  const hits = values.reduce((sum, cluster) => sum + cluster.reduce((all, one) => all + one, 0), 0);
  const [low, high] = clusteredProportion(values);
  return { value: hits / n, low, high, n, items: clusters.size };
}

/** The mean of a reading, over the samples that have it. */
export const meanOf = (samples: readonly Sample[], reading: Reading): Estimate | null =>
  estimateOf(
    grouped(
      samples.map((sample): Added | undefined => {
        const over = reading(sample);
        return over === undefined ? undefined : [sample.item, over, 1];
      }),
    ),
  );

type Cells = ReadonlyMap<string, ReadonlyMap<number, Sample>>;

/** An arm is compared with many others. */
const known = new WeakMap<readonly Sample[], Cells>();

function cellsOf(samples: readonly Sample[]): Cells {
  const before = known.get(samples);
  if (before !== undefined) return before;
  const cells = new Map<string, Map<number, Sample>>();
  for (const sample of samples) {
    const own = cells.get(sample.item);
    if (own === undefined) cells.set(sample.item, new Map([[sample.repeat, sample]]));
    else own.set(sample.repeat, sample);
  }
  known.set(samples, cells);
  return cells;
}

type Sides = { readonly ones: readonly Sample[]; readonly others: readonly Sample[] };

/** Sums over the cells that both have and can be read. */
function paired({ ones, others }: Sides, reading: Reading, add: (a: number, b: number) => [number, number]): Sums[] {
  const by = cellsOf(others);
  return grouped(
    ones.map((one): Added | undefined => {
      const other = by.get(one.item)?.get(one.repeat);
      const [a, b] = [reading(one), other === undefined ? undefined : reading(other)];
      return a === undefined || b === undefined ? undefined : [one.item, ...add(a, b)];
    }),
  );
}

/** The mean of one arm's readings less the other's, on the cells that both have. */
export function differenceOf(ones: readonly Sample[], others: readonly Sample[], reading: Reading): Difference | null {
  const items = paired({ ones, others }, reading, (a, b) => [a - b, 1]);
  const estimate = estimateOf(items);
  return estimate === null ? null : { ...estimate, p: signFlip(items.map(({ over }) => over)) };
}

/** The sum of one arm's readings over the other's, on the cells that both have: 0.7 is 30 % less. */
export const ratioOf = (ones: readonly Sample[], others: readonly Sample[], reading: Reading): Estimate | null =>
  estimateOf(paired({ ones, others }, reading, (a, b) => [a, b]));

/** Of so few items all signs are tried. */
const exactUpTo = 12;

/**
 * How often the sum of the items' differences would be as far from 0 if the sign of each were chance: the paired
 * permutation test with whole items, exact for few items, else by resampling (with 2,000 draws p is at least 1/2001).
 */
export function signFlip(differences: readonly number[]): number {
  const values = differences.filter((value) => value !== 0);
  const observed = Math.abs(values.reduce((sum, value) => sum + value, 0)) - 1e-9;
  if (values.length <= exactUpTo) return exactly(values, observed);
  const next = random(7);
  const tries = resamplesFor(values.length);
  let reached = 0;
  for (let round = 0; round < tries; round++) {
    let sum = 0;
    for (const value of values) sum += next() < 0.5 ? value : -value;
    if (Math.abs(sum) >= observed) reached++;
  }
  return (reached + 1) / (tries + 1);
}

function exactly(values: readonly number[], observed: number): number {
  const all = 2 ** values.length;
  let reached = 0;
  for (let signs = 0; signs < all; signs++) {
    const sum = values.reduce((total, value, index) => total + ((signs >> index) & 1 ? value : -value), 0);
    if (Math.abs(sum) >= observed) reached++;
  }
  return reached / all;
}

/** Holm's correction: each p as if it were the only one looked at, in the order given. */
export function holm(ps: readonly number[]): number[] {
  const order = ps.map((p, index) => ({ p, index })).toSorted((a, b) => a.p - b.p);
  const corrected = ps.map(() => 1);
  let least = 0;
  for (const [rank, { p, index }] of order.entries()) {
    least = Math.max(least, Math.min(1, p * (ps.length - rank)));
    corrected[index] = least;
  }
  return corrected;
}
