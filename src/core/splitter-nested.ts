import type { Cutter, Piece, Splitter } from "./types.ts";

/** White space that an inner cutter would drop, since to it the text has just begun. */
const lead = /^\s+/;

/** The steps of `outer`, each cut further by `inner`. Both give the same steps however their text comes, and so does this. */
export const nested =
  (outer: Splitter, inner: Splitter): Splitter =>
  (): Cutter => {
    const outside = outer();
    let inside = inner();
    let fresh = false;
    let space = "";
    const shown = (piece: Piece): Piece => {
      if (piece.type !== "text" || space === "") return piece;
      const text = space + piece.text;
      space = "";
      return { type: "text", text };
    };
    const take = (piece: Piece): readonly Piece[] => {
      if (piece.type === "step") {
        const rest = inside.end();
        inside = inner();
        fresh = true;
        return rest.map(shown);
      }
      if (fresh) {
        space = lead.exec(piece.text)?.[0] ?? "";
        fresh = false;
      }
      return inside.push(piece.text).map(shown);
    };
    return {
      push(text) {
        const pieces = outside.push(text);
        const [only] = pieces;
        // What comes with nearly every chunk.
        if (pieces.length === 1 && only?.type === "text" && !fresh && space === "") return inside.push(only.text);
        return pieces.flatMap(take);
      },
      end: () => [...outside.end().flatMap(take), ...inside.end().map(shown)],
    };
  };
