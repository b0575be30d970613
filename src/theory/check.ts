// Arguments of a formula, checked by name before it computes nonsense.

import { ConfigError } from "../base/errors.ts";

/** A whole number of at least `low`; else a ConfigError that names it. */
export function whole(path: string, value: number, low: number): number {
  if (!Number.isInteger(value) || value < low)
    throw new ConfigError(path, `must be a whole number of at least ${low}, got ${value}`);
  return value;
}

/** A finite number of at least `low`; else a ConfigError that names it. */
export function atLeast(path: string, value: number, low: number): number {
  if (!Number.isFinite(value) || value < low)
    throw new ConfigError(path, `must be a number of at least ${low}, got ${value}`);
  return value;
}

/** A finite number above zero; else a ConfigError that names it. */
export function positive(path: string, value: number): number {
  if (!Number.isFinite(value) || value <= 0) throw new ConfigError(path, `must be a number above 0, got ${value}`);
  return value;
}

/** Tokens a second: above zero, `Infinity` for a cost that is not counted; else a ConfigError that names it. */
export function speed(path: string, value: number): number {
  if (!(value > 0)) throw new ConfigError(path, `must be tokens a second above 0 (Infinity: no time), got ${value}`);
  return value;
}

/** A probability in [0, 1]; else a ConfigError that names it. */
export function probability(path: string, value: number): number {
  if (!(value >= 0 && value <= 1)) throw new ConfigError(path, `must be a probability from 0 to 1, got ${value}`);
  return value;
}

/** The correctness of each step, p_1 … p_S: at least one probability; else a ConfigError that names the place. */
export function profile(path: string, values: readonly number[]): readonly number[] {
  if (values.length === 0) throw new ConfigError(path, "must hold the correctness of at least one step, got none");
  for (const [index, value] of values.entries()) probability(`${path}[${index}]`, value);
  return values;
}
