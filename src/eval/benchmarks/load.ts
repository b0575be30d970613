// Benchmarks by name: read from a file, from the hub, or from the sample that comes with Duplex.
import { join } from "node:path";
import { systemClock } from "../../base/clock.ts";
import type { Clock } from "../../base/clock.ts";
import { ConfigError } from "../../base/errors.ts";
import type { Model } from "../../core/types.ts";
import { cacheFolder } from "../../models/store/cache.ts";
import { shuffled } from "../split.ts";
import type { Benchmark, Item } from "./benchmark.ts";
import { benchmarkNames, publishedNamed } from "./catalog.ts";
import { fetchSet } from "./hub.ts";
import type { FetchProgress } from "./hub.ts";
import { Algebra } from "./math/algebra.ts";
import type { Published, Skipped } from "./published.ts";
import { parseRows, readRows } from "./rows.ts";
import type { Row } from "./rows.ts";
import { pythonSandbox } from "./sandbox/sandbox.ts";
import type { Sandbox, SandboxOptions } from "./sandbox/sandbox.ts";

/** Where a benchmark's items come from, which of them are taken, and who grades. */
export type LoadOptions = {
  /** A file in the form the benchmark is published in: parquet, JSONL, JSON or CSV. Without one it comes from the hub. */
  readonly file?: string | undefined;
  /** The built-in items of our own writing; the same as `:sample` after the name. */
  readonly sample?: boolean | undefined;
  /** At most so many items: the first of the file, or with a seed any of them. */
  readonly limit?: number | undefined;
  /** Decides which items are taken and their order, and the order of GPQA's options. */
  readonly seed?: number | undefined;
  /** Grades free text (HLE). */
  readonly judge?: Model | undefined;
  /** The limits of the sandbox in which code runs, or a sandbox to share, which its owner closes. */
  readonly sandbox?: SandboxOptions | Sandbox | undefined;
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Where what is fetched lies; default `benchmarks` in Duplex's cache folder. */
  readonly folder?: string | undefined;
  /** Of the hub, for gated data sets; default the environment's `HF_TOKEN`. Never shown. */
  readonly token?: string | undefined;
  /** Of the hub; default the environment's `HF_ENDPOINT`, else the public one. */
  readonly hubUrl?: string | undefined;
  readonly clock?: Clock | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: FetchProgress) => void) | undefined;
};

/** A benchmark ready to be run, and what of it cannot be asked or graded. */
export type Loaded = {
  readonly benchmark: Benchmark;
  readonly items: readonly Item[];
  readonly skipped: readonly Skipped[];
};

const publicHub = "https://huggingface.co";

function checkNumbers({ limit, seed }: LoadOptions): void {
  if (limit !== undefined && (!Number.isSafeInteger(limit) || limit < 1)) {
    throw new ConfigError("limit", `must be a whole number of at least 1; was ${limit}`);
  }
  if (seed !== undefined && !Number.isSafeInteger(seed)) {
    throw new ConfigError("seed", `must be a whole number; was ${seed}`);
  }
}

async function pathsOf(name: string, set: Published<unknown>, options: LoadOptions): Promise<readonly string[]> {
  if (options.file !== undefined) return [options.file];
  const { fetch = globalThis.fetch, clock = systemClock, signal, onProgress } = options;
  return fetchSet(set, {
    name,
    fetch,
    clock,
    signal,
    onProgress,
    folder: options.folder ?? join(cacheFolder(), "benchmarks"),
    token: options.token ?? process.env["HF_TOKEN"],
    url: (options.hubUrl ?? process.env["HF_ENDPOINT"] ?? publicHub).replace(/\/+$/, ""),
  });
}

async function* rowsOf(name: string, set: Published<unknown>, options: LoadOptions): AsyncGenerator<Row> {
  if (options.sample === true) {
    yield* parseRows(set.sample.text, `${name}:sample`, set.sample.format);
    return;
  }
  for (const path of await pathsOf(name, set, options)) {
    yield* readRows(path, { columns: set.columns });
    options.signal?.throwIfAborted();
  }
}

const isSkipped = (read: Item | Skipped): read is Skipped => "why" in read;

async function readAll(
  name: string,
  set: Published<unknown>,
  options: LoadOptions,
): Promise<Omit<Loaded, "benchmark">> {
  const { limit = Infinity, seed } = options;
  const items: Item[] = [];
  const skipped: Skipped[] = [];
  const places = new Map<string, string>();
  let number = 0;
  for await (const row of rowsOf(name, set, options)) {
    number++;
    const read = set.read(row, { number, seed: seed ?? 1 });
    const before = places.get(read.id);
    if (before !== undefined) throw new ConfigError(row.place, `id: "${read.id}" is already used at ${before}`);
    places.set(read.id, row.place);
    if (isSkipped(read)) skipped.push(read);
    else items.push(read);
    // Without a draw the first ones are enough; the rest of a large file need not be read.
    if (seed === undefined && items.length >= limit) break;
  }
  if (items.length === 0) {
    const why =
      skipped[0] === undefined ? "" : `: of ${skipped.length} rows none can be used (the first: ${skipped[0].why})`;
    throw new ConfigError(options.file ?? name, `has no items${why}`);
  }
  const drawn = seed === undefined ? items : shuffled(items, ({ id }) => id, seed);
  return { items: drawn.slice(0, limit), skipped };
}

function benchmarkOf(name: string, set: Published<unknown>, { judge, sandbox = {}, clock }: LoadOptions): Benchmark {
  const shared = "run" in sandbox;
  const grading = {
    judge,
    algebra: new Algebra({ clock }),
    sandbox: shared ? sandbox : pythonSandbox({ clock, ...sandbox }),
  };
  return {
    name,
    ...set.grader(grading),
    async close() {
      if (!shared) grading.sandbox.close();
      await grading.algebra.close();
    },
  };
}

/**
 * A benchmark's items and its grader: `aime-2025`, …, or with `:sample` the built-in items. Rows without a label, or that
 * cannot be asked (images), are left out and told in `skipped`. Rejects with a `ConfigError` that names the file, the
 * row and the column, or says how to get the data.
 */
export async function loadBenchmark(name: string, options: LoadOptions = {}): Promise<Loaded> {
  const [, plain = name, suffix] = /^(.*?)(:sample)?$/.exec(name) ?? [];
  const set = publishedNamed(plain);
  if (set === undefined) {
    throw new ConfigError(
      "benchmark",
      `"${name}" is none of ${benchmarkNames.join(", ")} (with :sample for built-in items)`,
    );
  }
  checkNumbers(options);
  const sample = options.sample === true || suffix !== undefined;
  if (sample && options.file !== undefined)
    throw new ConfigError("file", "is not read together with the built-in sample");
  const read = await readAll(plain, set, { ...options, sample });
  return { benchmark: benchmarkOf(sample ? `${plain}:sample` : plain, set, options), ...read };
}
