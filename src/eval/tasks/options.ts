import { ConfigError } from "../../base/errors.ts";

/** Throws a `ConfigError` unless the value is a whole number in the range, both ends included. */
export function checkWhole(path: string, value: number, [low, high]: readonly [low: number, high: number]): void {
  if (!Number.isInteger(value) || value < low || value > high) {
    throw new ConfigError(path, `must be a whole number from ${low} to ${high}; was ${value}`);
  }
}

/** Throws a `ConfigError` unless the value is 0 (a free answer) or a number of choices from 2 to 8. */
export function checkChoices(path: string, value: number): void {
  if (value === 0) return;
  if (!Number.isInteger(value) || value < 2 || value > 8) {
    throw new ConfigError(path, `must be 0 (a free answer) or a whole number from 2 to 8; was ${value}`);
  }
}

type Options = Readonly<Record<string, string | number>>;

/** A task's name with those of its options that are not the default: `report:facts=15,needs=2`. */
export function nameWith(base: string, options: Options, defaults: Options): string {
  const told = Object.entries(options).filter(([key, value]) => defaults[key] !== value);
  if (told.length === 0) return base;
  return base + (base.includes(":") ? "," : ":") + told.map(([key, value]) => `${key}=${value}`).join(",");
}
