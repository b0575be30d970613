/** Planning: which team, protocol and policy to run, before anything is run. */

export type { Advice, Difference } from "./advice.ts";
export type { Budget as PlanBudget, Goal } from "./budget.ts";
export { nameOf } from "./candidates.ts";
export type { Candidate, Candidates } from "./candidates.ts";
export type { Keeps } from "./draws.ts";
export { plan } from "./plan.ts";
export type { Planned, PlanOptions } from "./plan.ts";
export type { Predicted, Ranked } from "./rank.ts";
export type { Shape } from "./teams.ts";
