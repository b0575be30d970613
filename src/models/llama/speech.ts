// From tokens to words that may be shown: whole characters only, nothing of a stop string.

/** What was said, token by token, so that later requests hold the very same tokens. */
export type Spoken = {
  readonly tokens: readonly number[];
  /** For each token the length of the text once it has been said; equal for tokens that share a character. */
  readonly ends: readonly number[];
  readonly text: string;
};

/** Gives the text of `tokens` that follow `before`. */
export type Detokenize = (tokens: readonly number[], before: readonly number[]) => string;

export type SpeechOptions = {
  readonly detokenize: Detokenize;
  readonly stop: readonly string[];
  /** The tokens that come before the first. */
  readonly before: readonly number[];
};

/** A character has at most four bytes, so more tokens than this that make none are broken bytes. */
const mostBytes = 4;
/** How many earlier tokens a tokenizer may need to place spaces. */
const lookBack = 4;

/** Text that is now certain, and how many tokens it took. */
export type Said = { readonly text: string; readonly tokens: number };

/** Assembles one turn's words. */
export class Speech {
  readonly #options: SpeechOptions;
  readonly #tokens: number[] = [];
  readonly #ends: number[] = [];
  #pending: number[] = [];
  #text = "";
  /** How much of the text has been given out, and how many tokens that were. */
  #shown = 0;
  #shownTokens = 0;
  #stopAt: number | undefined;

  constructor(options: SpeechOptions) {
    this.#options = options;
  }

  /** A stop string has been said; nothing more will be given out. */
  get stopped(): boolean {
    return this.#stopAt !== undefined;
  }

  /** Takes the next token and gives what may be shown now, if anything. */
  push(token: number): Said | undefined {
    if (this.stopped) return undefined;
    this.#pending.push(token);
    const { detokenize, before } = this.#options;
    const last = [...before.slice(-lookBack), ...this.#tokens.slice(-lookBack)].slice(-lookBack);
    const text = detokenize(this.#pending, last);
    if (text.endsWith("\uFFFD") && this.#pending.length < mostBytes) return undefined;
    const searchFrom = this.#text.length;
    this.#text += text;
    for (const each of this.#pending) {
      this.#tokens.push(each);
      this.#ends.push(this.#text.length);
    }
    this.#pending = [];
    this.#findStop(searchFrom);
    return this.#show(this.#stopAt ?? this.#text.length - this.#held());
  }

  /** What was held back because it might have become a stop string; an unfinished character is dropped. */
  end(): Said | undefined {
    return this.#show(this.#stopAt ?? this.#text.length);
  }

  /** Everything said so far in whole characters, what was held back included. */
  get spoken(): Spoken {
    return { tokens: this.#tokens, ends: this.#ends, text: this.#text };
  }

  #findStop(from: number): void {
    for (const stop of this.#options.stop) {
      if (stop === "") continue;
      const at = this.#text.indexOf(stop, Math.max(0, from - stop.length + 1));
      if (at >= 0 && at < (this.#stopAt ?? Infinity)) this.#stopAt = at;
    }
  }

  /** Length of the longest end of the text that may be the beginning of a stop string. */
  #held(): number {
    let held = 0;
    for (const stop of this.#options.stop) {
      for (let length = Math.min(stop.length - 1, this.#text.length - this.#shown); length > held; length--) {
        if (this.#text.endsWith(stop.slice(0, length))) held = length;
      }
    }
    return held;
  }

  #show(end: number): Said | undefined {
    if (end <= this.#shown) return undefined;
    const text = this.#text.slice(this.#shown, end);
    const tokens = this.#tokens.length - this.#shownTokens;
    this.#shown = end;
    this.#shownTokens = this.#tokens.length;
    return { text, tokens };
  }
}

/** Continues what was said before: one record for a message that was said in several turns. */
export function join(first: Spoken, second: Spoken): Spoken {
  return {
    tokens: [...first.tokens, ...second.tokens],
    ends: [...first.ends, ...second.ends.map((end) => end + first.text.length)],
    text: first.text + second.text,
  };
}

/** The tokens of `spoken` that make up the longest beginning of `text`, and what of `text` is left. */
export function recall(spoken: Spoken, text: string): { readonly tokens: readonly number[]; readonly rest: string } {
  let common = 0;
  const most = Math.min(text.length, spoken.text.length);
  while (common < most && text.charCodeAt(common) === spoken.text.charCodeAt(common)) common++;
  let count = spoken.ends.length;
  while (count > 0 && (spoken.ends[count - 1] ?? 0) > common) count--;
  return { tokens: spoken.tokens.slice(0, count), rest: text.slice(spoken.ends[count - 1] ?? 0) };
}
