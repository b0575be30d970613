// `node tools/api.mjs`: writes docs/api, the reference of all that the package exports, from the declarations in dist.
// With `--check` nothing is written: exits with 1 and names the pages that are not what the declarations say.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { exportsOf, meaningOf, proseOf, reader } from "./declarations.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = join(root, "docs", "api");
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

const sections = [
  ["Functions", "function"],
  ["Classes", "class"],
  ["Values", "value"],
  ["Types", "type"],
  ["Named in signatures, not exported", "named"],
];

const keyOf = ({ file, name }) => `${file}#${name}`;

/** Types that the signatures of these exports name, and that nothing exports; in the order in which they are met. */
export function namedBy(own, exported, open) {
  const found = new Map();
  const queue = [...own];
  for (const { origin, parts } of queue)
    for (const [name] of parts.flatMap(({ code }) => [...code.replace(notCode, "").matchAll(/(?<![.\w$])[A-Z]\w+/g)])) {
      const meaning = meaningOf(name, origin.file, open);
      if (meaning?.parts[0].kind !== "type" || exported.has(keyOf(meaning)) || found.has(keyOf(meaning))) continue;
      const { parts: declared, ...where } = meaning;
      const each = { name: where.name, origin: where, parts: declared.map((part) => ({ ...part, kind: "named" })) };
      found.set(keyOf(meaning), each);
      queue.push(each);
    }
  return [...found.values()];
}

const notCode = /\/\*[\s\S]*?\*\/|"[^"\n]*"/g;

/** What a source file says of itself in its first lines. */
function headOf(file) {
  const source = readFileSync(join(root, "src", relative(join(root, "dist"), file)), "utf8");
  const [block] = /^\/\*\*[\s\S]*?\*\//.exec(source) ?? [];
  if (block !== undefined) return proseOf(block);
  const lines = source.split("\n");
  const end = lines.findIndex((line) => !line.startsWith("//"));
  return lines
    .slice(0, end)
    .map((line) => line.slice(2).trim())
    .join(" ");
}

/** Every path of the package that can be imported, with what it exports, and what that names. */
export function subpaths() {
  const open = reader();
  const paths = Object.entries(manifest.exports)
    .filter(([, target]) => typeof target !== "string")
    .map(([path, { types }]) => ({
      name: path.replace(".", manifest.name),
      page: `${path === "." ? manifest.name : path.slice(2).replaceAll("/", "-")}.md`,
      about: headOf(join(root, types.replace(/\.d\.ts$/, ".ts"))),
      exports: [...exportsOf(join(root, types), open)].map(([name, { parts, ...origin }]) => ({ name, origin, parts })),
    }));
  const exported = new Set(paths.flatMap((path) => path.exports.map(({ origin }) => keyOf(origin))));
  return paths.map((path) => ({ ...path, named: namedBy(path.exports, exported, open) }));
}

/** The sentences of an export: those of its first declaration that has some. */
export const docOf = ({ parts }) => parts.find(({ doc }) => doc !== "")?.doc ?? "";

const codeOf = ({ name, origin, parts }) =>
  parts
    .map(({ code }) => code.replace(/^\s*(#private|private [^;]*);\n/gm, ""))
    .map((code) => (name === origin.name ? code : code.replace(origin.name, name)))
    .join("\n");

/** The parts of a page: what is exported, by kind. */
const groupsOf = (path) =>
  sections
    .map(([title, kind]) => ({
      title,
      own: [...path.exports, ...path.named].filter(({ parts }) => parts[0].kind === kind),
    }))
    .filter(({ own }) => own.length > 0);

/** The anchors that GitHub gives the headings of a page, by what they are about: a second `budget`, of whatever case, is `budget-1`. */
function anchorsOf(path) {
  const seen = new Map();
  const found = new Map();
  const groups = groupsOf(path).flatMap((group) => [
    [group, group.title],
    ...group.own.map((each) => [each, each.name]),
  ]);
  for (const [about, heading] of [[path, path.name], ...groups]) {
    const slug = heading.toLowerCase().replace(/[/,]/g, "").replaceAll(" ", "-");
    const before = seen.get(slug) ?? 0;
    seen.set(slug, before + 1);
    found.set(about, before === 0 ? slug : `${slug}-${before}`);
  }
  return found;
}

/** What is exported by several paths is told at the first of them. */
function homes(paths) {
  const found = new Map();
  for (const path of paths) {
    const anchors = anchorsOf(path);
    for (const each of [...path.exports, ...path.named])
      if (!found.has(keyOf(each.origin)))
        found.set(keyOf(each.origin), { path, link: `${path.page}#${anchors.get(each)}` });
  }
  return ({ origin }) => found.get(keyOf(origin));
}

function entry(each, path, home) {
  if (home.path !== path) return `### ${each.name}\n\nThat of [${home.path.name}](${home.link}).\n`;
  return [`### ${each.name}\n`, `${docOf(each)}\n`, `\`\`\`ts\n${codeOf(each)}\n\`\`\`\n`]
    .filter((part) => part !== "\n")
    .join("\n");
}

function pageOf(path, homeOf) {
  const lines = [`# ${path.name}\n`, `${path.about}\n`];
  const groups = groupsOf(path);
  const anchors = anchorsOf(path);
  for (const { title, own } of groups)
    lines.push(`**${title}:** ${own.map((each) => `[${each.name}](#${anchors.get(each)})`).join(", ")}\n`);
  for (const { title, own } of groups)
    lines.push(`## ${title}\n`, ...own.map((each) => entry(each, path, homeOf(each))));
  return lines.join("\n");
}

function indexOf(paths) {
  const rows = paths.map(
    ({ name, page, about, exports: own }) =>
      `| [\`${name}\`](${page}) | ${about.replaceAll("\n", " ")} | ${own.length} |`,
  );
  return [
    "# Reference\n",
    "All that the package exports, generated from the docstrings in the source by `node tools/api.mjs` after a build. Begin",
    "with [what you want to do](../README.md) or with [programs](../library.md).\n",
    "| import | what | exports |\n|---|---|---|",
    `${rows.join("\n")}\n`,
  ].join("\n");
}

/** The pages by name, formatted as the rest of the tree. */
export function pages(paths = subpaths()) {
  const written = mkdtempSync(join(tmpdir(), "duplex-api-"));
  try {
    const homeOf = homes(paths);
    for (const path of paths) writeFileSync(join(written, path.page), pageOf(path, homeOf));
    writeFileSync(join(written, "README.md"), indexOf(paths));
    const formatter = join(root, "node_modules", ".bin", "oxfmt");
    const { status, stderr } = spawnSync(formatter, ["-c", join(root, ".oxfmtrc.json"), written], { encoding: "utf8" });
    if (status !== 0) throw new Error(`oxfmt: ${stderr}`);
    return new Map(readdirSync(written).map((name) => [name, readFileSync(join(written, name), "utf8")]));
  } finally {
    rmSync(written, { recursive: true, force: true });
  }
}

/** Names of the pages that are missing, changed, or of a path that is no more. */
export function stale(wanted, at = folder) {
  const there = new Set(readdirSync(at, { withFileTypes: true }).map(({ name }) => name));
  const changed = [...wanted].filter(
    ([name, text]) => !there.has(name) || readFileSync(join(at, name), "utf8") !== text,
  );
  return [...changed.map(([name]) => name), ...[...there].filter((name) => !wanted.has(name))];
}

function main(check) {
  const wanted = pages();
  if (check) {
    const old = stale(wanted);
    if (old.length === 0) return;
    console.error(`docs/api is not what dist says (${old.join(", ")}): run \`npm run build && node tools/api.mjs\``);
    process.exitCode = 1;
    return;
  }
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of wanted) writeFileSync(join(folder, name), text);
  console.log(`${wanted.size} pages in docs/api`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main(process.argv.includes("--check"));
