import { ConfigError } from "../base/errors.ts";
import { scoreOf } from "../policies/index.ts";
import type { Weights } from "../policies/index.ts";

/** How far above its threshold a policy is at a point's features, in log-odds; 0 is where it is least sure. Throws a ConfigError for features that are not there. */
export const doubtOf =
  (weights: Weights) =>
  (features: Readonly<Record<string, number>>): number => {
    const row = weights.features.map((name) => {
      const value = features[name];
      if (value !== undefined) return value;
      throw new ConfigError("features", `the weights go by "${name}", and it is not measured; measure it too`);
    });
    return scoreOf(weights, row) - Math.log(weights.threshold / (1 - weights.threshold));
  };
