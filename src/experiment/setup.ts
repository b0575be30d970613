// What an experiment is made of: cells, how one is played, what it will take, and what the samples come to.

import type { Findings, Section } from "../eval/findings.ts";
import type { Identity } from "../eval/records.ts";
import type { Exam } from "./grading.ts";
import type { Cell, Sample } from "./sample.ts";
import type { Voice } from "./voice.ts";

/** What playing is expected to take; an upper bound where caches would make it cheaper. */
export type Workload = {
  readonly runs: number;
  readonly calls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
};

/** A part of an experiment: its cells, how one is played, and what the samples of its arms come to. */
export type Part = {
  /** In the order of playing. */
  readonly cells: readonly Cell[];
  /** Plays one cell; failures are samples. Rejects when the signal fires and for the caller's mistakes. */
  readonly play: (cell: Cell, signal: AbortSignal) => Promise<Sample>;
  /** What one cell is expected to take. */
  readonly workload: (cell: Cell) => Workload;
  /** Of samples in an order that does not depend on which was finished first. */
  readonly sections: (samples: readonly Sample[]) => readonly Section[];
};

/** An experiment that is ready to be played. */
export type Setup = Omit<Part, "sections"> & {
  readonly name: string;
  /** All that must be the same for samples to stand side by side. Items, arms and repeats may be added. */
  readonly identity: Identity;
  /** Depends on nothing but the samples: the same ones in any order give the same findings. */
  readonly findings: (samples: readonly Sample[], about: About) => Findings;
};

/** What the page says beside its numbers. */
export type About = {
  readonly command: string;
  readonly version: string;
};

/** The settings that all experiments share. */
export type Basis = {
  readonly voice: Voice;
  readonly exams: readonly Exam[];
  /** Default 1. */
  readonly seed: number;
  /** Runs of each item under each arm. */
  readonly repeats: number;
  /** Runs that vote on one answer. */
  readonly vote: number;
  readonly agents: number;
  readonly steps: number | "auto";
  readonly temperature?: number | undefined;
  readonly maxTokens?: number | undefined;
  /** Tokens a step is expected to have, for the estimate alone. */
  readonly stepTokens: number;
};

/** Nothing yet. */
export const idle: Workload = { runs: 0, calls: 0, inputTokens: 0, outputTokens: 0 };

/** Both together. */
export const plus = (a: Workload, b: Workload): Workload => ({
  runs: a.runs + b.runs,
  calls: a.calls + b.calls,
  inputTokens: a.inputTokens + b.inputTokens,
  outputTokens: a.outputTokens + b.outputTokens,
});
