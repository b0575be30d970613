// No message is generated twice: the same request of a model is answered from memory.

import type { Model, ModelPart, ModelRequest, Usage } from "../core/types.ts";

/** Messages by what was asked for. A message that was cut short is not kept. */
export type Memory = Map<string, readonly ModelPart[]>;

/** Generated tokens: made by a model, and said from memory. */
export type Spent = { generated: number; replayed: number };

export type RememberOptions = {
  readonly memory: Memory;
  readonly spent: Spent;
  /** Tells seats apart whose models differ, and requests that should not be answered alike. */
  readonly key: () => string;
  /** Of all requests, in place of their own. */
  readonly session: string;
};

/** The tokens of a text part: told, or a token for four characters. */
const tokensOf = (part: ModelPart): number =>
  part.type === "text" ? (part.tokens ?? Math.ceil(part.text.length / 4)) : 0;

async function* replay(parts: readonly ModelPart[], signal: AbortSignal | undefined, spent: Spent) {
  let said = 0;
  const last = parts.at(-1);
  const whole = last?.type === "end" ? last.usage : undefined;
  for (const part of parts) {
    if (part.type !== "end" && signal?.aborted === true) {
      const usage: Usage = { calls: 1, inputTokens: 0, cachedTokens: 0, ...whole, outputTokens: said };
      yield { type: "end", reason: "interrupted", usage } satisfies ModelPart;
      return;
    }
    said += tokensOf(part);
    // Whoever reads may stop at any part.
    spent.replayed += tokensOf(part);
    yield part;
  }
}

async function* record(parts: AsyncIterable<ModelPart>, keep: (parts: readonly ModelPart[]) => void, spent: Spent) {
  const all: ModelPart[] = [];
  for await (const part of parts) {
    // How long a gate held a request back is of that request only.
    if (part.type !== "wait") all.push(part);
    if (part.type === "end") {
      spent.generated += part.usage.outputTokens;
      if (part.reason === "stop" || part.reason === "length") keep(all);
    }
    yield part;
  }
}

/** The same model, which says from memory what it was asked for before. */
export function remembering(model: Model, { memory, spent, key, session }: RememberOptions): Model {
  const stream = (request: ModelRequest) => {
    const { messages, maxTokens, temperature, seed, stop } = request;
    const name = JSON.stringify([key(), model.id, messages, maxTokens, temperature, seed, stop]);
    const known = memory.get(name);
    if (known !== undefined) return replay(known, request.signal, spent);
    return record(model.stream({ ...request, session }), (parts) => memory.set(name, parts), spent);
  };
  const choose: NonNullable<Model["choose"]> = (request, options) => {
    if (model.choose === undefined) throw new TypeError(`${model.id} shows no probabilities`);
    return model.choose({ ...request, session }, options);
  };
  return {
    id: model.id,
    ...(model.continues === undefined ? {} : { continues: model.continues }),
    ...(model.simulated === undefined ? {} : { simulated: model.simulated }),
    ...(model.choose === undefined ? {} : { choose }),
    stream,
  };
}
