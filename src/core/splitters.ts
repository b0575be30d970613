// Ways to cut speech into steps. Every splitter gives the same steps however the text comes in chunks.

import { ConfigError } from "../base/errors.ts";
import { byDelimiter } from "./splitter-delimiter.ts";
import { byHeading, byLine, byNumber, byParagraph, byStepNumber } from "./splitter-lines.ts";
import type { BoundOptions } from "./splitter-lines.ts";
import { nested } from "./splitter-nested.ts";
import { bySentence, byTokens, whole } from "./splitter-words.ts";
import type { Piece, Splitter } from "./types.ts";

export { byDelimiter, byHeading, byLine, byNumber, byParagraph, bySentence, byTokens, whole };
export type { BoundOptions } from "./splitter-lines.ts";

/**
 * The default: a step ends as `byDelimiter` says, and one begins at a line that begins with `Step 4:`. Small models often
 * write the one and forget the other; the role prompts ask for both.
 */
export const byStep = (options: BoundOptions & { readonly delimiter?: string | undefined } = {}): Splitter =>
  nested(byDelimiter(options), byStepNumber(options));

const named: Readonly<Record<string, (argument: string | undefined) => Splitter | undefined>> = {
  step: (argument) => (argument === undefined ? byStep() : undefined),
  delimiter: (argument) => byDelimiter({ delimiter: argument }),
  heading: (argument) => (argument === undefined ? byHeading() : undefined),
  numbered: (argument) => (argument === undefined ? byNumber() : undefined),
  paragraph: (argument) => (argument === undefined ? byParagraph() : undefined),
  sentence: (argument) => bySentence({ locale: argument }),
  tokens: (argument) =>
    argument !== undefined && /^[1-9]\d{0,8}$/.test(argument) ? byTokens(Number(argument)) : undefined,
  line: (argument) => (argument === undefined ? byLine() : undefined),
  whole: (argument) => (argument === undefined ? whole() : undefined),
};

/** The forms that `splitterNamed` knows. */
export const splitterForms =
  "step, delimiter, delimiter:WORD, heading, numbered, paragraph, sentence, sentence:LOCALE, tokens:16, line, whole";

/** The splitter that a word on the command line names. Throws ConfigError, naming the forms that exist. */
export function splitterNamed(spec: string): Splitter {
  const colon = spec.indexOf(":");
  const name = colon < 0 ? spec : spec.slice(0, colon);
  const make = Object.hasOwn(named, name) ? named[name] : undefined;
  const made = make?.(colon < 0 ? undefined : spec.slice(colon + 1));
  if (made !== undefined) return made;
  throw new ConfigError("splitter", `unknown form ${JSON.stringify(spec)}; the forms are ${splitterForms}`);
}

/**
 * What role prompts should ask for at the end of a step, given a word for `splitterNamed`: its delimiter, undefined for the
 * usual one, or null where the splitter needs none.
 */
export function delimiterOf(spec = "step"): string | null | undefined {
  if (spec === "step" || spec === "delimiter") return undefined;
  return spec.startsWith("delimiter:") ? spec.slice("delimiter:".length) : null;
}

/** All pieces of a text. */
export function piecesOf(split: Splitter, text: string): readonly Piece[] {
  const cutter = split();
  return [...cutter.push(text), ...cutter.end()];
}

/** The steps of a whole text. */
export function splitText(split: Splitter, text: string): readonly string[] {
  return piecesOf(split, text)
    .filter((piece) => piece.type === "step")
    .map((piece) => piece.text);
}
