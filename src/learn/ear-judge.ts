// What a written ear says of decision points: as it will at work, reading on from what it has read of a message.

import type { Hearing } from "../core/policy.ts";
import { llama } from "../models/llama/index.ts";
import type { Drafted } from "./ear-export.ts";
import { earLook } from "./ear-policy.ts";
import { earMessages } from "./ear-prompt.ts";
import { keptStates } from "./kept-states.ts";
import { messageOf } from "./points.ts";
import type { DecisionPoint } from "./points.ts";

const hearingOf = ({ messages, ...point }: DecisionPoint, session: string): Hearing => ({
  ...point,
  chunks: point.chunk,
  steps: [],
  messages: () => messages,
  session,
  model: {
    id: "none",
    stream: () => ({ [Symbol.asyncIterator]: () => ({ next: async () => ({ value: undefined, done: true }) }) }),
  },
});

export type JudgeOptions = {
  readonly threads?: number | undefined;
  /** Where what was judged is kept, to go on from. */
  readonly states?: string | undefined;
  readonly onProgress?: ((progress: { layer: number; done: number; all: number }) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
};

/** Log-odds that enough was heard at each point. Points of a message are best given in its order. */
export async function judgeWith(
  { gguf, file }: Drafted,
  points: readonly DecisionPoint[],
  options: JudgeOptions,
): Promise<number[]> {
  const { threads, onProgress, signal } = options;
  const kept = options.states === undefined ? undefined : await keptStates(options.states);
  const model = await llama({ path: gguf, contexts: 1, threads });
  const look = earLook(file, model);
  try {
    const all: number[] = [];
    for (const point of points) {
      signal?.throwIfAborted();
      const key = { model: gguf, layer: file.sha256, messages: earMessages(point, file) };
      const [known] = (await kept?.find(key)) ?? [];
      const hearing = hearingOf(point, `${point.task} ${messageOf(point)}`);
      const logOdds = known ?? (await look(hearing, signal)).logOdds ?? Number.NaN;
      if (known === undefined) await kept?.add(key, [logOdds]);
      all.push(logOdds);
      onProgress?.({ layer: file.layers, done: all.length, all: points.length });
    }
    return all;
  } finally {
    await model.close();
    await kept?.close();
  }
}
