import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { tinyGguf } from "../../testing/gguf.ts";
import type { PullOptions } from "../../models/store/index.ts";
import { modelsCommand, progressOn } from "./models.ts";

let folder = "";
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "duplex-models-"));
});
after(() => rm(folder, { recursive: true, force: true }));

const bytes = tinyGguf();
const entry = {
  name: "tiny",
  title: "A tiny model",
  file: "tiny.gguf",
  bytes: bytes.length,
  sha256: createHash("sha256").update(bytes).digest("hex"),
  license: "CC0-1.0",
  repository: "owner/tiny",
};

async function models(args: readonly string[], more: PullOptions = {}) {
  const written = { out: "", err: "" };
  const stdout = { write: (text: string) => (written.out += text), columns: 80 };
  const stderr = { write: (text: string) => (written.err += text) };
  const io = { stdout, stderr, env: {}, signal: new AbortController().signal };
  const pull = { cacheDir: folder, entries: [entry], mirrors: {}, ...more };
  await modelsCommand(io, { pull }).parseAsync(args, { from: "user" });
  return written;
}

const hub: typeof fetch = async () => new Response(bytes.slice());

test("A model is listed, fetched with its license shown, and removed", async () => {
  assert.match((await models([])).out, /^name +size +license +state\ntiny +\d+ MB +CC0-1\.0 +not here\n$/);
  const pulled = await models(["pull", "tiny"], { fetch: hub });
  assert.equal(pulled.out, `${join(folder, "models", "tiny.gguf")}\n`);
  assert.match(pulled.err, /A tiny model: 0 MB, license CC0-1\.0\n$/);
  const listed = JSON.parse((await models(["list", "--json"])).out) as object;
  const path = join(folder, "models", "tiny.gguf");
  const { name, license, sha256 } = entry;
  assert.deepEqual(listed, { name, bytes: bytes.length, license, fetched: bytes.length, path, sha256 });
  const again = JSON.parse((await models(["pull", "tiny", "--json"])).out) as { source: string };
  assert.equal(again.source, "cache");
  assert.equal((await models(["rm", "tiny"])).out, "tiny removed\n");
  assert.equal((await models(["rm", "tiny"])).out, "tiny was not here\n");
});

test("A model is tried out: its words, its speed, and whether it shows what it would choose", async () => {
  const path = join(folder, "try.gguf");
  await writeFile(path, bytes);
  const trial = JSON.parse((await models(["test", `llama:${path},threads=1`, "--json"])).out) as Record<
    string,
    unknown
  >;
  assert.equal(trial["outputTokens"], 48);
  assert.ok(Number(trial["tokensPerSecond"]) > 0 && Number(trial["firstMs"]) > 0);
  assert.equal((trial["choose"] as { works: boolean }).works, true);
  const { out } = await models(["test", `llama:${path}`]);
  assert.match(
    out,
    /\nfirst text +\d+ ms after \d+ tokens of prompt\ngeneration +[\d.]+ tokens\/s \(48 tokens, length\)\n/,
  );
  assert.match(out, /\nchoose +works \(Yes 0\.\d\d, No 0\.\d\d\)\n$/);
});

test("What is made up is said to be, and what is unknown is named", async () => {
  const { err } = await models(["test", "simulated:ttft=0,decode=100000"]);
  assert.match(err, /simulated: its words and its speed are made up/);
  await assert.rejects(models(["test", "llama:./none.gguf"]), /none\.gguf: there is no such file/);
  await assert.rejects(models(["pull", "other"]), /model other: there is no such model; there are tiny/);
});

test("On a terminal progress is one line that fits, elsewhere a line for each new source", () => {
  const shown = (isTTY: boolean) => {
    let text = "";
    let now = 0;
    const clock = { now: () => (now += 60), sleep: async () => {} };
    const { show, done } = progressOn({ write: (more) => (text += more), isTTY, columns: 30 }, clock);
    for (let part = 0; part < 10; part++) {
      show({ phase: "hub", bytes: part * 1e7, totalBytes: 1e8, detail: "https://hub.example/\u001b[2J" });
    }
    show({ phase: "checking", bytes: 1e8, totalBytes: 1e8, detail: "sha256" });
    done();
    done();
    return text;
  };
  assert.deepEqual(shown(false).split("\n"), [
    "fetching from https://hub.example/\\x1b[2J (0 MB of 100 MB here)",
    "checking sha256 (100 MB of 100 MB here)",
    "",
  ]);
  const lines = shown(true).split("\r\u001b[K");
  assert.ok(lines.length < 9 && lines.every((line) => line.trimEnd().length < 30));
  assert.equal(lines.at(-1), "100 % of 100 MB, checking sh…\n");
});
