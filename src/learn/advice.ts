// Which policy to use, from what all of them came to on samples held out.

import { ConfigError } from "../base/errors.ts";
import type { PolicyReport } from "../eval/index.ts";

/** The policy to use. */
export type Advice = {
  /** `never` where nothing saves for sure within the bound. */
  readonly policy: string;
  /** One line that says why. */
  readonly why: string;
};

const percent = (share: number): string => `${Math.round(100 * share)} %`;

/**
 * The cheapest policy that surely saves tokens, its own decisions counted, and loses no more success than `maxLoss` against
 * `never` (point estimate); the oracle cannot be used. Throws a ConfigError without a report of `never`.
 */
export function advise(
  reports: readonly PolicyReport[],
  { maxLoss = 0.01 }: { readonly maxLoss?: number } = {},
): Advice {
  if (!reports.some(({ policy }) => policy === "never")) throw new ConfigError("policy", '"never" must be among them');
  const able = reports.filter(
    ({ policy, paidForItself, successVsNever }) =>
      policy !== "never" && policy !== "oracle" && paidForItself && (successVsNever ?? -1) >= -maxLoss - 1e-9,
  );
  const best = able.toSorted((a, b) => (a.costVsNever ?? 1) - (b.costVsNever ?? 1))[0];
  if (best === undefined)
    return {
      policy: "never",
      why: `no policy surely saves tokens at a loss of success of at most ${percent(maxLoss)}`,
    };
  const saved = percent(1 - (best.costVsNever ?? 1));
  const oracle = best.ofOracle === null ? "" : `, ${percent(best.ofOracle)} of what the best cut in hindsight saves`;
  const lost = best.successVsNever ?? 0;
  const success = lost === 0 ? "at the same success" : `success ${lost > 0 ? "+" : "-"}${percent(Math.abs(lost))}`;
  return { policy: best.policy, why: `saves ${saved} of the tokens${oracle}, ${success}` };
}
