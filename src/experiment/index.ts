// Experiments: the papers' comparisons with the controls they lack, resumable to the sample.

export { openExperiment, playExperiment, reportExperiment, workloadLeft } from "./experiment.ts";
export type { Opened, OpenOptions, PlayOptions, ReportOptions } from "./experiment.ts";
export { drawnFromSteps, sumItems, sums } from "./grading.ts";
export type { Exam } from "./grading.ts";
export { mainDefaults, mainExperiment } from "./main-arms.ts";
export type { MainOptions } from "./main-arms.ts";
export { bound } from "./occupancy.ts";
export type { Bound, Load } from "./occupancy.ts";
export type { Cell, Sample } from "./sample.ts";
export type { About, Basis, Setup, Workload } from "./setup.ts";
export { accuracyOf, armsOf, differenceOf, figure, holm, meanOf, ratioOf, right, signFlip } from "./statistics.ts";
export type { Arms, Difference, Estimate, Reading } from "./statistics.ts";
export type { TeamArm } from "./team.ts";
export { isVirtual, simulatedVoice, voiceOf } from "./voice.ts";
export type { Voice } from "./voice.ts";
export { majority, voted } from "./vote.ts";
export { reportFiles, writeReport } from "./write.ts";
export type { PageOf } from "./write.ts";
