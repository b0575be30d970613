// What judge models take to grade: a part of its own, in no cost of the runs that they grade.

import type { Usage } from "../core/types.ts";
import { cost } from "../core/usage.ts";
import type { Price } from "../core/usage.ts";
import { amount } from "./show.ts";
import { meanOf } from "./statistics.ts";
import type { Sample } from "./sample.ts";

/** A model that grades. */
export type Judge = {
  /** Its spec, as the command line names it. */
  readonly name: string;
  /** Absent where nobody knows. */
  readonly price?: Price | undefined;
};

/** The figures of one judgement: calls, tokens, and money where there is a price. */
export function judgeFigures(usage: Usage, price: Price | undefined): Record<string, number> {
  return {
    judgeCalls: usage.calls,
    judgeInput: usage.inputTokens,
    judgeCached: usage.cachedTokens,
    judgeOutput: usage.outputTokens,
    ...(price === undefined ? {} : { judgeCost: cost(usage, price).amount }),
  };
}

/** Whether a judge was asked about it, whatever it said. */
export const isJudged = ({ figures }: Sample): boolean => figures["judgeCalls"] !== undefined;

/** Means a run of a judge's tokens, and its money; answers that needed no judge count as nothing. */
const shown = ["judgeInput", "judgeOutput", "judgeCost"] as const;

/** Columns of a table of costs for what the judges took, and a row's cells; none of either where no judge was asked. */
export function judgeColumns(samples: readonly Sample[], judges: readonly Judge[]) {
  const asked = samples.filter(isJudged);
  if (asked.length === 0) return { columns: [], cells: () => [] };
  const priced = asked.every(({ figures }) => figures["judgeCost"] !== undefined);
  const currencies = [...new Set(judges.flatMap(({ price }) => price?.currency ?? []))];
  const money = priced && currencies.length === 1 ? currencies[0] : undefined;
  const names = money === undefined ? shown.slice(0, 2) : shown;
  return {
    columns: ["judge, input", "judge, output", `judge, ${money}`].slice(0, names.length),
    cells: (own: readonly Sample[]) => names.map((name) => amount(meanOf(own, ({ figures }) => figures[name] ?? 0))),
  };
}
