// Numbers as findings show them.

import type { Interval } from "../base/stats.ts";

/** A number with so many digits behind the point, or a dash. */
export const places = (value: number | null, digits = 2): string => (value === null ? "–" : value.toFixed(digits));

/** A number with its interval, where it has one. */
export const ranged = (value: number | null, range: Interval | null, digits = 2): string =>
  value === null || range === null
    ? places(value, digits)
    : `${places(value, digits)} [${range.map((end) => end.toFixed(digits)).join(", ")}]`;

/** A share in percent. */
export const share = (value: number | null): string => (value === null ? "–" : `${Math.round(100 * value)} %`);
