// Reading safetensors files: a length of 64 bits, a header of JSON, and the numbers.

import { readFile } from "node:fs/promises";
import { ConfigError, explain } from "../../base/errors.ts";

/** A tensor in 32 bits, its dimensions slowest first. */
export type Tensor = { readonly shape: readonly number[]; readonly data: Float32Array };

/** The value of a float of 16 bits (IEEE 754). */
export function fromFloat16(bits: number): number {
  const sign = (bits & 0x8000) === 0 ? 1 : -1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0x1f) return fraction === 0 ? sign * Infinity : Number.NaN;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

const word = new DataView(new ArrayBuffer(4));

function fromBrain16(bits: number): number {
  word.setUint32(0, bits * 0x10000);
  return word.getFloat32(0);
}

type Kind = { readonly bytes: number; readonly read: (view: DataView, at: number) => number };

const kinds: Readonly<Record<string, Kind>> = {
  F32: { bytes: 4, read: (view, at) => view.getFloat32(at, true) },
  F16: { bytes: 2, read: (view, at) => fromFloat16(view.getUint16(at, true)) },
  BF16: { bytes: 2, read: (view, at) => fromBrain16(view.getUint16(at, true)) },
};

type Entry = { readonly dtype?: unknown; readonly shape?: unknown; readonly data_offsets?: unknown };

const isCounts = (value: unknown): value is readonly number[] =>
  Array.isArray(value) && value.every((each) => Number.isSafeInteger(each) && (each as number) >= 0);

function tensorOf(name: string, { dtype, shape, data_offsets: offsets }: Entry, bytes: Buffer): Tensor {
  const kind = kinds[String(dtype)];
  if (kind === undefined)
    throw new Error(`${name} holds ${String(dtype)}; ${Object.keys(kinds).join(", ")} can be read`);
  if (!isCounts(shape) || !isCounts(offsets) || offsets.length !== 2) throw new Error(`${name} has no shape or place`);
  const [start = 0, end = 0] = offsets;
  const count = shape.reduce((product, size) => product * size, 1);
  if (end - start !== count * kind.bytes || end > bytes.length) throw new Error(`${name} is cut short or damaged`);
  const view = new DataView(bytes.buffer, bytes.byteOffset + start, end - start);
  return { shape, data: Float32Array.from({ length: count }, (_, index) => kind.read(view, index * kind.bytes)) };
}

/** All tensors of a file by name. Rejects with a ConfigError that names the file and what is wrong with it. */
export async function readSafetensors(path: string): Promise<ReadonlyMap<string, Tensor>> {
  try {
    const bytes = await readFile(path);
    const length = bytes.length < 8 ? 0 : Number(bytes.readBigUInt64LE());
    if (length < 2 || length > bytes.length - 8) throw new Error("it is no safetensors file, or cut short");
    const header = JSON.parse(bytes.toString("utf8", 8, 8 + length)) as Readonly<Record<string, Entry>>;
    const data = bytes.subarray(8 + length);
    const named = Object.entries(header).filter(([name]) => name !== "__metadata__");
    return new Map(named.map(([name, entry]) => [name, tensorOf(name, entry, data)]));
  } catch (cause) {
    throw new ConfigError(path, `cannot be read: ${explain(cause)}`, { cause });
  }
}
