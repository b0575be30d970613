/** Follows Markdown code fences (``` and ~~~, at any indentation) through the characters of lines. */
export class Fences {
  /** The fence that is open, or "". */
  #open = "";
  #run = "";
  /** Where in the line we are: in its indentation, in a run of fence characters, after it, or sure that it is no fence. */
  #place: "indent" | "run" | "after" | "none" = "indent";

  /** The current line lies within a code block (its closing fence does, its opening fence does not). */
  get inside(): boolean {
    return this.#open !== "";
  }

  /** The line opens a code block, whatever follows in it. */
  get opens(): boolean {
    return !this.inside && this.#place === "after" && this.#run[0] === "~";
  }

  /** The rest of the line makes no difference. */
  get settled(): boolean {
    return this.#place === "none";
  }

  /** Reads one character that is not a line end. */
  read(char: string): void {
    if (this.#place === "none") return;
    const blank = char.trim() === "";
    if (this.#place === "indent") {
      if (blank) return;
      this.#place = char === "`" || char === "~" ? "run" : "none";
      this.#run = char;
    } else if (this.#place === "run" && char === this.#run[0]) {
      // Longer fences than this do not occur, and the run must not grow without bound.
      if (this.#run.length < 64) this.#run += char;
    } else {
      this.#place = this.#goesOn(char, blank) ? "after" : "none";
    }
  }

  /** Ends the line; answers whether it was a fence. `unless`: the line counts as something else. */
  endLine(unless = false): boolean {
    const fence = !unless && (this.#place === "run" || this.#place === "after") && this.#counts();
    if (fence) this.#open = this.inside ? "" : this.#run;
    this.#place = "indent";
    this.#run = "";
    return fence;
  }

  #counts(): boolean {
    return this.inside ? this.#run.startsWith(this.#open) : this.#run.length >= 3;
  }

  #goesOn(char: string, blank: boolean): boolean {
    if (!this.#counts()) return false;
    // A closing fence stands alone; an opening one of backticks has none in its language name.
    return this.inside ? blank : char !== "`" || this.#run[0] !== "`";
  }
}
