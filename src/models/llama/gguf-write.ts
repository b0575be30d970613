// Writing GGUF files: another file's metadata and tensors, some of them changed, left out or added.
import { open, rename, rm } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { resolve } from "node:path";
import { ConfigError, explain } from "../../base/errors.ts";
import { checkGguf } from "./gguf.ts";
import type { GgufHeader, GgufTensor } from "./gguf.ts";
import { text, u32, u64 } from "./gguf-bytes.ts";

/** A whole number of 32 bits, or one of 64 where the file had one there. */
export type GgufNumbers = Readonly<Record<string, number>>;

/** A tensor of 16-bit floats that is zero but for some rows. */
export type GgufRows = {
  readonly name: string;
  readonly width: number;
  readonly height: number;
  readonly rows: ReadonlyMap<number, readonly number[]>;
};

export type GgufChange = {
  /** Whole numbers of the metadata, replaced where they stand or added behind the rest. */
  readonly set?: GgufNumbers | undefined;
  /** Which tensors stay; all by default. */
  readonly keep?: ((tensor: GgufTensor) => boolean) | undefined;
  /** Tensors that come behind the others. */
  readonly add?: readonly GgufRows[] | undefined;
};

/** A float as the nearest one of 16 bits (IEEE 754, ties to even), as its bits; what is too large becomes infinite. */
export function toFloat16(value: number): number {
  const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0;
  const size = Math.abs(value);
  if (Number.isNaN(value)) return 0x7e00;
  if (size >= 65520) return sign | 0x7c00;
  if (size < 2 ** -25) return sign;
  // Below the smallest normal number the step stays the same.
  const exponent = Math.max(-14, Math.floor(Math.log2(size)) - (size < 2 ** Math.floor(Math.log2(size)) ? 1 : 0));
  const scaled = size / 2 ** (exponent - 10);
  const floor = Math.floor(scaled);
  const over = scaled - floor;
  const rounded = over > 0.5 || (over === 0.5 && floor % 2 === 1) ? floor + 1 : floor;
  // A carry out of the fraction adds one to the exponent, which is right.
  return sign | (rounded + (exponent + 14) * 1024);
}

const aligned = (bytes: number, alignment: number): number => Math.ceil(bytes / alignment) * alignment;

/** Types of whole numbers in the format, by their width. */
const wholes: Readonly<Record<number, (value: number) => Buffer>> = { 4: u32, 5: u32, 10: u64, 11: u64 };

function entry(key: string, value: number, type = 4): Buffer {
  const write = wholes[type];
  if (write === undefined || !Number.isSafeInteger(value) || value < 0 || value >= 2 ** 31)
    throw new ConfigError(key, `${value} cannot be written as metadata of type ${type}`);
  return Buffer.concat([text(key), u32(type), write(value)]);
}

/** What is copied: from where in the old file to where in the new one's data. */
type Region = { readonly tensor: GgufTensor; readonly from: number; readonly bytes: number; readonly to: number };
type Placed = { readonly rows: GgufRows; readonly to: number };
type Plan = {
  readonly head: Buffer;
  readonly regions: readonly Region[];
  readonly added: readonly Placed[];
  bytes: number;
};

/** Each tensor with all up to the next one's beginning: padding is kept as it is, types need not be known. */
function regionsOf(
  { tensors, dataOffset, fileBytes }: GgufHeader,
  keep: NonNullable<GgufChange["keep"]>,
  step: number,
) {
  const ordered = tensors.toSorted((a, b) => a.offset - b.offset);
  let to = 0;
  const regions: Region[] = [];
  for (const [index, tensor] of ordered.entries()) {
    if (!keep(tensor)) continue;
    const end = ordered[index + 1]?.offset ?? fileBytes - dataOffset;
    to = aligned(to, step);
    regions.push({ tensor, from: dataOffset + tensor.offset, bytes: end - tensor.offset, to });
    to += end - tensor.offset;
  }
  return { regions, end: to };
}

const info = (name: string, dimensions: readonly number[], { type, to }: { type: number; to: number }): Buffer =>
  Buffer.concat([text(name), u32(dimensions.length), ...dimensions.map(u64), u32(type), u64(to)]);

async function planOf(file: FileHandle, header: GgufHeader, change: GgufChange): Promise<Plan> {
  const { set = {}, keep = () => true, add = [] } = change;
  const step = Number(header.metadata.get("general.alignment") ?? 32);
  const { regions, end } = regionsOf(header, keep, step);
  let bytes = end;
  const added = add.map((rows): Placed => {
    const to = aligned(bytes, step);
    bytes = to + rows.width * rows.height * 2;
    return { rows, to };
  });
  const fresh = Object.keys(set).filter((key) => !header.metadata.has(key));
  const placed = new Map(regions.map((region) => [region.tensor, region.to]));
  const kept = header.tensors.filter((tensor) => placed.has(tensor));
  const parts = [
    Buffer.from("GGUF"),
    u32(header.version),
    u64(kept.length + added.length),
    u64(header.entries.length + fresh.length),
  ];
  for (const { key, type, start, end: stop } of header.entries) {
    const value = set[key];
    if (value === undefined) parts.push(await take(file, start, stop - start));
    else parts.push(entry(key, value, type));
  }
  for (const key of fresh) parts.push(entry(key, set[key] ?? 0));
  for (const tensor of kept)
    parts.push(info(tensor.name, tensor.dimensions, { type: tensor.type, to: placed.get(tensor) ?? 0 }));
  for (const { rows, to } of added) parts.push(info(rows.name, [rows.width, rows.height], { type: 1, to }));
  const head = Buffer.concat(parts);
  const padding = Buffer.alloc(aligned(head.length, step) - head.length);
  return { head: Buffer.concat([head, padding]), regions, added, bytes };
}

async function take(file: FileHandle, start: number, count: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(count);
  const { bytesRead } = await file.read(buffer, 0, count, start);
  if (bytesRead < count) throw new Error("the file has become shorter while it was read");
  return buffer;
}

const slice = 1 << 22;

async function copy(from: FileHandle, to: FileHandle, { head, regions, added, bytes }: Plan): Promise<void> {
  await to.write(head, 0, head.length, 0);
  for (const region of regions)
    for (let done = 0; done < region.bytes; done += slice) {
      const part = await take(from, region.from + done, Math.min(slice, region.bytes - done));
      await to.write(part, 0, part.length, head.length + region.to + done);
    }
  // What is not written is zero, and takes no room on most disks.
  await to.truncate(head.length + bytes);
  for (const { rows, to: place } of added)
    for (const [row, values] of rows.rows) {
      const part = Buffer.alloc(rows.width * 2);
      values.forEach((value, column) => part.writeUInt16LE(toFloat16(value), column * 2));
      await to.write(part, 0, part.length, head.length + place + row * rows.width * 2);
    }
}

/**
 * Writes a GGUF file anew with changes; without any the copy is the same, byte by byte. Tensors are streamed. The file
 * appears under its name once it is whole. Rejects with a ConfigError that names the file that is wrong.
 */
export async function rewriteGguf(source: string, target: string, change: GgufChange = {}): Promise<void> {
  if (resolve(source) === resolve(target)) throw new ConfigError(target, "is the file to be read; choose another name");
  const header = await checkGguf(source);
  const part = `${target}.part`;
  const from = await open(source);
  try {
    const plan = await planOf(from, header, change);
    const to = await open(part, "w").catch((cause: unknown) => {
      throw new ConfigError(target, `cannot be written: ${explain(cause)}`, { cause });
    });
    try {
      await copy(from, to, plan);
    } finally {
      await to.close();
    }
    await rename(part, target);
  } catch (cause) {
    await rm(part, { force: true });
    throw cause instanceof ConfigError
      ? cause
      : new ConfigError(target, `cannot be written: ${explain(cause)}`, { cause });
  } finally {
    await from.close();
  }
}

/** llama.cpp's number of a way to pool: what the last token leaves. */
const poolLast = 3;

export type CutOptions = {
  /** How many of the first layers stay. */
  readonly layers: number;
  /** The file embeds: a text's embedding is what the last kept layer makes of its last token, after the final norm. */
  readonly embed?: boolean | undefined;
  /** A head in place of the model's own: rows by token, of the model's width; all other tokens get a logit of 0. */
  readonly head?: ReadonlyMap<number, readonly number[]> | undefined;
};

/** The kinds of model that are known to work when cut. */
export const cuttable: readonly string[] = ["llama", "qwen2"];

/** What a model can be cut to: its architecture, layers, width and vocabulary. */
export type Shape = {
  readonly architecture: string;
  readonly layers: number;
  readonly width: number;
  readonly vocabulary: number;
};

/** The shape of a model file that can be cut. Rejects with a ConfigError that names the file and says why it cannot. */
export async function shapeOf(path: string): Promise<Shape> {
  const { metadata, tensors } = await checkGguf(path);
  const architecture = String(metadata.get("general.architecture"));
  if (!cuttable.includes(architecture))
    throw new ConfigError(path, `is of the kind "${architecture}"; only ${cuttable.join(" and ")} can be cut`);
  if (Number(metadata.get("split.count") ?? 1) > 1)
    throw new ConfigError(path, "is one of several files of a model; join them first");
  const layers = metadata.get(`${architecture}.block_count`);
  const [width, vocabulary] = tensors.find(({ name }) => name === "token_embd.weight")?.dimensions ?? [];
  if (typeof layers !== "number" || width === undefined || vocabulary === undefined)
    throw new ConfigError(path, "does not say how many layers it has, or has no token_embd.weight");
  return { architecture, layers, width, vocabulary };
}

function headRows(path: string, { width, vocabulary }: Shape, rows: NonNullable<CutOptions["head"]>): GgufRows {
  for (const [token, row] of rows) {
    if (!Number.isInteger(token) || token < 0 || token >= vocabulary)
      throw new ConfigError(path, `has no token ${token}; there are ${vocabulary}`);
    if (row.length !== width || !row.every((value) => Math.abs(value) < 65504))
      throw new ConfigError(path, `takes rows of ${width} numbers below 65504; one has ${row.length}`);
  }
  return { name: "output.weight", width, height: vocabulary, rows };
}

/** Writes a model that ends after one of its layers. Rejects with a ConfigError that names the file that is wrong. */
export async function cutGguf(source: string, target: string, { layers, embed, head }: CutOptions): Promise<void> {
  const shape = await shapeOf(source);
  if (!Number.isInteger(layers) || layers < 1 || layers > shape.layers)
    throw new ConfigError("layers", `must be from 1 to ${shape.layers}, the layers of ${source}; was ${layers}`);
  const set: Record<string, number> = { [`${shape.architecture}.block_count`]: layers };
  if (embed === true) set[`${shape.architecture}.pooling_type`] = poolLast;
  const keep = ({ name }: GgufTensor) => {
    const block = /^blk\.(\d+)\./.exec(name)?.[1];
    return block === undefined ? !name.startsWith("output.") : Number(block) < layers;
  };
  const add = head === undefined ? [] : [headRows(source, shape, head)];
  await rewriteGguf(source, target, { set, keep, add });
}
