// What a plan must keep to, and what it is to be best at.

import { ConfigError } from "../../base/errors.ts";
import type { Price } from "../../core/usage.ts";

/** What must hold: at most so many milliseconds and so much money for a run, at least such a share of right steps. */
export type Budget = {
  readonly ms?: number | undefined;
  /** In the currency of the prices. */
  readonly cost?: number | undefined;
  readonly correctness?: number | undefined;
};

/** What the best of those that fit has most of: the least time, the least cost, or the most right steps. */
export type Goal = "time" | "cost" | "correctness";

/** Throws a ConfigError for a budget out of range, or one that cannot be judged. */
export function checkBudget({ ms, cost, correctness }: Budget, judged: boolean, price: Price | undefined): void {
  for (const [name, value] of Object.entries({ ms, cost }))
    if (value !== undefined && !(value > 0 && Number.isFinite(value)))
      throw new ConfigError(`budget.${name}`, `must be a number above 0, got ${value}`);
  if (correctness !== undefined && !(correctness >= 0 && correctness <= 1))
    throw new ConfigError("budget.correctness", `must be a probability from 0 to 1, got ${correctness}`);
  if (cost !== undefined && price === undefined)
    throw new ConfigError("budget.cost", "needs prices to be kept; give them as well");
  if (correctness !== undefined && !judged)
    throw new ConfigError("budget.correctness", "needs a profile in which the quality of steps is measured");
}

/** Throws a ConfigError unless every price is an amount from 0. */
export function checkPrice(price: Price | undefined): void {
  if (price === undefined) return;
  for (const name of ["input", "cached", "output"] as const)
    if (!(price[name] >= 0 && Number.isFinite(price[name])))
      throw new ConfigError(`prices.${name}`, `must be an amount per million tokens from 0, got ${price[name]}`);
}

type Wishes = {
  readonly goal?: Goal | undefined;
  readonly budget?: Budget | undefined;
  readonly prices?: Price | undefined;
};

/** The goal asked for, or the one that is left where none is. Throws a ConfigError for one that cannot be reached for. */
export function goalOf({ goal, budget, prices }: Wishes, judged: boolean): Goal {
  if (goal === undefined) return judged && budget?.correctness === undefined ? "correctness" : "time";
  if (goal === "cost" && prices === undefined) throw new ConfigError("goal", "cost needs prices; give them as well");
  if (goal === "cost" && prices!.input === 0 && prices!.output === 0)
    throw new ConfigError("goal", "all prices are 0: no candidate costs less than another; choose another goal");
  if (goal === "correctness" && !judged)
    throw new ConfigError("goal", "correctness needs a profile in which the quality of steps is measured");
  return goal;
}
