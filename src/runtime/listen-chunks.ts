import { ConfigError } from "../base/errors.ts";
import type { Cutter, Piece, Splitter } from "../core/types.ts";

/** When there is a decision: every so many tokens (16), or at the steps of a splitter. */
export type ChunkOptions = { readonly chunk?: number | undefined; readonly splitter?: Splitter | undefined };

/** Tells when a chunk is complete, and counts them. */
export class CountingChunker implements Cutter {
  chunks = 0;
  /** Of the text that is pushed next. */
  tokens = 0;
  readonly #size: number;
  readonly #cutter: Cutter | undefined;
  #heard = 0;

  constructor({ chunk = 16, splitter }: ChunkOptions) {
    if (!Number.isSafeInteger(chunk) || chunk < 1)
      throw new ConfigError("chunk", `${chunk} is out of range; give 1 or more tokens`);
    this.#size = chunk;
    this.#cutter = splitter?.();
  }

  push(text: string): readonly Piece[] {
    if (!this.#complete(text)) return [];
    this.chunks++;
    return [{ type: "step", text }];
  }

  end(): readonly Piece[] {
    return [];
  }

  #complete(text: string): boolean {
    if (this.#cutter !== undefined) return this.#cutter.push(text).some(({ type }) => type === "step");
    this.#heard += this.tokens;
    if (this.#heard < this.#size) return false;
    this.#heard %= this.#size;
    return true;
  }
}
