/** Text that grows by small pieces, kept in few large ones: a string made by adding keeps a record for every piece. */
export class GrowingText {
  #done = "";
  #block = "";

  add(piece: string): void {
    this.#block += piece;
    if (this.#block.length > 4096) this.#pack();
  }

  toString(): string {
    this.#pack();
    return this.#done;
  }

  #pack(): void {
    // Looking at a character makes the engine lay the string out flat, and forget the pieces.
    this.#block.charCodeAt(0);
    this.#done += this.#block;
    this.#block = "";
  }
}

/**
 * Characters that must not be shown as they are: controls (C0, DEL, C1: with them every ANSI sequence), halves of a surrogate
 * pair, format characters that turn the writing direction or hide (bidi marks, tags, byte order mark), line and paragraph
 * separators. Joiners stay: scripts need them.
 */
export const hidden = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]|(?![\u200b-\u200d\u00ad\u2060-\u2064])\p{Cf}/gu;
