import { ConfigError } from "../base/errors.ts";
import { Fences } from "./splitter-fences.ts";
import { defaultMaxChars, splitter } from "./splitter-steps.ts";
import type { Scanner, Steps } from "./splitter-steps.ts";
import type { Splitter } from "./types.ts";

const decoration = new Set("*_`~#>+-=.,:;!|[](){}</\\\"'\u2013\u2014\u2018\u2019\u201c\u201d\u2022");
const decorationLimit = 40;
const joints = new Set("_- \t\\");
const jointLimit = 3;
const joint = "";

const isBlank = (char: string) => char.trim() === "";

/** The delimiter as it is looked for: alone on a line in any spelling, at the end of a line of text exactly. */
type Pattern = { readonly exact: string; readonly parts: readonly string[]; readonly decorated: boolean };

function pattern(delimiter: string): Pattern {
  const exact = delimiter.trim();
  if (exact === "" || exact.length > 64 || /[\n\r]/.test(exact))
    throw new ConfigError("delimiter", `must be one line of 1 to 64 characters, not ${JSON.stringify(delimiter)}`);
  const decorated = /^[\p{L}\p{N}]([\p{L}\p{N}_ -]*[\p{L}\p{N}])?$/u.test(exact);
  const words = decorated ? exact.toLowerCase().split(/[_ -]+/) : [exact.toLowerCase()];
  const parts = words.flatMap((word, index) => (index === 0 ? word.split("") : [joint, ...word.split("")]));
  return { exact, parts, decorated };
}

class DelimiterScanner implements Scanner {
  readonly #steps: Steps;
  readonly #pattern: Pattern;
  readonly #fences = new Fences();
  /** Said, and not yet handed on. */
  #plain = "";
  /** May still turn out to be a delimiter. */
  #held = "";
  #phase: "plain" | "before" | "within" | "after" = "before";
  /** The candidate began with its line. */
  #alone = true;
  #matched = 0;
  #joints = 0;
  #decorations = 0;

  constructor(steps: Steps, wanted: Pattern) {
    this.#steps = steps;
    this.#pattern = wanted;
  }

  push(text: string): void {
    let index = 0;
    while (index < text.length) {
      if (this.#phase === "plain" && this.#fences.settled) {
        const start = index;
        while (index < text.length && !isBlank(text.charAt(index))) index++;
        this.#plain += text.slice(start, index);
        if (index === text.length) break;
      }
      const char = text.charAt(index++);
      if (char === "\n") this.#endLine(char);
      else {
        this.#fences.read(char);
        if (this.#fences.inside) this.#plain += char;
        else this.#read(char);
      }
    }
    this.#flush();
  }

  end(): void {
    this.#endLine("");
    this.#flush();
  }

  #flush(): void {
    if (this.#plain !== "") this.#steps.text(this.#plain);
    this.#plain = "";
  }

  #endLine(end: string): void {
    const found = this.#phase === "after";
    const alone = found && this.#alone;
    const fence = this.#fences.endLine(alone);
    if (found && !fence) {
      this.#flush();
      this.#steps.cut();
      if (!alone) this.#plain += end;
    } else {
      this.#plain += this.#held + end;
    }
    this.#begin(true, "");
    if (this.#fences.inside) this.#phase = "plain";
  }

  #begin(alone: boolean, held: string): void {
    this.#phase = "before";
    this.#alone = alone;
    this.#held = held;
    this.#matched = 0;
    this.#joints = 0;
    this.#decorations = 0;
  }

  #read(char: string): void {
    if (this.#phase === "plain") {
      if (isBlank(char) && !this.#fences.opens) this.#begin(false, char);
      else this.#plain += char;
    } else if (this.#phase !== "after" && this.#matches(char)) {
      this.#held += char;
    } else if (this.#phase === "before" && isBlank(char) && !this.#alone) {
      this.#plain += this.#held;
      this.#begin(false, char);
    } else if (this.#phase !== "within" && this.#surrounds(char)) {
      this.#held += char;
    } else {
      this.#giveUp(char);
    }
  }

  #surrounds(char: string): boolean {
    if (isBlank(char)) return true;
    return this.#pattern.decorated && decoration.has(char) && ++this.#decorations <= decorationLimit;
  }

  #matches(char: string): boolean {
    const { exact, parts } = this.#pattern;
    const wanted = this.#alone ? parts : exact;
    if (this.#alone && wanted[this.#matched] === joint) {
      if (this.#joints < jointLimit && joints.has(char)) {
        this.#joints++;
        return true;
      }
      this.#matched++;
      this.#joints = 0;
    }
    if ((this.#alone ? char.toLowerCase() : char) !== wanted[this.#matched]) return false;
    this.#matched++;
    this.#phase = this.#matched === wanted.length ? "after" : "within";
    if (this.#phase === "after") this.#decorations = 0;
    return true;
  }

  /** The candidate is ordinary text after all; another may have begun inside it. */
  #giveUp(char: string): void {
    const text = this.#held + char;
    const kept = this.#alone ? 0 : 1;
    this.#held = "";
    this.#phase = "plain";
    this.#plain += text.slice(0, kept);
    for (let index = kept; index < text.length; index++) this.#read(text.charAt(index));
  }
}

/**
 * A step ends at a line that holds nothing but the delimiter (in any case, `_`, `-`, a space or nothing between its words,
 * Markdown or punctuation around it), or at the end of a line of text after white space, there spelled exactly. Not in
 * code fences. A delimiter that itself begins or ends in punctuation is looked for without decoration.
 * Throws ConfigError for an empty delimiter, one over 64 characters or of several lines, and for a bad `maxChars`.
 */
export function byDelimiter({
  delimiter = "END_STEP",
  maxChars = defaultMaxChars,
}: { readonly delimiter?: string | undefined; readonly maxChars?: number | undefined } = {}): Splitter {
  const wanted = pattern(delimiter);
  return splitter(maxChars, (steps) => new DelimiterScanner(steps, wanted));
}
