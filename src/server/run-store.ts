// Where runs are kept beyond what is in memory.

import type { Usage } from "../core/types.ts";

/** What is known of a run when it begins. */
export type RunHead = {
  readonly id: string;
  readonly team: string;
  /** The first of its characters, at most 200. */
  readonly task: string;
  /** ISO 8601. */
  readonly started: string;
};

/** What a list of runs says of one. */
export type RunSummary = RunHead & {
  readonly state: "running" | "done" | "failed" | "cancelled";
  readonly events: number;
  /** Milliseconds from its start to its last event. */
  readonly ms: number;
  readonly usage: Usage;
};

/** Takes the events of one run; never throws and never waits. */
export interface RunRecorder {
  /** One event as a line of JSON, and its time in milliseconds since the run began. */
  add(line: string, at: number): void;
  end(summary: Pick<RunSummary, "state" | "usage">): void;
}

/** A run that was kept. */
export type StoredRun = {
  readonly summary: RunSummary;
  /** Its events from one on, as lines of JSON: at least one while there are any, and not more at once than fit in memory. */
  readonly lines: (from: number) => Promise<readonly string[]>;
};

/** Keeps runs and their events; what it cannot write it reports by itself, and serving goes on. */
export interface RunStore {
  begin(run: RunHead): RunRecorder;
  /** The newest first, at most `limit`; those older than the run `before` where that is given. */
  list(options: { readonly limit: number; readonly before?: string | undefined }): Promise<readonly RunSummary[]>;
  find(id: string): Promise<StoredRun | undefined>;
  /** Writes what is left, and frees what it holds. */
  close(): Promise<void>;
}
