// The options of a run: names, ranges, defaults.

import { systemClock } from "../base/clock.ts";
import { ConfigError } from "../base/errors.ts";
import { heardMessage } from "../core/prompts.ts";
import { byStep } from "../core/splitters.ts";
import { checkNames } from "./check.ts";
import type { Protocol, Settings } from "./stage.ts";

/** The settings of a run; each has a default. */
export type RunOptions = Partial<Settings> & {
  /** A protocol or the name of one: single, serial, segmented, stream (default). */
  readonly protocol?: Protocol | string | undefined;
  /** Cancels the run: every model stream ends and the iterator throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** The run's id; a random one by default. */
  readonly id?: string | undefined;
};

const positive = ["maxTokens"] as const;
const notNegative = ["idleMs", "graceMs", "decisionMs", "temperature"] as const;

const defaultSplitter = byStep();

const known: { readonly [Name in keyof Required<RunOptions>]: true } = {
  clock: true,
  splitter: true,
  join: true,
  hear: true,
  onFailure: true,
  onInterruptUsage: true,
  cut: true,
  chunk: true,
  decisionMs: true,
  idleMs: true,
  graceMs: true,
  maxTokens: true,
  temperature: true,
  seed: true,
  phrase: true,
  protocol: true,
  signal: true,
  id: true,
};

/** The settings that options come to. Throws a ConfigError that names the option that is wrong or that there is not. */
export function settingsOf(options: RunOptions): Settings {
  checkNames("options", options, Object.keys(known));
  check("seed", options.seed, Number.isSafeInteger);
  for (const name of positive) check(name, options[name], (value) => Number.isInteger(value) && value > 0);
  for (const name of notNegative) check(name, options[name], (value) => value >= 0);
  if (typeof options.chunk === "number") check("chunk", options.chunk, (value) => Number.isInteger(value) && value > 0);
  const one = <T extends string>(name: string, value: T | undefined, allowed: readonly [T, ...T[]]): T => {
    if (value !== undefined && !allowed.includes(value))
      throw new ConfigError(name, `"${value}" is none of ${allowed.join(", ")}`);
    return value ?? allowed[0];
  };
  return {
    clock: options.clock ?? systemClock,
    splitter: options.splitter ?? defaultSplitter,
    join: one("join", options.join, ["aligned", "arrival"]),
    hear: one("hear", options.hear, ["each", "waiting"]),
    onFailure: one("onFailure", options.onFailure, ["failFast", "collect"]),
    onInterruptUsage: one("onInterruptUsage", options.onInterruptUsage, ["estimate", "drain", "ignore"]),
    cut: one("cut", options.cut, ["all", "any", "leave"]),
    chunk: options.chunk ?? 16,
    decisionMs: options.decisionMs ?? 30_000,
    idleMs: options.idleMs ?? 120_000,
    graceMs: options.graceMs ?? 1000,
    maxTokens: options.maxTokens,
    temperature: options.temperature,
    seed: options.seed,
    phrase: options.phrase ?? heardMessage,
  };
}

/** Throws a ConfigError for a value that is given and no good. */
export function check(name: string, value: number | undefined, good: (value: number) => boolean): void {
  if (value !== undefined && !good(value)) throw new ConfigError(name, `${value} is out of range`);
}
