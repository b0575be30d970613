import { mentions, words } from "./match.ts";

const joining = new Set(["of", "the", "and", "a", "an", "in", "on", "for", "to"]);

// Words that look like an inflection of another and are none: corn, moth, tide.
const unrelated = new Set(["corner", "mother", "tidy"]);

/** A word and its simple inflections: plural, -ed, -ing, -er, -y, with doubled consonants, dropped e, and y to i. */
function inflected(word: string): string[] {
  const last = word.at(-1) ?? "";
  // One syllable that ends in one consonant after one vowel: fog, foggy.
  const doubled = /^[^aeiou]*[aeiou][bdgmnprt]$/.test(word);
  const toI = /[^aeiou]y$/.test(word);
  const stem = doubled ? word + last : word;
  const vowelEnds = word.length > 3 ? ["ed", "ing", "er", "ers", "y"] : doubled ? ["ed", "ing", "y"] : ["ed", "ing"];
  const forms = [`${word}s`, `${word}es`, ...vowelEnds.map((end) => stem + end)];
  if (last === "e") forms.push(`${word}d`, ...(word.length > 3 ? [`${word}r`, `${word}rs`] : []));
  if (last === "e" && word.length > 3) forms.push(`${word.slice(0, -1)}ing`, `${word.slice(0, -1)}y`);
  if (toI) forms.push(...["es", "ed", "er", "ers"].map((end) => `${word.slice(0, -1)}i${end}`));
  if (/fe?$/.test(word)) forms.push(word.replace(/fe?$/, "ves"));
  return [word, ...forms.filter((form) => !unrelated.has(form))];
}

/** A word and what it is made from: swimming, swim; fencing, fence; gymnastics, gymnastic, gymnast. */
function withBases(word: string): string[] {
  const stem = /^(.{3,})ing$/.exec(word)?.[1];
  if (stem !== undefined) return [word, stem, `${stem}e`, stem.replace(/([^aeiou])\1$/, "$1")];
  const art = /^(.{4,})ics$/.exec(word)?.[1];
  return art === undefined ? [word] : [word, `${art}ic`, art];
}

/** What may not be said: words in all their forms, and phrases. */
export type Banned = { readonly forms: ReadonlySet<string>; readonly phrases: readonly string[] };

/**
 * Everything that gives a secret away: each word of the secret and of its parts, each alias, with inflections. Of an alias
 * of several words only the whole is banned: "looking glass" does not forbid the word glass.
 */
export function bannedFor({ word, parts, aliases }: Secret): Banned {
  const phrases = aliases.filter((alias) => words(alias).length > 1);
  const single = [word, ...parts].flatMap(words).concat(
    withBases(words(word).join("")),
    aliases.flatMap((alias) => words(alias).join("")),
  );
  return { forms: new Set(single.filter((part) => !joining.has(part)).flatMap(inflected)), phrases };
}

/** A hidden word with the pieces of a closed compound and its other names. */
export type Secret = {
  readonly word: string;
  readonly parts: readonly string[];
  readonly aliases: readonly string[];
};

// "b-a-n-a-n-a" and "B A N A N A" say the word as well.
const spelled = /(?<![\p{L}\p{N}])\p{L}(?:[\s.,-]+\p{L}(?![\p{L}\p{N}])){2,}/gu;

/** The first banned word or phrase the text says, spelled out letter by letter included, or undefined. */
export function bannedIn(text: string, { forms, phrases }: Banned): string | undefined {
  const letters = [...text.matchAll(spelled)].map(([run]) => words(run).join(""));
  const said = words(text.replaceAll(/['’]s(?![\p{L}\p{N}])/gu, ""));
  return [...said, ...letters].find((word) => forms.has(word)) ?? phrases.find((phrase) => mentions(text, phrase));
}
