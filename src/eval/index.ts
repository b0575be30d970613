// Evaluation: tasks, conversations about their samples, and what they say about policies.

export type { Account, CutMade, Decided, Parts } from "./account.ts";
export { armForms, armsNamed } from "./arms.ts";
export type { ArmsOptions } from "./arms.ts";
export type { Arm, Casting, Seat } from "./cast.ts";
export { choosing } from "./choosing.ts";
export { compare } from "./comparison.ts";
export type { CompareOptions, Means, Paid, PolicyReport } from "./comparison.ts";
export type { Setting } from "./conversation.ts";
export { evaluate } from "./evaluate.ts";
export type { Budget, Ended, Evaluation } from "./evaluate.ts";
export type { Axis, Figure, Findings, Place as FigurePlace, Point, Section, Series, Table } from "./findings.ts";
export { openJournal } from "./journal.ts";
export type { Identity, Journal, JournalOptions } from "./journal.ts";
export type { Records } from "./records.ts";
export { once } from "./once.ts";
export type { OnceOptions } from "./once.ts";
export { recited, template } from "./recited.ts";
export type { RecitedOptions } from "./recited.ts";
export type { Result } from "./result.ts";
export { simulatedListener, simulatedListeners, simulatedSpeakers } from "./simulated-listener.ts";
export { isSplit, splits } from "./split.ts";
export type { Draw, Split } from "./split.ts";
export { answerOf } from "./task.ts";
export type { Answer, Need, Role, Sample, Task, Transcript, Utterance, Verdict } from "./task.ts";
export { heardEnough } from "./tasks/enough.ts";
export { loadTask, loadTaskFile, taskNames } from "./tasks/load.ts";
export type { ReadText } from "./tasks/load.ts";
export { chooseThreshold } from "./threshold.ts";
export type { Chosen, ThresholdOptions } from "./threshold.ts";

export type { Random } from "../base/random.ts";
export type { Interval } from "../base/stats.ts";
export * from "./benchmarks/index.ts";
export * from "./measure/index.ts";
export * from "./plan/index.ts";
