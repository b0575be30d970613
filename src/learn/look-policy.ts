// What ears and tuned listeners have in common: looks whose log-odds say whether to cut.

import type { Decision, Hearing, Policy } from "../core/policy.ts";
import { calledOff } from "../policies/ask.ts";
import type { LookOfEar } from "../policies/features.ts";
import { Memory, turnKey } from "../policies/memory.ts";
import { meanOver } from "./course.ts";
import { logistic } from "./logistic.ts";

/** Where such a policy cuts; a threshold of null: never. */
export type LookRule = { readonly threshold: number | null; readonly over: number };

/**
 * A policy that cuts once the mean log-odds of its last `over` looks at a message are above the threshold: one look errs more often
 * than two in a row do, and waiting until both are above it costs more words.
 */
export function lookPolicy(name: string, ask: LookOfEar, { threshold, over }: LookRule): Policy {
  // One that never paid where it was fitted hears everything.
  if (threshold === null) return { name };
  const rows = new Memory(() => ({ looks: [] as readonly number[] }));
  const decide = async (hearing: Hearing, signal: AbortSignal): Promise<Decision> => {
    const { logOdds, usage } = await ask(hearing, signal);
    if (logOdds === undefined) return { advantage: 0, usage, note: calledOff };
    const row = rows.of(turnKey(hearing));
    row.looks = [...row.looks, logOdds].slice(-over);
    const mean = meanOver(row.looks, over);
    const probability = logistic(logOdds);
    if (mean === undefined) return { advantage: 0, probability, usage, note: `${row.looks.length} of ${over} looks` };
    return { advantage: mean - threshold, probability, usage };
  };
  return { name, decide };
}
