/** Measuring: what a model's speeds, prompts, contexts and steps are like, from traces or by asking it. */

export type { Grading } from "./grading.ts";
export { checkProfile, formatProfile, parseProfile, profileLine, profileVersion } from "./profile.ts";
export type { Estimate, MeasuredQuality, MeasuredRatios, MeasuredSpeeds, MeasuredTokens, Profile } from "./profile.ts";
export { profileOf } from "./profile-of.ts";
export { leastBudget, probe } from "./probe.ts";
export type { ProbeOptions, ProbeProgress } from "./probe.ts";
export { judgedBy, rightTotal, sumPuzzle } from "./puzzles.ts";
export type { Place, Puzzle, Verify } from "./puzzles.ts";
export { masks } from "./quality.ts";
