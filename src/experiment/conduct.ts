// Cells played side by side until none is left: as many as keep the model busy, and no more.

import { after } from "../base/clock.ts";
import type { Clock } from "../base/clock.ts";
import { ConfigError, explain } from "../base/errors.ts";
import { Mailbox } from "../base/mailbox.ts";
import { scope } from "../base/scope.ts";
import type { Load } from "./occupancy.ts";
import type { Cell, Sample } from "./sample.ts";

export type Conducting = {
  /** What is left to do, in this order. */
  readonly cells: readonly Cell[];
  /** Plays one cell. Rejects when the signal fires, and for what is the caller's mistake; other failures are samples. */
  readonly play: (cell: Cell, signal: AbortSignal) => Promise<Sample>;
  /** Most cells at once. */
  readonly atOnce: number;
  /** Where given, no cell begins while as many calls are made or wait as are allowed. */
  readonly busy?: { readonly allowed: number; readonly load: () => Load } | undefined;
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
  /** Something has worked before: then failures never end it. */
  readonly hopeful?: boolean | undefined;
};

/** A model that has failed this often and never worked will not. */
const hopeless = 5;

/** How often it is looked whether the model has room, in milliseconds. */
const lookEveryMs = 10;

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

/** Begins cells while there is room; resolves when the last has ended, and rejects with the first error once all have. */
async function feed(conducting: Conducting, { signal: outer, put }: Feeding): Promise<void> {
  const { cells, play, clock } = conducting;
  const own = scope(outer);
  const running = new Set<Promise<void>>();
  let wake = () => {};
  let failure: { readonly error: unknown } | undefined;
  let failed = conducting.hopeful === true ? -Infinity : 0;
  const begin = async (cell: Cell): Promise<void> => {
    try {
      const sample = await play(cell, own.signal);
      own.signal.throwIfAborted();
      put(sample);
      failed = sample.failure === undefined ? -Infinity : failed + 1;
      if (failed >= hopeless) throw new Error(`the first ${hopeless} samples all failed: ${sample.failure?.message}`);
    } catch (error) {
      failure ??= { error };
      own.abort(error);
    }
  };
  let next = 0;
  while (next < cells.length && !own.signal.aborted) {
    for (let room = roomIn(conducting, running.size); room > 0 && next < cells.length; room--) {
      const one = begin(cells[next++]!).finally(() => {
        running.delete(one);
        wake();
      });
      running.add(one);
    }
    if (next >= cells.length) break;
    await new Promise<void>((resolve) => {
      const callOff = running.size < conducting.atOnce ? after(clock, lookEveryMs, () => wake()) : () => {};
      wake = () => {
        callOff();
        resolve();
      };
    });
  }
  await Promise.all(running);
  own.release();
  if (outer.aborted) throw outer.reason;
  if (failure !== undefined) throw failure.error;
}

function roomIn({ atOnce, busy }: Conducting, running: number): number {
  const free = atOnce - running;
  if (busy === undefined) return free;
  const { inside, waiting } = busy.load();
  // A run may be between two calls, so one is always begun where none is running.
  return Math.min(free, Math.max(busy.allowed - inside - waiting, running === 0 ? 1 : 0));
}

/** The failure as it is kept; throws what is the caller's mistake or wish instead. */
export function failureOf(error: unknown, signal: AbortSignal): NonNullable<Sample["failure"]> {
  signal.throwIfAborted();
  if (error instanceof ConfigError) throw error;
  return { name: error instanceof Error ? error.name : "Error", message: explain(error) };
}
