// What a tuned listener says to hearings it was not trained on.

import type { Message, Model } from "../../core/types.ts";
import { look } from "../../policies/ask.ts";
import { oddsOf } from "../ear-policy.ts";
import { messageOf } from "../points.ts";
import type { DecisionPoint } from "../points.ts";
import { promptOf } from "./examples.ts";
import type { Asking } from "./examples.ts";

/** Probabilities of both words, and the log-odds of the first against the second. */
export type Judged = { readonly yes: number; readonly no: number; readonly logOdds: number };

export type JudgeOptions = {
  readonly signal?: AbortSignal | undefined;
  /** Messages at once; default 1. */
  readonly concurrency?: number | undefined;
  readonly onProgress?: ((done: number, all: number) => void) | undefined;
};

const forever = new AbortController().signal;

/** Asks a model about each point, in the points' order; those of a message one after the other, so that they share their beginning. */
export async function judge(
  { model, asking }: { readonly model: Model; readonly asking: Asking },
  points: readonly DecisionPoint[],
  options: JudgeOptions = {},
): Promise<Judged[]> {
  const { signal = forever, concurrency = 1, onProgress } = options;
  const found = new Map<DecisionPoint, Judged>();
  const messages = new Map<string, DecisionPoint[]>();
  for (const point of points) {
    const key = `${point.task} ${messageOf(point)}`;
    messages.set(key, [...(messages.get(key) ?? []), point]);
  }
  const queue = [...messages];
  const askOne = async (prompt: readonly Message[], session: string): Promise<Judged> => {
    const { choice } = await look(model, { messages: prompt, options: asking.words, session, signal });
    signal.throwIfAborted();
    const [yes = 0, no = 0] = choice?.probabilities ?? [];
    return { yes, no, logOdds: oddsOf([yes, no]) };
  };
  const work = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const [session, of] = next;
      for (const point of of) {
        signal.throwIfAborted();
        found.set(point, await askOne(promptOf(point, asking), session));
        onProgress?.(found.size, points.length);
      }
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  return points.map((point) => found.get(point)!);
}

/** How far two readings of the same hearings are apart: over all `points`, differences of a probability (0 to 1). */
export type Agreement = { readonly points: number; readonly largest: number; readonly mean: number };

/** Compares what llama.cpp shows with what the trainer saw: the larger difference of P(Yes) and P(No) at each hearing. */
export function agreementOf(
  judged: readonly Pick<Judged, "yes" | "no">[],
  trained: readonly (readonly [yes: number, no: number])[],
): Agreement {
  const gaps = judged.map(({ yes, no }, index) => {
    const [otherYes, otherNo] = trained[index] ?? [Number.NaN, Number.NaN];
    return Math.max(Math.abs(yes - otherYes), Math.abs(no - otherNo));
  });
  const mean = gaps.reduce((sum, gap) => sum + gap / gaps.length, 0);
  return {
    points: gaps.length,
    largest: gaps.reduce((most, gap) => (gap > most || Number.isNaN(gap) ? gap : most), 0),
    mean,
  };
}
