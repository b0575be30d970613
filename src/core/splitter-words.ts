import { ConfigError } from "../base/errors.ts";
import { defaultMaxChars, splitter } from "./splitter-steps.ts";
import type { Scanner, Steps } from "./splitter-steps.ts";
import type { BoundOptions } from "./splitter-lines.ts";
import type { Splitter } from "./types.ts";

const lineEnd = /[\n\r\u0085\u2028\u2029]/;
const terminator = /[\p{Sentence_Terminal}\u2024;\u037e]/u;
const letter = /[\p{Lu}\p{Ll}\p{Lt}\p{Lo}]/u;

/** How far before a full stop the segmenter looks: it needs the last letter and its marks. */
const lookBehind = 32;

/**
 * By Unicode's rules (UAX 29) whether a sentence ends at a full stop depends on the characters just before it and on
 * those up to the next letter, full stop or line end, so that the segmenter sees only these and never the whole sentence.
 */
class SentenceScanner implements Scanner {
  readonly #steps: Steps;
  readonly #segmenter: Intl.Segmenter;
  /** The last characters that are certain to belong to this sentence. */
  #before = "";
  /** Text after a full stop: of this sentence or the next. */
  #held = "";
  #waiting = false;
  #plain = "";

  constructor(steps: Steps, segmenter: Intl.Segmenter) {
    this.#steps = steps;
    this.#segmenter = segmenter;
  }

  push(text: string): void {
    for (const char of text) {
      const stops = terminator.test(char);
      if (lineEnd.test(char)) {
        this.#settle();
        this.#plain += char;
        this.#cut();
        continue;
      }
      if (this.#waiting) this.#held += char;
      else this.#say(char);
      if (this.#waiting && (stops || letter.test(char))) this.#settle();
      if (stops) this.#waiting = true;
    }
    this.#flush();
  }

  end(): void {
    this.#settle();
    this.#flush();
  }

  /** What is held is decided: says it, with the cuts it holds. */
  #settle(): void {
    const held = this.#held;
    this.#held = "";
    this.#waiting = false;
    if (held === "") return;
    const from = this.#before.length;
    let said = from;
    const text = this.#before + held;
    for (const { index } of this.#segmenter.segment(text)) {
      if (index < from || index === 0) continue;
      this.#say(text.slice(said, index));
      this.#cut();
      said = index;
    }
    this.#say(text.slice(said));
  }

  #say(text: string): void {
    this.#plain += text;
    this.#before = (this.#before + text).slice(-lookBehind);
  }

  #cut(): void {
    this.#flush();
    this.#steps.cut();
    this.#before = "";
  }

  #flush(): void {
    if (this.#plain !== "") this.#steps.text(this.#plain);
    this.#plain = "";
  }
}

/** A step is a sentence, as `Intl.Segmenter` cuts text in `locale` (default: the machine's). ConfigError for a bad locale. */
export function bySentence({
  locale,
  maxChars = defaultMaxChars,
}: BoundOptions & { readonly locale?: string | undefined } = {}): Splitter {
  let segmenter: Intl.Segmenter;
  try {
    segmenter = new Intl.Segmenter(locale, { granularity: "sentence" });
  } catch (error) {
    throw new ConfigError("locale", `${JSON.stringify(locale)} is not a language tag such as "en" or "pt-BR"`, {
      cause: error,
    });
  }
  return splitter(maxChars, (steps) => new SentenceScanner(steps, segmenter));
}

/** About how many tokens a word has: one for four ASCII characters, one for any two others, one for each ideograph. */
export function estimatedTokens(word: string): number {
  let quarters = 0;
  for (const char of word) {
    const code = char.codePointAt(0) ?? 0;
    if (char.trim() !== "") quarters += code < 0x80 ? 1 : code < 0x2e80 ? 2 : 4;
  }
  return Math.ceil(quarters / 4);
}

/** Text without white space is counted in parts of this many characters, so that a step ends in it too. */
const longestWord = 16;

class TokenScanner implements Scanner {
  readonly #steps: Steps;
  readonly #limit: number;
  readonly #count: (text: string) => number;
  #word = "";
  #inWord = false;
  #size = 0;
  #tokens = 0;
  #plain = "";

  constructor(steps: Steps, limit: number, count: (text: string) => number) {
    this.#steps = steps;
    this.#limit = limit;
    this.#count = count;
  }

  push(text: string): void {
    for (const char of text) {
      const blank = char.trim() === "";
      if (this.#inWord && (blank || this.#size === longestWord)) this.#counted();
      this.#plain += char;
      this.#word += char;
      if (blank) continue;
      this.#inWord = true;
      this.#size++;
    }
    this.#flush();
  }

  end(): void {
    this.#flush();
  }

  #counted(): void {
    this.#tokens += this.#count(this.#word);
    this.#word = "";
    this.#inWord = false;
    this.#size = 0;
    if (this.#tokens < this.#limit) return;
    this.#tokens = 0;
    this.#flush();
    this.#steps.cut();
  }

  #flush(): void {
    if (this.#plain !== "") this.#steps.text(this.#plain);
    this.#plain = "";
  }
}

/**
 * A step ends with the word that brings it to `size` tokens. `count` is asked about one word at a time, with the white
 * space before it, so that the steps do not depend on the chunks; without it tokens are estimated.
 * Throws ConfigError unless `size` is a whole number of at least 1.
 */
export function byTokens(
  size: number,
  count: (text: string) => number = estimatedTokens,
  { maxChars = defaultMaxChars }: BoundOptions = {},
): Splitter {
  if (!Number.isSafeInteger(size) || size < 1)
    throw new ConfigError("tokens", `must be a whole number of at least 1, not ${size}`);
  return splitter(maxChars, (steps) => new TokenScanner(steps, size, count));
}

/** The whole turn is one step, of any length unless `maxChars` is given. */
export function whole({ maxChars = Infinity }: BoundOptions = {}): Splitter {
  return splitter(maxChars, (steps) => ({ push: (text) => steps.text(text), end: () => {} }));
}
