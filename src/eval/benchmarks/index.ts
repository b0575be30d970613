// The papers' benchmarks: their items, and graders for what is answered.
export type { Benchmark, Grade, Item } from "./benchmark.ts";
export { benchmarkInfos, benchmarkNames } from "./catalog.ts";
export type { BenchmarkInfo } from "./catalog.ts";
export type { FetchProgress } from "./hub.ts";
export { loadBenchmark } from "./load.ts";
export type { Loaded, LoadOptions } from "./load.ts";
export type { Skipped } from "./published.ts";
export { pythonSandbox } from "./sandbox/sandbox.ts";
export type { Sandbox, SandboxOptions } from "./sandbox/sandbox.ts";
export type { Job, Ran } from "./sandbox/process.ts";
