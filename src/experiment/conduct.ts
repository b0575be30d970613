// Cells played side by side until none is left.

import { ConfigError, explain } from "../base/errors.ts";
import { Mailbox } from "../base/mailbox.ts";
import { scope } from "../base/scope.ts";
import type { Cell, Sample } from "./sample.ts";

export type Conducting = {
  /** What is left to do, in this order. */
  readonly cells: readonly Cell[];
  /** Plays one cell. Rejects when the signal fires, and for what is the caller's mistake; other failures are samples. */
  readonly play: (cell: Cell, signal: AbortSignal) => Promise<Sample>;
  /** Cells at once. A run nearly always has a call to make, so that as many runs as calls are allowed keep a model busy. */
  readonly atOnce: number;
  readonly signal?: AbortSignal | undefined;
  /** Something has worked before: then failures never end it. */
  readonly hopeful?: boolean | undefined;
};

/** A model that has failed this often and never worked will not. */
const hopeless = 5;

/**
 * The samples as they are finished. Throws the signal's reason when it fires (what is in flight is dropped), the caller's
 * mistakes, and an error when the first five cells all failed.
 */
export async function* conduct(conducting: Conducting): AsyncGenerator<Sample, void, undefined> {
  const own = scope(conducting.signal);
  const samples = new Mailbox<Sample>();
  const working = feed(conducting, { signal: own.signal, put: (sample) => samples.put(sample) }).finally(() =>
    samples.close(),
  );
  // Thrown below, once the finished samples are out.
  working.catch(() => {});
  try {
    for await (const batch of samples) yield* batch;
    await working;
  } finally {
    own.abort(new DOMException("nobody reads the samples any more", "AbortError"));
    own.release();
    await working.catch(() => {});
  }
}

type Feeding = { readonly signal: AbortSignal; readonly put: (sample: Sample) => void };

/** Resolves when the last has ended, and rejects with the first error once all have. */
async function feed(conducting: Conducting, { signal: outer, put }: Feeding): Promise<void> {
  const { cells, play, atOnce } = conducting;
  const own = scope(outer);
  let failure: { readonly error: unknown } | undefined;
  let failed = conducting.hopeful === true ? -Infinity : 0;
  let next = 0;
  const take = async (cell: Cell): Promise<void> => {
    const sample = await play(cell, own.signal);
    own.signal.throwIfAborted();
    put(sample);
    failed = sample.failure === undefined ? -Infinity : failed + 1;
    if (failed >= hopeless) throw new Error(`the first ${hopeless} samples all failed: ${sample.failure?.message}`);
  };
  const worker = async (): Promise<void> => {
    try {
      while (next < cells.length && !own.signal.aborted) await take(cells[next++]!);
    } catch (error) {
      failure ??= { error };
      own.abort(error);
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, cells.length) }, worker));
  own.release();
  if (outer.aborted) throw outer.reason;
  if (failure !== undefined) throw failure.error;
}

/** The failure as it is kept; throws what is the caller's mistake or wish instead. */
export function failureOf(error: unknown, signal: AbortSignal): NonNullable<Sample["failure"]> {
  signal.throwIfAborted();
  if (error instanceof ConfigError) throw error;
  return { name: error instanceof Error ? error.name : "Error", message: explain(error) };
}
