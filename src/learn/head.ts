// The small part of an ear: what was fitted. With the base it was fitted on it makes the same ear again, bit by bit.

import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { z } from "zod";
import { ConfigError, explain } from "../base/errors.ts";
import { cutGguf, toFloat16 } from "../models/llama/gguf-write.ts";
import { makeFolder } from "../models/store/folder.ts";
import { cacheFolder, catalogue, locate, pull } from "../models/store/index.ts";
import type { PullOptions } from "../models/store/index.ts";
import { checkEar, readEar } from "./ear-file.ts";
import type { EarFile } from "./ear-file.ts";

/** The form of heads that this version reads. */
export const headSchema = "duplex.ear-head/1";

/** `tokens`: whose rows of the output are not zero; `row`: that row, 16-bit floats, little-endian, base64. */
export type Head = {
  readonly schema: typeof headSchema;
  readonly tokens: readonly number[];
  readonly row: string;
  readonly ear: EarFile & { readonly sha256: string };
};

const schema = z.object({
  schema: z.literal(headSchema),
  tokens: z.array(z.number().int().min(0)).min(1),
  row: z.base64(),
  ear: z.unknown(),
});

/** Checks a head however it came. Throws a ConfigError that names what is wrong. */
export function checkHead(value: unknown, place: string): Head {
  const { success, data, error } = schema.safeParse(value);
  if (!success) {
    const [issue] = error.issues;
    throw new ConfigError(`${place} ${issue?.path.join(".") ?? ""}`.trim(), `is no head of an ear: ${issue?.message}`);
  }
  const ear = checkEar(data.ear, `${place} ear`);
  const { sha256 } = ear;
  if (sha256 === undefined) throw new ConfigError(`${place} ear.sha256`, "is missing");
  return { ...data, ear: { ...ear, sha256 } };
}

/** A file's SHA-256 in hexadecimal digits. */
export async function sha256Of(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const part of createReadStream(path)) hash.update(part as Buffer);
  return hash.digest("hex");
}

/** A row as a head keeps it. */
export function encodeRow(row: readonly number[]): string {
  const bytes = Buffer.alloc(2 * row.length);
  row.forEach((value, index) => bytes.writeUInt16LE(toFloat16(value), 2 * index));
  return bytes.toString("base64");
}

/** The floats of a head's row; each is one of 16 bits, exactly. */
export function decodeRow(text: string): number[] {
  const bytes = Buffer.from(text, "base64");
  return Array.from({ length: Math.floor(bytes.length / 2) }, (_, index) => {
    const bits = bytes.readUInt16LE(2 * index);
    const [exponent, fraction] = [(bits >> 10) & 31, bits & 1023];
    const size = exponent === 0 ? fraction * 2 ** -24 : (1 + fraction / 1024) * 2 ** (exponent - 15);
    return bits >= 0x8000 ? -size : size;
  });
}

/**
 * Makes an ear of its head: cuts the base and puts `NAME.gguf` beside `out`, NAME.json. Rejects with a ConfigError where what
 * comes out is not what was fitted, bit by bit: the base is then another one.
 */
export async function growEar(head: Head, base: string, out: string): Promise<void> {
  const { ear, row, tokens } = head;
  const gguf = `${basename(out, ".json")}.gguf`;
  const path = join(dirname(out), gguf);
  // Others may be making the same ear right now.
  const mine = `${path}.${process.pid}`;
  try {
    await makeFolder(dirname(out));
    const values = decodeRow(row);
    await cutGguf(base, mine, { layers: ear.layers, head: new Map(tokens.map((token) => [token, values])) });
    const found = await sha256Of(mine);
    if (found !== ear.sha256)
      throw new ConfigError(base, `is not the ${ear.base} that this ear was fitted on; fetch the model again`);
    await rename(mine, path);
    await writeFile(out, `${JSON.stringify({ ...ear, gguf }, undefined, 2)}\n`);
  } catch (cause) {
    await rm(mine, { force: true });
    if (cause instanceof ConfigError) throw cause;
    throw new ConfigError(out, `cannot be written: ${explain(cause)}`, { cause });
  }
}

/** Where the base is found: by its name in the catalogue, fetched once, or in a file. */
export type GrowOptions = PullOptions & { readonly base?: string | undefined };

/**
 * The ear of a head in the cache, made on first use; gives the path of its JSON. Rejects with a ConfigError for a base that
 * is another one, a ModelError for one that cannot be fetched.
 */
export async function cachedEar(head: Head, { base, ...options }: GrowOptions = {}): Promise<string> {
  const { sha256, base: name } = head.ear;
  const out = join(options.cacheDir ?? cacheFolder(), "ears", sha256.slice(0, 16), "ear.json");
  try {
    const { ear } = await readEar(out);
    if (ear.sha256 === sha256 && JSON.stringify({ ...ear, gguf: "" }) === JSON.stringify({ ...head.ear, gguf: "" }))
      return out;
  } catch {
    // It is not there, or not whole: it is made again.
  }
  const known = (options.entries ?? catalogue).some((entry) => entry.name === name);
  const path = base ?? (known ? (await pull(name, options)).path : await locate(name, options));
  await growEar(head, path, out);
  return out;
}
