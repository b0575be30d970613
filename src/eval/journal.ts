// Results on disk: one line each, written as they are finished, so that a killed evaluation goes on where it was.

import { ConfigError } from "../base/errors.ts";
import { openRecords } from "./records.ts";
import type { Identity } from "./records.ts";
import { contentOf, keyOf } from "./result.ts";
import type { Result } from "./result.ts";
import type { Sample } from "./task.ts";

export type { Identity } from "./records.ts";

/** A file of results that an evaluation goes on with. */
export type Journal = {
  /** What was finished before, the last of each; failures are left out, so that they are tried again. */
  readonly done: readonly Result[];
  /** Resolves once the line is with the operating system: a killed process does not lose it. */
  readonly add: (result: Result) => Promise<void>;
  readonly close: () => Promise<void>;
};

/** What a file of results must agree with to be gone on with. */
export type JournalOptions = {
  /** What must be the same for all results. Samples, repeats and policies may be added later. */
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
  const { identity, samples, place = path } = options;
  const about = "results of an evaluation";
  const records = await openRecords(path, { type: "duplex-eval", about, identity, read: readResult, place });
  try {
    checkSamples(records.before, samples, place);
  } catch (error) {
    await records.close();
    throw error;
  }
  const latest = new Map(records.before.map((result) => [keyOf(result), result]));
  return {
    done: [...latest.values()].filter(({ failure }) => failure === undefined),
    add: records.add,
    close: records.close,
  };
}

const wanted: Readonly<Record<string, string>> = { sample: "string", of: "string", policy: "string", repeat: "number" };

function readResult(value: unknown, place: string): Result {
  const fields = value as Readonly<Record<string, unknown>> | null;
  const missing = Object.keys(wanted).find((name) => typeof fields?.[name] !== wanted[name]);
  if (missing !== undefined) throw new ConfigError(place, `is no result: "${missing}" is missing`);
  return value as Result;
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
