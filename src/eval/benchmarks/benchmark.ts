// A benchmark with published items: how they are read, asked, and graded.

import type { Usage } from "../../core/types.ts";

/** One item. `Data` is what its grader needs and nobody is shown. */
export type Item<Data = unknown> = {
  /** Unique within the benchmark. */
  readonly id: string;
  /** What the agents are asked, the form of the answer included. */
  readonly prompt: string;
  /** The right answer, to show beside a wrong one; empty where none is published. */
  readonly answer: string;
  readonly data: Data;
};

/** What a grader says of one answer. */
export type Grade = {
  readonly correct: boolean;
  /** The answer as it was found in the text; absent where there was none. */
  readonly given?: string | undefined;
  /** One line that says why. */
  readonly detail: string;
  /** Grading itself failed (no judge, no sandbox): the answer counts as neither right nor wrong. */
  readonly failed?: true | undefined;
  /** What a judge model took, also where its grading failed; absent where none was asked. */
  readonly usage?: Usage | undefined;
};

/** Reads items from a file in the form they are published in, and grades what a run answered. */
export interface Benchmark<Data = unknown> {
  readonly name: string;
  /** Grades the text of a final answer; settles promptly once the signal aborts. Never rejects for what the text holds. */
  grade(item: Item<Data>, text: string, signal?: AbortSignal): Promise<Grade>;
  /** The answer in a text in a form in which equal answers are equal strings, for voting; undefined where there is none. */
  vote(item: Item<Data>, text: string): string | undefined;
  /** Ends what grading has started (a process, a thread). Without this it ends with the program. */
  close?(): Promise<void>;
}
