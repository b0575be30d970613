// Text that others wrote, made safe for a terminal.

import { hidden } from "../base/text.ts";

const escaped = (character: string): string => {
  const code = character.codePointAt(0) ?? 0;
  return code <= 0xff ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u{${code.toString(16)}}`;
};

/**
 * `text` with everything that could move the cursor, color, or reorder what is shown replaced by an escape such as `\x1b`.
 * `keep: "lines"` keeps newlines (CRLF as one) and tabs.
 */
export function printable(text: string, { keep }: { readonly keep?: "lines" } = {}): string {
  if (keep === undefined) return text.replaceAll(hidden, escaped);
  return text
    .replaceAll("\r\n", "\n")
    .replaceAll(hidden, (character) => (character === "\n" || character === "\t" ? character : escaped(character)));
}

const zero = /^[\p{Mn}\p{Me}\p{Cf}]$/u;
const double =
  /^[\p{Emoji_Presentation}\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]$/u;

const widthOf = (character: string): number => (zero.test(character) ? 0 : double.test(character) ? 2 : 1);

/** How many terminal columns printable text takes. */
export function width(text: string): number {
  let columns = 0;
  for (const character of text) columns += widthOf(character);
  return columns;
}

/** The beginning of printable text that fits in `columns`, with `ellipsis` where something is left out. */
export function clip(text: string, columns: number, ellipsis = "…"): string {
  if (width(text) <= columns) return text;
  let left = columns - width(ellipsis);
  if (left < 0) return "";
  let kept = "";
  for (const character of text) {
    left -= widthOf(character);
    if (left < 0) break;
    kept += character;
  }
  return kept + ellipsis;
}

/** Printable text filled up with spaces to `columns`, at its end or (`"start"`) before it. */
export function pad(text: string, columns: number, side: "start" | "end" = "end"): string {
  const space = " ".repeat(Math.max(0, columns - width(text)));
  return side === "end" ? text + space : space + text;
}
