import assert from "node:assert/strict";
import { cp, mkdir, open, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { test, type TestContext } from "node:test";
import { pathToFileURL } from "node:url";
import sqlite from "node-sqlite3-wasm";
import { ConfigError } from "../base/errors.ts";
import type { RunEvent } from "../core/types.ts";
import { chat, get, pair, post, serving, two } from "./asking.fixture.ts";
import type { Wire } from "./asking.fixture.ts";
import { held, until } from "./held.fixture.ts";
import { sqliteStore } from "./sqlite-store.ts";
import type { SqliteOptions } from "./sqlite-store.ts";
import { elsewhere, freshFile, linesOf, put } from "./sqlite.fixture.ts";

async function opened(context: TestContext, file: string, options: SqliteOptions = {}) {
  const store = await sqliteStore(file, options);
  let closed = false;
  const close = async () => {
    if (!closed) await store.close();
    closed = true;
  };
  context.after(close);
  return { ...store, close };
}

const refused = (file: string, message: RegExp) =>
  assert.rejects(
    sqliteStore(file),
    (error) => error instanceof ConfigError && error.path === "store" && message.test(error.message),
  );

const eventsIn = (text: string): RunEvent[] =>
  [...text.matchAll(/^data: (.*)$/gm)].map(([, line]) => JSON.parse(line!) as RunEvent);

test("runs and their events are there after a restart, and are resumed after any event", async (context) => {
  const file = await freshFile(context);
  const first = serving(pair(), { store: await sqliteStore(file) });
  const ids: string[] = [];
  for (let each = 0; each < 3; each++) ids.push((await chat(first)).headers.get("x-duplex-run")!);
  const path = `/runs/${ids[0]}/events`;
  const before = await (await get(first, path)).text();
  const summary = await (await get(first, `/runs/${ids[0]}`)).json();
  await first.close();
  const second = serving(pair(), { store: await sqliteStore(file) });
  context.after(() => second.close());
  const { runs } = await (await get(second, "/runs")).json();
  assert.deepEqual(
    runs.map(({ id }: Wire) => id),
    ids.toReversed(),
  );
  assert.deepEqual(await (await get(second, `/runs/chatcmpl-${ids[0]}`)).json(), summary);
  assert.equal(await (await get(second, path)).text(), before);
  const events = eventsIn(before);
  assert.equal(events.at(-1)?.type, "run-end");
  const after = await (await get(second, path, { "last-event-id": "4" })).text();
  assert.deepEqual(eventsIn(after), events.slice(5));
  assert.match(after, /^id: 5\n/);
  assert.equal((await get(second, path, { "last-event-id": String(events.length - 1) })).status, 204);
  assert.equal((await get(second, path, { "last-event-id": String(events.length) })).status, 400);
  const cut = await post(second, `/runs/${ids[0]}/interrupt`, { body: { agent: "solver" } });
  assert.deepEqual(await cut.json(), { run: ids[0], interrupted: false });
  assert.equal((await get(second, "/runs/nobody")).status, 404);
});

test("a list goes on where it stopped, over what is in memory and what is kept", async (context) => {
  const file = await freshFile(context);
  const answer = serving(pair(), { store: await sqliteStore(file), limits: { traces: 2 } });
  context.after(() => answer.close());
  const ids: string[] = [];
  for (let each = 0; each < 5; each++) ids.unshift((await chat(answer)).headers.get("x-duplex-run")!);
  const page = async (query: string) =>
    (await (await get(answer, `/runs?${query}`)).json()).runs.map(({ id }: Wire) => id) as string[];
  assert.deepEqual(await page(""), ids);
  assert.deepEqual(await page("limit=3"), ids.slice(0, 3));
  assert.deepEqual(await page(`limit=3&before=${ids[0]}`), ids.slice(1, 4));
  assert.deepEqual(await page(`before=${ids[3]}`), ids.slice(4));
  assert.deepEqual(await page(`before=chatcmpl-${ids[3]}`), ids.slice(4));
  assert.equal((await get(answer, "/runs?limit=0")).status, 400);
  for (const one of [answer, serving(pair())]) {
    const nobody = await get(one, "/runs?before=nope");
    assert.equal(nobody.status, 400);
    assert.match((await nobody.json()).error.message, /^before: there is no such run/);
  }
});

test("a long trace is kept in pieces and read in pieces, every line of it", async (context) => {
  const store = await opened(context, await freshFile(context));
  put(store, "long", { events: 5000, line: "y".repeat(100) });
  const found = await store.find("long");
  assert.ok(found !== undefined);
  assert.equal(found.summary.events, 5000);
  assert.ok((await found.lines(0)).length < 1000);
  const lines = await linesOf(store, "long");
  assert.deepEqual(
    lines.map((line) => (JSON.parse(line) as { at: number }).at),
    Array.from({ length: 5000 }, (_, at) => at),
  );
  assert.equal((await found.lines(4321))[0], lines[4321]);
});

test("the oldest go first: beyond a count, an age, a size", async (context) => {
  const file = await freshFile(context);
  const ids = async (options: SqliteOptions) => {
    const store = await sqliteStore(file, options);
    const all = (await store.list({ limit: 100 })).map(({ id }) => id);
    await store.close();
    return all;
  };
  const store = await sqliteStore(file, { runs: 6 });
  const day = (before: number) => new Date(Date.now() - before * 86_400_000);
  for (let each = 0; each < 8; each++) put(store, `run-${each}`, { started: day(8 - each), line: "z".repeat(1000) });
  await store.close();
  assert.deepEqual(await ids({}), ["run-7", "run-6", "run-5", "run-4", "run-3", "run-2"]);
  assert.deepEqual(await ids({ days: 4.5 }), ["run-7", "run-6", "run-5", "run-4"]);
  assert.deepEqual(await ids({ bytes: 7000 }), ["run-7", "run-6"]);
  assert.deepEqual(await ids({ runs: 1 }), ["run-7"]);
});

test("who is killed in the middle of a run leaves what was written, and the file to the next", async (context) => {
  const file = await freshFile(context);
  const program = `const store = await sqliteStore(file);
    const recorder = store.begin({ id: "cut", team: "t", task: "go", started: new Date().toISOString() });
    for (let at = 0; at < 100; at++) recorder.add(JSON.stringify({ at }), at);
    await store.find("cut");
    console.log("written");
    setInterval(() => recorder.add("{}", 101), 5);`;
  const { code } = await elsewhere(file, program, { on: (_, kill) => kill() });
  assert.equal(code, null);
  assert.ok((await stat(`${file}.lock`)).isDirectory());
  const store = await opened(context, file);
  const [run] = await store.list({ limit: 10 });
  assert.deepEqual([run?.id, run?.state], ["cut", "failed"]);
  const lines = await linesOf(store, "cut");
  assert.ok(lines.length >= 100 && lines.length === run?.events);
});

test("two servers on one file: the second is told who has it, here and in another process", async (context) => {
  const file = await freshFile(context);
  const store = await opened(context, file);
  await refused(file, /runs\.db: this process uses it already$/);
  await symlink(file, `${file}.link`);
  await refused(`${file}.link`, /this process uses it already$/);
  const program = `await sqliteStore(file).catch((error) => console.log(error.name + " " + error.message));`;
  const { stdout } = await elsewhere(file, program);
  assert.match(
    stdout,
    new RegExp(`^ConfigError store: .*runs\\.db: another server uses it \\(process ${process.pid}\\); `),
  );
  put(store, "still");
  assert.equal((await linesOf(store, "still")).length, 3);
});

test("a file that is none of ours, broken, or of a later version is refused in one line and left as it is", async (context) => {
  const file = await freshFile(context);
  await writeFile(file, "This is a letter and no database. ".repeat(100));
  const letter = await readFile(file);
  await refused(file, /is not a SQLite database; name another file$/);
  assert.deepEqual(await readFile(file), letter);
  const theirs = await freshFile(context);
  const database = new sqlite.Database(theirs);
  database.exec("CREATE TABLE birds (name TEXT)");
  database.close();
  await refused(theirs, /is a database of another program/);
  const broken = await freshFile(context);
  const store = await sqliteStore(broken);
  for (let each = 0; each < 20; each++) put(store, `run-${each}`, { events: 100, line: "w".repeat(100) });
  await store.close();
  const handle = await open(broken, "r+");
  await handle.write(Buffer.alloc(40_000, 0xa5), 0, 40_000, 8192);
  await handle.close();
  await refused(broken, /is broken; move it away, or name another file$/);
  const later = await freshFile(context);
  await (await sqliteStore(later)).close();
  const newer = new sqlite.Database(later);
  newer.exec("PRAGMA user_version = 2");
  newer.close();
  await refused(later, /was written by a later version of Duplex/);
  await refused("", /^store: is empty; name a file/);
  await refused(" ", /^store: is empty; name a file/);
  await refused(dirname(file), /: is a folder; name a file in it/);
  await refused(`${file}/runs.db`, /cannot be opened \(E[A-Z]+\); check the folder/);
});

test("on a full disk it says so once, serving goes on, and what was written before can be read", async (context) => {
  const file = await freshFile(context);
  // Files of 200 kB at most: the same errors that a full disk gives.
  const program = `const warned = [];
    const store = await sqliteStore(file, { warn: (line) => warned.push(line) });
    put(store, "before");
    await store.list({ limit: 1 });
    for (let each = 0; each < 20; each++) {
      put(store, "large-" + each, { events: 100, line: "v".repeat(500) });
      await store.list({ limit: 1 });
    }
    put(store, "after");
    const lines = await linesOf(store, "before");
    console.log(JSON.stringify({ warned, lines: lines.length, found: (await store.list({ limit: 100 })).map(({ id }) => id) }));
    await store.close();`;
  const { stdout, stderr } = await elsewhere(file, program, { shell: "ulimit -f 200" });
  assert.notEqual(stdout, "", stderr);
  const { warned, lines, found } = JSON.parse(stdout) as { warned: string[]; lines: number; found: string[] };
  assert.match(warned[0]!, /runs\.db: .*; serving goes on, but runs are kept in memory only until it can be written$/);
  assert.ok(warned.length <= 3, warned.join("\n"));
  assert.equal(lines, 3);
  assert.ok(found.includes("before") && !found.includes("large-19"));
  const store = await opened(context, file);
  for (const { id, events } of await store.list({ limit: 100 }))
    assert.equal((await linesOf(store, id)).length, events);
});

test("without the optional package it says what to install", async (context) => {
  const file = await freshFile(context);
  const [from, to] = [new URL("..", import.meta.url), pathToFileURL(`${dirname(file)}/`)];
  await writeFile(new URL("package.json", to), '{"type":"module"}');
  // Empty, so that it is not looked for in the folders above.
  await mkdir(new URL("node_modules/node-sqlite3-wasm", to), { recursive: true });
  await writeFile(new URL("node_modules/node-sqlite3-wasm/package.json", to), "{}");
  for (const part of ["base", "core", "models/store", "server"])
    await cp(new URL(part, from), new URL(part, to), { recursive: true });
  const program = `const { sqliteStore: theirs } = await import("${new URL("server/sqlite-store.js", to).href}");
    await theirs(file).catch((error) => console.log(error.message));`;
  const { stdout, stderr } = await elsewhere(file, program);
  assert.match(stdout, /needs the optional package node-sqlite3-wasm: run `npm i node-sqlite3-wasm`\n$/, stderr);
});

test("what is on disk has none of the secrets", async (context) => {
  const file = await freshFile(context);
  const answer = serving(two(held([]), held([])), { store: await sqliteStore(file), secrets: ["sk-canary-1234"] });
  const messages = [{ role: "user", content: "my key is sk-canary-1234, hide it" }];
  const asking = chat(answer, { messages });
  const list = async (): Promise<Wire[]> => (await (await get(answer, "/runs")).json()).runs;
  while ((await list()).length === 0) await until(() => true);
  const [{ id, task }] = await list();
  assert.equal(task, "my key is ***, hide it");
  await answer(new Request(`http://127.0.0.1/runs/${id}`, { method: "DELETE" }));
  await asking;
  await answer.close();
  assert.doesNotMatch((await readFile(file)).toString("latin1"), /sk-canary/);
});
