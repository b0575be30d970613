// Results on disk: one line each, written as they are finished, so that a killed evaluation goes on where it was.

import { open } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { ConfigError } from "../base/errors.ts";
import { contentOf, keyOf } from "./result.ts";
import type { Result } from "./result.ts";
import type { Sample } from "./task.ts";

/** Everything that must be the same for results to stand side by side. Samples, repeats and policies may be added later. */
export type Identity = Readonly<Record<string, string | number | boolean | null>>;

type Header = { readonly type: "duplex-eval"; readonly version: 1; readonly identity: Identity };

const version = 1;

export type Journal = {
  /** What was finished before, the last of each; failures are left out, so that they are tried again. */
  readonly done: readonly Result[];
  /** Resolves once the line is with the operating system: a killed process does not lose it. */
  readonly add: (result: Result) => Promise<void>;
  readonly close: () => Promise<void>;
};

export type JournalOptions = {
  readonly identity: Identity;
  /** The samples of this evaluation: a result of one that has changed since is refused. */
  readonly samples: readonly Sample[];
  /** How the file is called in errors; its path. */
  readonly place?: string | undefined;
};

/**
 * Opens a file of results, or begins one. A last line that was torn is dropped. Throws a `ConfigError` that names what
 * differs for a file of other settings, and the line for one that is no result.
 */
export async function openJournal(path: string, options: JournalOptions): Promise<Journal> {
  const place = options.place ?? path;
  const file = await openFile(path, place);
  try {
    const text = await file.readFile("utf8");
    const whole = text.slice(0, text.lastIndexOf("\n") + 1);
    const lines = whole.split("\n").slice(0, -1);
    const [first, ...rest] = lines;
    if (first !== undefined) checkHeader(parse(first, `${place}:1`), options.identity, place);
    const results = rest.map((line, index) => readResult(line, `${place}:${index + 2}`));
    checkSamples(results, options.samples, place);
    if (whole !== text) await file.truncate(Buffer.byteLength(whole));
    if (first === undefined) await write(file, { type: "duplex-eval", version, identity: options.identity });
    return journalOn(file, results);
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function openFile(path: string, place: string): Promise<FileHandle> {
  try {
    return await open(path, "a+");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
    throw new ConfigError(place, `cannot be opened for writing (${code})`, { cause: error });
  }
}

const write = async (file: FileHandle, line: Header | Result): Promise<void> => {
  await file.appendFile(`${JSON.stringify(line)}\n`);
};

function journalOn(file: FileHandle, results: readonly Result[]): Journal {
  const latest = new Map(results.map((result) => [keyOf(result), result]));
  let writing = Promise.resolve();
  return {
    done: [...latest.values()].filter(({ failure }) => failure === undefined),
    // One at a time, so that lines never mix.
    add: (result) => (writing = writing.then(() => write(file, result))),
    close: async () => {
      await writing.catch(() => {});
      await file.close();
    },
  };
}

function parse(line: string, place: string): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    throw new ConfigError(place, "is not a line of JSON; the file is damaged, choose another", { cause: error });
  }
}

function checkHeader(value: unknown, identity: Identity, place: string): void {
  const header = value as Partial<Header> | null;
  if (header?.type !== "duplex-eval")
    throw new ConfigError(place, "is no file of results of an evaluation; choose another");
  if (header.version !== version)
    throw new ConfigError(
      place,
      `has version ${String(header.version)}, and this is version ${version}; choose another file`,
    );
  const before: Identity = header.identity ?? {};
  const names = new Set([...Object.keys(before), ...Object.keys(identity)]);
  const differing = [...names].filter((name) => before[name] !== identity[name]);
  if (differing.length === 0) return;
  const told = differing.map((name) => `${name} ${show(before[name])}, now ${show(identity[name])}`);
  throw new ConfigError(
    place,
    `was made with other settings (${told.join("; ")}); use them again, or choose another file`,
  );
}

const show = (value: Identity[string] | undefined): string => JSON.stringify(value ?? null);

const wanted: Readonly<Record<string, string>> = { sample: "string", of: "string", policy: "string", repeat: "number" };

function readResult(line: string, place: string): Result {
  const value = parse(line, place) as Readonly<Record<string, unknown>> | null;
  const missing = Object.keys(wanted).find((name) => typeof value?.[name] !== wanted[name]);
  if (missing !== undefined) throw new ConfigError(place, `is no result: "${missing}" is missing`);
  return value as unknown as Result;
}

function checkSamples(results: readonly Result[], samples: readonly Sample[], place: string): void {
  const contents = new Map(samples.map((sample) => [sample.id, contentOf(sample)]));
  const stale = results.find(({ sample, of }) => contents.has(sample) && contents.get(sample) !== of);
  if (stale === undefined) return;
  throw new ConfigError(
    place,
    `holds results of another sample "${stale.sample}": the task has changed; choose another file`,
  );
}
