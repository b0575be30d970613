// An experiment from its folder back into it: what was played before is kept, what is left is played, and the report is written.

import { join } from "node:path";
import { ConfigError } from "../base/errors.ts";
import type { Findings } from "../eval/findings.ts";
import { openRecords } from "../eval/records.ts";
import type { Records } from "../eval/records.ts";
import { openFolder } from "../models/store/folder.ts";
import { conduct } from "./conduct.ts";
import { keyOf, readSample } from "./sample.ts";
import type { Cell, Sample } from "./sample.ts";
import { idle, plus } from "./setup.ts";
import type { About, Setup, Workload } from "./setup.ts";
import { writeReport } from "./write.ts";
import type { PageOf } from "./write.ts";

/** An experiment and its folder. */
export type Opened = {
  readonly setup: Setup;
  readonly folder: string;
  /** What was played before, failures included. */
  readonly done: readonly Sample[];
  /** What is left to play. */
  readonly left: readonly Cell[];
  readonly journal: Records<Sample>;
};

/** Where an experiment is kept. */
export type OpenOptions = {
  /** Made where it is not there. */
  readonly folder: string;
  /** Plays failed samples again. */
  readonly retryFailed?: boolean | undefined;
  /** How the folder is called in errors. */
  readonly place?: string | undefined;
};

const journalName = "items.jsonl";

/**
 * Opens the folder of an experiment, or begins it. Throws a `ConfigError` for a folder of other settings, of items that have
 * changed, of anything else, and for one that cannot be made.
 */
export async function openExperiment(setup: Setup, options: OpenOptions): Promise<Opened> {
  const { folder, retryFailed = false, place = folder } = options;
  await openFolder(folder, { place, what: "experiment", journal: journalName });
  const records = await openRecords<Sample>(join(folder, journalName), {
    type: "duplex-experiment",
    about: "samples of an experiment",
    identity: setup.identity,
    read: readSample,
    place: `${place}/${journalName}`,
  });
  try {
    return { setup, folder, journal: records, ...whatIsLeft(setup, records.before, { retryFailed, place }) };
  } catch (error) {
    await records.close();
    throw error;
  }
}

type Ways = { readonly retryFailed: boolean; readonly place: string };

function whatIsLeft({ cells }: Setup, before: readonly Sample[], { retryFailed, place }: Ways) {
  const latest = new Map(before.map((sample) => [keyOf(sample), sample]));
  const done: Sample[] = [];
  const left: Cell[] = [];
  for (const cell of cells) {
    const known = latest.get(keyOf(cell));
    if (known !== undefined && known.of !== cell.of)
      throw new ConfigError(
        place,
        `holds samples of another item "${cell.item}": it has changed; choose another folder`,
      );
    if (known === undefined || (retryFailed && known.failure !== undefined)) left.push(cell);
    else done.push(known);
  }
  return { done, left };
}

/** What is left is expected to take so much. */
export const workloadLeft = ({ setup, left }: Pick<Opened, "setup" | "left">): Workload =>
  left.reduce((all, cell) => plus(all, setup.workload(cell)), idle);

/** How many cells are played at once, and what ends it. */
export type PlayOptions = {
  /** Most cells at once; default 1. */
  readonly atOnce?: number | undefined;
  readonly signal?: AbortSignal | undefined;
};

/**
 * Plays what is left, and gives each sample once it is kept. Throws the signal's reason when it fires: what was finished is kept,
 * and the next call goes on from there.
 */
export async function* playExperiment(
  opened: Opened,
  options: PlayOptions = {},
): AsyncGenerator<Sample, void, undefined> {
  const { setup, left, journal, done } = opened;
  const { atOnce = 1, signal } = options;
  const { play } = setup;
  const hopeful = done.some(({ failure }) => failure === undefined);
  const playing = conduct({ cells: left, play, atOnce, signal, hopeful });
  for await (const sample of playing) {
    await journal.add(sample);
    yield sample;
  }
}

/** What a report says of its making, and the page that is written of it. */
export type ReportOptions = {
  readonly about: About;
  readonly pageOf?: PageOf | undefined;
};

/** Writes what the samples came to into the experiment's folder. */
export async function reportExperiment(
  { setup, folder }: Pick<Opened, "setup" | "folder">,
  samples: readonly Sample[],
  { about, pageOf }: ReportOptions,
): Promise<Findings> {
  const findings = setup.findings(samples, about);
  await writeReport(folder, findings, pageOf);
  return findings;
}
