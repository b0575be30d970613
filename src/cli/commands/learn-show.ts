// What learning found, for people.

import { writeFile } from "node:fs/promises";
import { ConfigError } from "../../base/errors.ts";
import type { Price } from "../../core/usage.ts";
import type { Balance, Calibration, ChosenRule, Fitted, FittedEar, Label } from "../../learn/index.ts";
import { reasonOf } from "../reason.ts";

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
const places = (value: number): string => value.toFixed(3);

/** Writes JSON that people can read. Rejects with a ConfigError that names the file. */
export async function writeJson(path: string, value: unknown): Promise<void> {
  try {
    await writeFile(path, `${JSON.stringify(value, undefined, 2)}\n`);
  } catch (cause) {
    throw new ConfigError(`--out ${path}`, `cannot be written: ${reasonOf(cause)}`, { cause });
  }
}

export function labelLines({ points, samples, positive, negative, undecided, more }: Balance): string[] {
  const share = positive + negative === 0 ? "" : ` (${percent(positive / (positive + negative))})`;
  const lines = [
    `${points} decision points of ${samples} samples`,
    `cutting pays at ${positive}${share}, and does not at ${negative}`,
  ];
  if (undecided > 0)
    lines.push(`${undecided} are undecided and left out; about ${more} more rollouts would settle them`);
  return lines;
}

/** What cutting is worth where it pays. */
export function worthLines(labels: readonly Label[], price: Price | undefined): string[] {
  const paying = labels.filter(({ label, undecided }) => label === 1 && !undecided);
  if (paying.length === 0) return [];
  const tokens = paying.reduce((sum, { point }) => sum + (point.full.cost - point.cut.cost) / paying.length, 0);
  const money = price === undefined ? "" : ` (${((tokens * price.output) / 1e6).toPrecision(3)} ${price.currency})`;
  return [`where it pays, cutting saves ${tokens.toFixed(1)} generated tokens${money} in the mean`];
}

/** What a rule came to where it was chosen. */
export function ruleLines({ pays, threshold, over, played, full, oracle }: ChosenRule): string[] {
  const limit = `the best cut in hindsight saves ${percent(oracle.saved)} at success ${places(oracle.success)}`;
  if (!pays) return [`nothing is saved within the bound: the policy never cuts; ${limit}`];
  return [
    `cuts above log-odds ${threshold.toFixed(2)}${over > 1 ? ` in the mean of ${over} looks` : ""}: saves ${percent(played.saved)} at success ` +
      `${places(played.success)} (hearing all: ${places(full.success)}); ${limit}`,
  ];
}

export const calibrationLines = ({ brier, ece, bins }: Calibration): string[] => [
  `calibration: Brier ${places(brier)}, expected error ${places(ece)}`,
  ...bins.map(
    ({ low, high, count, predicted, observed }) =>
      `  ${low.toFixed(1)} to ${high.toFixed(1)}: ${count} points, predicted ${predicted.toFixed(2)}, observed ${observed.toFixed(2)}`,
  ),
];

export function fitLines({ weights, auc, penalty, calibration, rule, looks }: Fitted): string[] {
  const each = weights.features.map((name, index) => `${name} ${weights.weights[index]?.toFixed(2)}`);
  return [
    `AUC of single decisions, held out by sample: ${places(auc)} (penalty ${penalty})`,
    `weights of standardized features: ${each.join(", ")}`,
    ...calibrationLines(calibration),
    ...ruleLines(rule),
    ...(looks.first > 0 ? [`the first look at a message pays after ${looks.first} tokens`] : []),
    ...looks.next.map(
      ({ below, tokens }) => `below log-odds ${below.toFixed(2)} the next look pays after ${tokens} tokens`,
    ),
  ];
}

export function earLines({ file, layers, agreement, calibration, rule }: FittedEar): string[] {
  return [
    ...layers.map(
      ({ layer, auc, loss }) =>
        `layer ${layer} of ${file.of}: AUC held out by sample ${places(auc)}, log-loss ${places(loss)}${layer === file.layers ? " (chosen)" : ""}`,
    ),
    `file and fit: log-odds differ by ${agreement.mean.toFixed(3)} in the mean, ${agreement.largest.toFixed(3)} at most, on ${agreement.points} hearings`,
    ...calibrationLines(calibration),
    ...ruleLines(rule),
  ];
}
