import { tell } from "../arms.ts";
import type { Told } from "../arms.ts";
import { bold, wrapped } from "../beside.ts";
import type { Io } from "../io.ts";
import { lookOf } from "../look.ts";
import { perform } from "../perform.ts";
import { statusOn } from "../status.ts";
import type { RunEvent, Topology } from "../../core/types.ts";
import { run } from "../../runtime/run.ts";
import type { RunOptions } from "../../runtime/run.ts";

/** What the parts of the demo share. */
export type Demo = {
  readonly io: Io;
  /** Leaves out what takes longest. */
  readonly quick: boolean;
  /** The model of the parts with real words, where the user named one. */
  readonly model: string | undefined;
  /** Whether a model may be fetched. */
  readonly fetch: boolean;
};

/** One thing to see: a title, and what happens under it. */
export type Part = { readonly title: string; readonly play: (demo: Demo) => Promise<void> };

/** Writes a paragraph, wrapped. */
export function say({ io }: Demo, ...paragraphs: readonly string[]): void {
  const { columns } = lookOf(io);
  for (const paragraph of paragraphs) io.stdout.write(`${wrapped(paragraph, Math.min(columns, 100)).join("\n")}\n`);
}

/** Writes an empty line, then lines as they are. */
export function print({ io }: Demo, lines: readonly string[]): void {
  if (lines.length > 0) io.stdout.write(`\n${lines.join("\n")}\n`);
}

/** Writes the title of a part. */
export function head({ io }: Demo, text: string): void {
  const look = lookOf(io);
  const lines = wrapped(text, look.columns);
  const rule = (look.unicode === false ? "-" : "─").repeat(Math.max(...lines.map((line) => line.length)));
  io.stdout.write(`\n${lines.map((line) => bold(line, look)).join("\n")}\n${rule}\n`);
}

/** A team under a protocol; `label` names the row in the table. */
export type Setup = {
  readonly label: string;
  readonly open: () => Promise<{ readonly topology: Topology; readonly close?: () => Promise<void> }>;
  readonly task: string;
  readonly options: RunOptions;
};

/** Runs a team once. Throws what the run throws, or the reason of Ctrl-C. */
export async function play(
  { io }: Demo,
  { open, task, options }: Setup,
  watchers: readonly ((event: RunEvent) => void)[] = [],
): Promise<readonly RunEvent[]> {
  const { topology, close } = await open();
  try {
    io.signal.throwIfAborted();
    const { events, failure } = await perform(run(topology, task, { ...options, signal: io.signal }), watchers);
    if (failure !== undefined) throw failure.error;
    return events;
  } finally {
    await close?.();
  }
}

/** Runs teams one after the other, saying which on a terminal; none of them has a price. */
export async function compareAll(
  demo: Demo,
  setups: readonly Setup[],
  done: readonly Ran[] = [],
): Promise<readonly Told[]> {
  const status = statusOn(demo.io);
  const ran = [...done];
  try {
    for (const [index, setup] of setups.entries()) {
      status.show(`${setup.label} (${index + 1} of ${setups.length})`);
      ran.push({ label: setup.label, events: await play(demo, setup) });
    }
  } finally {
    status.clear();
  }
  return tell(
    ran.map(({ label, events }) => ({ protocol: label, runs: [events] })),
    () => undefined,
  );
}

/** What a team did. */
export type Ran = { readonly label: string; readonly events: readonly RunEvent[] };
