// Reads single members out of a zip archive (a Python wheel is one), by its central directory.
import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { pipeline } from "node:stream";
import type { Readable } from "node:stream";
import { createInflateRaw } from "node:zlib";

/** One file in an archive. */
export type Member = {
  readonly name: string;
  /** Bytes once unpacked. */
  readonly bytes: number;
  readonly packedBytes: number;
  /** 0 stored, 8 deflated. */
  readonly method: number;
  /** Where its own header begins. */
  readonly offset: number;
};

const endSignature = 0x06054b50;
const memberSignature = 0x02014b50;
const localSignature = 0x04034b50;
/** Of the record at the end; a comment of up to 64 KiB may follow it. */
const endBytes = 22;
const localBytes = 30;

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position);
  if (bytesRead < length) throw new Error("the archive is cut short");
  return buffer;
}

async function directory(file: FileHandle): Promise<{ readonly count: number; readonly bytes: Buffer }> {
  const { size } = await file.stat();
  const length = Math.min(size, endBytes + 0xffff);
  const tail = await readAt(file, size - length, length);
  for (let at = length - endBytes; at >= 0; at--) {
    if (tail.readUInt32LE(at) !== endSignature) continue;
    const offset = tail.readUInt32LE(at + 16);
    if (offset === 0xffffffff) throw new Error("archives of 4 GiB and more are not supported");
    return { count: tail.readUInt16LE(at + 10), bytes: await readAt(file, offset, tail.readUInt32LE(at + 12)) };
  }
  throw new Error("this is not a zip archive");
}

/** What an archive holds. */
export async function members(path: string): Promise<readonly Member[]> {
  const file = await open(path);
  try {
    const { count, bytes } = await directory(file);
    const found: Member[] = [];
    let at = 0;
    for (let index = 0; index < count; index++) {
      if (bytes.readUInt32LE(at) !== memberSignature) throw new Error("the archive's directory is damaged");
      const nameBytes = bytes.readUInt16LE(at + 28);
      found.push({
        name: bytes.toString("utf8", at + 46, at + 46 + nameBytes),
        method: bytes.readUInt16LE(at + 10),
        packedBytes: bytes.readUInt32LE(at + 20),
        bytes: bytes.readUInt32LE(at + 24),
        offset: bytes.readUInt32LE(at + 42),
      });
      at += 46 + nameBytes + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
    }
    return found;
  } finally {
    await file.close();
  }
}

/** The unpacked bytes of one member. */
export async function readMember(path: string, { offset, method, packedBytes, name }: Member): Promise<Readable> {
  const file = await open(path);
  let start: number;
  try {
    const local = await readAt(file, offset, localBytes);
    if (local.readUInt32LE() !== localSignature) throw new Error(`the archive's member ${name} is damaged`);
    start = offset + localBytes + local.readUInt16LE(26) + local.readUInt16LE(28);
  } finally {
    await file.close();
  }
  const packed = createReadStream(path, { start, end: Math.max(start, start + packedBytes - 1) });
  if (method === 0) return packed;
  if (method !== 8) throw new Error(`the archive's member ${name} is packed in an unsupported way (${method})`);
  // A failure of either ends the other; the reader sees it as an error of the stream.
  return pipeline(packed, createInflateRaw(), () => {});
}
