// What every published benchmark is described by: where it is, what its rows hold, how they are asked and graded.
import type { Model } from "../../core/types.ts";
import type { Benchmark, Item } from "./benchmark.ts";
import type { Algebra } from "./math/algebra.ts";
import type { Row } from "./rows.ts";
import type { Sandbox } from "./sandbox/sandbox.ts";

/** An item that cannot be asked or graded, and why. */
export type Skipped = { readonly id: string; readonly why: string };

/** What reading a row may need beside it. */
export type Reading = {
  /** The row's number in the file, from 1: an id where the file has none. */
  readonly number: number;
  /** Decides the order of options that are published with the right one first. */
  readonly seed: number;
};

/** What grading may need. The parts start when they are first used. */
export type Grading = {
  readonly algebra: Algebra;
  readonly sandbox: Sandbox;
  readonly judge?: Model | undefined;
};

/** A benchmark as it is published. */
export type Published<Data> = {
  /** What it is, for a list of benchmarks. */
  readonly title: string;
  /** The data set's repository on the hub. */
  readonly repository: string;
  /** Which of the repository's files hold it. */
  readonly files: RegExp;
  /** Whether its terms have to be accepted on the hub before it can be fetched. */
  readonly gated: boolean;
  readonly license: string;
  /** The columns that are used, of those it is published with. */
  readonly columns: readonly string[];
  /** Items of our own writing in its form, as JSON lines or CSV. */
  readonly sample: { readonly format: "jsonl" | "csv"; readonly text: string };
  /** The item in a row, or why it is left out. Throws a `ConfigError` that names the place and the column. */
  read(row: Row, reading: Reading): Item<Data> | Skipped;
  grader(grading: Grading): Pick<Benchmark<Data>, "grade" | "vote">;
};
