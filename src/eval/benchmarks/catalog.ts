// The benchmarks of the papers, by name.
import type { Published } from "./published.ts";
import { gpqaDiamond, mmluPro } from "./sets-choice.ts";
import { lcbExecution, lcbGeneration, lcbTestOutput } from "./sets-code.ts";
import { hle } from "./sets-hle.ts";
import { aime2025, aime2026, hmmt2026 } from "./sets-mathematics.ts";

// Each is only ever used with the items that it has read itself.
const published = {
  "aime-2025": aime2025,
  "aime-2026": aime2026,
  "hmmt-2026": hmmt2026,
  "gpqa-diamond": gpqaDiamond,
  hle,
  "lcb-generation": lcbGeneration,
  "lcb-execution": lcbExecution,
  "lcb-test-output": lcbTestOutput,
  "mmlu-pro": mmluPro,
} as unknown as Readonly<Record<string, Published<unknown>>>;

/** The names of the benchmarks. */
export const benchmarkNames: readonly string[] = Object.keys(published);

/** What there is to say of a benchmark before it is loaded. */
export type BenchmarkInfo = {
  readonly name: string;
  /** What it is, in a line. */
  readonly title: string;
  /** The data set's repository on the hub. */
  readonly repository: string;
  /** Whether its terms have to be accepted on the hub before it can be fetched. */
  readonly gated: boolean;
  readonly license: string;
};

/** The benchmarks, for a list of them. */
export const benchmarkInfos: readonly BenchmarkInfo[] = Object.entries(published).map(
  ([name, { title, repository, gated, license }]) => ({ name, title, repository, gated, license }),
);

/** The benchmark with this name. */
export const publishedNamed = (name: string): Published<unknown> | undefined =>
  Object.hasOwn(published, name) ? published[name] : undefined;
