// When two short answers are the same, by exact rules.

const numbers = (
  "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen " +
  "eighteen nineteen twenty"
).split(" ");

const irregular: Readonly<Record<string, string>> = {
  man: "men",
  woman: "women",
  child: "children",
  tooth: "teeth",
  foot: "feet",
  mouse: "mice",
  goose: "geese",
};

const articles = new Set(["a", "an", "the"]);

/** The words of a text: lower case, without accents, punctuation and apostrophes; number words up to twenty as digits. */
export function words(text: string): string[] {
  return text
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll(/(\d),(?=\d{3}(?!\d))/g, "$1")
    .replaceAll(/['’‘]/g, "")
    .replaceAll("ß", "ss")
    .replaceAll("−", "-")
    .replaceAll("&", " and ")
    .replaceAll("%", " percent ")
    .replaceAll(/(?<=^|[^\p{L}\p{N}])-(?=\d)/gu, " minus ")
    .replaceAll(/(?<!\d)[.:]|[.:](?!\d)/g, " ")
    .split(/[^\p{L}\p{N}.:]+/u)
    .filter((word) => word !== "")
    .map((word) => (numbers.includes(word) ? String(numbers.indexOf(word)) : word));
}

/** The words that carry an answer: articles left out, unless nothing else is there. */
export function keyWords(text: string): string[] {
  const all = words(text);
  const kept = all.filter((word) => !articles.has(word));
  return kept.length > 0 ? kept : all;
}

/** Whether `plural` is a plural of `word`, by the regular rules of English spelling and a few irregular ones. */
function isPlural(word: string, plural: string): boolean {
  if (word.length < 3) return false;
  if (plural === `${word}s` || irregular[word] === plural) return true;
  if (/(?:s|x|z|ch|sh|o)$/.test(word) && plural === `${word}es`) return true;
  if (/[^aeiou]y$/.test(word) && plural === `${word.slice(0, -1)}ies`) return true;
  return /fe?$/.test(word) && plural === word.replace(/fe?$/, "ves");
}

/** Whether two words are the same up to the plural. */
export const sameWord = (one: string, other: string): boolean =>
  one === other ||
  // Plurals begin alike; this is a matter of speed.
  (one[0] === other[0] && !/\d/.test(one + other) && (isPlural(one, other) || isPlural(other, one)));

// From this many letters on, "ice cream" and "icecream" can be nothing but the same.
const closed = 6;

/** Whether two answers are the same up to case, articles, punctuation, accents, spacing and plural. Whole words only. */
export function sameAnswer(one: string, other: string): boolean {
  const [left, right] = [keyWords(one), keyWords(other)];
  if (left.length === 0 || right.length === 0) return false;
  if (left.length === right.length && left.every((word, index) => sameWord(word, right[index] ?? ""))) return true;
  const [whole, against] = [left.join(""), right.join("")];
  return whole.length >= closed && !/\d/.test(whole) && sameWord(whole, against);
}

/** Whether the wanted words stand in a row among the words, up to the plural. */
export const inRow = (all: readonly string[], wanted: readonly string[]): boolean =>
  wanted.length > 0 &&
  all.some((_, start) => wanted.every((word, offset) => sameWord(word, all[start + offset] ?? "")));

/** Whether the text says the phrase, as whole words in a row (up to the plural). */
export const mentions = (text: string, phrase: string): boolean => inRow(keyWords(text), keyWords(phrase));

const lead =
  /^(?:(?:well|so|then|ok|okay|hmm|i (?:think|guess|believe|would say)|maybe|perhaps|probably|my (?:final )?(?:guess|answer) is|the (?:correct |right |hidden |secret )?(?:answer|word) is|(?:this|that|it) (?:is|must be|could be|may be|might be)|its|is (?:it|this)|it['’]s|that['’]s)[\s,:]+)+/i;

/** The first sentence, without an introduction such as "I think it is" and without a reason after it. */
export function coreOf(text: string): string {
  const sentence = text.trim().split(/[.!?;](?=\s|$)|\s[-–—]\s|\s?\(|,?\s(?:because|since|as it)\s|\n/)[0] ?? "";
  return sentence.replace(lead, "").trim();
}

// "Until 19:50", "on Friday": the value with the word that leads to it in a sentence.
const preposition = /^(?:until|till|by|at|on|in|from|to)\s+/i;

// "The key is under the mat": what the sentence says of the thing asked for.
const predicate = (sentence: string): string => sentence.split(/\s(?:is|are|was|were)\s/i).at(-1) ?? "";

/**
 * Whether the text gives one of the right answers: as a whole, as its first sentence without an introduction, or as what
 * that sentence says after its last "is"; also behind a preposition ("until 19:50"). Alternatives ("a dog or a cat") are never right.
 */
export function accepts(right: readonly string[], text: string): boolean {
  const core = coreOf(text);
  const tries = [text, text.replace(lead, ""), core, predicate(core)];
  const bare = tries.map((said) => said.replace(preposition, ""));
  return right.some((answer) => [...tries, ...bare].some((said) => sameAnswer(said, answer)));
}

/** The words without each row of the wanted ones; undefined where there is none. */
function without(all: readonly string[], wanted: readonly string[]): readonly string[] | undefined {
  const start = all.findIndex((_, at) => inRow(all.slice(at, at + wanted.length), wanted));
  if (start < 0) return undefined;
  const rest = all.slice(start + wanted.length);
  return [...all.slice(0, start), ...(without(rest, wanted) ?? rest)];
}

const denials = new Set(["nobody", "no", "not", "none", "never", "neither"]);

/** The words in which a thing is told and asked for that may stand beside its value: no numbers and no denials. */
export const ownWords = (texts: readonly string[]): string[] =>
  texts.flatMap(keyWords).filter((word) => !/\d/.test(word) && !denials.has(word));

const isNumber = (all: readonly string[]): boolean => all.length === 1 && /^[\d.]+$/.test(all[0] ?? "");

/**
 * Whether the text gives one of the right answers, the first of which is the value itself, and says nothing else but words of `own`,
 * none of them a number or a denial: "880 euros a month" where "month" is asked for or told of. Another value, a denial ("not 880
 * euros") and a second guess have words that are not. The number of a value with a unit may stand alone only as the last word:
 * "880 months" is another quantity.
 */
export function acceptsWithin(right: readonly string[], text: string, own: readonly string[]): boolean {
  const said = keyWords(text.trim().replace(lead, ""));
  const known = ownWords(own);
  const hasUnit = !isNumber(keyWords(right[0] ?? ""));
  return right.some((answer) => {
    const wanted = keyWords(answer);
    const rest = without(said, wanted);
    if (!isNumber(wanted)) return rest?.every((word) => known.some((each) => sameWord(word, each)));
    // "12 trains" counts, and tells no platform: beside a number words stand as they were told.
    const last = !hasUnit || said.indexOf(wanted[0] ?? "") === said.length - 1;
    return last && rest?.every((word) => known.includes(word));
  });
}
