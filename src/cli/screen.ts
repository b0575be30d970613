import type { Out } from "./io.ts";

/** The end of a terminal: rows that are final scroll up, rows still open below them are drawn again and again. */
export class Screen {
  readonly #out: Out;
  readonly #moves: boolean;
  #open = 0;

  /** `moves`: the cursor may go up; without that open rows are not shown. */
  constructor(out: Out, moves: boolean) {
    this.#out = out;
    this.#moves = moves;
  }

  draw(final: readonly string[], open: readonly string[]): void {
    const back = this.#open > 0 ? `\u001b[${this.#open}A\r` : "";
    const shown = this.#moves ? open : [];
    // Each line clears what it is written over: a screen that is cleared first flickers.
    const end = back === "" ? "\n" : "\u001b[K\n";
    const text = [...final, ...shown].map((line) => line + end).join("");
    this.#open = shown.length;
    if (back !== "" || text !== "") this.#out.write(back + text + (back === "" ? "" : "\u001b[J"));
  }
}
