// Findings in a file: told from other files, and checked before they are shown.

import { ConfigError } from "../base/errors.ts";
import type { Findings } from "../eval/findings.ts";
import { gatherLines } from "./findings-lines.ts";

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** How the lines of a report begin. */
const report = '{"type":"findings",';

/** Whether a file that begins so holds findings: an object with sections, on one line or on many, or a report's lines. */
export function looksLikeFindings(head: string): boolean {
  const text = head.trimStart();
  if (text.startsWith(report)) return true;
  if (!/^\{\s*"(?:title|simulated|command|provenance|sections)"\s*:/.test(text)) return false;
  const line = parsed(text.split("\n", 1)[0] ?? "");
  return line === undefined || (isFields(line) && Array.isArray(line["sections"]));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * The findings in a file: one JSON object, one a line, or the lines of a report (a header, then rows and points).
 * Throws a ConfigError that names what is wrong.
 */
export function parseFindings(text: string): Findings[] {
  const whole = parsed(text);
  if (text.trimStart().startsWith(report)) return gatherLines(linesOf(text)).map((one) => checkFindings(one, ""));
  if (whole !== undefined) return [checkFindings(whole, "")];
  return linesOf(text).map(({ value, place }) => checkFindings(value, place));
}

/** A line's value, and how the line is called in errors. */
type Line = { readonly value: unknown; readonly place: string };

const linesOf = (text: string): Line[] =>
  text.split("\n").flatMap((line, index) => {
    if (line.trim() === "") return [];
    const value = parsed(line);
    const place = `line ${index + 1}`;
    if (value === undefined) throw new ConfigError(place, "is not JSON: the file is damaged");
    return [{ value, place }];
  });

type Check = (value: unknown, path: string) => void;

const refuse = (path: string, what: string): never => {
  throw new ConfigError(path, `these are no findings: ${what} is expected`);
};

const is =
  (test: (value: unknown) => boolean, what: string): Check =>
  (value, path) => {
    if (!test(value)) refuse(path, what);
  };

const textual = is((value) => typeof value === "string", "text");
const truth = is((value) => typeof value === "boolean", "true or false");
const shown = is((value) => typeof value === "string" || typeof value === "number", "text or a number");
// What is no number in JSON, such as an infinite one, is written as null.
const amount = is((value) => typeof value === "number" || value === null, "a number");
const cellular = is((value) => value === null || ["string", "number"].includes(typeof value), "text, a number or null");

const optional =
  (check: Check): Check =>
  (value, path) => {
    if (value !== undefined) check(value, path);
  };

const listOf =
  (check: Check): Check =>
  (value, path) => {
    if (!Array.isArray(value)) return refuse(path, "a list");
    for (const [index, item] of value.entries()) check(item, `${path}[${index}]`);
  };

const fieldsOf =
  (checks: Readonly<Record<string, Check>>): Check =>
  (value, path) => {
    if (!isFields(value)) return refuse(path, "an object");
    for (const [name, check] of Object.entries(checks)) check(value[name], path === "" ? name : `${path}.${name}`);
  };

const named: Check = (value, path) => {
  if (!isFields(value)) return refuse(path, "an object");
  for (const [name, item] of Object.entries(value)) shown(item, `${path}.${name}`);
};

const pointLike = fieldsOf({
  x: shown,
  y: amount,
  low: optional(amount),
  high: optional(amount),
  label: optional(textual),
});
const seriesLike = fieldsOf({ name: textual, points: listOf(pointLike), published: optional(truth) });
const axisLike = fieldsOf({ label: textual, log: optional(truth) });
const figureLike = fieldsOf({
  kind: is((value) => ["line", "scatter", "bar"].includes(String(value)), "line, scatter or bar"),
  title: textual,
  x: axisLike,
  y: axisLike,
  series: listOf(seriesLike),
});
const tableLike = fieldsOf({ title: optional(textual), columns: listOf(textual), rows: listOf(listOf(cellular)) });
const findingsLike = fieldsOf({
  title: textual,
  simulated: truth,
  command: textual,
  provenance: named,
  sections: listOf(
    fieldsOf({
      title: textual,
      text: optional(listOf(textual)),
      tables: optional(listOf(tableLike)),
      figures: optional(listOf(figureLike)),
    }),
  ),
});

function checkFindings(value: unknown, path: string): Findings {
  findingsLike(value, path);
  return value as Findings;
}
