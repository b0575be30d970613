// What a listener can be measured by when it decides: what `calibrated` weighs, and what it is fitted on.

import { ConfigError } from "../base/errors.ts";
import type { Hearing } from "../core/policy.ts";
import type { Usage } from "../core/types.ts";
import { add, none } from "../core/usage.ts";
import { answerLook } from "./own-answer.ts";
import type { AnswerOptions } from "./own-answer.ts";
import { yesNoLook } from "./yes-no.ts";
import type { YesNoOptions } from "./yes-no.ts";

/**
 * `logOdds`: of Yes against No. `margin`, `entropy`, `top1`, `mass`, `stability`: of the listener's own answer so far.
 * `chunks`, `tokens`: heard of the turn.
 */
export const featureNames = ["logOdds", "margin", "entropy", "top1", "mass", "stability", "chunks", "tokens"] as const;

export type FeatureName = (typeof featureNames)[number];

export type FeatureOptions = {
  readonly features?: readonly FeatureName[] | undefined;
  /** How the own answer is asked for. */
  readonly answer?: AnswerOptions | undefined;
  /** How Yes and No are asked for. */
  readonly yesNo?: Omit<YesNoOptions, "threshold"> | undefined;
};

export type Measured = {
  /** In the order asked; undefined where the model gave no answer to measure, or the look was called off. */
  readonly values: readonly number[] | undefined;
  readonly usage: Usage;
  readonly note?: string | undefined;
};

const ofAnswer: readonly FeatureName[] = ["margin", "entropy", "top1", "mass", "stability"];

/** Makes a measurement of the features asked for (all by default); a model is asked only for what it takes. */
export function featuresOf(options: FeatureOptions): (hearing: Hearing, signal: AbortSignal) => Promise<Measured> {
  const { features = featureNames } = options;
  const unknown = features.find((name) => !featureNames.includes(name));
  if (unknown !== undefined)
    throw new ConfigError("features", `there is no "${unknown}"; there are ${featureNames.join(", ")}`);
  const odds = features.includes("logOdds") ? yesNoLook(options.yesNo ?? {}) : undefined;
  const answer = features.some((name) => ofAnswer.includes(name)) ? answerLook(options.answer ?? {}) : undefined;
  return async (hearing, signal) => {
    let usage = none;
    const found: Partial<Record<FeatureName, number>> = { chunks: hearing.chunks, tokens: hearing.tokens };
    // The answer first: its prompt is nearer to what the listener will say.
    if (answer !== undefined) {
      const seen = await answer(hearing, signal);
      usage = add(usage, seen.usage);
      if (seen.features === undefined) return { values: undefined, usage, note: seen.note };
      const { margin, entropy, top1, mass, stability } = seen.features;
      Object.assign(found, { margin, entropy, top1, mass, stability });
    }
    if (odds !== undefined) {
      const seen = await odds(hearing, signal);
      usage = add(usage, seen.usage);
      if (seen.logOdds === undefined) return { values: undefined, usage, note: seen.note };
      found.logOdds = seen.logOdds;
    }
    return { values: features.map((name) => found[name] ?? 0), usage };
  };
}
