// What is wrong with a value that somebody sent or wrote, in words.

import type { z } from "zod";

type Issue = z.core.$ZodIssue;

const path = (parts: readonly PropertyKey[]): string =>
  parts
    .map((part, index) => (typeof part === "number" ? `[${part}]` : `${index === 0 ? "" : "."}${String(part)}`))
    .join("");

/** The most telling of the problems: that of the alternative that got furthest. */
function deepest(issue: Issue): Issue {
  if (issue.code !== "invalid_union") return issue;
  const inner = issue.errors.flatMap((errors) => errors.slice(0, 1)).map(deepest);
  const best = inner.toSorted((a, b) => b.path.length - a.path.length)[0];
  return best === undefined || best.path.length === 0 ? issue : { ...best, path: [...issue.path, ...best.path] };
}

const kinds: { readonly [Expected in string]?: string } = {
  string: "a string",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
};

/** The schema's own words, else the library's in ours. */
function wordsOf(issue: Issue): string {
  if (!issue.message.startsWith("Invalid input")) return issue.message;
  if (issue.code === "invalid_type") return `must be ${kinds[issue.expected] ?? issue.expected}`;
  return "has a form that is not known here";
}

const isMissing = (value: unknown, parts: readonly PropertyKey[]): boolean => {
  let at = value;
  for (const part of parts) at = (at as Readonly<Record<PropertyKey, unknown>> | null | undefined)?.[part];
  return at === undefined;
};

/** Where the checked value is wrong, and why, in one line: of several problems the first. */
export function faultIn(error: z.ZodError, value: unknown): { readonly path: string; readonly message: string } {
  const issue = deepest(error.issues[0] as Issue);
  if (issue.code === "unrecognized_keys")
    return { path: path([...issue.path, issue.keys[0] ?? ""]), message: "is not known here" };
  const words = wordsOf(issue);
  if (!isMissing(value, issue.path)) return { path: path(issue.path), message: words };
  return { path: path(issue.path), message: words.startsWith("must be") ? `is missing; it ${words}` : "is missing" };
}
