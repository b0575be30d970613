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
 * `logOdds`: of Yes against No. `probability`, `margin`, `entropy`, `top1`, `mass`, `stability`: of the listener's own answer so far.
 * `chunks`, `tokens`: heard of the turn. `ear`: the log-odds of an ear.
 */
export const featureNames = [
  "logOdds",
  "probability",
  "margin",
  "entropy",
  "top1",
  "mass",
  "stability",
  "chunks",
  "tokens",
  "ear",
] as const;

/** One of `featureNames`. */
export type FeatureName = (typeof featureNames)[number];

/** Which features are measured, and how the model is asked. */
export type FeatureOptions = {
  readonly features?: readonly FeatureName[] | undefined;
  /** How the own answer is asked for. */
  readonly answer?: AnswerOptions | undefined;
  /** How Yes and No are asked for. */
  readonly yesNo?: Omit<YesNoOptions, "threshold"> | undefined;
  /** The ear that is asked; without one `ear` cannot be measured. */
  readonly ear?: LookOfEar | undefined;
};

/** Log-odds that enough was heard, as an ear tells them; undefined where the look was called off. */
export type LookOfEar = (
  hearing: Hearing,
  signal?: AbortSignal,
) => Promise<{ readonly logOdds: number | undefined; readonly usage: Usage }>;

/** Features of a hearing, and what measuring them took. */
export type Measured = {
  /** In the order asked; undefined where the model gave no answer to measure, or the look was called off. */
  readonly values: readonly number[] | undefined;
  readonly usage: Usage;
  readonly note?: string | undefined;
};

const ofAnswer: readonly FeatureName[] = ["probability", "margin", "entropy", "top1", "mass", "stability"];

/** One thing to ask, and what features it shows; undefined where there is nothing to go by. */
type Part = (
  hearing: Hearing,
  signal: AbortSignal,
) => Promise<{
  readonly shown: Partial<Record<FeatureName, number>> | undefined;
  readonly usage: Usage;
  readonly note?: string | undefined;
}>;

function checkFeatures({ features = [], ear }: FeatureOptions): void {
  const unknown = features.find((name) => !featureNames.includes(name));
  if (unknown !== undefined)
    throw new ConfigError("features", `there is no "${unknown}"; there are ${featureNames.join(", ")}`);
  if (features.includes("ear") && ear === undefined)
    throw new ConfigError("features", '"ear" is the log-odds of an ear, and none was given; open the ear they name');
}

/** What must be asked for these features. The answer first: its prompt is nearer to what the listener will say. */
function partsOf(features: readonly FeatureName[], options: FeatureOptions): readonly Part[] {
  const parts: Part[] = [];
  if (features.some((name) => ofAnswer.includes(name))) {
    const answer = answerLook(options.answer ?? {});
    parts.push(async (hearing, signal) => {
      const { features: shown, usage, note } = await answer(hearing, signal);
      return { shown, usage, note };
    });
  }
  if (features.includes("logOdds")) {
    const odds = yesNoLook(options.yesNo ?? {});
    parts.push(async (hearing, signal) => {
      const { logOdds, usage, note } = await odds(hearing, signal);
      return { shown: logOdds === undefined ? undefined : { logOdds }, usage, note };
    });
  }
  const { ear } = options;
  if (features.includes("ear") && ear !== undefined)
    parts.push(async (hearing, signal) => {
      const { logOdds, usage } = await ear(hearing, signal);
      return { shown: logOdds === undefined ? undefined : { ear: logOdds }, usage };
    });
  return parts;
}

/** Makes a measurement of the features asked for (by default all that can be); a model is asked only for what it takes. */
export function featuresOf(options: FeatureOptions): (hearing: Hearing, signal: AbortSignal) => Promise<Measured> {
  checkFeatures(options);
  const { features = featureNames.filter((name) => name !== "ear" || options.ear !== undefined) } = options;
  const parts = partsOf(features, options);
  return async (hearing, signal) => {
    let usage = none;
    const found: Partial<Record<FeatureName, number>> = { chunks: hearing.chunks, tokens: hearing.tokens };
    for (const part of parts) {
      const seen = await part(hearing, signal);
      usage = add(usage, seen.usage);
      if (seen.shown === undefined) return { values: undefined, usage, note: seen.note };
      for (const name of featureNames) if (seen.shown[name] !== undefined) found[name] = seen.shown[name];
    }
    return { values: features.map((name) => found[name] ?? 0), usage };
  };
}
