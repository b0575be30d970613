import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { cacheFolder } from "./cache.ts";
import { catalogue } from "./catalogue.ts";
import { builtinMirrors, developmentMirrors, pipDownload } from "./mirror.ts";
import { members, readMember } from "./zip.ts";
import { zipOf } from "./zip.fixture.ts";

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "duplex-mirror-"));
});
after(() => rm(folder, { recursive: true, force: true }));

const signal = new AbortController().signal;
const posix = process.platform === "win32" ? "needs a POSIX shell" : false;

/** Runs `work` where the only python3 is this shell script, or where there is none. */
async function withPython<T>(script: string | undefined, work: () => Promise<T>): Promise<T> {
  const bin = await mkdtemp(join(folder, "bin-"));
  if (script !== undefined) await writeFile(join(bin, "python3"), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const path = process.env["PATH"];
  process.env["PATH"] = bin;
  try {
    return await work();
  } finally {
    process.env["PATH"] = path;
  }
}

test("pip is asked for the wheel alone, which is never built", { skip: posix }, async () => {
  const script = `while [ $# -gt 1 ]; do if [ "$1" = --dest ]; then dest=$2; fi; args="$args $1"; shift; done; echo "$args $1" > "$dest/asked"`;
  await withPython(script, () => pipDownload("a==1", folder, signal));
  const asked = await readFile(join(folder, "asked"), "utf8");
  assert.match(asked, /-m pip download .*--no-deps.*--only-binary :all:.* a==1$/mu);
});

test("Without python, without pip and with a pip that fails, the reason is one line", { skip: posix }, async () => {
  const attempt = (script?: string) => withPython(script, () => pipDownload("a==1", folder, signal));
  await assert.rejects(attempt(), /^Error: there is no python3 and no python to run pip with$/);
  await assert.rejects(
    attempt("echo '/usr/bin/python3: No module named pip' >&2; exit 1"),
    /^Error: python3 has no pip$/,
  );
  await assert.rejects(
    attempt("echo first >&2; echo 'ERROR: No matching distribution' >&2; echo >&2; exit 1"),
    /^Error: pip failed: ERROR: No matching distribution$/,
  );
  await assert.rejects(attempt("exit 3"), /pip failed: exit code 3/);
});

test("A pip in progress ends with the signal", { skip: posix }, async () => {
  const stop = new AbortController();
  const pulling = withPython("read never", () => pipDownload("a==1", folder, stop.signal));
  stop.abort();
  await assert.rejects(pulling, { name: "AbortError" });
});

test("Mirrors of a working copy are for models of the catalogue, and an installed package has none", async () => {
  const mirrors = await developmentMirrors();
  const names = catalogue.map(({ name }) => name);
  assert.ok(Object.keys(mirrors).length > 0);
  for (const [name, { packages, member }] of Object.entries({ ...mirrors, ...builtinMirrors })) {
    assert.ok(names.includes(name) && packages.length > 0 && member !== "");
    assert.ok(packages.every((requirement) => /^[a-z0-9-]+==[\d.]+$/u.test(requirement)));
  }
  assert.deepEqual(await developmentMirrors(folder), {});
});

test("An archive that is none, is cut, or is packed strangely is refused", async () => {
  const path = join(folder, "x.zip");
  const bytes = Buffer.from("some bytes");
  const archive = zipOf([{ name: "a", bytes, packed: Buffer.from("other") }]);
  await writeFile(path, "no archive at all");
  await assert.rejects(members(path), /not a zip archive/);
  await writeFile(path, archive.subarray(0, 20));
  await assert.rejects(members(path), /not a zip archive/);
  await writeFile(path, archive);
  const [member] = await members(path);
  assert.equal(member?.name, "a");
  await assert.rejects(readMember(path, { ...member, method: 12 }), /packed in an unsupported way \(12\)/);
  await assert.rejects(readMember(path, { ...member, offset: 3 }), /member a is damaged/);
  const broken = await readMember(path, member);
  await assert.rejects(broken.toArray());
});

test("The cache lies where the system keeps caches, or where one is told", () => {
  const home = { HOME: "/home/a" };
  const slashes = (path: string) => path.replaceAll("\\", "/");
  assert.equal(slashes(cacheFolder(home, "linux")), "/home/a/.cache/duplex");
  assert.equal(slashes(cacheFolder({ ...home, XDG_CACHE_HOME: "/c" }, "linux")), "/c/duplex");
  assert.equal(slashes(cacheFolder({ ...home, XDG_CACHE_HOME: "/c", DUPLEX_CACHE: "/d" }, "linux")), "/d");
  assert.equal(slashes(cacheFolder(home, "darwin")), "/home/a/Library/Caches/duplex");
  assert.equal(slashes(cacheFolder({ ...home, LOCALAPPDATA: "C:/l" }, "win32")), "C:/l/duplex/cache");
});
