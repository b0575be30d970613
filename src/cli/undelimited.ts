// Simulated models close each step with a delimiter, also where nobody cuts what they say into steps: people are not shown it.
// A run says that some of its agents are simulated, not which: where one is, delimiter lines of all agents are left out.

import { byDelimiter, piecesOf } from "../core/splitters.ts";
import type { Piece, RunEvent } from "../core/types.ts";

const split = byDelimiter({ maxChars: Infinity });

const shown = (pieces: readonly Piece[]): string =>
  pieces.map((piece) => (piece.type === "text" ? piece.text : "")).join("");

/** What is said, as it comes, without delimiter lines. */
export class Undelimited {
  #cutter = split();

  /** Takes text; gives what can be shown of it now. */
  push(text: string): string {
    return shown(this.#cutter.push(text));
  }

  /** What was held back because a delimiter might have come of it. The next text is one of its own. */
  end(): string {
    const rest = shown(this.#cutter.end());
    this.#cutter = split();
    return rest;
  }
}

/** A whole text of a run as people are shown it: without delimiter lines if any of its agents is simulated. */
export function shownOf([first]: readonly RunEvent[], text: string): string {
  if (first?.type !== "run-start" || first.simulated !== true) return text;
  const without = shown(piecesOf(split, text));
  // White space at its ends alone is no reason to change it.
  return without === text.trim() ? text : without;
}
