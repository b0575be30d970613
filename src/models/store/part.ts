// The unfinished file: filled from any source, always a beginning of the whole; checked and put in place at the end.
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { explain } from "../../base/errors.ts";
import { partOf, sizeOf } from "./cache.ts";
import type { CatalogueEntry } from "./catalogue.ts";

/** What is going on while a model is fetched. */
export type Progress = {
  readonly phase: "waiting" | "hub" | "mirror" | "checking";
  /** Bytes fetched so far, and of the whole. */
  readonly bytes: number;
  readonly totalBytes: number;
  /** Which source, or what is waited for. */
  readonly detail: string;
};

/** A model being fetched to `path`. */
export type Fetching = {
  readonly entry: CatalogueEntry;
  readonly path: string;
  readonly onProgress: (progress: Progress) => void;
  readonly signal: AbortSignal;
};

/** Another source cannot help: no space, or no right to write. */
export class DiskError extends Error {
  override readonly name = "DiskError";
}

const diskProblems: Readonly<Record<string, string>> = {
  ENOSPC: "there is no space left",
  EDQUOT: "the disk quota is used up",
  EACCES: "it may not be written",
  EPERM: "it may not be written",
  EROFS: "it lies on a read-only file system",
};

/** A failure to write, said plainly. */
export function diskError(error: unknown, { entry, path }: Pick<Fetching, "entry" | "path">): DiskError | undefined {
  const problem = diskProblems[(error as NodeJS.ErrnoException | undefined)?.code ?? ""];
  if (problem === undefined) return undefined;
  const megabytes = Math.ceil(entry.bytes / 1e6);
  return new DiskError(`${path}: ${problem} (${entry.name} needs ${megabytes} MB)`, { cause: error });
}

/** How many bytes of the part can be kept: none of one that is too long or does not begin like the file. */
export async function kept({ entry, path }: Fetching): Promise<number> {
  const size = (await sizeOf(partOf(path))) ?? 0;
  if (size <= entry.bytes) return size;
  await rm(partOf(path), { force: true });
  return 0;
}

type Source = AsyncIterable<Uint8Array>;

/** What a source's bytes are for: `from` is where in the whole file they begin. */
export type Filling = { readonly from: number; readonly phase: "hub" | "mirror"; readonly detail: string };

/** Appends `source` to the part, passing over what it holds already. Rejects with a DiskError when it cannot be written. */
export async function fill(fetching: Fetching, source: Source, { from, phase, detail }: Filling): Promise<void> {
  const { entry, path, onProgress, signal } = fetching;
  const part = partOf(path);
  const have = (await sizeOf(part)) ?? 0;
  if (from > have) throw new Error("there is a gap between what was fetched and what comes");
  let position = from;
  const file = await open(part, "a").catch((error: unknown) => {
    throw diskError(error, fetching) ?? error;
  });
  try {
    for await (const chunk of source) {
      signal.throwIfAborted();
      const fresh = chunk.subarray(Math.max(0, have - position));
      position += chunk.length;
      if (position > entry.bytes) throw new Error(`it is longer than ${entry.name} should be`);
      if (position <= have) continue;
      const begins = have === 0 && position === chunk.length;
      if (begins && !Buffer.from(fresh.subarray(0, 4)).equals(Buffer.from("GGUF").subarray(0, fresh.length))) {
        throw new Error("what came is not the file (a page that asks for a log-in, perhaps)");
      }
      await file.write(fresh).catch((error: unknown) => {
        throw diskError(error, fetching) ?? error;
      });
      onProgress({ phase, detail, bytes: position, totalBytes: entry.bytes });
    }
  } finally {
    await file.close();
  }
}

/** The sha256 of a file, in hexadecimal. */
export async function digest(path: string, signal: AbortSignal): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20, signal })) hash.update(chunk as Buffer);
  return hash.digest("hex");
}

/** Checks the whole part and puts it in place; a part with another digest is removed. */
export async function finish({ entry, path, onProgress, signal }: Fetching): Promise<void> {
  const part = partOf(path);
  const size = (await sizeOf(part)) ?? 0;
  if (size < entry.bytes) throw new Error(`it ended after ${size} of ${entry.bytes} bytes`);
  onProgress({ phase: "checking", bytes: size, totalBytes: entry.bytes, detail: "sha256" });
  const found = await digest(part, signal).catch((error: unknown) => {
    signal.throwIfAborted();
    throw new Error(explain(error), { cause: error });
  });
  if (found !== entry.sha256) {
    await rm(part, { force: true });
    throw new Error(`its sha256 is ${found} and should be ${entry.sha256}; what was fetched has been removed`);
  }
  await rename(part, path);
}
