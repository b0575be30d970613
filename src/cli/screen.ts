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
    const back = this.#open > 0 ? `\u001b[${this.#open}A\r\u001b[J` : "";
    const shown = this.#moves ? open : [];
    const text = [...final, ...shown].map((line) => `${line}\n`).join("");
    this.#open = shown.length;
    if (back !== "" || text !== "") this.#out.write(back + text);
  }
}
