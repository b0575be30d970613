// Cross-validation in which a group is never on both sides.

import { ConfigError } from "../base/errors.ts";
import { random, subseed } from "../base/random.ts";
import { auc } from "../base/stats.ts";
import { fitPath, logLossOf, logOddsOf } from "./logistic.ts";
import type { Examples } from "./logistic.ts";

/** Examples that belong together, such as those of one sample, have the same group. */
export type Grouped = Examples & { readonly groups: readonly string[] };

/** How a penalty is chosen by cross-validation. */
export type CrossOptions = {
  /** Penalties to choose among; default from 1e-5 to 1, three a decade. */
  readonly penalties?: readonly number[] | undefined;
  /** Default 5. */
  readonly folds?: number | undefined;
  /** Decides which group falls into which fold; default 1. */
  readonly seed?: number | undefined;
  /**
   * Take the strongest penalty whose loss is within one standard error (over groups) of the lowest, in place of the lowest itself:
   * smaller weights, for rows that will be noisier than those fitted on. Default false.
   */
  readonly withinError?: boolean | undefined;
};

/** What cross-validation chose, and how the held-out examples fared. */
export type Crossed = {
  /** The penalty with the lowest loss on what was held out, or see `withinError`. */
  readonly penalty: number;
  /** Mean log-loss on what was held out, for each penalty. */
  readonly losses: readonly { readonly penalty: number; readonly loss: number }[];
  /** Under the best penalty, of each example by weights that never saw its group. */
  readonly logOdds: readonly number[];
  /** Of those log-odds. */
  readonly auc: number;
};

/** Penalties from weak to strong. */
export const usualPenalties: readonly number[] = [1e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 0.1, 0.3, 1];

/** The fold of each example, from 0: groups in an order of their own, dealt out so that folds are equally large. */
export function foldsOf(groups: readonly string[], count: number, seed: number): number[] {
  const sizes = new Map<string, number>();
  for (const group of groups) sizes.set(group, (sizes.get(group) ?? 0) + 1);
  const order = [...sizes.keys()].map((group) => ({ group, place: random(subseed(seed, `fold ${group}`))() }));
  const filled = Array.from({ length: count }, () => 0);
  const fold = new Map<string, number>();
  for (const { group } of order.toSorted((a, b) => a.place - b.place)) {
    const emptiest = filled.indexOf(Math.min(...filled));
    fold.set(group, emptiest);
    filled[emptiest]! += sizes.get(group)!;
  }
  return groups.map((group) => fold.get(group)!);
}

/** Throws a ConfigError that names what is wrong with examples: none, one class only, a number that is none, uneven rows. */
export function checkExamples({ rows, labels }: Examples, place = "labels"): void {
  if (rows.length === 0) throw new ConfigError(place, "there are none");
  const positive = labels.filter((label) => label === 1).length;
  if (positive === 0 || positive === labels.length) {
    const all = positive === 0 ? "negative" : "positive";
    throw new ConfigError(place, `all ${labels.length} are ${all}; there is nothing to tell apart, sample more`);
  }
  const width = rows[0]!.length;
  for (const [index, row] of rows.entries()) {
    if (row.length !== width)
      throw new ConfigError(`${place}[${index}]`, `has ${row.length} features, others ${width}`);
    const wrong = row.findIndex((value) => !Number.isFinite(value));
    if (wrong >= 0) throw new ConfigError(`${place}[${index}]`, `feature ${wrong} is ${row[wrong]}, not a number`);
  }
}

type Loss = { readonly penalty: number; readonly loss: number };

/** The penalty with the lowest loss, or the strongest that is as good but for chance. */
function chosenOf(losses: readonly Loss[], error: ((of: Loss) => number) | undefined): Loss {
  const best = losses.reduce((least, each) => (each.loss < least.loss ? each : least));
  if (error === undefined) return best;
  const most = best.loss + error(best);
  return losses.reduce((strong, each) => (each.loss <= most && each.penalty > strong.penalty ? each : strong), best);
}

/** Standard error of the mean of values that come in groups. */
function groupedError(values: readonly number[], groups: readonly string[]): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const apart = new Map<string, number>();
  for (const [index, value] of values.entries())
    apart.set(groups[index]!, (apart.get(groups[index]!) ?? 0) + value - mean);
  const square = [...apart.values()].reduce((sum, each) => sum + each * each, 0);
  return Math.sqrt((square * apart.size) / Math.max(1, apart.size - 1)) / values.length;
}

/** Chooses the penalty. Throws a ConfigError for examples that cannot be learned from. */
export function crossValidate({ rows, labels, groups }: Grouped, options: CrossOptions = {}): Crossed {
  const { penalties = usualPenalties, folds: wanted = 5, seed = 1 } = options;
  checkExamples({ rows, labels });
  const count = Math.min(wanted, new Set(groups).size);
  if (count < 2) throw new ConfigError("labels", "come from one sample only; at least two are needed to hold one out");
  const folds = foldsOf(groups, count, seed);
  const odds = penalties.map(() => rows.map(() => 0));
  for (let fold = 0; fold < count; fold++) {
    const inside = rows.flatMap((_, index) => (folds[index] === fold ? [] : [index]));
    const training = { rows: inside.map((index) => rows[index]!), labels: inside.map((index) => labels[index]!) };
    const one = new Set(training.labels).size < 2;
    // Without both classes nothing but the share of them is learned.
    const fits = one ? undefined : fitPath(training, penalties);
    for (const [index, row] of rows.entries())
      if (folds[index] === fold)
        penalties.forEach((_, at) => (odds[at]![index] = fits === undefined ? 0 : logOddsOf(fits[at]!, row)));
  }
  const losses = penalties.map((penalty, at) => ({
    penalty,
    loss: odds[at]!.reduce((sum, value, index) => sum + logLossOf(value, labels[index]!) / rows.length, 0),
  }));
  const lossesOf = (of: Loss) => odds[losses.indexOf(of)]!.map((value, index) => logLossOf(value, labels[index]!));
  const error = options.withinError === true ? (of: Loss) => groupedError(lossesOf(of), groups) : undefined;
  const best = chosenOf(losses, error);
  const logOdds = odds[losses.indexOf(best)]!;
  const of = (label: number) => logOdds.filter((_, index) => labels[index] === label);
  return { penalty: best.penalty, losses, logOdds, auc: auc(of(1), of(0)) };
}
