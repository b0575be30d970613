// Values of options: read, checked, and named by their flag where they are wrong.

import { ConfigError } from "../base/errors.ts";

export type NumberRange = {
  readonly least?: number;
  readonly most?: number;
  readonly above?: number;
  readonly whole?: boolean;
};

/** Reads a number of the command line. The reader throws ConfigError that names the flag. */
export function number(flag: string, { least, most, above, whole = false }: NumberRange) {
  return (text: string): number => {
    const value = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text.trim()) ? Number(text) : Number.NaN;
    const good =
      Number.isFinite(value) &&
      (!whole || Number.isSafeInteger(value)) &&
      (least === undefined || value >= least) &&
      (most === undefined || value <= most) &&
      (above === undefined || value > above);
    if (good) return value;
    const range = rangeOf({ least, most, above });
    throw new ConfigError(flag, `must be a ${whole ? "whole " : ""}number${range}, not ${JSON.stringify(text)}`);
  };
}

function rangeOf({ least, most, above }: { [Name in "least" | "most" | "above"]: number | undefined }): string {
  const lower = least !== undefined ? ` of at least ${least}` : above !== undefined ? ` above ${above}` : "";
  if (most === undefined) return lower;
  return lower === "" ? ` of at most ${most}` : `${lower} and at most ${most}`;
}

/** A port to listen at; 0 is any free one. */
export const portNumber = number("--port", { least: 0, most: 65_535, whole: true });

/** How many agents: more than a machine has memory for would end in no message at all. */
export const agentCount = number("--agents", { least: 1, most: 1000, whole: true });

/** A whole number of at least 1. */
export const count = (flag: string) => number(flag, { least: 1, whole: true });

/** How many items are asked: what more than this would cost nobody can want, and they are all held in memory. */
export const itemCount = number("--items", { least: 1, most: 100_000, whole: true });

/** A time in seconds, above 0. */
export const seconds = (flag: string) => number(flag, { above: 0 });

/** A whole number of at least 1, or `auto`. */
export const steps =
  (flag: string) =>
  (text: string): number | "auto" => {
    if (text === "auto") return text;
    if (!/^\+?\d+$/.test(text) || Number(text) < 1)
      throw new ConfigError(flag, `must be auto or a whole number of at least 1, not ${JSON.stringify(text)}`);
    return count(flag)(text);
  };

/** Names the flag instead of the setting. */
export function atFlag<T>(name: string, make: () => T): T {
  try {
    return make();
  } catch (error) {
    throw flagged(name, error);
  }
}

/** Names the flags instead of the settings, whichever of them is wrong. */
export function atFlags<T>(names: readonly string[], make: () => T): T {
  try {
    return make();
  } catch (error) {
    throw names.reduce((known, name) => flagged(name, known), error);
  }
}

/** How a setting is written as a flag: `onFailure` as `--on-failure`. */
export const flagOf = (name: string): string =>
  `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** The same error at the place where the setting was given, its flag unless told otherwise, where it is about a setting of that name. */
export function flagged(name: string, error: unknown, place = flagOf(name)): unknown {
  if (!(error instanceof ConfigError) || error.path !== name) return error;
  return new ConfigError(place, error.message.slice(name.length + 2), { cause: error.cause });
}
