// docs/frameworks.md shows what the examples run.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const page = readFileSync(join(root, "docs/frameworks.md"), "utf8");
const examples = [...page.matchAll(/\]\(\.\.\/examples\/([\w-]+\.mjs)\)/g)].map(([, name]) => name);

test("every program on the page of frameworks is a region of an example, and each example linked there exists", () => {
  const regions = examples.map((name) => {
    const text = readFileSync(join(root, "examples", name), "utf8");
    return /#region snippet\n([\s\S]*?)\/\/ #endregion/.exec(text)?.[1]?.trimEnd();
  });
  const programs = [...page.matchAll(/```js\n([\s\S]*?)\n```/g)].map(([, code]) => code);
  assert.ok(programs.length >= 5);
  for (const program of programs) assert.ok(regions.includes(program), program.slice(0, 200));
});

test("examples are at most 80 lines", () => {
  for (const name of examples) {
    const lines = readFileSync(join(root, "examples", name), "utf8")
      .trimEnd()
      .split("\n").length;
    assert.ok(lines <= 80, `${name} has ${lines} lines`);
  }
});

test("links of the page of frameworks lead to files", () => {
  for (const [, path] of page.matchAll(/\]\((?!https?:)([^)#]+)[^)]*\)/g))
    assert.ok(existsSync(join(root, "docs", path)), path);
});
