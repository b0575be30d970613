// Values of options: read, checked, and named by their flag where they are wrong.

import { ConfigError } from "../base/errors.ts";

export type NumberRange = { readonly least?: number; readonly above?: number; readonly whole?: boolean };

/** Reads a number of the command line. The reader throws ConfigError that names the flag. */
export function number(flag: string, { least, above, whole = false }: NumberRange) {
  return (text: string): number => {
    const value = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text.trim()) ? Number(text) : Number.NaN;
    const good =
      Number.isFinite(value) &&
      (!whole || Number.isSafeInteger(value)) &&
      (least === undefined || value >= least) &&
      (above === undefined || value > above);
    if (good) return value;
    const range = least !== undefined ? ` of at least ${least}` : above !== undefined ? ` above ${above}` : "";
    throw new ConfigError(flag, `must be a ${whole ? "whole " : ""}number${range}, not ${JSON.stringify(text)}`);
  };
}

/** A whole number of at least 1. */
export const count = (flag: string) => number(flag, { least: 1, whole: true });

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

/** The same error at a flag's place, where it is about a setting of that name. */
export function flagged(name: string, error: unknown): unknown {
  if (!(error instanceof ConfigError) || error.path !== name) return error;
  return new ConfigError(`--${name}`, error.message.slice(name.length + 2), { cause: error });
}
