// Grades programs and functions by their tests. What is right never enters the interpreter: outputs are compared here.
import type { Grade } from "./benchmark.ts";
import { programIn } from "./code.ts";
import { jsonTextKey, literalKey, NoLiteral } from "./literal.ts";
import type { Ran } from "./sandbox/process.ts";
import type { Sandbox } from "./sandbox/sandbox.ts";

/** One test: a program's input and output, or a function's arguments, JSON in lines, and its result as JSON. */
export type CodeTest = { readonly input: string; readonly output: string };

const linesOf = (text: string): string[] =>
  text
    .trim()
    .split("\n")
    .map((line) => line.trim());

const decimalText = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

/** A decimal without the zeros that do not count, exactly: `1.50` and `1.5e0` are the same. */
function decimalKey(word: string): string | undefined {
  if (!decimalText.test(word)) return undefined;
  const [digits = "", exponent = "0"] = word.toLowerCase().replace(/^[+-]/, "").split("e");
  const [whole = "", part = ""] = digits.split(".");
  const all = `${whole}${part}`.replace(/^0+/, "");
  if (all === "") return "0";
  const kept = all.replace(/0+$/, "");
  const place = Number(exponent) - part.length + (all.length - kept.length);
  return `${word.startsWith("-") ? "-" : ""}${kept}e${place}`;
}

function sameLine(right: string, given: string): boolean {
  if (right === given) return true;
  const [one, other] = [right, given].map((line) => line.split(/\s+/).map(decimalKey));
  if (one === undefined || other === undefined || one.length !== other.length) return false;
  return one.every((key, index) => key !== undefined && key === other[index]);
}

/** Whether a program's output is right: line by line, up to space at the ends, numbers by their value. */
export function sameOutput(right: string, given: string): boolean {
  const [one, other] = [linesOf(right), linesOf(given)];
  return one.length === other.length && one.every((line, index) => sameLine(line, other[index] ?? ""));
}

/** Whether a function's result, as Python writes it, is the JSON value; a tuple counts as a list. */
export function sameResult(right: string, given: string): boolean {
  try {
    const key = literalKey(given);
    const list = /^\(.*\)$/s.test(key) ? `[${key.slice(1, -1)}]` : key;
    return list === jsonTextKey(right);
  } catch (error) {
    if (error instanceof NoLiteral || error instanceof SyntaxError) return false;
    throw error;
  }
}

const shown = (text: string): string => {
  const line = text.trim().replaceAll(/\s+/g, " ");
  return line.length > 60 ? `${line.slice(0, 57)}…` : line;
};

function verdict(ran: Ran, test: CodeTest, isFunction: boolean): string | undefined {
  if (ran.outcome !== "ok") return ran.text;
  const right = isFunction ? sameResult(test.output, ran.text) : sameOutput(test.output, ran.text);
  return right ? undefined : `${shown(ran.text) || "nothing"} instead of ${shown(test.output)}`;
}

/** Longer programs than anybody writes are not run. */
const longest = 200_000;

/** Runs the program or function in a text on the tests, one after another, until one fails. Never rejects. */
export async function gradeProgram(
  text: string,
  { tests, name }: { readonly tests: readonly CodeTest[]; readonly name?: string | undefined },
  { sandbox, signal }: { readonly sandbox: Sandbox; readonly signal?: AbortSignal | undefined },
): Promise<Grade> {
  const code = programIn(text);
  if (code === undefined) return { correct: false, detail: "no code was found" };
  const given = shown(code);
  if (code.length > longest) return { correct: false, given, detail: `it is longer than ${longest} characters` };
  for (const [index, test] of tests.entries()) {
    const ran = await sandbox.run({ code, function: name, input: test.input }, signal);
    if (ran.outcome === "failed") return { correct: false, given, detail: ran.text, failed: true };
    const wrong = verdict(ran, test, name !== undefined);
    if (wrong !== undefined) return { correct: false, given, detail: `test ${index + 1} of ${tests.length}: ${wrong}` };
  }
  return { correct: true, given, detail: `all ${tests.length} tests passed` };
}

/** Programs are votes for themselves only where they are the same up to space and comments. */
export function voteProgram(text: string): string | undefined {
  return programIn(text)
    ?.split("\n")
    .map((line) => line.replace(/\s*#(?:[^"'])*$/, "").trimEnd())
    .filter((line) => line !== "")
    .join("\n");
}
