// From labels to weights of the policy `calibrated`.

import { ConfigError } from "../base/errors.ts";
import { featureNames, scoreOf, weightsSchema } from "../policies/index.ts";
import type { FeatureName, Weights } from "../policies/index.ts";
import { calibrationOf } from "./calibration.ts";
import type { Calibration } from "./calibration.ts";
import { chooseRule, chunkOf, coursesOf, looksOf, playOf } from "./course.ts";
import type { ChosenRule, Looks } from "./course.ts";
import { crossValidate } from "./crossing.ts";
import type { CrossOptions } from "./crossing.ts";
import type { Label } from "./label.ts";
import { fitLogistic, logistic } from "./logistic.ts";
import { checkApart } from "./points.ts";
import type { DecisionPoint } from "./points.ts";

/** Which features weights are fitted on, and how the threshold is chosen. */
export type FitOptions = CrossOptions & {
  /** Default: all that the first point has. */
  readonly features?: readonly FeatureName[] | undefined;
  /** Points to choose the threshold on; default: those fitted on, each judged by weights that never saw its sample. */
  readonly dev?: readonly DecisionPoint[] | undefined;
  /** How much success may be lost against hearing everything, as a share; default 0.01. */
  readonly maxLoss?: number | undefined;
  /** Tokens that one decision costs; default 1. */
  readonly lookCost?: number | undefined;
  /** Tokens that one success is worth when thresholds within the bound are compared; default 0: the cheapest wins. */
  readonly worth?: number | undefined;
  /** Kept in the weights, with what the fit says of itself. */
  readonly provenance?: Readonly<Record<string, unknown>> | undefined;
};

/** Weights, and how good they are on what they were not fitted on. */
export type Fitted = {
  readonly weights: Weights;
  readonly penalty: number;
  /** Of single decisions, held out by sample. */
  readonly auc: number;
  /** Of held-out probabilities. */
  readonly calibration: Calibration;
  /** The threshold chosen, in log-odds, and what it came to where it was chosen. */
  readonly rule: ChosenRule;
  /** When it looks, and `rule.played` with it. */
  readonly looks: Looks;
};

/** Features of a point, in order. Throws a ConfigError for one that the point lacks. */
function rowOf({ features, sample, chunk }: DecisionPoint, names: readonly FeatureName[]): number[] {
  return names.map((name) => {
    const value = features?.[name];
    if (value !== undefined) return value;
    throw new ConfigError(
      "labels",
      `sample "${sample}" has no feature "${name}" at chunk ${chunk}; sample again with it`,
    );
  });
}

function namesOf(labels: readonly Label[], wanted: FitOptions["features"]): readonly FeatureName[] {
  const known: readonly string[] = featureNames;
  const names = wanted ?? featureNames.filter((name) => labels[0]?.point.features?.[name] !== undefined);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new ConfigError("features", `there is no "${unknown}"; there are ${featureNames.join(", ")}`);
  if (names.length > 0) return names;
  throw new ConfigError("features", "the labels have none; sample again with features");
}

// A probability that no policy reaches.
const never = 1 - 1e-12;

/**
 * Fits a logistic to labels that are decided: the penalty by cross-validation in which a sample is never on both sides, the
 * threshold for the lowest cost within the bound. Where nothing is saved within it, the weights never cut, and `rule.pays`
 * is false. Throws a ConfigError for labels that cannot be learned from.
 */
export function fit(labels: readonly Label[], options: FitOptions = {}): Fitted {
  const { dev, maxLoss, lookCost = 1, provenance = {} } = options;
  // Where the listener's model gave nothing to measure, the policy waits and weights say nothing.
  const decided = labels.filter(({ undecided, point }) => !undecided && point.features !== undefined);
  const names = namesOf(decided, options.features);
  const points = decided.map(({ point }) => point);
  if (dev !== undefined) checkApart(points, dev);
  const rows = points.map((point) => rowOf(point, names));
  const examples = { rows, labels: decided.map((each) => each.label) };
  const groups = points.map(({ task, sample }) => `${task} ${sample}`);
  const crossed = crossValidate({ ...examples, groups }, options);
  const { mean, scale, weights, bias } = fitLogistic(examples, crossed.penalty);
  const shape: Weights = {
    schema: weightsSchema,
    features: names,
    mean,
    scale,
    weights,
    bias,
    threshold: 0.5,
    provenance,
  };
  const own = dev === undefined;
  const judged = own
    ? crossed.logOdds
    : dev.map((point) => (point.features === undefined ? -Infinity : scoreOf(shape, rowOf(point, names))));
  const courses = coursesOf(own ? points : dev, judged);
  const rule = chooseRule(courses, { maxLoss, lookCost, worth: options.worth, over: [1] });
  const calibration = calibrationOf(crossed.logOdds.map(logistic), examples.labels);
  const looks = rule.pays ? looksOf(courses, rule, { lookCost, chunk: chunkOf(points) }) : { first: 0, next: [] };
  const played = rule.pays ? playOf(courses, { ...rule, looks }, lookCost) : rule.played;
  const told = {
    ...provenance,
    points: points.length,
    positive: examples.labels.filter((each) => each === 1).length,
    samples: new Set(groups).size,
    penalty: crossed.penalty,
    auc: crossed.auc,
    brier: calibration.brier,
    ece: calibration.ece,
    pays: rule.pays,
    success: { full: rule.full.success, cut: played.success },
    saved: played.saved,
  };
  const threshold = rule.pays ? Math.min(never, Math.max(1e-12, logistic(rule.threshold))) : never;
  const fitted = { ...shape, threshold, looks, provenance: told };
  return { weights: fitted, penalty: crossed.penalty, auc: crossed.auc, calibration, rule: { ...rule, played }, looks };
}
