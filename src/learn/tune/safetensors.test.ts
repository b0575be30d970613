import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import * as fc from "fast-check";
import { toFloat16 } from "../../models/llama/gguf-write.ts";
import { safetensors } from "./peft.fixture.ts";
import { fromFloat16, readSafetensors } from "./safetensors.ts";

const inFolder = async (work: (path: string) => Promise<void>) => {
  const folder = await mkdtemp(join(tmpdir(), "duplex-safetensors-"));
  try {
    await work(join(folder, "file.safetensors"));
  } finally {
    await rm(folder, { recursive: true });
  }
};

function written(header: unknown, data: Uint8Array): Buffer {
  const head = Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(head.length));
  return Buffer.concat([length, head, data]);
}

test("What was written is read back, number by number", () =>
  inFolder(async (path) => {
    const tensors = new Map([
      ["one", { shape: [2, 3], data: Float32Array.of(1, -2.5, 3e-8, 4, 5e8, -0) }],
      ["two", { shape: [1], data: Float32Array.of(Math.PI) }],
    ]);
    await writeFile(path, safetensors(tensors));
    assert.deepEqual(await readSafetensors(path), tensors);
  }));

test("Floats of 16 bits are read, of either kind", () =>
  inFolder(async (path) => {
    const header = {
      half: { dtype: "F16", shape: [2], data_offsets: [0, 4] },
      brain: { dtype: "BF16", shape: [2], data_offsets: [4, 8] },
    };
    // 1.5 and −2 as IEEE halves; 1.5 and −2 as the upper half of 32 bits.
    await writeFile(path, written(header, Uint8Array.of(0, 0x3e, 0, 0xc0, 0xc0, 0x3f, 0, 0xc0)));
    const found = await readSafetensors(path);
    assert.deepEqual([...found.get("half")!.data, ...found.get("brain")!.data], [1.5, -2, 1.5, -2]);
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 0xffff }), (bits) => {
        const value = fromFloat16(bits);
        assert.ok(Number.isNaN(value) || toFloat16(value) === bits);
      }),
    );
  }));

test("A file that is none, is cut short or holds other numbers is refused by name", () =>
  inFolder(async (path) => {
    await assert.rejects(readSafetensors(path), /file\.safetensors: cannot be read: .*ENOENT/);
    const wrong = [
      [Buffer.from("no"), /no safetensors file, or cut short/],
      [written({ x: { dtype: "F32", shape: [4], data_offsets: [0, 16] } }, new Uint8Array(8)), /x is cut short/],
      [written({ x: { dtype: "I64", shape: [1], data_offsets: [0, 8] } }, new Uint8Array(8)), /x holds I64/],
      [written({ x: { dtype: "F32", shape: "1", data_offsets: [0, 4] } }, new Uint8Array(4)), /x has no shape/],
    ] as const;
    for (const [bytes, message] of wrong) {
      await writeFile(path, bytes);
      await assert.rejects(readSafetensors(path), message);
    }
  }));
