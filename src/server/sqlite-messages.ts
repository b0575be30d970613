// What the store and its thread tell one another.

import type { RunHead, RunSummary } from "./run-store.ts";

/** Bounds on what is kept; the oldest runs go first. */
export type SqliteBounds = {
  /** Runs kept: 10,000. */
  readonly runs: number;
  /** Days that they are kept: 30. */
  readonly days: number;
  /** Bytes of their events: 1 GiB. */
  readonly bytes: number;
};

/** Events of a run that follow one another, as lines. */
export type Block = {
  readonly run: string;
  readonly first: number;
  readonly count: number;
  readonly lines: string;
  /** Milliseconds since the run began of the last of them. */
  readonly ms: number;
};

/** Written together or not at all. */
export type Batch = {
  readonly begun: readonly RunHead[];
  readonly blocks: readonly Block[];
  readonly ended: readonly ({ readonly run: string } & Pick<RunSummary, "state" | "usage">)[];
};

export type Asked =
  | { readonly type: "open"; readonly file: string; readonly bounds: SqliteBounds }
  | { readonly type: "write"; readonly batch: Batch }
  | { readonly type: "list"; readonly limit: number; readonly before?: string | undefined }
  | { readonly type: "find"; readonly id: string }
  | { readonly type: "lines"; readonly id: string; readonly from: number }
  | { readonly type: "close" };

/** How an answer to each request looks. */
export type Answers = {
  readonly open: undefined;
  readonly write: undefined;
  readonly list: readonly RunSummary[];
  readonly find: RunSummary | undefined;
  readonly lines: readonly string[];
  readonly close: undefined;
};

export type Request = { readonly number: number; readonly asked: Asked };
export type Reply = { readonly number: number } & (
  | { readonly value: unknown }
  | { readonly problem: string; readonly missing?: boolean }
);
