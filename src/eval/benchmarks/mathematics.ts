// Grades answers that are numbers, formulas, tuples, sets, intervals: AIME, HMMT and the like.
import type { Grade } from "./benchmark.ts";
import { lastBoxed, lastLine, lastMarked } from "./extract.ts";
import type { Algebra } from "./math/algebra.ts";
import { formOf } from "./math/form.ts";
import { keyOf, same } from "./math/same.ts";

/** The answer in a text: in the last box, after the last marker, or the whole of a short last line. */
export function answerIn(text: string): string | undefined {
  const boxed = lastBoxed(text);
  if (boxed !== undefined) return boxed === "" ? undefined : boxed;
  const marked = lastMarked(text);
  if (marked !== undefined) return formulaIn(marked);
  const line = lastLine(text);
  return line === undefined ? undefined : formulaIn(line);
}

/** In a sentence with one formula between dollars, the formula. */
function formulaIn(line: string): string {
  const found = [...line.matchAll(/\$([^$]+)\$|\\\((.+?)\\\)/g)];
  const [only] = found;
  if (found.length === 1 && only !== undefined) return only[1] ?? only[2] ?? line;
  return line;
}

const shown = (text: string): string => (text.length > 80 ? `${text.slice(0, 77)}…` : text).replaceAll(/\s+/g, " ");

/** Grades the text of a final answer against the right one. Never rejects. */
export async function gradeMathematics(
  right: string,
  text: string,
  { algebra, signal }: { readonly algebra: Algebra; readonly signal?: AbortSignal | undefined },
): Promise<Grade> {
  const given = answerIn(text);
  if (given === undefined) return { correct: false, detail: "no answer was found" };
  const form = formOf(right);
  // Where several are asked for, "100,200" is two numbers and not one.
  const verdict = same(form, formOf(form.kind === "several" ? given.replaceAll(/,(?=\d)/g, ", ") : given));
  let correct = verdict === true;
  if (typeof verdict === "object") {
    correct = verdict.all.length <= 20;
    for (const pair of correct ? verdict.all : []) {
      correct = (await algebra.equal(pair, signal)) === true;
      if (!correct) break;
    }
  }
  return { correct, given: shown(given), detail: correct ? "the same" : `${shown(given)} is not ${shown(right)}` };
}

/** The answer in a text, written so that equal answers are equal texts; undefined where there is none. */
export function voteMathematics(text: string): string | undefined {
  const given = answerIn(text);
  return given === undefined ? undefined : keyOf(formOf(given));
}
