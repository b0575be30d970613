// docs/api is what the package exports, and every export says what it is.
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { docOf, namedBy, pages, stale, subpaths } from "../tools/api.mjs";
import { exportsOf, reader, statements } from "../tools/declarations.mjs";

const folder = fileURLToPath(new URL("../docs/api", import.meta.url));
const paths = subpaths();

/** What the first of these files exports. */
const exportedBy = (files) =>
  exportsOf(
    "/index.d.ts",
    reader((file) => files[file]),
  );
const said = (files) =>
  [...exportedBy(files)].map(([name, { parts }]) => [name, parts[0].kind, parts[0].code, docOf({ parts })]);

test("docs/api is what the declarations say (after a change: npm run build && node tools/api.mjs)", () => {
  assert.deepEqual(stale(pages(paths)), []);
});

test("every export can be imported, and every one that exists at run time is in the reference", async () => {
  for (const { name, exports: own } of paths) {
    const values = own.filter(({ parts }) => parts[0].kind !== "type").map((each) => each.name);
    assert.deepEqual(new Set(values), new Set(Object.keys(await import(name))), name);
  }
});

test("every export says what it is", () => {
  const silent = paths.flatMap(({ name, exports: own }) =>
    own.filter((each) => docOf(each) === "").map((each) => `${name}: ${each.name}`),
  );
  assert.deepEqual(silent, []);
});

test("types that signatures name are exported, from whichever path", () => {
  const unexported = paths.flatMap(({ name, named }) => named.map((each) => `${name}: ${each.name}`));
  assert.deepEqual(unexported, []);
});

test("types that signatures name and nothing exports are found, and what those name too", () => {
  const files = {
    "/index.d.ts": `import type { Bee, Cat } from "./deep.ts";\nexport declare const f: (of: Bee) => Promise<Cat>;\nexport { Cat } from "./deep.ts";`,
    "/deep.d.ts": `export type Bee = { readonly d: Dog };\nexport type Cat = 1;\ntype Dog = "Elk";\ntype Elk = 2;`,
  };
  const open = reader((file) => files[file]);
  const own = [...exportsOf("/index.d.ts", open)].map(([name, { parts, ...origin }]) => ({ name, origin, parts }));
  assert.deepEqual(
    namedBy(own, new Set(["/index.d.ts#f", "/deep.d.ts#Cat"]), open).map(({ name }) => name),
    ["Bee", "Dog"],
  );
});

test("every link of the reference leads to a heading", () => {
  const slugs = new Map();
  const texts = readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), "utf8")]);
  for (const [name, text] of texts) {
    const seen = new Map();
    for (const [, heading] of text.matchAll(/^#+ (.*)$/gm)) {
      const slug = heading
        .toLowerCase()
        .replace(/[^\w -]/g, "")
        .replaceAll(" ", "-");
      const before = seen.get(slug) ?? 0;
      seen.set(slug, before + 1);
      slugs.set(`${name}#${before === 0 ? slug : `${slug}-${before}`}`, true);
    }
  }
  for (const [name, text] of texts)
    for (const [, page, anchor] of text.matchAll(/\]\(([\w.-]*)#([^)]+)\)/g))
      assert.ok(slugs.has(`${page === "" ? name : page}#${anchor}`), `${name} links to ${page}#${anchor}`);
});

test("a page that changed, is missing or is of no path is named", () => {
  const at = mkdtempSync(join(tmpdir(), "duplex-stale-"));
  try {
    for (const name of ["same.md", "changed.md", "gone.md"]) writeFileSync(join(at, name), name);
    const wanted = new Map([
      ["same.md", "same.md"],
      ["changed.md", "new"],
      ["missing.md", ""],
    ]);
    assert.deepEqual(stale(wanted, at), ["changed.md", "missing.md", "gone.md"]);
  } finally {
    rmSync(at, { recursive: true, force: true });
  }
});

test("exports are followed through lists, stars, imports and other names", () => {
  const files = {
    "/index.d.ts": `export { a, type B as Other } from "./one.ts";\nexport * from "./two/index.js";\nexport type * from './three.ts';`,
    "/one.d.ts": `import { a } from "./deep.ts";\nimport type { C as B } from "./deep.ts";\nexport { a };\nexport type { B };`,
    "/deep.d.ts": `/** A. */\nexport declare const a: <T>(of: T) => T;\n/** C. */\ntype C = 1;\nexport type { C };\nexport {};`,
    "/two/index.d.ts": `/** D. */\nexport declare class D {\n    #private;\n    get on(): {\n        a: 1;\n    };\n}`,
    "/three.d.ts": `/** E. */\nexport interface E {\n    a: ";}";\n}\n/** F. */\nexport declare const f = "a;b";`,
  };
  assert.deepEqual(said(files), [
    ["a", "function", "const a: <T>(of: T) => T;", "A."],
    ["Other", "type", "type C = 1;", "C."],
    ["D", "class", "class D {\n    #private;\n    get on(): {\n        a: 1;\n    };\n}", "D."],
    ["E", "type", 'interface E {\n    a: ";}";\n}', "E."],
    ["f", "value", 'const f = "a;b";', "F."],
  ]);
});

test("overloads are one export, and only the comment right before a statement is its docstring", () => {
  const text = `/** Of the file. */\nimport "./x.ts";\nexport declare function f(a: 1): 1;\n/** Two. */\nexport declare function f(a: 2): 2;`;
  const [[, f]] = exportedBy({ "/index.d.ts": text });
  assert.deepEqual(
    f.parts.map(({ doc }) => doc),
    ["", "Two."],
  );
  assert.equal(docOf(f), "Two.");
});

test("comments, strings and templates hide brackets and semicolons", () => {
  const text = `/**\n * Two\n * lines { ;\n *\n * and a third.\n */\ntype A = \`\${string};{\`; // ; }\ntype B = /* ; */ "\\";";`;
  assert.deepEqual(statements(text), [
    { code: "type A = `${string};{`;", doc: "Two\nlines { ;\n\nand a third." },
    { code: 'type B = /* ; */ "\\";";', doc: "" },
  ]);
});

test("what is exported and nowhere declared, or by another package, is an error", () => {
  assert.throws(() => exportedBy({ "/index.d.ts": "export { a };" }), /a is exported, and not found/);
  assert.throws(() => exportedBy({ "/index.d.ts": 'export { a } from "other";' }), /exports of another package/);
  assert.throws(() => exportedBy({ "/index.d.ts": "export default 1;" }), /cannot read/);
  assert.throws(() => statements("type A = {"), /no end/);
});
