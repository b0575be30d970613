// Finds the answer in what was said: in a box, after a marker, or alone on the last line.

/** Longer texts are looked at from their end: the answer is there. */
const looked = 20_000;

/** The inside of the last `\boxed{…}` or `\fbox{…}`, with its braces balanced. */
export function lastBoxed(text: string): string | undefined {
  const tail = text.slice(-looked);
  const found = [...tail.matchAll(/\\f?boxed?\s*\{/g)].at(-1);
  if (found === undefined) return undefined;
  const start = found.index + found[0].length;
  let depth = 1;
  for (let at = start; at < tail.length; at++) {
    if (tail[at] === "{") depth++;
    else if (tail[at] === "}" && --depth === 0) return tail.slice(start, at).trim();
  }
  return undefined;
}

const marker =
  /(?:^|[\s>*_#"(])(?:(?:the|my|our)\s+)?(?:final\s+|correct\s+|right\s+|best\s+)?(?:answer|option|choice)\s*(?:\*\*|__)?\s*(?::|is\b|=|:\s*is\b)\s*(?:\*\*|__)?:?[ \t]*(?:\n\s*)?([^\n]+)/gi;

const decorated = /^[\s*_`#>"“]+|[\s*_`"”]+$/g;

/** A line without the signs that only make it bold or quote it. */
export const undecorated = (line: string): string => line.replaceAll(decorated, "");

/** A line without the signs that make it bold or code; quotes stay. */
export const unadorned = (line: string): string => line.replaceAll(/^[\s*`]+|[\s*`]+$/g, "");

/** What stands after the last "Answer:", "the answer is" or the like, up to the end of its line. */
export function lastMarked(text: string, clean: (line: string) => string = undecorated): string | undefined {
  const line = [...text.slice(-looked).matchAll(marker)].at(-1)?.[1];
  const answer = clean(line ?? "");
  return answer === "" ? undefined : answer;
}

/** The last line that says anything, where it is short enough to be an answer. */
export function lastLine(text: string, longest = 200, clean = undecorated): string | undefined {
  const line = text
    .slice(-looked)
    .split("\n")
    .map((each) => clean(each))
    .findLast((each) => each !== "");
  return line === undefined || line.length > longest ? undefined : line;
}
