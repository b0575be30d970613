import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { ConfigError } from "../../base/errors.ts";
import { benchmarkInfos, publishedNamed } from "./catalog.ts";
import { loadBenchmark } from "./load.ts";
import type { LoadOptions } from "./load.ts";
import { aimeParquet } from "./parquet.fixture.ts";

const folder = await mkdtemp(join(tmpdir(), "benchmarks-"));
after(() => rm(folder, { recursive: true, force: true }));

const refused = (name: string, options: LoadOptions, message: RegExp) =>
  assert.rejects(loadBenchmark(name, options), (error: Error) => {
    assert.ok(error instanceof ConfigError, error.stack);
    assert.match(error.message, message);
    return true;
  });

const token = "hf_very_secret";
const aimeBytes = Buffer.from(aimeParquet, "base64");
const sha256 = createHash("sha256").update(aimeBytes).digest("hex");
const gpqaText = publishedNamed("gpqa-diamond")?.sample.text ?? "";
const blob = createHash("sha1")
  .update(`blob ${Buffer.byteLength(gpqaText)}\0${gpqaText}`)
  .digest("hex");

type Answering = (request: IncomingMessage, response: ServerResponse) => void;

const gpqaBytes = Buffer.from(gpqaText);
const aimeFile = { type: "file", path: "data/train-00000-of-00001.parquet", size: aimeBytes.length, oid: "0" };
const listings: Readonly<Record<string, readonly object[]>> = {
  "/api/datasets/MathArena/aime_2026/tree/main?recursive=true": [
    { type: "directory", path: "data", size: 0, oid: "0" },
    { type: "file", path: "README.md", size: 1, oid: "0" },
    { ...aimeFile, lfs: { oid: sha256, size: aimeBytes.length } },
  ],
  "/api/datasets/Idavidrein/gpqa/tree/main?recursive=true": [
    { type: "file", path: "gpqa_diamond.csv", size: gpqaBytes.length, oid: blob },
  ],
};

/** A file, or what a range leaves of it. */
function serve(bytes: Buffer, request: IncomingMessage, response: ServerResponse): void {
  const from = Number(/bytes=(\d+)-/.exec(request.headers.range ?? "")?.[1] ?? 0);
  response.statusCode = from > 0 ? 206 : 200;
  response.end(bytes.subarray(from));
}

/** A hub of two data sets, one of them gated; `broken` replaces answers. */
async function hub(broken?: (url: string) => Answering | undefined) {
  const seen: { readonly url: string; readonly range: string }[] = [];
  const server = createServer((request, response) => {
    const { url = "", headers } = request;
    seen.push({ url, range: headers.range ?? "" });
    const other = broken?.(url);
    if (other !== undefined) return other(request, response);
    if (listings[url] !== undefined) return response.end(JSON.stringify(listings[url]));
    const allowed = headers.authorization === `Bearer ${token}`;
    if (url.includes("aime_2026/resolve")) return serve(aimeBytes, request, response);
    if (url.includes("gpqa/resolve") && allowed) return serve(gpqaBytes, request, response);
    response.statusCode = url.includes("gpqa") ? 401 : 404;
    return response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const hubUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const dispose = () => new Promise<void>((resolve) => void server.close(() => resolve()));
  return { seen, hubUrl, [Symbol.asyncDispose]: dispose };
}

const fresh = () => mkdtemp(join(folder, "cache-"));

test("a data set is fetched from the hub once, checked, and then read from the cache", async () => {
  await using there = await hub();
  const options = { hubUrl: there.hubUrl, folder: await fresh(), token: "" };
  const progress: number[] = [];
  const { items } = await loadBenchmark("aime-2026", { ...options, onProgress: ({ bytes }) => progress.push(bytes) });
  assert.equal(items.length, 2);
  assert.equal(progress.at(-1), aimeBytes.length);
  assert.deepEqual(
    there.seen.map(({ url }) => url),
    [
      "/api/datasets/MathArena/aime_2026/tree/main?recursive=true",
      "/datasets/MathArena/aime_2026/resolve/main/data/train-00000-of-00001.parquet",
    ],
  );
  await loadBenchmark("aime-2026", options);
  assert.equal(there.seen.length, 2, "nothing is fetched again");
});

test("a gated data set says what to do, and a token opens it and is never shown", async () => {
  await using there = await hub();
  const options = { hubUrl: there.hubUrl, folder: await fresh() };
  await refused(
    "gpqa-diamond",
    { ...options, token: "" },
    /^gpqa-diamond: the hub asks who is there; it is gated: accept its terms at http.*\/datasets\/Idavidrein\/gpqa, set HF_TOKEN/,
  );
  await assert.rejects(loadBenchmark("gpqa-diamond", { ...options, token: "hf_wrong_token" }), (error: Error) => {
    assert.match(error.message, /the hub refused the token; it is gated/);
    assert.ok(!`${error.stack} ${JSON.stringify(error)}`.includes("hf_wrong"));
    return true;
  });
  const { items } = await loadBenchmark("gpqa-diamond", { ...options, token });
  assert.equal(items.length, 10);
  for (const { title, gated } of benchmarkInfos) assert.equal(gated, /GPQA|Humanity/.test(title), title);
});

test("a fetch that broke goes on where it was, and what is wrong is not kept", async () => {
  const cut: Answering = (_request, response) => {
    response.writeHead(200, { "content-length": aimeBytes.length });
    response.write(aimeBytes.subarray(0, 500), () => response.destroy());
  };
  const folderOf = await fresh();
  {
    await using there = await hub((url) => (url.includes("resolve") ? cut : undefined));
    await refused(
      "aime-2026",
      { hubUrl: there.hubUrl, folder: folderOf, token: "" },
      /could not be fetched .*what has come is kept/,
    );
  }
  {
    await using there = await hub();
    await loadBenchmark("aime-2026", { hubUrl: there.hubUrl, folder: folderOf, token: "" });
    assert.deepEqual(
      there.seen.map(({ range }) => range),
      ["", "bytes=500-"],
    );
  }
  const changed = Buffer.from(aimeBytes);
  changed[100] = (changed[100] ?? 0) ^ 1;
  const other = await fresh();
  await using there = await hub((url) =>
    url.includes("resolve") ? (_request, response) => response.end(changed) : undefined,
  );
  const options = { hubUrl: there.hubUrl, folder: other, token: "" };
  await refused("aime-2026", options, /has another digest than the hub lists; it was removed/);
  await assert.rejects(readFile(join(other, "MathArena--aime_2026/data/train-00000-of-00001.parquet.part")));
});

test("a hub that is not there, has nothing, or answers with an error is told in one line", async () => {
  const options = async (hubUrl: string) => ({ hubUrl, folder: await fresh(), token });
  await refused(
    "aime-2026",
    await options("http://127.0.0.1:9"),
    /^aime-2026: the hub \(http:\/\/127\.0\.0\.1:9\) cannot be reached/,
  );
  await using there = await hub();
  await refused("hmmt-2026", await options(there.hubUrl), /^hmmt-2026: the hub \(.*\) answered 404/);
  await using empty = await hub(() => (_request, response) => response.end("[]"));
  await refused("aime-2026", await options(empty.hubUrl), /^aime-2026: MathArena\/aime_2026 has no file like/);
  const signal = AbortSignal.abort(new Error("enough"));
  await assert.rejects(loadBenchmark("aime-2026", { ...(await options(there.hubUrl)), signal }), /enough/);
});
