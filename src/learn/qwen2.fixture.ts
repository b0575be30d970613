// A small model of the qwen2 kind with random weights: a small llama under other names, with the biases that this kind has.

import { readFile, writeFile } from "node:fs/promises";
import { normal, random } from "../base/random.ts";
import { readGguf } from "../models/llama/gguf.ts";

const u32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
};

const u64 = (value: number): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
};

const text = (value: string): Buffer => Buffer.concat([u64(value.length), Buffer.from(value)]);

type Info = {
  readonly name: string;
  readonly dimensions: readonly number[];
  readonly type: number;
  readonly offset: number;
};

const info = ({ name, dimensions, type, offset }: Info): Buffer =>
  Buffer.concat([text(name), u32(dimensions.length), ...dimensions.map(u64), u32(type), u64(offset)]);

const aligned = (bytes: number): number => Math.ceil(bytes / 32) * 32;

/** Rewrites a file of `tinyGguf` as one of the qwen2 kind. */
export async function toQwen2(source: string, target: string): Promise<void> {
  const { version, entries, tensors, dataOffset } = await readGguf(source);
  const bytes = await readFile(source);
  const next = random(5);
  let end = aligned(bytes.length - dataOffset);
  const biases = tensors.flatMap(({ name, dimensions }) => {
    if (!/attn_[qkv]\.weight$/.test(name)) return [];
    const data = Float32Array.from({ length: dimensions[1] ?? 0 }, () => 0.1 * normal(next));
    const made = { name: name.replace(/weight$/, "bias"), dimensions: [data.length], type: 0, offset: end, data };
    end = aligned(end + data.byteLength);
    return [made];
  });
  // The names are equally long, so that nothing else moves.
  const metadata = entries.map(({ start, end: stop }) =>
    Buffer.from(bytes.subarray(start, stop).toString("latin1").replaceAll("llama", "qwen2"), "latin1"),
  );
  const head = Buffer.concat([
    Buffer.from("GGUF"),
    u32(version),
    u64(tensors.length + biases.length),
    u64(entries.length),
    ...metadata,
    ...[...tensors, ...biases].map(info),
  ]);
  const file = Buffer.alloc(aligned(head.length) + end);
  head.copy(file);
  bytes.copy(file, aligned(head.length), dataOffset);
  for (const { offset, data } of biases) Buffer.from(data.buffer).copy(file, aligned(head.length) + offset);
  await writeFile(target, file);
}
