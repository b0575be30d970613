/** The mathematics of streaming agents: whether it pays in correctness, time and money, before anything runs. */

export type { PriceRatios } from "./cost.ts";
export { costRatio, priceRatios } from "./cost.ts";
export type { Effect, EffectProtocol, Ranking, Regime } from "./effect.ts";
export {
  breakEven,
  gain,
  headCorrectness,
  meanCorrectness,
  rank,
  serialOverSingle,
  serialOverStream,
  stepEffect,
  streamOverSingle,
  tailCorrectness,
} from "./effect.ts";
export type { Graph } from "./graph.ts";
export { arrange, depth } from "./graph.ts";
export type { Estimate, Simulated, SimulateOptions } from "./monte-carlo.ts";
export { simulateCorrectness } from "./monte-carlo.ts";
export type { Expected, Hearing, Network, NetworkEdge } from "./network.ts";
export { expectedCorrectness } from "./network.ts";
export type { Cache, Plan, PlanAgent, Protocol, Tokens } from "./plan.ts";
export { chain } from "./plan.ts";
export type { AgentSchedule, Call, Schedule, Totals } from "./schedule.ts";
export { contextRatios, schedule, totals } from "./schedule.ts";
export type { ContextRatios, Size, SpeedRatios, Speeds, UniformChain } from "./speed.ts";
export { pipelineLimit, speedRatios, speedUpBound, uniformChain, waitingCalls } from "./speed.ts";
