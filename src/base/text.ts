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
