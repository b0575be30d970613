// What an evaluation says: each policy by itself, and against hearing everything on the same samples.

import { bootstrap, clusteredProportion, mean } from "../base/stats.ts";
import type { Interval } from "../base/stats.ts";
import { sum } from "../core/usage.ts";
import type { Parts } from "./account.ts";
import { keyOf } from "./result.ts";
import type { Result } from "./result.ts";

/** Whether a policy cost less than hearing everything: `unclear` where the interval holds both, `unknown` without figures. */
export type Paid = "yes" | "no" | "unclear" | "unknown";

/** The mean of each number, by its name. */
export type Means<T> = { readonly [Key in keyof T]: number };

/** One policy. Costs are means per conversation; `success` and everything else leave failed conversations out. */
export type PolicyReport = {
  readonly task: string;
  readonly policy: string;
  /** Different samples that were scored. */
  readonly samples: number;
  readonly repeats: number;
  /** Conversations that were scored, and that failed. */
  readonly runs: number;
  readonly failures: number;
  readonly success: number | null;
  readonly successCI: Interval | null;
  /** Generated tokens; `total` is the sum of the other parts. */
  readonly cost: Means<Parts>;
  /** Cost over that of `never` on the same samples: 0.7 is 30 % less. Null without `never`. */
  readonly costVsNever: number | null;
  readonly costVsNeverCI: Interval | null;
  readonly wallMs: number;
  readonly cutsPerRun: number;
  /** Whether it surely cost less than `never`, its decisions counted: the whole interval lies below 1. */
  readonly paidForItself: boolean;
  /** Success less that of `never` on the same samples. */
  readonly successVsNever: number | null;
  readonly successVsNeverCI: Interval | null;
  /** Of the oracle's saving, the share that this policy saved; null without an oracle that saves. */
  readonly ofOracle: number | null;
  /** Those of the replies that only gave the floor back. */
  readonly floorBack: number;
  readonly inputTokens: number;
  readonly cachedTokens: number;
  readonly outputTokens: number;
  /** What deciding took of them, and how long it took. */
  readonly decisionInputTokens: number;
  readonly decisionCachedTokens: number;
  readonly decisionMs: number;
  readonly decisionsPerRun: number;
  readonly oddDecisions: number;
  readonly money: { readonly currency: string; readonly amount: number } | null;
  readonly rounds: number;
  readonly messages: number;
  /** Time until the answer, over the conversations that gave one. */
  readonly answerMs: number | null;
  readonly cuts: number;
  readonly wrongCuts: number;
  readonly firstChunkCuts: number;
  /** Mean chunk of the cuts, and the share of the message heard by then, where known. */
  readonly cutChunk: number | null;
  readonly cutShare: number | null;
  readonly paid: { readonly tokens: Paid; readonly input: Paid; readonly money: Paid; readonly time: Paid };
  readonly notes: readonly string[];
  readonly estimated: boolean;
  readonly simulated: boolean;
};

/** What is compared. */
export type CompareOptions = {
  readonly task: string;
  /** In the order of the report; default: as they come. */
  readonly policies?: readonly string[] | undefined;
  /** Of the resampling; default 1. */
  readonly seed?: number | undefined;
};

type Pair = { readonly mine: Result; readonly never: Result };

/** Reports on each policy of these results. Comparisons take only what both policies finished. */
export function compare(results: readonly Result[], options: CompareOptions): PolicyReport[] {
  const latest = [...new Map(results.map((result) => [keyOf(result), result])).values()];
  const policies = options.policies ?? [...new Set(latest.map(({ policy }) => policy))];
  const of = (policy: string) => latest.filter((result) => result.policy === policy);
  const scored = of("never").filter(isScored);
  const reports = policies.map((policy) => reportOn(policy, { results: of(policy), never: scored, options }));
  const saving = 1 - (reports.find(({ policy }) => policy === "oracle")?.costVsNever ?? 1);
  return reports.map((report) => ({
    ...report,
    ofOracle: report.costVsNever === null || saving <= 0 ? null : (1 - report.costVsNever) / saving,
  }));
}

const isScored = ({ failure }: Result): boolean => failure === undefined;

type Material = {
  readonly results: readonly Result[];
  readonly never: readonly Result[];
  readonly options: CompareOptions;
};

function reportOn(policy: string, { results, never, options }: Material): PolicyReport {
  const scored = results.filter(isScored);
  const clusters = clustersOf(scored);
  const successes = clusters.map((cluster) => cluster.map(({ success = 0 }) => success));
  const per = (value: (result: Result) => number) => meanOr0(scored.map(value));
  const part = (name: keyof Parts) => per(({ cost }) => cost[name]);
  const parts = {
    spoken: part("spoken"),
    overrun: part("overrun"),
    decisions: part("decisions"),
    replies: part("replies"),
  };
  const total = parts.spoken + parts.overrun + parts.decisions + parts.replies;
  const versus = against(policy, { mine: scored, never, seed: options.seed ?? 1 });
  const repeats = new Set(scored.map(({ repeat }) => repeat)).size;
  return {
    task: options.task,
    policy,
    samples: clusters.length,
    repeats,
    success: scored.length === 0 ? null : mean(successes.flat()),
    successCI: scored.length === 0 ? null : clusteredProportion(successes),
    cost: { ...parts, total },
    costVsNever: versus.cost,
    costVsNeverCI: versus.costCI,
    wallMs: per(({ wallMs }) => wallMs),
    cutsPerRun: per(({ cuts }) => cuts.length),
    paidForItself: versus.paid.tokens === "yes",
    runs: scored.length,
    failures: results.length - scored.length,
    successVsNever: versus.success,
    successVsNeverCI: versus.successCI,
    ofOracle: null,
    ...usageIn(scored, per),
    ...cutsIn(scored),
    paid: versus.paid,
    rounds: per(({ rounds }) => rounds),
    messages: per(({ messages }) => messages),
    answerMs: meanOrNull(scored.map(({ answerMs }) => answerMs)),
    notes: [...new Set(scored.flatMap(({ notes }) => notes))].slice(0, 3),
    estimated: scored.some(({ usage, decisionUsage }) => sum([usage, decisionUsage]).estimated === true),
    simulated: results.some(({ simulated }) => simulated === true),
  };
}

function usageIn(scored: readonly Result[], per: (value: (result: Result) => number) => number) {
  const decided = ({ decided: counts }: Result) =>
    counts.wait + counts.interrupt + counts.late + counts.timeout + counts.failed;
  const currency = scored[0]?.money?.currency;
  const priced = currency !== undefined && scored.every(({ money }) => money?.currency === currency);
  return {
    floorBack: per(({ floorBack }) => floorBack),
    inputTokens: per(({ usage }) => usage.inputTokens),
    cachedTokens: per(({ usage }) => usage.cachedTokens),
    outputTokens: per(({ usage }) => usage.outputTokens),
    decisionInputTokens: per(({ decisionUsage }) => decisionUsage.inputTokens),
    decisionCachedTokens: per(({ decisionUsage }) => decisionUsage.cachedTokens),
    decisionMs: per(({ decisionMs }) => decisionMs),
    decisionsPerRun: per(decided),
    oddDecisions: scored.reduce((total, { decided: { odd } }) => total + odd, 0),
    money: priced ? { currency, amount: per(({ money }) => money?.amount ?? 0) } : null,
  };
}

function cutsIn(scored: readonly Result[]) {
  const cuts = scored.flatMap((result) => result.cuts);
  return {
    cuts: cuts.length,
    wrongCuts: cuts.filter(({ wrong }) => wrong !== undefined).length,
    firstChunkCuts: cuts.filter(({ chunk }) => chunk === 1).length,
    cutChunk: meanOrNull(cuts.map(({ chunk }) => chunk)),
    cutShare: meanOrNull(cuts.map(({ share }) => share)),
  };
}

const meanOr0 = (values: readonly number[]): number => (values.length === 0 ? 0 : mean(values));

function meanOrNull(values: readonly (number | undefined | null)[]): number | null {
  const known = values.filter((value) => typeof value === "number");
  return known.length === 0 ? null : mean(known);
}

/** All results of one sample together. */
function clustersOf<T extends { readonly sample: string }>(results: readonly T[]): T[][] {
  const clusters = new Map<string, T[]>();
  for (const result of results) {
    const cluster = clusters.get(result.sample);
    if (cluster === undefined) clusters.set(result.sample, [result]);
    else cluster.push(result);
  }
  return [...clusters.values()];
}

type Sides = { readonly mine: readonly Result[]; readonly never: readonly Result[]; readonly seed: number };

function against(policy: string, { mine, never, seed }: Sides) {
  const by = new Map(never.map((result) => [keyOf(result), result]));
  const pairs = mine.flatMap((result): (Pair & { readonly sample: string })[] => {
    const other = by.get(keyOf({ ...result, policy: "never" }));
    return other === undefined ? [] : [{ sample: result.sample, mine: result, never: other }];
  });
  const unknown = { tokens: "unknown", input: "unknown", money: "unknown", time: "unknown" } as const;
  if (pairs.length === 0) return { cost: null, costCI: null, success: null, successCI: null, paid: unknown };
  const clusters = clustersOf<Pair & { readonly sample: string }>(pairs);
  const interval = (statistic: (items: readonly Pair[]) => number) => bootstrap<Pair>(clusters, statistic, { seed });
  const cost = ratioOf(({ cost: { total } }) => total);
  const success = (items: readonly Pair[]) =>
    mean(items.map((pair) => (pair.mine.success ?? 0) - (pair.never.success ?? 0)));
  const paid = (value: (result: Result) => number | undefined): Paid => {
    const known = pairs.every((pair) => value(pair.mine) !== undefined && value(pair.never) !== undefined);
    if (policy === "never") return "no";
    return known ? verdictOn(interval(ratioOf((result) => value(result) ?? 0))) : "unknown";
  };
  const finite = (range: Interval): Interval | null => (range.every(Number.isFinite) ? range : null);
  const ratio = cost(pairs);
  return {
    cost: Number.isFinite(ratio) ? ratio : null,
    costCI: finite(interval(cost)),
    success: success(pairs),
    successCI: finite(interval(success)),
    paid: {
      tokens: paid(({ cost: { total } }) => total),
      input: paid(({ usage }) => usage.inputTokens + usage.outputTokens),
      money: paid(({ money }) => money?.amount),
      time: paid(({ wallMs }) => wallMs),
    },
  };
}

const ratioOf =
  (value: (result: Result) => number) =>
  (pairs: readonly Pair[]): number => {
    let [mine, never] = [0, 0];
    for (const pair of pairs) {
      mine += value(pair.mine);
      never += value(pair.never);
    }
    return mine / never;
  };

const verdictOn = ([low, high]: Interval): Paid =>
  high < 1 ? "yes" : low > 1 ? "no" : Number.isNaN(low) ? "unknown" : "unclear";
