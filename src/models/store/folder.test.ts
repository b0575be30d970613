import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { makeFolder, openFolder } from "./folder.ts";

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

test("a folder of our own is one that is new, empty, or has our journal; what others have put somewhere is named", async () => {
  const path = join(folder, "own");
  const own = { journal: "journal.json", what: "lesson", place: "--out own" };
  await openFolder(path, own);
  for (const name of [".gitignore", "journal.json", "journal.json.new"]) await writeFile(join(path, name), "");
  await openFolder(path, own);
  await mkdir(join(path, "zoo"));
  await writeFile(join(path, "letter.txt"), "");
  await assert.rejects(openFolder(path, own), {
    message: '--out own: holds "letter.txt", which is not of this lesson; name a new or an empty folder',
  });
  await writeFile(join(path, "journal.json"), "{}");
  await openFolder(path, own);
  await assert.rejects(openFolder(join(path, "letter.txt"), own), { message: "--out own: cannot be made (EEXIST)" });
});
