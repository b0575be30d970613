// Files of ears and tuned listeners from before the mean of looks counted.

import { ConfigError } from "../base/errors.ts";

/**
 * What a file says, with the rule of before as today's: one look in a row is the mean of one. Throws a ConfigError for more in a
 * row, which no mean stands for.
 */
export function ruleOfBefore(value: unknown, place: string): unknown {
  if (typeof value !== "object" || value === null || !("inRow" in value) || "over" in value) return value;
  const { inRow, ...rest } = value;
  if (inRow !== 1) throw new ConfigError(place, "was made for looks in a row; make it again");
  return { ...rest, over: 1 };
}
