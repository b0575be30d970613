// Not looking where a look is not worth its cost.

import type { Decision, Policy } from "../core/policy.ts";
import { Memory, turnKey } from "./memory.ts";

/** After a look with log-odds below `below`, the next decision pays after so many tokens. */
export type NextLook = { readonly below: number; readonly tokens: number };

/** When it pays to look again. */
export type PatientOptions = {
  readonly next: readonly NextLook[];
  /** Tokens of a message before the first look at it pays; default 0. */
  readonly first?: number | undefined;
  /** The policy's threshold, in log-odds: what its advantage is measured from. */
  readonly threshold: number;
  /** Log-odds of the look that a decision is of; default: its advantage above the threshold. */
  readonly logOddsOf?: ((decision: Decision) => number) | undefined;
};

/** A policy that looks again only when the next decision is worth its cost; in between it waits and asks nobody. */
export function patient(policy: Policy, { next, first = 0, threshold, logOddsOf }: PatientOptions): Policy {
  const { decide } = policy;
  const oddsOf = logOddsOf ?? (({ advantage }: Decision) => advantage + threshold);
  if (decide === undefined || (next.length === 0 && first === 0)) return policy;
  const waits = new Memory(() => ({ until: first }));
  return {
    ...policy,
    decide: async (hearing, signal) => {
      const wait = waits.of(turnKey(hearing));
      if (hearing.tokens < wait.until) return { advantage: 0, note: "not yet worth a look" };
      const decision = await decide(hearing, signal);
      const logOdds = oddsOf(decision);
      const range = next.find(({ below }) => logOdds < below);
      wait.until = hearing.tokens + (range?.tokens ?? 0);
      return decision;
    },
  };
}
