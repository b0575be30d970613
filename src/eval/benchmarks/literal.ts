// Python's literals: read, and written so that what Python calls equal is the same text. Nothing is computed.

/** A text that is no literal. */
export class NoLiteral extends Error {
  override readonly name = "NoLiteral";
}

type Reading = { readonly text: string; at: number; depth: number };

const deepest = 200;
const longest = 4_000_000;

const number =
  /[+-]?(?:0[xX][0-9a-fA-F_]+|0[oO][0-7_]+|0[bB][01_]+|(?:\d[\d_]*\.?(?:\d[\d_]*)?|\.\d[\d_]*)(?:[eE][+-]?\d+)?)/y;
const word = /[A-Za-z_]\w*/y;
const space = /(?:\s|#[^\n]*(?:\n|$)|\\\n)*/y;
const closers: Readonly<Record<string, string>> = { "[": "]", "(": ")", "{": "}" };
const escapes: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  "0": "\0",
  a: "\x07",
  b: "\b",
  f: "\f",
  v: "\v",
  "\\": "\\",
  "'": "'",
  '"': '"',
  "\n": "",
};

function skip(reading: Reading): void {
  space.lastIndex = reading.at;
  space.exec(reading.text);
  reading.at = space.lastIndex;
}

function matched(reading: Reading, pattern: RegExp): string | undefined {
  pattern.lastIndex = reading.at;
  const found = pattern.exec(reading.text)?.[0];
  if (found !== undefined) reading.at += found.length;
  return found;
}

/** Numbers that are equal have the same key, whether whole or not: 1, 1.0 and True. */
function numberKey(text: string): string {
  const plain = text.replaceAll("_", "").toLowerCase();
  const sign = plain.startsWith("-") ? -1 : 1;
  const size = plain.replace(/^[+-]/, "");
  if (/^0[xob]/.test(size) || /^\d+$/.test(size)) {
    const whole = BigInt(/^\d+$/.test(size) ? size.replace(/^0+(?=\d)/, "") : size);
    return String(sign < 0 ? -whole : whole);
  }
  return floatKey(sign * Number(size));
}

function floatKey(value: number): string {
  if (Number.isInteger(value)) return String(BigInt(value));
  return String(value);
}

const stringStart = /([rRbBuU]{0,2})("""|'''|"|')/y;
const codes = /x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-7]{1,3}/y;

function escaped(reading: Reading): string {
  const code = matched(reading, codes);
  if (code !== undefined) {
    const point = /^[xuU]/.test(code) ? Number.parseInt(code.slice(1), 16) : Number.parseInt(code, 8);
    if (point > 0x10ffff) throw new NoLiteral("there is no such character");
    return String.fromCodePoint(point);
  }
  const sign = reading.text[reading.at++] ?? "";
  return escapes[sign] ?? `\\${sign}`;
}

function oneString(reading: Reading): { readonly value: string; readonly bytes: boolean } | undefined {
  stringStart.lastIndex = reading.at;
  const start = stringStart.exec(reading.text);
  if (start === null) return undefined;
  const [whole, prefix = "", quote = ""] = start;
  reading.at += whole.length;
  const raw = /r/i.test(prefix);
  const parts: string[] = [];
  while (!reading.text.startsWith(quote, reading.at)) {
    const sign = reading.text[reading.at++];
    if (sign === undefined || (sign === "\n" && quote.length === 1)) throw new NoLiteral("a text does not end");
    if (sign !== "\\") parts.push(sign);
    else if (raw) parts.push(sign, reading.text[reading.at++] ?? "");
    else parts.push(escaped(reading));
  }
  reading.at += quote.length;
  return { value: parts.join(""), bytes: /b/i.test(prefix) };
}

/** One text, or several side by side, which Python joins. */
function stringKey(reading: Reading): string | undefined {
  const first = oneString(reading);
  if (first === undefined) return undefined;
  let { value } = first;
  for (;;) {
    skip(reading);
    const next = oneString(reading);
    if (next === undefined) return `${first.bytes ? "b" : ""}${JSON.stringify(value)}`;
    if (next.bytes !== first.bytes) throw new NoLiteral("texts and bytes do not mix");
    value += next.value;
  }
}

/** Items up to the closing bracket; whether the last was followed by a comma, and whether they are pairs. */
function items(
  reading: Reading,
  close: string,
): { readonly keys: string[]; readonly comma: boolean; readonly pairs: boolean } {
  const keys: string[] = [];
  let [comma, pairs] = [false, false];
  for (;;) {
    skip(reading);
    if (reading.text.startsWith(close, reading.at)) break;
    if (keys.length > 0 && !comma) throw new NoLiteral(`"${close}" is missing`);
    const key = valueKey(reading);
    skip(reading);
    if (close === "}" && reading.text[reading.at] === ":") {
      if (keys.length > 0 && !pairs) throw new NoLiteral("a set has no pairs");
      pairs = true;
      reading.at++;
      keys.push(`${key}: ${valueKey(reading)}`);
    } else {
      if (pairs) throw new NoLiteral("a pair is missing its value");
      keys.push(key);
    }
    skip(reading);
    comma = reading.text[reading.at] === ",";
    if (comma) reading.at++;
  }
  reading.at += close.length;
  return { keys, comma, pairs };
}

/** Of pairs with one key, Python keeps the last. */
function pairsKey(pairs: readonly string[]): string {
  const kept = new Map(pairs.map((pair) => [pair.slice(0, splitAt(pair)), pair]));
  return `{${[...kept.values()].toSorted().join(", ")}}`;
}

/** Where a pair's key ends: after a text in quotes, or at the first colon outside of brackets. */
function splitAt(pair: string): number {
  if (/^b?"/.test(pair)) return /^b?"(?:[^"\\]|\\.)*"/.exec(pair)?.[0].length ?? 0;
  let depth = 0;
  for (let at = 0; at < pair.length; at++) {
    const sign = pair[at] as string;
    if ("([{".includes(sign)) depth++;
    else if (")]}".includes(sign)) depth--;
    else if (sign === ":" && depth === 0) return at;
  }
  return pair.length;
}

function bracketKey(reading: Reading, open: string): string {
  if (++reading.depth > deepest) throw new NoLiteral("it is nested too deeply");
  reading.at++;
  const { keys, comma, pairs } = items(reading, closers[open] ?? "");
  reading.depth--;
  if (open === "[") return `[${keys.join(", ")}]`;
  if (open === "(") return keys.length === 1 && !comma ? (keys[0] ?? "") : `(${keys.join(", ")})`;
  if (pairs || keys.length === 0) return pairsKey(keys);
  return `set(${[...new Set(keys)].toSorted().join(", ")})`;
}

const named: Readonly<Record<string, string>> = { True: "1", False: "0", None: "None", inf: "Infinity", nan: "NaN" };
const calls: Readonly<Record<string, (inner: string) => string | undefined>> = {
  set: (inner) => (inner === "()" ? "set()" : undefined),
  frozenset: (inner) => (inner === "()" ? "set()" : undefined),
  dict: (inner) => (inner === "()" ? "{}" : undefined),
  list: (inner) => (inner === "()" ? "[]" : undefined),
  tuple: (inner) => (inner === "()" ? "()" : undefined),
  str: (inner) => (inner === "()" ? '""' : undefined),
  float: (inner) => ({ '"inf"': "Infinity", '"-inf"': "-Infinity", '"nan"': "NaN" })[inner],
};

function wordKey(reading: Reading, name: string): string {
  const known = named[name];
  if (known !== undefined) return known;
  const call = calls[name];
  if (call === undefined || reading.text[reading.at] !== "(") throw new NoLiteral(`${name} is no literal`);
  const result = call(valueKey(reading));
  if (result === undefined) throw new NoLiteral(`${name}(…) is no literal`);
  return result;
}

function valueKey(reading: Reading): string {
  skip(reading);
  const sign = reading.text[reading.at] ?? "";
  if (Object.hasOwn(closers, sign)) return bracketKey(reading, sign);
  const text = stringKey(reading);
  if (text !== undefined) return text;
  const digits = matched(reading, number);
  if (digits !== undefined && /\d/.test(digits)) return numberKey(digits);
  if (sign === "-" && reading.text.startsWith("inf", reading.at + 1)) {
    reading.at += 4;
    return "-Infinity";
  }
  const name = matched(reading, word);
  if (name === undefined) throw new NoLiteral("it is no literal");
  return wordKey(reading, name);
}

/** A literal as a text that is the same for all that Python calls equal to it. Throws `NoLiteral`. */
export function literalKey(text: string): string {
  if (text.length > longest) throw new NoLiteral("it is too long");
  const reading = { text: text.trim(), at: 0, depth: 0 };
  const keys = [valueKey(reading)];
  // Without brackets, commas make a tuple.
  let comma = false;
  for (;;) {
    skip(reading);
    if (reading.at >= reading.text.length) break;
    if (reading.text[reading.at] !== ",") throw new NoLiteral("something follows it");
    reading.at++;
    comma = true;
    skip(reading);
    if (reading.at < reading.text.length) keys.push(valueKey(reading));
  }
  return comma ? `(${keys.join(", ")})` : (keys[0] ?? "");
}

/** The key of a JSON text; whole numbers of any size stay exact. Throws `NoLiteral`. */
export function jsonTextKey(text: string): string {
  JSON.parse(text);
  // JSON's texts, numbers and brackets are Python's; its three words are not.
  const python = text.replaceAll(/"(?:[^"\\]|\\.)*"|\b(?:true|false|null)\b/g, (found) => {
    if (found.startsWith('"')) return found.replaceAll("\\/", "/");
    return found === "null" ? "None" : found === "true" ? "True" : "False";
  });
  return literalKey(python);
}
