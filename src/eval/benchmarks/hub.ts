// Fetches a data set's files from the hub, once: checked against the size and digest that the hub lists, going on where
// an earlier try stopped.
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { open, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { after } from "../../base/clock.ts";
import type { Clock } from "../../base/clock.ts";
import { ConfigError, explain } from "../../base/errors.ts";
import { scope } from "../../base/scope.ts";
import { makeFolder } from "../../models/store/folder.ts";
import { locked } from "../../models/store/lock.ts";

/** How far the fetching of a file is. */
export type FetchProgress = { readonly file: string; readonly bytes: number; readonly totalBytes: number };

export type HubOptions = {
  /** What it is called in messages. */
  readonly name: string;
  readonly fetch: typeof globalThis.fetch;
  /** Where fetched files lie. */
  readonly folder: string;
  readonly clock: Clock;
  /** Without a slash at its end. */
  readonly url: string;
  /** A reading token of the user's; sent to the hub, and nowhere else shown. */
  readonly token?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: FetchProgress) => void) | undefined;
};

/** What is fetched: a data set's repository, and which of its files. */
export type Wanted = { readonly repository: string; readonly files: RegExp; readonly gated: boolean };

type Listed = { readonly path: string; readonly size: number; readonly digest: string };

/** So long it may be silent. */
const silentMs = 30_000;

/** A digest as the hub lists it: sha256 of large files, Git's own for small ones. */
const sha256 = /^[0-9a-f]{64}$/;

const terms = ({ name, url }: HubOptions, { repository, gated }: Wanted, refused: boolean): string => {
  const page = `${url}/datasets/${repository}`;
  const what = refused ? "the hub refused the token" : "the hub asks who is there";
  const accept = gated ? `it is gated: accept its terms at ${page}, ` : `if it is gated, accept its terms at ${page}, `;
  return `${what}; ${accept}set HF_TOKEN to a token of that account that may read it, and try again, or download the file yourself and name it (${name}, file)`;
};

/** Requests under the user's token; whatever the answer, it is a `ConfigError` that says what to do unless it is good. */
async function get(path: string, { options, wanted, signal, from = 0 }: Request): Promise<Response> {
  const { url, fetch, token, name } = options;
  const headers: Record<string, string> = {};
  if (token !== undefined && token !== "") headers["authorization"] = `Bearer ${token}`;
  if (from > 0) headers["range"] = `bytes=${from}-`;
  let response: Response;
  try {
    response = await fetch(`${url}/${path}`, { headers, signal });
  } catch (error) {
    options.signal?.throwIfAborted();
    throw new ConfigError(name, `the hub (${url}) cannot be reached (${withoutToken(explain(error), token)})`);
  }
  if (response.ok && response.body !== null) return response;
  await response.body?.cancel();
  if (response.status === 401 || response.status === 403) {
    throw new ConfigError(name, terms(options, wanted, headers["authorization"] !== undefined));
  }
  throw new ConfigError(name, `the hub (${url}) answered ${response.status} for ${path}`);
}

type Request = {
  readonly options: HubOptions;
  readonly wanted: Wanted;
  readonly signal: AbortSignal;
  readonly from?: number;
};

const withoutToken = (text: string, token: string | undefined): string =>
  token === undefined || token === "" ? text : text.replaceAll(token, "…");

function listedIn(value: unknown, { files }: Wanted): Listed[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((entry: unknown) => {
    const { type, path, size, oid, lfs } = (entry ?? {}) as Record<string, unknown>;
    if (type !== "file" || typeof path !== "string" || typeof size !== "number" || !files.test(path)) return [];
    const large = (lfs as Record<string, unknown> | null | undefined)?.["oid"];
    return [{ path, size, digest: String(large ?? oid) }];
  });
}

async function digestOf(path: string, { size, digest }: Listed): Promise<string> {
  const hash = createHash(sha256.test(digest) ? "sha256" : "sha1");
  if (!sha256.test(digest)) hash.update(`blob ${size}\0`);
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest("hex");
}

const sizeOf = async (path: string): Promise<number> =>
  stat(path).then(
    (found) => found.size,
    () => -1,
  );

/** Appends what comes to the unfinished file; what came stays there when the connection breaks. */
async function append(part: string, listed: Listed, request: Request): Promise<void> {
  const { options, wanted } = request;
  const own = scope(options.signal);
  let silent = after(options.clock, silentMs, () => own.abort(new Error("it does not answer")));
  const file = await open(part, "a");
  try {
    let bytes = (await file.stat()).size;
    const path = `datasets/${wanted.repository}/resolve/main/${encodeURI(listed.path)}`;
    const response = await get(path, { options, wanted, signal: own.signal, from: bytes });
    if (response.status !== 206 && bytes > 0) {
      await file.truncate(0);
      bytes = 0;
    }
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      silent();
      silent = after(options.clock, silentMs, () => own.abort(new Error("it fell silent")));
      bytes += chunk.length;
      if (bytes > listed.size) throw new Error("it is longer than the hub says");
      await file.write(chunk);
      options.onProgress?.({ file: listed.path, bytes, totalBytes: listed.size });
    }
  } finally {
    silent();
    own.release();
    await file.close();
  }
}

async function fetchFile(path: string, listed: Listed, request: Request): Promise<void> {
  const { name, signal, token } = request.options;
  const part = `${path}.part`;
  await makeFolder(dirname(path));
  if ((await sizeOf(part)) > listed.size) await rm(part);
  try {
    if ((await sizeOf(part)) < listed.size) await append(part, listed, request);
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof ConfigError) throw error;
    const why = withoutToken(explain(error), token);
    throw new ConfigError(name, `${listed.path} could not be fetched (${why}); what has come is kept, try again`);
  }
  const size = await sizeOf(part);
  if (size !== listed.size) {
    throw new ConfigError(
      name,
      `${listed.path} ended after ${size} of ${listed.size} bytes; what has come is kept, try again`,
    );
  }
  if ((await digestOf(part, listed)) !== listed.digest) {
    await rm(part);
    throw new ConfigError(name, `${listed.path} has another digest than the hub lists; it was removed, try again`);
  }
  await rename(part, path);
}

/** The files of an earlier, complete fetch. */
async function complete(folder: string): Promise<string[] | undefined> {
  try {
    const list = JSON.parse(await readFile(join(folder, "complete.json"), "utf8")) as Listed[];
    const sizes = await Promise.all(list.map(({ path }) => sizeOf(join(folder, path))));
    return list.every(({ size }, index) => sizes[index] === size)
      ? list.map(({ path }) => join(folder, path))
      : undefined;
  } catch {
    return undefined;
  }
}

async function fetchAll(folder: string, request: Request): Promise<string[]> {
  const { options, wanted } = request;
  const response = await get(`api/datasets/${wanted.repository}/tree/main?recursive=true`, request);
  const list = listedIn(await response.json(), wanted).toSorted((one, other) => (one.path < other.path ? -1 : 1));
  if (list.length === 0) {
    throw new ConfigError(
      options.name,
      `${wanted.repository} has no file like ${wanted.files.source}; name a file of yours`,
    );
  }
  if (list.some(({ path }) => path.split("/").includes("..")))
    throw new ConfigError(options.name, "a path leaves the folder");
  for (const listed of list) {
    const path = join(folder, listed.path);
    if ((await sizeOf(path)) !== listed.size) await fetchFile(path, listed, request);
  }
  await writeFile(join(folder, "complete.json"), JSON.stringify(list));
  return list.map(({ path }) => join(folder, path));
}

/**
 * The local paths of a data set's files, fetched where they are not here yet. Rejects with a `ConfigError` that says what
 * to do; a token never appears in it.
 */
export async function fetchSet(wanted: Wanted, options: HubOptions): Promise<string[]> {
  const folder = join(options.folder, wanted.repository.replaceAll("/", "--"));
  const here = await complete(folder);
  if (here !== undefined) return here;
  await makeFolder(folder).catch((error: unknown) => {
    throw new ConfigError(folder, `cannot be made (${explain(error)})`, { cause: error });
  });
  const signal = options.signal ?? new AbortController().signal;
  return locked(join(folder, "lock"), { clock: options.clock, signal, onWait: () => {} }, async () => {
    return (await complete(folder)) ?? (await fetchAll(folder, { options, wanted, signal }));
  });
}
