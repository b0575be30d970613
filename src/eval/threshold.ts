import { ConfigError } from "../base/errors.ts";
import { compare } from "./comparison.ts";
import type { PolicyReport } from "./comparison.ts";
import type { Result } from "./result.ts";

/** Which policies a threshold is chosen among, and what may be lost. */
export type ThresholdOptions = {
  /** How much success may be lost against `never`, as a share: 0.01. */
  readonly maxLoss: number;
  /** The policies to choose among; default: all of `own`, as in `own:0.8`. */
  readonly policies?: readonly string[] | undefined;
};

/** The policy chosen, its threshold, and what it came to where it was chosen. */
export type Chosen = { readonly policy: string; readonly threshold: number; readonly report: PolicyReport };

const thresholdOf = (policy: string): number | undefined => {
  const written = /:(-?\d*\.?\d+(?:e-?\d+)?)(?:$|:[a-z]+=)/i.exec(policy)?.[1];
  return written === undefined ? undefined : Number(written);
};

/**
 * Of one policy at several thresholds the cheapest that loses no more success than stated against `never` on the same
 * samples, point estimates both; undefined where all lose more. Choose on `dev` and report on `test`: what was chosen
 * among many looks better where it was chosen. Throws a `ConfigError` without results of `never`.
 */
export function chooseThreshold(
  results: readonly Result[],
  { maxLoss, policies }: ThresholdOptions,
): Chosen | undefined {
  if (!(maxLoss >= 0 && maxLoss <= 1)) throw new ConfigError("maxLoss", `must be a share from 0 to 1; was ${maxLoss}`);
  const reports = compare(results, { task: "" });
  if (!reports.some(({ policy, runs }) => policy === "never" && runs > 0))
    throw new ConfigError("results", 'hold none of "never", against which a loss is measured');
  const able = reports.flatMap((report): Chosen[] => {
    const { policy, successVsNever, costVsNever } = report;
    const threshold = thresholdOf(policy);
    const among = policies?.includes(policy) ?? policy.startsWith("own:");
    if (!among || threshold === undefined || costVsNever === null) return [];
    // Shares of whole numbers are not exact.
    return (successVsNever ?? -1) >= -maxLoss - 1e-9 ? [{ policy, threshold, report }] : [];
  });
  return able.toSorted((one, other) => (one.report.costVsNever ?? 0) - (other.report.costVsNever ?? 0))[0];
}
