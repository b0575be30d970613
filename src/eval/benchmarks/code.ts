// Finds code, and values written as code, in what was said.
import { lastLine, lastMarked, unadorned } from "./extract.ts";

const fence = /(?:^|\n)[ \t]*(```+|~~~+)[ \t]*([\w+-]*)[^\n]*\n([\s\S]*?)(?:\n[ \t]*\1|$)/g;

/** The code blocks of a text with their languages, in order. */
function blocks(text: string): { readonly language: string; readonly code: string }[] {
  return [...text.matchAll(fence)].map(([, , language = "", code = ""]) => ({
    language: language.toLowerCase(),
    code,
  }));
}

/** The program in a text: its last Python block, else its last block, else all of a text that is nothing but code. */
export function programIn(text: string): string | undefined {
  const all = blocks(text);
  const found = all.findLast(({ language }) => language.startsWith("py")) ?? all.at(-1);
  if (found !== undefined) return found.code.trim() === "" ? undefined : found.code;
  return /^(?:from|import|def|class|for|while|print|[A-Za-z_]\w*\s*(?:=|,))[^\n]*(?:\n|$)/.test(text.trimStart())
    ? text
    : undefined;
}

const quotes = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/y;

/** What stands right of the first `==` outside of brackets and texts. */
function rightSide(line: string): string | undefined {
  let depth = 0;
  for (let at = 0; at < line.length; at++) {
    quotes.lastIndex = at;
    const quoted = quotes.exec(line);
    if (quoted !== null) {
      at += quoted[0].length - 1;
      continue;
    }
    const sign = line[at] as string;
    if ("([{".includes(sign)) depth++;
    else if (")]}".includes(sign)) depth--;
    else if (depth === 0 && line.startsWith("==", at)) return line.slice(at + 2);
  }
  return undefined;
}

const bare = (text: string): string =>
  text
    .trim()
    .replace(/^`+|`+$/g, "")
    .trim();

/** The value in a piece of code: right of an assertion's `==`, or the piece itself. */
function valueInCode(code: string): string {
  const assertion = /(?:^|\n)\s*assert\b([\s\S]*)$/.exec(code)?.[1];
  const [line = ""] = code
    .split("\n")
    .map((each) => each.trim())
    .filter((each) => each !== "" && !each.startsWith("#"));
  return (assertion === undefined ? rightSide(line) : rightSide(assertion)) ?? code;
}

/** The value a text decides on: between answer tags, in its last code block, after its last marker, or on its last line. */
export function valueIn(text: string): string | undefined {
  const tail = text.slice(-100_000);
  const tagged = [...tail.matchAll(/\[ANSWER\]([\s\S]*?)\[\/ANSWER\]/gi)].at(-1)?.[1];
  const block = blocks(tail).at(-1)?.code;
  const found = tagged ?? block ?? lastMarked(tail, unadorned) ?? lastLine(tail, 10_000, unadorned);
  if (found === undefined) return undefined;
  const value = bare(valueInCode(bare(found)));
  return value === "" ? undefined : value;
}
