import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { tinyGguf } from "../../testing/gguf.ts";
import { checkGguf, readGguf } from "./gguf.ts";

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "duplex-gguf-"));
});
after(() => rm(folder, { recursive: true, force: true }));

async function file(name: string, bytes: Uint8Array | string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, bytes);
  return path;
}

test("A header says what is in the file and where", async () => {
  const bytes = tinyGguf({ layers: 3 });
  const header = await checkGguf(await file("whole.gguf", bytes));
  assert.equal(header.metadata.get("llama.block_count"), 3);
  assert.equal(header.metadata.get("tokenizer.ggml.add_bos_token"), false);
  assert.equal((header.metadata.get("tokenizer.ggml.tokens") as readonly string[]).at(-1), "<|im_end|>");
  assert.equal(header.tensors.length, 3 + 3 * 9);
  const last = header.tensors.at(-1);
  assert.equal(header.dataOffset + (last?.offset ?? 0) + (last?.bytes ?? 0), bytes.length);
});

test("A file that is missing, empty, of another kind or of another version is named, with what is wrong", async () => {
  const cases: readonly (readonly [string, Uint8Array | string, RegExp])[] = [
    ["empty.gguf", "", /the file is empty/],
    ["page.gguf", "<!doctype html><p>Please log in", /not a GGUF file/],
    ["short.gguf", "GG", /cut short/],
    ["old.gguf", tinyGguf({ version: 1 }), /version 1 is not supported/],
    ["new.gguf", tinyGguf({ version: 9 }), /version 9 is not supported/],
  ];
  for (const [name, bytes, message] of cases) {
    const path = await file(name, bytes);
    await assert.rejects(checkGguf(path), (error: Error) => {
      assert.equal(error.name, "ConfigError");
      assert.ok(error.message.startsWith(path));
      assert.match(error.message, message);
      return true;
    });
  }
  await assert.rejects(checkGguf(join(folder, "none.gguf")), /there is no such file/);
  await assert.rejects(checkGguf(folder), /this is not a file/);
});

test("A file cut anywhere is found to be cut", async () => {
  const bytes = tinyGguf();
  const { dataOffset } = await readGguf(await file("all.gguf", bytes));
  const places = [5, 20, 100, 1000, dataOffset - 40, dataOffset, bytes.length - 1];
  for (const length of places) {
    await assert.rejects(checkGguf(await file("cut.gguf", bytes.subarray(0, length))), /cut short/);
  }
});

test("A header with absurd sizes ends in an error, not in memory", async () => {
  const bytes = Uint8Array.from(tinyGguf());
  bytes.fill(0xff, 8, 16);
  await assert.rejects(readGguf(await file("absurd.gguf", bytes)), /cut short or damaged/);
});
