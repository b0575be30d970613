// What streaming costs against serial: StreamMA (arXiv 2606.05158), theorem 3.

import type { Price } from "../core/usage.ts";
import { atLeast, positive, whole } from "./check.ts";

/** Prices as ratios, as theorem 3 of arXiv 2606.05158 takes them. */
export type PriceRatios = {
  /** r_cpd: input over output price. */
  readonly rCpd: number;
  /** r_ccp: cached over uncached input price. */
  readonly rCcp: number;
};

/** r_cpd and r_ccp of a price; throws a ConfigError where input or output is free, since no ratio is then defined. */
export function priceRatios({ input, cached, output }: Omit<Price, "currency">): PriceRatios {
  const rCpd = positive("input", input) / positive("output", output);
  return { rCpd, rCcp: atLeast("cached", cached, 0) / input };
}

/**
 * ρ [r_cpd(α + r_ccp β) + 1] / [r_cpd(1 + r_po/S) + 1], theorem 3: cost of Stream over cost of Serial. ρ is the ratio of
 * their output tokens. α, β, ρ and r_po are to be measured. The paper's 0.925 ρ for A = S = 4 cannot be derived: with its
 * prices it needs α + 0.1 β = 0.55, one equation for two numbers it does not give, while reading each new step once and
 * all before it from the cache (α = 1, β = S−1) gives 1.05 ρ. The denominator lets every agent read S steps, also the first.
 * The exact price of any schedule is `cost(usage, price)` of the core; at the schedule's own α, β and ρ the two agree.
 */
export function costRatio(
  input: PriceRatios & { rho: number; alpha: number; beta: number; rPo: number; steps: number },
): number {
  const { rho, rCpd, rCcp, alpha, beta, rPo, steps } = input;
  for (const [name, value] of Object.entries({ rho, rCpd, rCcp, alpha, beta, rPo })) atLeast(name, value, 0);
  whole("steps", steps, 1);
  return (rho * (rCpd * (alpha + rCcp * beta) + 1)) / (rCpd * (1 + rPo / steps) + 1);
}
