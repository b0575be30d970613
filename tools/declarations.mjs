// What a package exports, read from its emitted .d.ts files: names, docstrings, signatures. Knows what the compiler emits,
// not all of TypeScript, and throws where it meets something else.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

const opening = "([{";
const closing = ")]}";

/** Where the comment, string or template that begins here ends; `at` itself where none begins. */
function skipped(text, at) {
  const to = (mark, from) => {
    const end = text.indexOf(mark, from);
    if (end === -1) throw new Error(`unclosed at ${at}: ${text.slice(at, at + 40)}`);
    return end + mark.length;
  };
  if (text.startsWith("//", at)) return text.includes("\n", at) ? to("\n", at) : text.length;
  if (text.startsWith("/*", at)) return to("*/", at + 2);
  const quote = text[at];
  if (quote !== '"' && quote !== "'" && quote !== "`") return at;
  let end = at + 1;
  while (end < text.length && text[end] !== quote) end += text[end] === "\\" ? 2 : 1;
  return end + 1;
}

const endsWithBrace = /^(export )?(declare )?(default )?(abstract )?(interface|class|namespace|module|global)\b/;

/** Where the statement that begins here ends: behind its semicolon, or the brace of an interface or a class. */
function statementEnd(text, from) {
  const braced = endsWithBrace.test(text.slice(from, from + 80));
  let depth = 0;
  for (let at = from; at < text.length;) {
    const next = skipped(text, at);
    if (next > at) {
      at = next;
      continue;
    }
    if (opening.includes(text[at])) depth++;
    if (closing.includes(text[at])) depth--;
    at++;
    if (depth === 0 && (text[at - 1] === ";" || (braced && text[at - 1] === "}"))) return at;
  }
  throw new Error(`no end: ${text.slice(from, from + 60)}`);
}

/** The statements of a declaration file, each with the `/** … *\/` right before it. */
export function statements(text) {
  const found = [];
  let comment;
  for (let at = 0; at < text.length;) {
    if (/\s/.test(text[at])) {
      at++;
      continue;
    }
    if (text.startsWith("//", at) || text.startsWith("/*", at)) {
      const end = skipped(text, at);
      if (text.startsWith("/**", at)) comment = text.slice(at, end);
      at = end;
      continue;
    }
    const end = statementEnd(text, at);
    found.push({ code: text.slice(at, end), doc: comment === undefined ? "" : proseOf(comment) });
    comment = undefined;
    at = end;
  }
  return found;
}

/** The words of a docstring, its lines joined but for empty ones. */
export const proseOf = (comment) =>
  comment
    .slice(3, -2)
    .split("\n")
    .map((line) => line.replace(/^\s*\*? ?/, "").trimEnd())
    .join("\n")
    .trim();

const declared =
  /^(export )?(default )?(declare )?(abstract )?(function|const|let|class|interface|type|enum|namespace) ([\w$]+)/;
const reExport = /^export (?:type )?(\*|\{[^}]*\})\s*(?:from\s*(["'])(.*?)\2)?;$/s;

/** `A, type B as C` as pairs of the name there and the name here. */
const specifiers = (list) =>
  list
    .slice(1, -1)
    .split(",")
    .map((each) => each.trim().replace(/^type /, ""))
    .filter((each) => each !== "")
    .map((each) => {
      const [there, here] = each.split(/\s+as\s+/);
      return { there, here: here ?? there };
    });

/** Files as `./x.ts` or `./x.js` names them, where the compiler has put their declarations. */
const declarationsOf = (file, specifier) => {
  if (!specifier.startsWith(".")) throw new Error(`${file}: exports of another package, ${specifier}`);
  return join(dirname(file), specifier.replace(/\.[jt]s$/, ".d.ts"));
};

/** Reads each file once. */
export function reader(read = (file) => readFileSync(file, "utf8")) {
  const files = new Map();
  return (file) => {
    if (!files.has(file)) files.set(file, statements(read(file)));
    return files.get(file);
  };
}

const kindOf = (keyword, code) => {
  if (keyword === "function" || keyword === "class") return keyword;
  if (keyword === "type" || keyword === "interface") return "type";
  if (keyword !== "const") throw new Error(`an export of a kind that is not known: ${code.slice(0, 60)}`);
  return /^const [\w$]+: (<|\()/.test(code) ? "function" : "value";
};

/** The statements of a file that declare a name, exported or not. */
function declarations(found, name) {
  const own = found.filter(({ code }) => declared.exec(code)?.[6] === name);
  return own.map(({ code, doc }) => {
    const bare = code.replace(/^export /, "").replace(/^(default )?declare /, "");
    return { code: bare, doc, kind: kindOf(declared.exec(code)[5], bare) };
  });
}

const imported = /^import (?:type )?(\{[^}]*\})\s*from\s*(["'])(.*?)\2;$/s;

/** What a name is within a file: declared there, or imported from another file of the package; undefined for all else. */
export function meaningOf(name, file, open = reader()) {
  const parts = declarations(open(file), name);
  if (parts.length > 0) return { name, file, parts };
  for (const { code } of open(file)) {
    const [, list, , from] = imported.exec(code) ?? [];
    const there = list === undefined ? undefined : specifiers(list).find(({ here }) => here === name)?.there;
    if (there !== undefined && from.startsWith(".")) return exportsOf(declarationsOf(file, from), open).get(there);
  }
  return undefined;
}

/** What `export … from` or `export { … }` gives, as pairs of a name here and what it is. */
function passedOn(file, [what, from], open) {
  const there = from === undefined ? undefined : exportsOf(declarationsOf(file, from), open);
  if (what === "*") return [...there];
  return specifiers(what).map(({ there: name, here }) => {
    const own = there === undefined ? meaningOf(name, file, open) : there.get(name);
    if (own === undefined) throw new Error(`${file}: ${name} is exported, and not found in ${from ?? "it"}`);
    return [here, own];
  });
}

/** What a file exports: for each name its file, its name there and its declarations, in the order of the file. */
export function exportsOf(file, open = reader()) {
  const found = new Map();
  for (const { code } of open(file)) {
    if (!code.startsWith("export ")) continue;
    const [, what, , from] = reExport.exec(code) ?? [];
    const name = declared.exec(code)?.[6];
    if (what === undefined && name === undefined) throw new Error(`${file}: cannot read ${code.slice(0, 60)}`);
    if (what === undefined) found.set(name, { name, file, parts: declarations(open(file), name) });
    else for (const [here, own] of passedOn(file, [what, from], open)) found.set(here, own);
  }
  return found;
}
