// Values out of a row, by the names its columns are published under. What is wrong is told with its place and column.
import { ConfigError } from "../../base/errors.ts";
import type { Row } from "./rows.ts";

const absent = (value: unknown): boolean => value === undefined || value === null;

/** The first of the columns that the row has. */
export function valueOf({ fields }: Row, names: readonly string[]): unknown {
  return names.map((name) => fields[name]).find((value) => !absent(value));
}

/** A column's text, trimmed; numbers are written out. Empty where the cell is. Throws a `ConfigError` without the column. */
export function textOf(row: Row, ...names: readonly string[]): string {
  const value = valueOf(row, names);
  const [name = ""] = names;
  if (value === undefined) {
    if (names.some((each) => Object.hasOwn(row.fields, each))) return "";
    throw new ConfigError(row.place, `${name}: is missing (there are ${Object.keys(row.fields).join(", ")})`);
  }
  if (typeof value === "number" || typeof value === "bigint" || typeof value === "boolean") return String(value);
  if (typeof value !== "string") throw new ConfigError(row.place, `${name}: must be a text`);
  return value.trim();
}

/** Like `textOf`, but an empty cell is an error too. */
export function filledOf(row: Row, ...names: readonly string[]): string {
  const text = textOf(row, ...names);
  if (text === "") throw new ConfigError(row.place, `${names[0]}: is empty`);
  return text;
}

/** A column that holds JSON, as text or already parsed. Throws a `ConfigError` that names place and column. */
export function jsonOf(row: Row, name: string): unknown {
  const value = row.fields[name];
  if (value === undefined) throw new ConfigError(row.place, `${name}: is missing`);
  if (typeof value !== "string") return value;
  try {
    return JSON.parse(value);
  } catch (error) {
    throw new ConfigError(row.place, `${name}: is not valid JSON (${(error as Error).message})`);
  }
}
