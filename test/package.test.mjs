// The package as its users get it: packed, installed in an empty project, imported by every subpath.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const root = fileURLToPath(new URL("..", import.meta.url));
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const call = promisify(execFile);
const bin = (name) => join(root, "node_modules", ".bin", name);
const snippetOf = (text) => /#region snippet\n([\s\S]*?)\/\/ #endregion/.exec(text)?.[1] ?? "";

suite("the packed package", () => {
  let folder;
  let tarball;
  let packed;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "duplex-package-"));
    const { stdout } = await call("npm", ["pack", "--json", "--pack-destination", folder], { cwd: root });
    [packed] = Object.values(JSON.parse(stdout));
    tarball = join(folder, packed.filename);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  test("holds what users need, and neither tests nor lists of development mirrors", () => {
    const files = packed.files.map(({ path }) => path);
    for (const needed of [
      "LICENSE",
      "README.md",
      "CHANGELOG.md",
      "dist/index.js",
      "dist/index.d.ts",
      "dist/cli/main.js",
    ])
      assert.ok(files.includes(needed), needed);
    assert.deepEqual(
      files.filter((path) => /\.test\.|fixture|mirrors\.json|^src\//.test(path)),
      [],
    );
  });

  test("publint and attw find nothing wrong with its manifest and types", async () => {
    await call(bin("publint"), ["run", tarball, "--strict"], { cwd: root });
    await call(bin("attw"), [tarball, "--profile", "esm-only", "--format", "ascii"], { cwd: root });
  });

  test("runs the README's snippet in an empty project, and every subpath loads", async () => {
    writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "empty", private: true, type: "module" }));
    await call("npm", ["install", "--no-audit", "--no-fund", "--omit=optional", "--omit=peer", tarball], {
      cwd: folder,
    });
    writeFileSync(join(folder, "snippet.mjs"), snippetOf(readFileSync(join(root, "examples/chain.mjs"), "utf8")));
    const { stdout } = await call(process.execPath, ["snippet.mjs"], { cwd: folder });
    assert.match(stdout, /\d ms {2}reviewer: Step 1[\s\S]*times as fast as one after the other/);
    const subpaths = Object.keys(manifest.exports).filter((path) => !path.endsWith(".json"));
    const imports = subpaths.map((path) => `await import("${path.replace(".", manifest.name)}");`).join("\n");
    writeFileSync(join(folder, "all.mjs"), imports);
    await call(process.execPath, ["all.mjs"], { cwd: folder });
    const version = await call(join(folder, "node_modules", ".bin", "duplex"), ["--version"], { cwd: folder });
    assert.equal(version.stdout.trim(), manifest.version);
  });
});

test("the README's snippet is the example's", () => {
  const readme = readFileSync(join(root, "README.md"), "utf8");
  assert.ok(readme.includes(snippetOf(readFileSync(join(root, "examples/chain.mjs"), "utf8"))));
});
