// What came of one cell of an experiment: data, a line of its journal.

import { ConfigError } from "../base/errors.ts";
import type { Failure } from "../core/types.ts";

/** One thing to play: an item under an arm, once more for each repeat (from 0). */
export type Cell = {
  readonly arm: string;
  readonly item: string;
  /** Stands for all that the item says, so that a result is never taken for that of another. */
  readonly of: string;
  readonly repeat: number;
};

/** One cell that was played, as JSON. */
export type Sample = Cell & {
  /** Absent where the run or its grading failed: then nothing was scored. */
  readonly correct?: 0 | 1 | undefined;
  /** The answer in a form in which equal answers are equal strings: what is voted on. */
  readonly answer?: string | undefined;
  /** One line that says why. */
  readonly detail?: string | undefined;
  /** Numbers by name: milliseconds, tokens, money, ratios. */
  readonly figures: Readonly<Record<string, number>>;
  readonly currency?: string | undefined;
  readonly failure?: Failure | undefined;
  readonly simulated?: true | undefined;
  /** Some tokens were counted by us and not reported by the provider. */
  readonly estimated?: true | undefined;
  /** The day it was played, ISO 8601; absent where time is virtual. */
  readonly day?: string | undefined;
};

/** Names one cell among those of an experiment. */
export const keyOf = ({ arm, item, repeat }: Cell): string => JSON.stringify([arm, item, repeat]);

const wanted: Readonly<Record<string, string>> = {
  arm: "string",
  item: "string",
  of: "string",
  repeat: "number",
  figures: "object",
};

/** A sample of a journal's line; throws a `ConfigError` at `place` for what is none. */
export function readSample(value: unknown, place: string): Sample {
  const fields = value as Readonly<Record<string, unknown>> | null;
  const missing = Object.keys(wanted).find((name) => typeof fields?.[name] !== wanted[name]);
  if (missing !== undefined) throw new ConfigError(place, `is no sample: "${missing}" is missing`);
  return value as Sample;
}

/** Samples that were scored. */
export const isScored = ({ failure, correct }: Sample): boolean => failure === undefined && correct !== undefined;
