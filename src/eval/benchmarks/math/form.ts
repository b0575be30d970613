// What kind of thing an answer is: one value, several in any order, a tuple or an interval, a union of intervals.
import { tidy } from "./tidy.ts";

/** An answer taken apart. `text` of a single one is tidy, and without its unit. */
export type Form =
  | { readonly kind: "one"; readonly text: string; readonly unit?: string | undefined }
  /** Several in order between brackets: a tuple, a point, an interval. */
  | { readonly kind: "row"; readonly open: string; readonly close: string; readonly items: readonly Form[] }
  /** Several in any order; `braces`: written as a set. */
  | { readonly kind: "several"; readonly braces: boolean; readonly items: readonly Form[] }
  | { readonly kind: "union"; readonly items: readonly Form[] };

const opening = "([{";
const closing = ")]}";

/** The pieces between separators that stand in no brackets. `\{` counts as a bracket like any other. */
function splitOutside(text: string, separator: RegExp): string[] {
  const pieces: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    const sign = text[at] as string;
    if (opening.includes(sign)) depth++;
    else if (closing.includes(sign)) depth--;
    if (depth > 0) continue;
    separator.lastIndex = at;
    const found = separator.exec(text);
    if (found === null || found[0] === "") continue;
    pieces.push(text.slice(start, at));
    start = at + found[0].length;
    at = start - 1;
  }
  return [...pieces, text.slice(start)].map((piece) => piece.trim());
}

/** Whether the bracket that begins the text is closed by the one that ends it. */
function wraps(text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const sign = text[at] as string;
    if (opening.includes(sign)) depth++;
    else if (closing.includes(sign) && --depth === 0) return at === text.length - 1;
  }
  return false;
}

const units =
  /^(?:degrees?|radians?|rad|units?|(?:square|sq|cubic)\.? ?[a-z]+|mm|cm|m|km|in|inch(?:es)?|ft|feet|foot|miles?|meters?|metres?|centimeters?|centimetres?|kilometers?|kilometres?|millimeters?|seconds?|secs?|s|minutes?|min|hours?|hrs?|h|days?|weeks?|months?|years?|g|kg|grams?|kilograms?|mg|dollars?|cents?|euros?|percent|points?|people|students?|ways?|apples?|sides?|liters?|litres?|ml|[kc]?m ?\/ ?(?:s|h)|mph|km\/h)(?: ?\^ ?\{? ?[23] ?\}?)?$/i;

/** A number and what is counted in it: `5 cm`, `30 degrees`, `12 %`. */
function splitUnit(text: string): { text: string; unit: string | undefined } {
  const percent = /^(.*\S)\s*%$/.exec(text);
  if (percent !== null) return { text: percent[1] ?? "", unit: "%" };
  const [, number, unit = ""] =
    /^(.*(?:[\d)}\]!]|\\pi))\s*([A-Za-z][A-Za-z. /]*(?:\^ ?\{? ?[23] ?\}?)?)$/.exec(text) ?? [];
  if (number === undefined || !units.test(unit.trim())) return { text, unit: undefined };
  const spaced = /\s/.test(text.slice(number.length, number.length + 1));
  // "5m" may be five times m, "5 m" and "5cm" are lengths.
  if (!spaced && /^[a-z]$/i.test(unit.trim())) return { text, unit: undefined };
  return { text: number, unit: /^percent$/i.test(unit.trim()) ? "%" : unit.trim().toLowerCase() };
}

const grouped = /^-?\d{1,3}(?:,\d{3})+(?:\.\d+)?$/;
const comparison = /\\le(?![A-Za-z])|\\ge(?![A-Za-z])|<|>/y;

/** `2 < x \le 5` and `x > 3` as intervals. */
function intervalOf(text: string): Form | undefined {
  const pieces = splitOutside(text, comparison);
  const found = [...text.matchAll(/\\le(?![A-Za-z])|\\ge(?![A-Za-z])|<|>/g)].map(([sign]) => sign);
  if (found.length !== pieces.length - 1 || pieces.some((piece) => piece === "")) return undefined;
  const upward = found.every((sign) => sign === "<" || sign === "\\le");
  if (!upward && found.some((sign) => sign === "<" || sign === "\\le")) return undefined;
  const ends = upward ? pieces : pieces.toReversed();
  const strict = (upward ? found : found.toReversed()).map((sign) => sign === "<" || sign === ">");
  const isName = (piece: string | undefined) => /^(?:[A-Za-z]|\\[a-z]+)$/.test(piece ?? "") && piece !== "e";
  const row = (low: string, high: string, [open, close]: readonly [boolean, boolean]): Form => ({
    kind: "row",
    open: open ? "(" : "[",
    close: close ? ")" : "]",
    items: [single(low), single(high)],
  });
  const [first = "", second = "", third] = ends;
  if (ends.length === 3 && isName(second)) return row(first, third ?? "", [strict[0] === true, strict[1] === true]);
  if (ends.length !== 2) return undefined;
  if (isName(first)) return row("-\\infty", second, [true, strict[0] === true]);
  if (isName(second)) return row(first, "\\infty", [strict[0] === true, true]);
  return undefined;
}

function single(source: string): Form {
  const { text, unit } = splitUnit(source);
  const whole = grouped.test(text) ? text.replaceAll(",", "") : text;
  return { kind: "one", text: whole, unit };
}

/** The value of `x = …`, where the left side is only a name. */
const withoutName = (text: string): string =>
  text.replace(
    /^(?:[A-Za-z]|\\[a-z]+|[a-z]\([a-z]\)|[A-Za-z]_\{?\w+\}?)\s*(?:=|\\in(?![A-Za-z])|\\approx)\s*(?=\S)/,
    "",
  );

function signsBoth(text: string): Form | undefined {
  const at = text.indexOf("\\pm");
  if (at < 0 || text.includes("\\pm", at + 1)) return undefined;
  const [before, after] = [text.slice(0, at), text.slice(at + 3)];
  return {
    kind: "several",
    braces: false,
    items: [single(`${before}+${after}`.replace(/^\+/, "")), single(`${before}-${after}`)],
  };
}

function several(text: string): Form | undefined {
  if (grouped.test(text)) return undefined;
  const items = splitOutside(text, /\s*[,;]\s*(?:and |or )?|\s(?:and|or)\s/y).filter((piece) => piece !== "");
  if (items.length < 2) return undefined;
  return { kind: "several", braces: false, items: items.map((item) => formIn(item)) };
}

function bracketed(text: string): Form | undefined {
  if (/^\\\{.*\\\}$/.test(text) || (/^\{.*\}$/.test(text) && wraps(text))) {
    const inner = text.replace(/^\\?\{/, "").replace(/\\?\}$/, "");
    const items = splitOutside(inner, /\s*[,;]\s*/y).filter((piece) => piece !== "");
    return { kind: "several", braces: true, items: items.map((item) => formIn(item)) };
  }
  if (!/^[([]/.test(text) || !/[)\]]$/.test(text) || !wraps(text)) return undefined;
  const items = splitOutside(text.slice(1, -1), /\s*[,;]\s*/y);
  if (items.length < 2) return undefined;
  return {
    kind: "row",
    open: text.slice(0, 1),
    close: text.slice(-1),
    items: items.map((item) => formIn(item)),
  };
}

function formIn(source: string): Form {
  const text = withoutName(source.trim());
  const parts = splitOutside(text, /\s*\\cup(?![A-Za-z])\s*/y);
  if (parts.length > 1) return { kind: "union", items: parts.map(formIn) };
  return bracketed(text) ?? several(text) ?? signsBoth(text) ?? intervalOf(text) ?? single(text);
}

/** Takes an answer apart. Longer answers than 2000 characters are cut: they match nothing that is right. */
export const formOf = (answer: string): Form => formIn(tidy(answer.slice(0, 2000)));
