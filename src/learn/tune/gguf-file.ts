// Writing a GGUF file of nothing but what is given.

import { rename, rm, writeFile } from "node:fs/promises";
import { ConfigError, explain } from "../../base/errors.ts";
import { text, u32, u64 } from "../../models/llama/gguf-bytes.ts";

/** Metadata: text, or a number as a float of 32 bits. */
export type GgufMetadata = Readonly<Record<string, string | number>>;

/** A tensor of 32-bit floats, its dimensions fastest first. */
export type GgufFloats = {
  readonly name: string;
  readonly dimensions: readonly number[];
  readonly data: Float32Array;
};

const step = 32;

const f32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeFloatLE(value);
  return bytes;
};

const padding = (length: number): Buffer => Buffer.alloc((step - (length % step)) % step);

function floats(data: Float32Array): Buffer {
  const bytes = Buffer.alloc(data.length * 4);
  data.forEach((value, index) => bytes.writeFloatLE(value, index * 4));
  return bytes;
}

/** The bytes of a GGUF file (version 3). */
export function ggufBytes(metadata: GgufMetadata, tensors: readonly GgufFloats[]): Buffer {
  const parts = [Buffer.from("GGUF"), u32(3), u64(tensors.length), u64(Object.keys(metadata).length)];
  for (const [key, value] of Object.entries(metadata))
    parts.push(text(key), ...(typeof value === "string" ? [u32(8), text(value)] : [u32(6), f32(value)]));
  let offset = 0;
  for (const { name, dimensions, data } of tensors) {
    parts.push(text(name), u32(dimensions.length), ...dimensions.map(u64), u32(0), u64(offset));
    offset += Math.ceil((data.length * 4) / step) * step;
  }
  const head = Buffer.concat(parts);
  const body = tensors.flatMap(({ data }) => [floats(data), padding(data.length * 4)]);
  return Buffer.concat([head, padding(head.length), ...body]);
}

/** Writes a file whole or not at all. Rejects with a ConfigError that names it. */
export async function writeWhole(path: string, content: string | Uint8Array): Promise<void> {
  const part = `${path}.new`;
  try {
    await writeFile(part, content);
    await rename(part, path);
  } catch (cause) {
    await rm(part, { force: true });
    throw new ConfigError(path, `cannot be written: ${explain(cause)}`, { cause });
  }
}
