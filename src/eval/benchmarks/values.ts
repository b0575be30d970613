// Grades values that code gives: what a call returns, what a test expects.
import type { Grade } from "./benchmark.ts";
import { valueIn } from "./code.ts";
import { literalKey, NoLiteral } from "./literal.ts";

const shown = (text: string): string => (text.length > 80 ? `${text.slice(0, 77)}…` : text).replaceAll(/\s+/g, " ");

/** The key of a literal, also of one that ends in a full stop because it ended a sentence; undefined where it is none. */
function keyIn(value: string): string | undefined {
  for (const text of [value, value.replace(/[.;]\s*$/, "")]) {
    try {
      return literalKey(text);
    } catch (error) {
      if (!(error instanceof NoLiteral)) throw error;
    }
  }
  return undefined;
}

/** Grades the value in a text against the key of the right one. */
export function gradeValue(right: string, text: string): Grade {
  const value = valueIn(text);
  if (value === undefined) return { correct: false, detail: "no value was found" };
  const key = keyIn(value);
  if (key === undefined) return { correct: false, given: shown(value), detail: "it is no Python literal" };
  const correct = key === right;
  return { correct, given: shown(value), detail: correct ? "equal" : `${shown(key)} is not ${shown(right)}` };
}

/** The value in a text, written so that equal values are equal texts. */
export function voteValue(text: string): string | undefined {
  const value = valueIn(text);
  return value === undefined ? undefined : (keyIn(value) ?? shown(value));
}
