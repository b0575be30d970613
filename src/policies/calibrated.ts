import { ConfigError } from "../base/errors.ts";
import type { Decision, Hearing, Policy } from "../core/policy.ts";
import { featureNames, featuresOf } from "./features.ts";
import type { FeatureName, FeatureOptions } from "./features.ts";
import { patient } from "./patient.ts";
import type { NextLook } from "./patient.ts";
import { probabilityOf } from "./yes-no.ts";

/** A fitted listener: the probability that enough was heard is the logistic of bias + Σ weight · (feature − mean) / scale. */
export type Weights = {
  readonly schema: typeof weightsSchema;
  readonly features: readonly FeatureName[];
  /** Of each feature, subtracted before it is weighed. */
  readonly mean: readonly number[];
  /** Of each feature, above 0, divided by. */
  readonly scale: readonly number[];
  readonly weights: readonly number[];
  readonly bias: number;
  /** Probability above which it cuts, between 0 and 1. */
  readonly threshold: number;
  /** When to look: tokens of a message before the first look pays, and after each look until the next one does. */
  readonly looks?: { readonly first: number; readonly next: readonly NextLook[] } | undefined;
  /** The ear that the feature `ear` was measured with: where its JSON lies as seen from these weights, and its digest. */
  readonly ear?: { readonly file: string; readonly sha256: string } | undefined;
  /** What it was fitted on: model, task, samples, date. */
  readonly provenance: Readonly<Record<string, unknown>>;
};

/** The form of weights this version reads. */
export const weightsSchema = "duplex.calibrated/1";

type Loose = { readonly [Name in keyof Weights]?: unknown };

function numbers(path: string, value: unknown, count: number): readonly number[] {
  if (!Array.isArray(value) || !value.every((one) => typeof one === "number" && Number.isFinite(one)))
    throw new ConfigError(path, "must be a list of numbers");
  if (value.length !== count) throw new ConfigError(path, `has ${value.length} numbers for ${count} features`);
  return value as readonly number[];
}

function number(path: string, value: unknown): number {
  if (typeof value === "number" && Number.isFinite(value)) return value;
  throw new ConfigError(path, "must be a number");
}

function features(path: string, value: unknown): readonly FeatureName[] {
  if (!Array.isArray(value) || value.length === 0) throw new ConfigError(path, "must be a list of names");
  const known: readonly unknown[] = featureNames;
  value.forEach((name: unknown, index) => {
    if (!known.includes(name))
      throw new ConfigError(path, `this version knows no ${JSON.stringify(name)}; it knows ${featureNames.join(", ")}`);
    if (value.indexOf(name) !== index) throw new ConfigError(path, `${JSON.stringify(name)} is there twice`);
  });
  return value as readonly FeatureName[];
}

function looksOf(path: string, value: unknown): Weights["looks"] {
  if (value === undefined) return undefined;
  const { first, next } = (value ?? {}) as { readonly first?: unknown; readonly next?: unknown };
  if (!Array.isArray(next)) throw new ConfigError(`${path}.next`, "must be a list");
  const ranges = next.map((each: Partial<Record<keyof NextLook, unknown>> | null, index) => ({
    below: number(`${path}.next[${index}].below`, each?.below),
    tokens: number(`${path}.next[${index}].tokens`, each?.tokens),
  }));
  return { first: number(`${path}.first`, first), next: ranges };
}

function earOf(path: string, value: unknown, names: readonly FeatureName[]): Weights["ear"] {
  if (value === undefined && !names.includes("ear")) return undefined;
  const { file, sha256 } = (value ?? {}) as { readonly file?: unknown; readonly sha256?: unknown };
  if (typeof file === "string" && typeof sha256 === "string") return { file, sha256 };
  throw new ConfigError(path, "must name the file and the sha256 of the ear that the feature was measured with");
}

/** Checks weights, however they came. Throws a ConfigError that names what is wrong, below `place`. */
export function checkWeights(value: unknown, place = "weights"): Weights {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new ConfigError(place, "is not a JSON object");
  const loose = value as Loose;
  if (loose.schema !== weightsSchema)
    throw new ConfigError(
      `${place}.schema`,
      `is ${JSON.stringify(loose.schema) ?? "missing"}, and this version reads "${weightsSchema}"; fit the weights again`,
    );
  const names = features(`${place}.features`, loose.features);
  const scale = numbers(`${place}.scale`, loose.scale, names.length);
  if (scale.some((one) => one <= 0)) throw new ConfigError(`${place}.scale`, "must be above 0");
  const threshold = number(`${place}.threshold`, loose.threshold);
  if (!(threshold > 0 && threshold < 1))
    throw new ConfigError(`${place}.threshold`, `${threshold} is not a probability between 0 and 1`);
  if (typeof loose.provenance !== "object" || loose.provenance === null)
    throw new ConfigError(`${place}.provenance`, "must be an object that says what the weights were fitted on");
  const looks = looksOf(`${place}.looks`, loose.looks);
  const ear = earOf(`${place}.ear`, loose.ear, names);
  return {
    schema: weightsSchema,
    features: names,
    mean: numbers(`${place}.mean`, loose.mean, names.length),
    scale,
    weights: numbers(`${place}.weights`, loose.weights, names.length),
    bias: number(`${place}.bias`, loose.bias),
    threshold,
    ...(looks === undefined ? {} : { looks }),
    ...(ear === undefined ? {} : { ear }),
    provenance: loose.provenance as Weights["provenance"],
  };
}

/** Weights from the text of a file. Throws a ConfigError that names what is wrong, below `place`. */
export function readWeights(text: string, place = "weights"): Weights {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new ConfigError(place, "is not JSON", { cause });
  }
  return checkWeights(value, place);
}

/** The log-odds that enough was heard, by weights, from features in the weights' order. */
export function scoreOf({ mean, scale, weights, bias }: Weights, values: readonly number[]): number {
  return values.reduce(
    (total, value, index) => total + (weights[index] ?? 0) * ((value - (mean[index] ?? 0)) / (scale[index] ?? 1)),
    bias,
  );
}

/**
 * Cuts when a fitted logistic says that enough was heard, and looks only where the weights say that a look is worth its cost.
 * Throws a ConfigError for weights it cannot read, and for those of an ear without one.
 */
export function calibrated(fitted: Weights, options: Omit<FeatureOptions, "features"> = {}): Policy {
  const weights = checkWeights(fitted);
  const measure = featuresOf({ ...options, features: weights.features });
  const threshold = Math.log(weights.threshold / (1 - weights.threshold));
  const decide = async (hearing: Hearing, signal: AbortSignal): Promise<Decision> => {
    const { values, usage, note } = await measure(hearing, signal);
    if (values === undefined) return { advantage: 0, usage, note };
    const logOdds = scoreOf(weights, values);
    return { advantage: logOdds - threshold, probability: probabilityOf(logOdds), usage };
  };
  return patient({ name: "calibrated", decide }, { ...(weights.looks ?? { next: [] }), threshold });
}
