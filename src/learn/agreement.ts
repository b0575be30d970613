// Whether a written ear says what was fitted.

import { ConfigError } from "../base/errors.ts";
import { mean as meanOf } from "../base/stats.ts";
import type { Drafted } from "./ear-export.ts";
import { judgeWith } from "./ear-judge.ts";
import type { DecisionPoint } from "./points.ts";

/** How far the file's log-odds are from the fitted ones. */
export type Agreement = {
  /** Hearings that both told. */
  readonly points: number;
  /** Largest and mean distance, in log-odds. */
  readonly largest: number;
  readonly mean: number;
  /** Mean of file minus fit: a file that is above everywhere cuts too early. */
  readonly shift: number;
  /** Standard deviation of the fitted log-odds of the hearings. */
  readonly spread: number;
};

// Enough to see a wrong head or a wrong prompt; each costs a pass.
const checked = 12;

/** Asks the file about some of the hearings that it was fitted to. */
export async function agreementOf(
  drafted: Drafted,
  fitted: readonly { point: DecisionPoint; logOdds: number }[],
): Promise<Agreement> {
  const every = Math.max(1, Math.floor(fitted.length / checked));
  const some = fitted.filter((_, index) => index % every === 0);
  const seen = await judgeWith(
    drafted,
    some.map(({ point }) => point),
    {},
  );
  // Below what can be read off probabilities only the bound is known.
  const told = some
    .map(({ logOdds }, index) => ({ logOdds, seen: seen[index] ?? Number.NaN }))
    .filter(({ logOdds }) => logOdds - drafted.file.bias > -18);
  const gaps = told.map((each) => each.seen - each.logOdds);
  const all = fitted.map(({ logOdds }) => logOdds);
  const middle = meanOf(all);
  return {
    points: gaps.length,
    largest: Math.max(0, ...gaps.map(Math.abs)),
    mean: meanOf(gaps.map(Math.abs)),
    shift: meanOf(gaps),
    spread: Math.sqrt(meanOf(all.map((value) => (value - middle) ** 2))),
  };
}

/**
 * Rounding, and other orders of adding in a 4-bit base, leave less than 0.3 of the standard deviation in the mean, to either side; a
 * wrong head or prompt leaves about all of it, and a wrong bias is a shift. Throws a ConfigError that tells the numbers.
 */
export function checkAgreement({ points, largest, mean, shift, spread }: Agreement, out: string): void {
  if (points === 0)
    throw new ConfigError(out, "the written file told nothing about the hearings it was fitted to; do not use it");
  if (mean <= 0.3 * spread && largest <= spread && Math.abs(shift) <= 0.5) return;
  throw new ConfigError(
    out,
    `the written file's log-odds differ from the fitted ones by ${mean.toFixed(2)} in the mean (${shift.toFixed(2)} with their signs) and ` +
      `${largest.toFixed(2)} at most, where the fitted ones have a standard deviation of ${spread.toFixed(2)}; do not use it`,
  );
}
