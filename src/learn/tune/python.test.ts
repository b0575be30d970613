import assert from "node:assert/strict";
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { findPython, interpreterIn, packages, setUp } from "./python.ts";

async function folderFor(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "duplex-python-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

async function program(path: string, lines: string): Promise<string> {
  await writeFile(path, `#!/bin/sh\n${lines}\n`);
  await chmod(path, 0o755);
  return path;
}

const answering = (answer: unknown) => `echo '${JSON.stringify(answer)}'`;

test("A Python that is there is taken, and what it lacks is named", async (t) => {
  const folder = await folderFor(t);
  const python = await program(
    join(folder, "py"),
    answering([
      [3, 12, 1],
      ["torch", "trl"],
    ]),
  );
  const found = await findPython({ python, folder });
  assert.deepEqual(found, { command: python, version: "3.12.1", missing: ["torch", "trl"] });
});

test("The environment that was set up comes before the system's, one without packages behind it", async (t) => {
  const folder = await folderFor(t);
  const inside = interpreterIn(join(folder, "env"));
  await mkdir(join(inside, ".."), { recursive: true });
  await program(inside, answering([[3, 11, 0], []]));
  await program(join(folder, "python3"), answering([[3, 13, 0], ["torch"]]));
  const env = { PATH: `${folder}:${process.env["PATH"]}` };
  assert.equal((await findPython({ folder: join(folder, "env"), env })).command, inside);
});

test("A missing, broken or old Python is told in one line", async (t) => {
  const folder = await folderFor(t);
  const refused = async (lines: string | undefined, message: RegExp) => {
    const python = join(folder, "py");
    if (lines === undefined) await rm(python, { force: true });
    else await program(python, lines);
    await assert.rejects(findPython({ python, folder }), message);
  };
  await refused(undefined, /--python: .*py: there is no such program\. Training needs Python 3\.10 or newer/);
  await refused("echo Segmentation fault >&2; exit 139", /py: is no working Python: Segmentation fault\. Training/);
  await refused("exit 1", /is no working Python: it ended with code 1/);
  await refused("echo hello", /is no working Python/);
  await refused(answering([[3, 9, 18], []]), /is Python 3\.9\.18; 3\.10 or newer is needed/);
  await assert.rejects(
    findPython({ folder, env: { PATH: join(folder, "nothing") } }),
    /there is no python3 and no python\./,
  );
});

/** Passes for an interpreter that can make environments and install into them; keeps what it was asked. */
const installer = (folder: string, pip = "exit 0") => `
echo "$@" >> '${folder}/asked'
case "$2" in
  venv) mkdir -p "$3/bin" && cp "$0" "$3/bin/python" ;;
  pip) ${pip} ;;
  *) ${answering([[3, 12, 0], []])} ;;
esac`;

const plenty = () => Promise.resolve(1e12);

test("Packages are set up once, from the index that is named", async (t) => {
  const folder = await folderFor(t);
  const python = await program(join(folder, "py"), installer(folder));
  const options = { folder: join(folder, "env"), torchIndex: "https://example.test/cpu", free: plenty };
  const ready = await setUp(python, options);
  assert.equal(ready.command, interpreterIn(options.folder));
  const asked = async () => (await readFile(join(folder, "asked"), "utf8")).trim().split("\n");
  const lines = await asked();
  assert.match(lines[0]!, /^-m venv /);
  assert.match(lines[1]!, /pip install .* torch --index-url https:\/\/example\.test\/cpu$/);
  assert.ok(lines[2]!.endsWith(packages.join(" ")));
  await setUp(python, options);
  const later = (await asked()).slice(lines.length);
  assert.ok(!later.some((line) => line.startsWith("-m ")), later.join());
});

test("Without room nothing is begun; a step that fails is named, and begun again the next time", async (t) => {
  const folder = await folderFor(t);
  const python = await program(
    join(folder, "py"),
    installer(folder, "echo 'ERROR: [Errno 28] No space left on device' >&2; exit 1"),
  );
  const env = join(folder, "env");
  const scarce = setUp(python, { folder: env, free: () => Promise.resolve(1e9) });
  await assert.rejects(scarce, /--setup: .*env has 1\.0 GB free and about 6\.5 are needed; make room/);
  await assert.rejects(
    setUp(python, { folder: env, free: plenty }),
    /`-m pip install --disable-pip-version-check` failed: there is no space left on the disk/,
  );
  await program(python, installer(folder, "echo 'ERROR: No matching distribution found for torch' >&2; exit 1"));
  await assert.rejects(
    setUp(python, { folder: env, free: plenty }),
    /failed: ERROR: No matching distribution found for torch/,
  );
  await program(python, installer(folder));
  assert.deepEqual((await setUp(python, { folder: env, free: plenty })).missing, []);
  await writeFile(join(folder, "file"), "");
  await assert.rejects(
    setUp(python, { folder: join(folder, "file", "env"), free: plenty }),
    /--setup: .* cannot be made/,
  );
});
