import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { makeFolder } from "./folder.ts";

let folder = "";
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "duplex-folder-"));
});
after(() => rm(folder, { recursive: true }));

test("a folder is made with those above it, by many at once, and again", async () => {
  const path = join(folder, "a", "b", "c");
  await Promise.all([makeFolder(path), makeFolder(path), makeFolder(join(folder, "a", "d"))]);
  await makeFolder(path);
  assert.ok((await stat(path)).isDirectory());
});

test("a folder that cannot be made is refused at once", async () => {
  await writeFile(join(folder, "file"), "");
  await assert.rejects(makeFolder(join(folder, "file")), { code: "EEXIST" });
  await assert.rejects(makeFolder(join(folder, "file", "below")), { code: /^(?:ENOTDIR|EEXIST)$/ });
  // Node's own way to make it never ends.
  if (existsSync("/proc/self")) await assert.rejects(makeFolder("/proc/nothing/below"), { code: "ENOENT" });
});
