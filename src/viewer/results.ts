// An evaluation's results: a line of JSON for each policy, as `duplex eval --json` writes them.

import type { ResultLine } from "./data.ts";

/** Whether a file that begins so holds results and not a trace. */
export function looksLikeResults(head: string): boolean {
  const line = head.split("\n").find((one) => one.trim() !== "") ?? "";
  return resultOf(line) !== undefined;
}

/** The results in a file, and how many of its lines are none. */
export function parseResults(text: string): { readonly results: readonly ResultLine[]; readonly odd: number } {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const results = lines.map(resultOf).filter((result) => result !== undefined);
  return { results, odd: lines.length - results.length };
}

function resultOf(line: string): ResultLine | undefined {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value !== "object" || value === null || Array.isArray(value) || "type" in value) return undefined;
    const { policy, success, cost } = value as Record<string, unknown>;
    return typeof policy === "string" && (typeof success === "number" || success === null || typeof cost === "object")
      ? (value as ResultLine)
      : undefined;
  } catch {
    return undefined;
  }
}

/** A number with its interval, where there is one. */
export type Estimate = { readonly mean: number; readonly low: number; readonly high: number };

/** One policy to plot; costs are tokens a conversation, `ratio` its cost over that of hearing everything. */
export type Plotted = {
  readonly policy: string;
  readonly task: string;
  readonly success: Estimate | undefined;
  readonly ratio: Estimate | undefined;
  readonly parts: readonly { readonly part: string; readonly tokens: number }[];
  readonly runs: number | undefined;
  readonly simulated: boolean;
};

/** What of a result can be plotted; what is missing or no number is left out. */
export function plotted(line: ResultLine): Plotted {
  const { policy, task, success, successCI, costVsNever, costVsNeverCI, cost, runs, simulated } = line;
  return {
    policy: String(policy),
    task: typeof task === "string" ? task : "",
    success: estimate(success, successCI),
    ratio: policy === "never" ? { mean: 1, low: 1, high: 1 } : estimate(costVsNever, costVsNeverCI),
    parts: typeof cost === "object" && cost !== null ? partsOf(cost as Record<string, unknown>) : [],
    runs: typeof runs === "number" ? runs : undefined,
    simulated: simulated === true,
  };
}

const isNumber = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value);

function estimate(mean: unknown, interval: unknown): Estimate | undefined {
  if (!isNumber(mean)) return undefined;
  const [low, high] = Array.isArray(interval) ? (interval as readonly unknown[]) : [];
  return { mean, low: isNumber(low) ? low : mean, high: isNumber(high) ? high : mean };
}

const partsOf = (cost: Record<string, unknown>) =>
  Object.entries(cost).flatMap(([part, tokens]) => (part !== "total" && isNumber(tokens) ? [{ part, tokens }] : []));
