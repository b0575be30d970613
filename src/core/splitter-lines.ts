import { Fences } from "./splitter-fences.ts";
import { defaultMaxChars, splitter } from "./splitter-steps.ts";
import type { Scanner, Steps } from "./splitter-steps.ts";
import type { Splitter } from "./types.ts";

/** `maxChars`: a longer step is cut at the last white space before this many UTF-16 units (8000). */
export type BoundOptions = { readonly maxChars?: number | undefined };

type LineRule = {
  /** Whether a line that begins like this begins a step; undefined where more of it must be seen. */
  readonly starts?: (head: string) => boolean | undefined;
  /** Whether a step ends with this line. */
  readonly ends?: (blank: boolean) => boolean;
  /** Lines of code blocks count like others. */
  readonly inCode?: boolean;
};

class LineScanner implements Scanner {
  readonly #steps: Steps;
  readonly #rule: LineRule;
  readonly #fences = new Fences();
  /** The beginning of the line, while it may still begin a step. */
  #head = "";
  #inHead: boolean;
  #blank = true;
  #plain = "";

  constructor(steps: Steps, rule: LineRule) {
    this.#steps = steps;
    this.#rule = rule;
    this.#inHead = rule.starts !== undefined;
  }

  push(text: string): void {
    let index = 0;
    while (index < text.length) {
      if (!this.#inHead && !this.#blank && this.#fences.settled) {
        const end = text.indexOf("\n", index);
        const stop = end < 0 ? text.length : end;
        this.#plain += text.slice(index, stop);
        index = stop;
        if (index === text.length) break;
      }
      const char = text.charAt(index++);
      if (char === "\n") this.#endLine();
      else this.#read(char);
    }
    this.#flush();
  }

  end(): void {
    if (this.#inHead) this.#decide("\n");
    this.#flush();
  }

  #read(char: string): void {
    this.#fences.read(char);
    if (char.trim() !== "") this.#blank = false;
    if (!this.#inHead) this.#plain += char;
    else {
      this.#head += char;
      this.#decide("");
    }
  }

  #endLine(): void {
    if (this.#inHead) this.#decide("\n");
    this.#plain += "\n";
    this.#fences.endLine();
    const code = this.#fences.inside && this.#rule.inCode !== true;
    if (!code && this.#rule.ends?.(this.#blank) === true) this.#cut();
    this.#blank = true;
    this.#inHead = !code && this.#rule.starts !== undefined;
  }

  #decide(end: string): void {
    const starts = this.#rule.starts?.(this.#head + end) ?? (end === "" ? undefined : false);
    if (starts === undefined) return;
    if (starts) this.#cut();
    this.#plain += this.#head;
    this.#head = "";
    this.#inHead = false;
  }

  #cut(): void {
    this.#flush();
    this.#steps.cut();
  }

  #flush(): void {
    if (this.#plain !== "") this.#steps.text(this.#plain);
    this.#plain = "";
  }
}

const byRule =
  (rule: LineRule) =>
  ({ maxChars = defaultMaxChars }: BoundOptions = {}): Splitter =>
    splitter(maxChars, (steps) => new LineScanner(steps, rule));

/** Decides by two patterns: `whole` for a head that begins a step, `part` for one that still may. Heads are short. */
const headed = (whole: RegExp, part: RegExp) => (head: string) =>
  whole.test(head) ? true : part.test(head) ? undefined : false;

/** A step begins at each Markdown heading (`# ` to `###### `) outside code blocks. */
export const byHeading = byRule({ starts: headed(/^ {0,3}#{1,6}\s/, /^ {0,3}#{0,6}$/) });

/**
 * A step begins at each top-level item of a numbered list outside code blocks: `1. `, `2) `, `**3.`, `Step 4:`,
 * up to three digits.
 */
export const byNumber = byRule({
  starts: headed(
    /^ ?(\*\*|__)?(step +)?\d{1,3}[.):](\s|\*|_)/i,
    /^ ?(\*{0,2}|_{0,2})(s|st|ste|step *|(step +)?\d{1,3}[.):]?)?$/i,
  ),
});

/** A step begins at each line that begins with `Step 4:`, outside code blocks; Markdown around it does not matter. */
export const byStepNumber = byRule({
  starts: headed(
    /^ {0,3}(\*\*|__|#{1,6} +(\*\*|__)?)?step +\d{1,3}(\*\*|__)?[.):]/i,
    /^ {0,3}(\*{0,2}|_{0,2}|#{1,6} *(\*{0,2}|_{0,2}))(s|st|ste|step *|step +\d{1,3}(\*{0,2}|_{0,2}))?$/i,
  ),
});

/** A step is a paragraph; blank lines in code blocks do not end it. */
export const byParagraph = byRule({ ends: (blank) => blank });

/** A step is a line that is not blank. */
export const byLine = byRule({ ends: () => true, inCode: true });
