import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { appendFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { ConfigError } from "../base/errors.ts";
import { evaluate } from "./evaluate.ts";
import { openJournal } from "./journal.ts";
import { all, small } from "./play.fixture.ts";
import { keyOf } from "./result.ts";
import type { Result } from "./result.ts";

const { samples } = small();
const identity = { seed: 1, chunk: 16 };

async function place(context: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "duplex-journal-"));
  context.after(() => rm(folder, { recursive: true }));
  return join(folder, "results.jsonl");
}

const asJSON = (results: readonly Result[]): unknown[] =>
  results
    .toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
    .map((result): unknown => JSON.parse(JSON.stringify(result)));

async function filled(path: string): Promise<Result[]> {
  const results = await all(small());
  const journal = await openJournal(path, { identity, samples });
  await Promise.all(results.map((result) => journal.add(result)));
  await journal.close();
  return results;
}

const refused = (path: string, options: Partial<Parameters<typeof openJournal>[1]>, message: RegExp) =>
  assert.rejects(
    openJournal(path, { identity, samples, ...options }),
    (error) => error instanceof ConfigError && message.test(error.message),
  );

test("results come back as they were, and more can be added", async (context) => {
  const path = await place(context);
  const results = await filled(path);
  const again = await openJournal(path, { identity, samples });
  assert.deepEqual(asJSON(again.done), asJSON(results));
  await again.close();
});

test("a torn last line is dropped wherever it was torn, and what follows is whole", async (context) => {
  const path = await place(context);
  const results = await filled(path);
  const text = await readFile(path, "utf8");
  const last = text.lastIndexOf("\n", text.length - 2) + 1;
  for (const length of [text.length - 1, last + 1, last + 20]) {
    await writeFile(path, text.slice(0, length));
    const journal = await openJournal(path, { identity, samples });
    assert.equal(journal.done.length, results.length - 1);
    await journal.add(results.at(-1)!);
    await journal.close();
    assert.equal(await readFile(path, "utf8"), text);
  }
});

test("a file that was killed in its first line begins anew", async (context) => {
  const path = await place(context);
  await writeFile(path, '{"type":"duplex-ev');
  const journal = await openJournal(path, { identity, samples });
  assert.deepEqual(journal.done, []);
  await journal.close();
  for (const theirs of ["one line and no end", '{"type":"another"', "{}"]) {
    await writeFile(path, theirs);
    await refused(path, {}, /is no file of results/);
    assert.equal(await readFile(path, "utf8"), theirs);
  }
});

test("other settings, other versions, other files and damaged lines are refused and named", async (context) => {
  const path = await place(context);
  await filled(path);
  await refused(path, { identity: { seed: 2, chunk: 16 } }, /other settings \(seed 1, now 2\)/);
  await refused(path, { identity: { seed: 1, chunk: 8, pace: "live" } }, /chunk 16, now 8; pace null, now "live"/);
  const changed = samples.map((sample) => ({ ...sample, prompt: "Another prompt." }));
  await refused(path, { samples: changed }, /the task has changed/);
  const text = await readFile(path, "utf8");
  await writeFile(path, text.replace('"version":1', '"version":2'));
  await refused(path, {}, /version 2/);
  await writeFile(
    path,
    text.replace(/^.*\n.{30}/, (start) => `${start.split("\n")[0]}\n`),
  );
  await refused(path, {}, /:2: is not a line of JSON/);
  await writeFile(path, '{"id":1}\n');
  await refused(path, {}, /is no file of results/);
  await refused(join(path, "nowhere"), {}, /cannot be opened for writing \(ENOTDIR\)/);
});

test("a failed conversation is tried again, and its later result counts", async (context) => {
  const path = await place(context);
  const results = await filled(path);
  const { success: _, ...rest } = results[0]!;
  await appendFile(path, `${JSON.stringify({ ...rest, failure: { name: "ModelError", message: "gone" } })}\n`);
  const journal = await openJournal(path, { identity, samples });
  assert.equal(journal.done.length, results.length - 1);
  await journal.add(results[0]!);
  await journal.close();
  const after = await openJournal(path, { identity, samples });
  assert.deepEqual(asJSON(after.done), asJSON(results));
  await after.close();
});

/** Lets a process evaluate into the file and kills it, without a chance to say anything, once it has kept so many results. */
function killedAfter(path: string, kept: number): Promise<string | null> {
  const script = fileURLToPath(new URL("./killed.fixture.js", import.meta.url));
  const child = spawn(process.execPath, [script, path], { stdio: ["ignore", "pipe", "inherit"] });
  let lines = 0;
  createInterface(child.stdout).on("line", () => {
    if (++lines === kept) child.kill("SIGKILL");
  });
  return new Promise((resolve) => child.on("close", (_, signal) => resolve(signal)));
}

test("killed at any moment and started again, an evaluation neither repeats nor loses a result", async (context) => {
  const path = await place(context);
  const undisturbed = await all(small({ repeats: 2 }));
  for (const kept of [1, 7, 10]) assert.equal(await killedAfter(path, kept), "SIGKILL");
  const journal = await openJournal(path, { identity: { seed: 1 }, samples });
  const before = journal.done;
  assert.ok(before.length >= 18, `${before.length}`);
  const rest: Result[] = [];
  for await (const result of evaluate(small({ repeats: 2, done: before }))) {
    rest.push(result);
    await journal.add(result);
  }
  await journal.close();
  assert.deepEqual(asJSON([...before, ...rest]), asJSON(undisturbed));
  const keys = (await readFile(path, "utf8"))
    .trim()
    .split("\n")
    .slice(1)
    .map((line) => keyOf(JSON.parse(line) as Result));
  assert.equal(new Set(keys).size, keys.length);
});
