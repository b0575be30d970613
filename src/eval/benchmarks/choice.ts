// Grades multiple choice: by letter, by the text of an option, or by both where they agree.
import { letterOf, readChoice } from "../tasks/debate.ts";
import type { Grade } from "./benchmark.ts";
import { lastBoxed, lastLine, lastMarked, undecorated } from "./extract.ts";

/** Without the signs and commands that only change how a letter looks. */
const plain = (text: string): string =>
  undecorated(
    text
      .slice(0, 2000)
      .replaceAll(/\\(?:text|textbf|mathbf|mathrm|textrm|boldsymbol)\s*\{([^{}]*)\}/g, "$1")
      .replaceAll(/\*\*|__|\$|\\[()[\]]/g, "")
      .replaceAll(/[[\]{}]/g, (bracket) => (bracket === "[" || bracket === "{" ? "(" : ")")),
  );

const ending = /[\s.。!]+$/;

/** The option that one line names. */
function named(line: string, options: readonly string[]): number | undefined {
  const text = plain(line).replace(ending, "");
  const both = /^\(?([A-Za-z])[).:]+\s+(.*)$/s.exec(text);
  const lettered = options[(both?.[1] ?? "").toUpperCase().charCodeAt(0) - 65];
  // An option that itself names two things, as in "B) x and y", is still one.
  if (lettered !== undefined && plain(lettered).replace(ending, "") === both?.[2]) return options.indexOf(lettered);
  const found = readChoice(text, options) ?? readChoice(text.replace(/^(?:option|choice|letter)\s+/i, ""), options);
  if (found !== undefined) return found;
  // "(C)", "C.": a letter in front of a reason or of nothing; "C, D" and "C or D" name two.
  const [, letter = "", rest = ""] = /^\(?([A-Za-z])\)?[.):,]*\s*(.*)$/s.exec(text) ?? [];
  const index = letter.toUpperCase().charCodeAt(0) - 65;
  return rest === "" && index >= 0 && index < options.length ? index : undefined;
}

/** The option that a text decides on: in its last box, after its last marker, or alone on its last line. */
export function choiceIn(text: string, options: readonly string[]): number | undefined {
  const boxed = lastBoxed(text);
  if (boxed !== undefined) return named(boxed, options);
  const marked = lastMarked(text);
  if (marked !== undefined) return named(marked, options);
  const line = lastLine(text, 1000);
  return line === undefined ? undefined : named(line, options);
}

/** Grades a text against the index of the right option. */
export function gradeChoice(options: readonly string[], right: number, text: string): Grade {
  const given = choiceIn(text, options);
  if (given === undefined) return { correct: false, detail: "no option was named" };
  const letter = letterOf(given);
  if (given === right) return { correct: true, given: letter, detail: "the right option" };
  return { correct: false, given: letter, detail: `${letter} is not ${letterOf(right)}` };
}

/** The letter a text decides on, for voting. */
export function voteChoice(options: readonly string[], text: string): string | undefined {
  const given = choiceIn(text, options);
  return given === undefined ? undefined : letterOf(given);
}

/** Options under their letters, one a line, as they are shown. */
export const listed = (options: readonly string[]): string =>
  options.map((option, index) => `${letterOf(index)}) ${option}`).join("\n");
