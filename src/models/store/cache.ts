// Where fetched models lie, and what lies there.
import { rm, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { ConfigError } from "../../base/errors.ts";
import { catalogue, find } from "./catalogue.ts";
import type { CatalogueEntry } from "./catalogue.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Which models are meant, and where they lie. */
export type CacheOptions = {
  /** Default: `cacheFolder()`. */
  readonly cacheDir?: string | undefined;
  /** Default: the catalogue. */
  readonly entries?: readonly CatalogueEntry[] | undefined;
};

/** `DUPLEX_CACHE`, else the system's folder for caches with `duplex` in it. */
export function cacheFolder(env: Environment = process.env, platform: NodeJS.Platform = process.platform): string {
  const set = (name: string) => env[name] || undefined;
  const own = set("DUPLEX_CACHE");
  if (own !== undefined) return own;
  const shared = set("XDG_CACHE_HOME");
  if (shared !== undefined) return join(shared, "duplex");
  const home = set("HOME") ?? homedir();
  if (platform === "win32") return join(set("LOCALAPPDATA") ?? join(home, "AppData", "Local"), "duplex", "cache");
  if (platform === "darwin") return join(home, "Library", "Caches", "duplex");
  return join(home, ".cache", "duplex");
}

/** Where a model's file lies once it has been pulled. */
export const pathOf = (entry: CatalogueEntry, { cacheDir = cacheFolder() }: CacheOptions = {}): string =>
  join(cacheDir, "models", entry.file);

/** The unfinished file beside it: always a beginning of the whole, whatever source it came from. */
export const partOf = (path: string): string => `${path}.part`;

/** Bytes of a file, or nothing where there is none. */
export async function sizeOf(path: string): Promise<number | undefined> {
  try {
    const info = await stat(path);
    return info.isFile() ? info.size : undefined;
  } catch {
    return undefined;
  }
}

export type Listed = CatalogueEntry & {
  /** Where it lies, if it has been pulled. */
  readonly path?: string;
  /** Bytes of it that have been fetched. */
  readonly fetched: number;
};

/** The catalogue, with what of it lies in the cache. */
export function list(options: CacheOptions = {}): Promise<readonly Listed[]> {
  return Promise.all(
    (options.entries ?? catalogue).map(async (entry) => {
      const path = pathOf(entry, options);
      if ((await sizeOf(path)) === entry.bytes) return { ...entry, path, fetched: entry.bytes };
      return { ...entry, fetched: (await sizeOf(partOf(path))) ?? 0 };
    }),
  );
}

/** Removes a model and what was fetched of it; answers whether there was anything. */
export async function remove(name: string, options: CacheOptions = {}): Promise<boolean> {
  const path = pathOf(find(name, options.entries), options);
  const sizes = await Promise.all([sizeOf(path), sizeOf(partOf(path))]);
  await Promise.all([rm(path, { force: true }), rm(partOf(path), { force: true })]);
  return sizes.some((size) => size !== undefined);
}

/** The file of a pulled model or of a path. Rejects with a ConfigError that says what to do. */
export async function locate(nameOrPath: string, options: CacheOptions = {}): Promise<string> {
  const entries = options.entries ?? catalogue;
  const entry = entries.find(({ name }) => name === nameOrPath);
  if (entry !== undefined) {
    const path = pathOf(entry, options);
    if ((await sizeOf(path)) === entry.bytes) return path;
    throw new ConfigError(`model ${nameOrPath}`, `it is not here yet: run \`duplex models pull ${nameOrPath}\``);
  }
  if ((await sizeOf(nameOrPath)) !== undefined) return nameOrPath;
  const names = entries.map(({ name }) => name).join(", ");
  throw new ConfigError(`model ${nameOrPath}`, `there is no such file, nor a model of that name (there are ${names})`);
}
