import type { Policy } from "../core/policy.ts";
import { Memory, turnKey } from "../policies/memory.ts";
import type { NextLook } from "./course.ts";

export type PatientOptions = {
  readonly next: readonly NextLook[];
  /** The policy's threshold, in log-odds: what its advantage is measured from. */
  readonly threshold: number;
};

/** A policy that looks again only when the next decision is worth its cost; in between it waits and asks nobody. */
export function patient(policy: Policy, { next, threshold }: PatientOptions): Policy {
  const { decide } = policy;
  if (decide === undefined || next.length === 0) return policy;
  const waits = new Memory(() => ({ until: 0 }));
  return {
    ...policy,
    decide: async (hearing, signal) => {
      const wait = waits.of(turnKey(hearing));
      if (hearing.tokens < wait.until) return { advantage: 0, note: "not yet worth a look" };
      const decision = await decide(hearing, signal);
      const logOdds = decision.advantage + threshold;
      const range = next.find(({ below }) => logOdds < below);
      wait.until = hearing.tokens + (range?.tokens ?? 0);
      return decision;
    },
  };
}
