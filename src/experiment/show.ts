// Numbers as reports show them: values with their intervals.

import type { Place, Point } from "../eval/findings.ts";
import type { Difference, Estimate } from "./statistics.ts";

const significant = (value: number, digits: number): string => {
  const text = String(Number(value.toPrecision(digits)));
  return text.includes("e") ? value.toFixed(0) : text;
};

/** An estimate with its interval, in a unit `scale` times as fine. */
function withRange(estimate: Estimate | null, show: (value: number) => string): string | null {
  if (estimate === null) return null;
  const { value, low, high } = estimate;
  if (!Number.isFinite(low) || !Number.isFinite(high)) return show(value);
  // What never differs has no interval to show.
  if (show(low) === show(value) && show(high) === show(value)) return show(value);
  return `${show(value)} [${show(low)}, ${show(high)}]`;
}

/** A share in percent: `63.3 [58.1, 68.2]`. */
export const percent = (estimate: Estimate | null): string | null =>
  withRange(estimate, (value) => (100 * value).toFixed(1));

/** A difference of shares in points, signed. */
export const points = (estimate: Estimate | null): string | null =>
  withRange(estimate, (value) => `${value >= 0 ? "+" : ""}${(100 * value).toFixed(1)}`);

/** A number with three digits that count. */
export const amount = (estimate: Estimate | null): string | null =>
  withRange(estimate, (value) => significant(value, 3));

/** Milliseconds in seconds. */
export const seconds = (estimate: Estimate | null): string | null =>
  withRange(estimate, (value) => significant(value / 1000, 3));

/** A p value; one below 0.001 only as that. */
export const pValue = (p: number | undefined): string | null =>
  p === undefined ? null : p < 0.001 ? "< 0.001" : p.toFixed(3);

/** The p of a difference. */
export const pOf = (difference: Difference | null): string | null => pValue(difference?.p);

/** A published number as it was printed; null where there is none. */
export const printed = (value: number | undefined): number | null => value ?? null;

/** A point of a figure, `scale` times the estimate. */
export function pointOf(x: Place, estimate: Estimate | null, scale = 1): readonly Point[] {
  if (estimate === null) return [];
  const { value, low, high } = estimate;
  const known = Number.isFinite(low) && Number.isFinite(high);
  return [{ x, y: scale * value, ...(known ? { low: scale * low, high: scale * high } : {}) }];
}
