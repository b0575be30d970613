// Speech that comes a few characters at a time, wrapped into lines.

import { printable, width } from "./printable.ts";

/** A line of an agent's speech; `mark` stands before it: the number of the step that begins here. */
export type FlowLine = { readonly mark: string; readonly text: string };

/** Wraps words as they come. What it gives back is printable and no wider than `room`. */
export class Flow {
  readonly #room: number;
  #text = "";
  #columns = 0;
  #mark = "";
  /** The end of the last text that means something else together with what comes: half a character, half a line end. */
  #held = "";

  constructor(room: number) {
    this.#room = Math.max(1, room);
  }

  /** The number or sign before the next line. */
  mark(mark: string): void {
    this.#mark = mark;
  }

  /** The line that is not full yet. */
  get open(): FlowLine | undefined {
    return this.#text === "" ? undefined : { mark: this.#mark, text: this.#text };
  }

  /** Takes text; gives back the lines that are full now. Blank lines are left out. */
  push(text: string): FlowLine[] {
    const all = this.#held + text;
    const cut = /[\ud800-\udbff\r]$/.test(all) ? all.length - 1 : all.length;
    this.#held = all.slice(cut);
    const lines: FlowLine[] = [];
    for (const character of printable(all.slice(0, cut), { keep: "lines" })) {
      if (character === "\n") lines.push(...this.#close());
      else if (character === "\t" || character === " ") this.#add(this.#text === "" ? "" : " ", lines);
      else this.#add(character, lines);
    }
    return lines;
  }

  /** Ends the line and lets go of half characters. */
  end(): FlowLine[] {
    const rest = this.#held.replace("\r", "");
    this.#held = "";
    const lines: FlowLine[] = [];
    for (const character of printable(rest)) this.#add(character, lines);
    return [...lines, ...this.#close()];
  }

  #add(character: string, lines: FlowLine[]): void {
    this.#text += character;
    this.#columns += width(character);
    while (this.#columns > this.#room) {
      const space = this.#text.lastIndexOf(" ");
      // Where there is no space, the character just added goes to the next line.
      const at = space > 0 ? space : this.#text.length - character.length;
      if (at === 0) return;
      const rest = this.#text.slice(at).trimStart();
      this.#text = this.#text.slice(0, at);
      lines.push(...this.#close());
      this.#text = rest;
      this.#columns = width(rest);
    }
  }

  #close(): FlowLine[] {
    const text = this.#text.trimEnd();
    const line = { mark: this.#mark, text };
    this.#text = "";
    this.#columns = 0;
    if (text === "") return [];
    this.#mark = "";
    return [line];
  }
}
