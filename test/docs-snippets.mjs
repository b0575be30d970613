// The fenced blocks of the pages for users, as programs and as command lines.
//
// Comments before a fence say how to take it:
//   <!-- not run: WHY -->   compiled, or its options looked up, and no more
//   <!-- goes on -->        the program above goes on here
//   <!-- with: model -->    these names of docs-givens.mjs are imported; or a file's name: it is there; or `server`
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const notForUsers = new Set(["LOG.md"]);

/** What the comments right before a line say; blank lines may be between. */
function saidBefore(lines, at) {
  const said = {};
  for (let before = at - 1; before >= 0; before--) {
    const [, key, value] = /^<!-- (not run|goes on|with):? ?(.*?) -->$/.exec(lines[before]) ?? [];
    if (key !== undefined) said[key] = value;
    else if (lines[before].trim() !== "") break;
  }
  return { why: said["not run"], goesOn: "goes on" in said, given: said.with?.split(", ") ?? [] };
}

/** The blocks of a page: language, code, the line of its first line of code, and the comment before it. */
export function blocksOf(text, page) {
  const lines = text.split("\n");
  const blocks = [];
  for (let at = 0; at < lines.length; at++) {
    const open = /^```(\w*)\s*$/.exec(lines[at]);
    if (open === null) continue;
    const end = lines.findIndex((line, index) => index > at && /^```\s*$/.test(line));
    if (end === -1) throw new Error(`${page}:${at + 1}: a fence is not closed`);
    const code = lines.slice(at + 1, end).join("\n");
    blocks.push({ page, language: open[1], line: at + 2, code, ...saidBefore(lines, at) });
    at = end;
  }
  return blocks;
}

/** All blocks of README.md and docs/*.md. */
export function pagesOf(root) {
  const names = readdirSync(join(root, "docs")).filter((name) => name.endsWith(".md") && !notForUsers.has(name));
  return ["README.md", ...names.map((name) => `docs/${name}`)].flatMap((page) =>
    blocksOf(readFileSync(join(root, page), "utf8"), page),
  );
}

/** Programs of the blocks: a name for a file, and the text with every line where the page has it, so that errors name it. */
export function programsOf(blocks) {
  const programs = [];
  for (const { page, language, line, code, why, goesOn, given } of blocks) {
    if (language !== "ts" && language !== "js") continue;
    const last = programs.at(-1);
    if (goesOn) {
      if (last?.page !== page) throw new Error(`${page}:${line}: there is nothing to go on from`);
      last.text = `${last.text}${"\n".repeat(line - last.text.split("\n").length)}${code}`;
      continue;
    }
    const names = given.filter((name) => name !== "server");
    const prelude = names.length === 0 ? "" : `import { ${names.join(", ")} } from "./docs-givens.mjs";`;
    const file = `${page.replace(/^docs\//, "").replace(/\.md$/, "")}-${line}.${language}`;
    programs.push({ page, line, file, code, why, given, text: `${prelude}${"\n".repeat(line - 1)}${code}` });
  }
  return programs;
}

/** The command lines of a shell block: continuations joined, comments dropped, each with its line. */
export function commandsOf({ page, line, code, why, given }) {
  const commands = [];
  let open = "";
  let start = 0;
  for (const [index, text] of code.split("\n").entries()) {
    if (open === "") start = line + index;
    const whole = `${open}${text.trim()}`.replace(/("(?:\\.|[^"\\])*"|'[^']*')|(?:^|\s+)#\s.*$/g, "$1");
    const inQuotes = (whole.replace(/\\.|"(\\.|[^"\\])*"|'[^']*'/gs, "").match(/["']/g) ?? []).length % 2 === 1;
    open = whole.endsWith("\\") && !inQuotes ? `${whole.slice(0, -1)} ` : inQuotes ? `${whole}\n` : "";
    if (open !== "" || whole === "") continue;
    commands.push({ page, line: start, text: whole, why, given });
  }
  return commands;
}

/** Why a command line is not run here; undefined where it is. */
export function whyNot({ text, why }) {
  const reasons = [
    [/\bopenai:/, "needs a provider's API"],
    [/\bllama:|--base /, "needs a local model"],
    [/\b(ear|finetuned):/, "needs a trained listener"],
    [/^(npm|npx) /, "installs"],
    [/\b(inspect eval|lm_eval|pip)\b/, "is Python's"],
    [/\bduplex (serve|simulate|demo)\b/, "serves until it is stopped"],
    [/\bduplex view (?!.* -o )/, "opens a browser"],
    [/\bduplex models\b(?! list)/, "fetches models"],
  ];
  return why ?? reasons.find(([pattern]) => pattern.test(text))?.[1];
}

/** A command line on less, and with a model that nobody has to wait for: what it prints is not what is tested. */
export const lessOf = (text) =>
  text
    .replace(/\b(run|compare|measure)\b(.*--model) simulated(?= |$)/g, "$1$2 simulated:ttft=1,decode=100000")
    .replace(/--samples \d+/g, "--samples 8")
    .replace(/\bduplex eval(?!.*--samples).*?(?= && | > |$)/g, "$& --samples 8")
    .replace(/\bduplex experiment(?!.*--items).*?(?= && |$)/g, "$& --items 2");

/** A program on less. */
export const lessOfProgram = (text) =>
  text.replace(/\b(sumItems\(|size: )\d+/g, "$14").replace(/\bbudget: [\d_]+/g, "budget: 20_000");

/** The words of a command line; quotes are taken off. */
export const wordsOf = (text) =>
  [...text.matchAll(/"((?:[^"\\]|\\.)*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, bare]) => double ?? single ?? bare,
  );
