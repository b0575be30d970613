// What the papers report, as facts to stand beside our own numbers. None of it was measured here.

/** Where a published number comes from. */
export type Source = { readonly paper: string; readonly table: string; readonly note: string };

/** StreamMA: main results, accuracy in percent. */
export const mainSource: Source = {
  paper: "arXiv 2606.05158",
  table: "main results",
  note: "Claude Opus 4.6 (high) and GPT-5.4 (medium), 3 runs an item, 8 on AIME and HMMT",
};

/** The benchmarks of the main results, in the order of their columns; `average` is over all eight. */
export const mainBenchmarks = [
  "AIME25",
  "AIME26",
  "HMMT26",
  "GPQA-D",
  "HLE",
  "LCB-G",
  "LCB-E",
  "LCB-T",
  "average",
] as const;

type Protocol = "single" | "serial" | "stream";
type MainRow = readonly [model: string, topology: string, protocol: Protocol, accuracies: readonly number[]];

const mainRows: readonly MainRow[] = [
  ["Opus 4.6", "single", "single", [67.5, 60, 48.11, 83.67, 18.6, 90.25, 77.94, 84.31, 66.3]],
  ["Opus 4.6", "chain", "serial", [80.42, 72.08, 63.26, 85.86, 23.9, 91.33, 78.64, 92.38, 73.48]],
  ["Opus 4.6", "chain", "stream", [92.5, 89.58, 85.61, 87.37, 26.97, 91.5, 84.41, 95.63, 81.7]],
  ["Opus 4.6", "tree", "serial", [86.25, 86.25, 75, 85.18, 24.82, 91.92, 88.45, 97.59, 79.43]],
  ["Opus 4.6", "tree", "stream", [93.34, 87.92, 82.2, 85.86, 25.07, 94, 94.57, 99.55, 82.81]],
  ["Opus 4.6", "graph", "serial", [77.92, 71.67, 61.75, 85.69, 22.17, 90.08, 75.78, 98.27, 72.92]],
  ["Opus 4.6", "graph", "stream", [95.83, 87.92, 82.58, 86.53, 27.68, 92.17, 95.27, 98.72, 83.34]],
  ["GPT-5.4", "single", "single", [55.83, 71.25, 40.53, 77.95, 12.08, 91.08, 92.48, 96.68, 67.24]],
  ["GPT-5.4", "chain", "serial", [60, 70.42, 54.55, 75.08, 14.66, 90.08, 97.43, 99.02, 70.16]],
  ["GPT-5.4", "chain", "stream", [61.25, 72.5, 59.1, 80.3, 14.94, 91.17, 99.3, 99.47, 72.25]],
  ["GPT-5.4", "tree", "serial", [59.17, 75.83, 56.07, 76.77, 14.83, 88.33, 93.81, 99.25, 70.51]],
  ["GPT-5.4", "tree", "stream", [62.08, 75.83, 58.34, 78.12, 15.74, 89.5, 94.78, 99.17, 71.7]],
  ["GPT-5.4", "graph", "serial", [60, 74.17, 52.65, 78.45, 14.04, 92.25, 99.51, 98.8, 71.13]],
  ["GPT-5.4", "graph", "stream", [62.5, 75.42, 56.44, 79.63, 16.13, 93.08, 99.79, 99.32, 72.32]],
];

/** The models of the main results. */
export const mainModels: readonly string[] = [...new Set(mainRows.map(([model]) => model))];

const forms: readonly (readonly [RegExp, string])[] = [
  [/^all$/, "average"],
  [/^aime-?(?:20)?25/, "AIME25"],
  [/^aime-?(?:20)?26/, "AIME26"],
  [/^hmmt/, "HMMT26"],
  [/^gpqa/, "GPQA-D"],
  [/^hle/, "HLE"],
  [/^(?:lcb|livecodebench)-?g/, "LCB-G"],
  [/^(?:lcb|livecodebench)-?e/, "LCB-E"],
  [/^(?:lcb|livecodebench)-?t/, "LCB-T"],
];

/** What a benchmark of ours is called in the main results; undefined where it is not among them. */
export const publishedName = (benchmark: string): string | undefined =>
  forms.find(([form]) => form.test(benchmark.toLowerCase().replaceAll(/[_ .]/g, "-")))?.[1];

export type MainPlace = {
  readonly model: string;
  /** A name of `mainBenchmarks`. */
  readonly benchmark: string;
  readonly topology: string;
  readonly protocol: string;
};

/** A published accuracy in percent; undefined where there is none. `diamond` is the paper's tree. */
export function mainAccuracy({ model, benchmark, topology, protocol }: MainPlace): number | undefined {
  const column = (mainBenchmarks as readonly string[]).indexOf(benchmark);
  const wanted = protocol === "single" ? "single" : topology === "diamond" ? "tree" : topology;
  return mainRows.find((row) => row[0] === model && row[1] === wanted && row[2] === protocol)?.[3][column];
}

/** StreamMA: scaling of agents and steps. */
export const scalingSource: Source = {
  paper: "arXiv 2606.05158",
  table: "scaling",
  note: "HMMT 2026, GPT-5.4 (medium); speed-up is self-referenced: the stream run's own call times over its wall time",
};

const scalingSteps = [2, 4, 8, 16, 32, 64];

const speedUps: readonly (readonly [agents: number, speedUps: readonly number[]])[] = [
  [4, [1.3, 1.8, 2.02, 2.2, 2.19, 2.22]],
  [16, [1.75, 2.72, 4.32, 5.92, 7.45, 7.86]],
  [64, [1.92, 3.23, 5.83, 8.68, 17.09, 26.91]],
];

/** The published, self-referenced speed-up; undefined where there is none. */
export const scalingSpeedUp = (agents: number, steps: number): number | undefined =>
  speedUps.find(([a]) => a === agents)?.[1][scalingSteps.indexOf(steps)];

/** Accuracy in percent; the first column is "auto", where the model chooses the number of steps. */
const grid: readonly (readonly [agents: number, accuracies: readonly number[]])[] = [
  [2, [58.34, 51.52, 49.24, 57.58, 59.1, 61.37, 63.64]],
  [4, [62.88, 59.85, 62.13, 61.37, 64.4, 62.88, 62.13]],
  [8, [62.88, 62.88, 62.88, 68.19, 68.94, 65.16, 68.94]],
  [16, [66.67, 62.88, 64.4, 66.67, 74.25, 69.7, 75]],
  [32, [67.43, 65.91, 67.43, 68.19, 71.97, 73.49, 69.7]],
  [64, [68.19, 68.94, 66.67, 67.43, 68.19, 71.97, 73.49]],
];

/** The published accuracy of the scaling grid in percent; undefined where there is none. */
export const scalingAccuracy = (agents: number, steps: number | "auto"): number | undefined =>
  grid.find(([a]) => a === agents)?.[1][steps === "auto" ? 0 : 1 + scalingSteps.indexOf(steps) || -1];

/** StreamMA: cost against accuracy under majority vote. */
export const paretoSource: Source = {
  paper: "arXiv 2606.05158",
  table: "cost Pareto",
  note: "HMMT 2026, Claude Opus 4.6 (high), a chain of 3; USD a question. Cached costs are partly computed by the authors",
};

/** Protocol, runs voted over, whether caches count, USD a question, accuracy in percent. */
export type ParetoRow = readonly [protocol: Protocol, votes: number, cache: boolean, cost: number, accuracy: number];

/** The published points. */
export const pareto: readonly ParetoRow[] = [
  ["single", 1, false, 0.265, 48.11],
  ["serial", 1, false, 0.397, 70.45],
  ["serial", 4, false, 1.031, 81.82],
  ["serial", 16, false, 5.459, 89.39],
  ["stream", 1, false, 0.466, 78.79],
  ["stream", 4, false, 2.75, 90.91],
  ["stream", 1, true, 0.344, 78.79],
  ["stream", 4, true, 1.611, 90.91],
];

/** StreamMA: perturbed steps of the first of two agents. */
export const perturbationSource: Source = {
  paper: "arXiv 2606.05158",
  table: "perturbation",
  note: "two agents, four steps, one constructed question; accuracy of the second agent in percent",
};

/** Mask (1: a clean step), accuracy under serial, accuracy under stream. */
export const perturbation: readonly (readonly [mask: string, serial: number, stream: number])[] = [
  ["1000", 76, 81],
  ["1100", 63, 82],
  ["1110", 67, 91],
  ["0111", 97, 63],
  ["0011", 100, 64],
  ["0001", 98, 65],
];

/** HandRaiser: success and cost of interrupting. */
export const interruptionSource: Source = {
  paper: "arXiv 2604.06452",
  table: "main results",
  note: "mean over three speakers; cost is generated tokens, decisions included; 16-token chunks",
};

/** Success as a share, cost in generated tokens. */
export type InterruptionRow = readonly [task: string, policy: string, success: number, cost: number];

/** The published rows; Generic is `never` here, HandRaiser the learned listener. */
export const interruption: readonly InterruptionRow[] = [
  ["pictionary", "never", 0.758, 373.6],
  ["pictionary", "concise", 0.777, 301.7],
  ["pictionary", "prompted", 0.582, 492.1],
  ["pictionary", "HandRaiser", 0.767, 278.1],
  ["meeting", "never", 0.347, 1294.2],
  ["meeting", "concise", 0.347, 1090.1],
  ["meeting", "prompted", 0.31, 1781.6],
  ["meeting", "HandRaiser", 0.377, 1026.5],
  ["debate", "never", 0.583, 1598.2],
  ["debate", "concise", 0.59, 838.1],
  ["debate", "prompted", 0.595, 1952.8],
  ["debate", "HandRaiser", 0.62, 794.4],
];

/** HandRaiser: three agents that may all interrupt on meetings, without and with it: cost in tokens, success. */
export const symmetric = { cost: [1339, 1209], success: [0.45, 0.45], tokensPerRound: [103, 64] } as const;
