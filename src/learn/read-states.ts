import { dirname } from "node:path";
import type { EarFitOptions } from "./ear.ts";
import { earMessages, questionOf } from "./ear-prompt.ts";
import type { EarAsk } from "./ear-prompt.ts";
import { keptStates } from "./kept-states.ts";
import type { DecisionPoint } from "./points.ts";
import { openStates } from "./states.ts";

type Reading = Pick<
  EarFitOptions,
  "model" | "ask" | "question" | "contextTokens" | "threads" | "onProgress" | "signal" | "states" | "out"
>;

/** Apart where every point tells what its listener needs to know: small models hear better without a part to play. */
export const askOf = (points: readonly DecisionPoint[]): EarAsk =>
  points.every(({ about }) => about !== undefined) ? "apart" : "within";

/** The states of points after a layer. */
export async function readStates(
  points: readonly DecisionPoint[],
  layer: number,
  options: Reading,
): Promise<(readonly number[])[]> {
  const { model, ask = askOf(points), question = questionOf(ask) } = options;
  const { contextTokens, threads, onProgress, signal } = options;
  const kept = options.states === undefined ? undefined : await keptStates(options.states);
  const states = await openStates({ model, layer, contextTokens, threads, folder: dirname(options.out) });
  try {
    const rows: (readonly number[])[] = [];
    for (const point of points) {
      signal?.throwIfAborted();
      const key = { model, layer, messages: earMessages(point, { ask, question }) };
      const known = await kept?.find(key);
      const row = known ?? (await states.of(key.messages));
      if (known === undefined) await kept?.add(key, row);
      rows.push(row);
      onProgress?.({ layer, done: rows.length, all: points.length });
    }
    return rows;
  } finally {
    await states.close();
    await kept?.close();
  }
}
