import { ConfigError } from "../base/errors.ts";
import type { Cutter, Piece, Splitter } from "./types.ts";

/** Upper bound of a step, in UTF-16 units, unless told otherwise. */
export const defaultMaxChars = 8000;

/** In the last so many units before the bound a word waits for its end, because it may have to move to the next step. */
const nearBound = 128;

const none: readonly Piece[] = [];

const isHighSurrogate = (unit: number) => unit >= 0xd800 && unit <= 0xdbff;

/** The half of a splitter that knows where steps end: it tells `Steps` what is said and where to cut. */
export interface Scanner {
  push(text: string): void;
  /** The turn is over: what is left is said. */
  end(): void;
}

/**
 * The half that all splitters share: collects said text into steps, trims and bounds them, and leaves out blank ones.
 * White space waits for the text after it, so that text shown never ends in what turns out to surround a delimiter.
 */
export class Steps {
  readonly #max: number;
  #begun = false;
  #step = "";
  #space = "";
  #word = "";
  #shown = "";
  #pieces: Piece[] = [];

  constructor(maxChars: number) {
    this.#max = maxChars;
  }

  /** Adds said text to the step. */
  text(text: string): void {
    const length = this.#step.length + this.#space.length + this.#word.length + text.length;
    if (length <= this.#max - nearBound) return this.#far(text);
    for (const run of text.match(/\s+|\S+/g) ?? []) {
      if (run.trimStart() === "") this.#blank(run);
      else this.#near(run);
    }
  }

  /** Ends the step here, unless it is blank. */
  cut(): void {
    this.#settle();
    if (this.#step === "") return;
    this.#show();
    // Looking at a character makes the engine lay the step out flat, and forget its pieces.
    this.#step.charCodeAt(0);
    this.#pieces.push({ type: "step", text: this.#step });
    this.#step = "";
  }

  /** The pieces since the last time. */
  take(): readonly Piece[] {
    this.#show();
    if (this.#pieces.length === 0) return none;
    const pieces = this.#pieces;
    this.#pieces = [];
    return pieces;
  }

  #far(text: string): void {
    const said = text.trimEnd();
    if (said !== "") {
      const start = this.#step === "" ? said.trimStart() : said;
      this.#space += said.slice(0, said.length - start.length);
      this.#accept(start);
    }
    this.#space += said === "" ? text : text.slice(said.length);
  }

  #blank(run: string): void {
    this.#settle();
    this.#space += run;
  }

  #near(run: string): void {
    const start = this.#step.length + this.#space.length;
    const begins = this.#word === "" && this.#space !== "" && this.#step !== "";
    if (begins && start >= this.#max - nearBound) this.#word = run;
    else if (this.#word !== "") this.#word += run;
    else return this.#grow(run);
    if (start + this.#word.length <= this.#max) return;
    const word = this.#word;
    this.#word = "";
    this.cut();
    this.#grow(word);
  }

  /** Adds to a word that is shown as it comes; where it meets the bound it is cut there, never inside a surrogate pair. */
  #grow(run: string): void {
    let rest = run;
    for (;;) {
      const room = this.#max - this.#step.length - (this.#step === "" ? 0 : this.#space.length);
      const fits = rest.length < room || (rest.length === room && !isHighSurrogate(rest.charCodeAt(room - 1)));
      if (fits) return this.#accept(rest);
      const size = isHighSurrogate(rest.charCodeAt(room - 1)) ? room - 1 : room;
      if (size > 0) this.#accept(rest.slice(0, size));
      this.cut();
      rest = rest.slice(size);
    }
  }

  #settle(): void {
    if (this.#word === "") return;
    const word = this.#word;
    this.#word = "";
    this.#accept(word);
  }

  #accept(text: string): void {
    if (text === "") return;
    this.#shown += this.#begun ? this.#space + text : text;
    this.#step += this.#step === "" ? text : this.#space + text;
    this.#space = "";
    this.#begun = true;
  }

  #show(): void {
    if (this.#shown === "") return;
    this.#pieces.push({ type: "text", text: this.#shown });
    this.#shown = "";
  }
}

function checkedBound(maxChars: number): number {
  if (maxChars === Infinity || (Number.isInteger(maxChars) && maxChars >= 2)) return maxChars;
  throw new ConfigError("maxChars", `must be a whole number of at least 2, or Infinity, not ${maxChars}`);
}

/** A splitter from a scanner: `scan` is called once a turn. Throws ConfigError for a bad `maxChars`. */
export function splitter(maxChars: number, scan: (steps: Steps) => Scanner): Splitter {
  const bound = checkedBound(maxChars);
  return (): Cutter => {
    const steps = new Steps(bound);
    const scanner = scan(steps);
    // The first half of a character cut in two by the provider.
    let half = "";
    return {
      push(text) {
        const whole = half + text;
        half = isHighSurrogate(whole.charCodeAt(whole.length - 1)) ? whole.slice(-1) : "";
        scanner.push(half === "" ? whole : whole.slice(0, -1));
        return steps.take();
      },
      end() {
        if (half !== "") scanner.push(half);
        half = "";
        scanner.end();
        steps.cut();
        return steps.take();
      },
    };
  };
}
