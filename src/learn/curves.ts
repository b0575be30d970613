// What labelled points say by themselves: what a cut is worth, place by place, and whether probabilities can be believed.

import { bootstrap, mean } from "../base/stats.ts";
import type { Point } from "../eval/findings.ts";
import { scoreOf } from "../policies/index.ts";
import type { Weights } from "../policies/index.ts";
import { calibrationOf } from "./calibration.ts";
import type { Calibration } from "./calibration.ts";
import type { Label } from "./label.ts";
import { logistic } from "./logistic.ts";

const sampleOf = ({ point }: Label): string => `${point.task} ${point.sample}`;

function clustersOf(labels: readonly Label[]): Label[][] {
  const clusters = new Map<string, Label[]>();
  for (const each of labels) {
    const known = clusters.get(sampleOf(each));
    if (known === undefined) clusters.set(sampleOf(each), [each]);
    else known.push(each);
  }
  return [...clusters.values()];
}

/** A mean of labels after each number of chunks heard, with its 95 % interval over samples. */
function curve(labels: readonly Label[], value: (label: Label) => number): Point[] {
  const chunks = [...new Set(labels.map(({ point }) => point.chunk))].toSorted((a, b) => a - b);
  return chunks.map((chunk) => {
    const here = labels.filter(({ point }) => point.chunk === chunk);
    const statistic = (items: readonly Label[]) => mean(items.map(value));
    const [low, high] = bootstrap(clustersOf(here), statistic, { seed: 1, resamples: 500 });
    return { x: chunk, y: statistic(here), low, high };
  });
}

/** Tokens that cutting saves, and success that it loses, after each number of chunks heard. */
export const savingCurve = (labels: readonly Label[]): Point[] =>
  curve(labels, ({ point }) => point.full.cost - point.cut.cost);

/** Success of cutting less that of hearing all. */
export const successCurve = (labels: readonly Label[]): Point[] =>
  curve(labels, ({ point }) => point.cut.success - point.full.success);

/** The share of places at which cutting pays, of those that are decided. */
export const payingCurve = (labels: readonly Label[]): Point[] =>
  curve(
    labels.filter(({ undecided }) => !undecided),
    ({ label }) => label,
  );

/** How far the weights' probabilities can be believed, on decided points with all their features; undefined where there are none. */
export function reliabilityOf(labels: readonly Label[], weights: Weights): Calibration | undefined {
  const known = labels.filter(
    ({ undecided, point }) => !undecided && weights.features.every((name) => point.features?.[name] !== undefined),
  );
  if (known.length === 0) return undefined;
  const odds = known.map(({ point }) =>
    scoreOf(
      weights,
      weights.features.map((name) => point.features?.[name] ?? 0),
    ),
  );
  return calibrationOf(
    odds.map(logistic),
    known.map(({ label }) => label),
  );
}
