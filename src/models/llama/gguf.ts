// The header of a GGUF file: what is in it and where, without reading the weights.
import { open } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { ConfigError, explain } from "../../base/errors.ts";

/** A metadata value; 64-bit integers are bigint, arrays are arrays. */
export type GgufValue = number | bigint | boolean | string | readonly GgufValue[];

/** One tensor: its dimensions (fastest first), its type's number in ggml, and where its data begin after `dataOffset`. */
export type GgufTensor = {
  readonly name: string;
  readonly dimensions: readonly number[];
  readonly type: number;
  readonly offset: number;
  /** Bytes of its data; undefined for a type that is newer than this reader. */
  readonly bytes: number | undefined;
};

/** Where a metadata value stands in the file, its key included, and its type's number in the format. */
export type GgufEntry = { readonly key: string; readonly type: number; readonly start: number; readonly end: number };

/** What stands before the tensors of a GGUF file. */
export type GgufHeader = {
  readonly version: number;
  readonly metadata: ReadonlyMap<string, GgufValue>;
  /** The metadata in the file's order. */
  readonly entries: readonly GgufEntry[];
  readonly tensors: readonly GgufTensor[];
  /** Bytes from the beginning of the file to the first tensor. */
  readonly dataOffset: number;
  readonly fileBytes: number;
};

/** Elements and bytes of a block, by ggml's number of the type. */
export const ggmlBlocks: Readonly<Record<number, readonly [elements: number, bytes: number]>> = {
  0: [1, 4], // F32
  1: [1, 2], // F16
  2: [32, 18], // Q4_0
  3: [32, 20], // Q4_1
  6: [32, 22], // Q5_0
  7: [32, 24], // Q5_1
  8: [32, 34], // Q8_0
  9: [32, 36], // Q8_1
  10: [256, 84], // Q2_K
  11: [256, 110], // Q3_K
  12: [256, 144], // Q4_K
  13: [256, 176], // Q5_K
  14: [256, 210], // Q6_K
  15: [256, 292], // Q8_K
  24: [1, 1], // I8
  25: [1, 2], // I16
  26: [1, 4], // I32
  27: [1, 8], // I64
  28: [1, 8], // F64
  30: [1, 2], // BF16
};

/** The file ends before its header does. */
class EndOfFile extends Error {}

/** Reads little-endian values one after the other, through a window on the file. */
class Reader {
  readonly #file: FileHandle;
  #window: Buffer = Buffer.alloc(0);
  #windowStart = 0;
  position = 0;

  constructor(file: FileHandle) {
    this.#file = file;
  }

  async take(count: number): Promise<Buffer> {
    let from = this.position - this.#windowStart;
    if (from < 0 || from + count > this.#window.length) {
      const buffer = Buffer.allocUnsafe(Math.max(count, 1 << 18));
      const { bytesRead } = await this.#file.read(buffer, 0, buffer.length, this.position);
      this.#window = buffer.subarray(0, bytesRead);
      this.#windowStart = this.position;
      from = 0;
    }
    if (from + count > this.#window.length) throw new EndOfFile("the file ends inside its header");
    this.position += count;
    return this.#window.subarray(from, from + count);
  }

  /** A count or length; one that no file of this size can hold means that the header is broken. */
  async size(limit: number): Promise<number> {
    const value = (await this.take(8)).readBigUInt64LE();
    if (value > BigInt(limit)) throw new EndOfFile(`the header asks for ${value} bytes or items`);
    return Number(value);
  }

  async string(limit: number): Promise<string> {
    return (await this.take(await this.size(limit))).toString("utf8");
  }
}

type Scalar = (bytes: Buffer) => number | bigint | boolean;
/** By the format's number of the type: width and reading. 8 is a string, 9 an array. */
const scalars: Readonly<Record<number, readonly [bytes: number, read: Scalar]>> = {
  0: [1, (b) => b.readUInt8()],
  1: [1, (b) => b.readInt8()],
  2: [2, (b) => b.readUInt16LE()],
  3: [2, (b) => b.readInt16LE()],
  4: [4, (b) => b.readUInt32LE()],
  5: [4, (b) => b.readInt32LE()],
  6: [4, (b) => b.readFloatLE()],
  7: [1, (b) => b.readUInt8() !== 0],
  10: [8, (b) => b.readBigUInt64LE()],
  11: [8, (b) => b.readBigInt64LE()],
  12: [8, (b) => b.readDoubleLE()],
};

async function readValue(reader: Reader, type: number, limit: number): Promise<GgufValue> {
  if (type === 8) return reader.string(limit);
  if (type === 9) {
    const item = (await reader.take(4)).readUInt32LE();
    const length = await reader.size(limit);
    const items: GgufValue[] = [];
    for (let index = 0; index < length; index++) items.push(await readValue(reader, item, limit));
    return items;
  }
  const scalar = scalars[type];
  if (scalar === undefined) throw new Error(`a metadata value has the unknown type ${type}`);
  return scalar[1](await reader.take(scalar[0]));
}

async function readTensor(reader: Reader, limit: number): Promise<GgufTensor> {
  const name = await reader.string(limit);
  const rank = (await reader.take(4)).readUInt32LE();
  if (rank > 8) throw new Error(`tensor ${name} has ${rank} dimensions`);
  const dimensions: number[] = [];
  for (let axis = 0; axis < rank; axis++) dimensions.push(Number((await reader.take(8)).readBigUInt64LE()));
  const type = (await reader.take(4)).readUInt32LE();
  const offset = Number((await reader.take(8)).readBigUInt64LE());
  const block = ggmlBlocks[type];
  const elements = dimensions.reduce((product, size) => product * size, 1);
  const bytes = block === undefined ? undefined : (elements / block[0]) * block[1];
  return { name, dimensions, type, offset, bytes };
}

async function readHeader(file: FileHandle, fileBytes: number): Promise<GgufHeader> {
  if (fileBytes === 0) throw new Error("the file is empty");
  const reader = new Reader(file);
  const magic = (await reader.take(4)).toString("latin1");
  if (magic !== "GGUF") throw new Error("this is not a GGUF file (it does not begin with GGUF)");
  const version = (await reader.take(4)).readUInt32LE();
  if (version !== 2 && version !== 3) {
    throw new Error(`GGUF version ${version} is not supported (2 and 3 are); big-endian files are not either`);
  }
  const tensorCount = await reader.size(fileBytes);
  const valueCount = await reader.size(fileBytes);
  const metadata = new Map<string, GgufValue>();
  const entries: GgufEntry[] = [];
  for (let index = 0; index < valueCount; index++) {
    const start = reader.position;
    const key = await reader.string(fileBytes);
    const type = (await reader.take(4)).readUInt32LE();
    metadata.set(key, await readValue(reader, type, fileBytes));
    entries.push({ key, type, start, end: reader.position });
  }
  const tensors: GgufTensor[] = [];
  for (let index = 0; index < tensorCount; index++) tensors.push(await readTensor(reader, fileBytes));
  const alignment = Number(metadata.get("general.alignment") ?? 32);
  const dataOffset = Math.ceil(reader.position / alignment) * alignment;
  return { version, metadata, entries, tensors, dataOffset, fileBytes };
}

/** Reads a GGUF file's header. Rejects with a ConfigError that names the file: missing, empty, of another kind, cut short. */
export async function readGguf(path: string): Promise<GgufHeader> {
  let file: FileHandle;
  try {
    file = await open(path);
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code;
    throw new ConfigError(path, code === "ENOENT" ? "there is no such file" : `cannot open it: ${explain(cause)}`, {
      cause,
    });
  }
  try {
    const info = await file.stat();
    if (!info.isFile()) throw new Error("this is not a file");
    return await readHeader(file, info.size);
  } catch (cause) {
    const cut = cause instanceof EndOfFile ? "the file is cut short or damaged: " : "";
    throw new ConfigError(path, cut + explain(cause), { cause });
  } finally {
    await file.close();
  }
}

/** The header of a whole GGUF file; rejects when the file ends before its tensors do. */
export async function checkGguf(path: string): Promise<GgufHeader> {
  const header = await readGguf(path);
  const { tensors, dataOffset, fileBytes } = header;
  const needed = tensors.reduce((most, { offset, bytes = 0 }) => Math.max(most, dataOffset + offset + bytes), 0);
  if (needed > fileBytes) {
    throw new ConfigError(path, `the file is cut short: it has ${fileBytes} bytes and its tensors need ${needed}`);
  }
  return header;
}
