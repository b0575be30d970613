// A speaker whose words are paid for once: every arm hears the same message.

import { scope } from "../base/scope.ts";
import type { Model, ModelPart, ModelRequest } from "../core/types.ts";
import { none } from "../core/usage.ts";
import { wrapped } from "../core/wrapped.ts";

/** What ends a message that is generated once for all. */
export type OnceOptions = {
  /** Ends a message in the making; what a single conversation calls off is generated to its end and kept. */
  readonly signal?: AbortSignal | undefined;
};

/**
 * A model that is asked once for each prompt and then answers from memory, whole or up to where it is cut; what was heard is
 * charged as if it had been generated then. Arms are so compared on the same words, also of a model that never repeats
 * itself. From memory it takes no time to say: for paces that wait for decisions. Concurrent requests share one call.
 */
export function once(model: Model, { signal }: OnceOptions = {}): Model {
  const said = new Map<string, Promise<readonly ModelPart[]>>();
  const ask = (request: ModelRequest) => {
    const key = JSON.stringify({ ...request, signal: undefined, session: undefined });
    const known = said.get(key) ?? whole(model, { ...request, session: undefined }, signal);
    said.set(key, known);
    // A failure is not what was said: it is tried again when asked again.
    known.catch(() => said.delete(key));
    return known;
  };
  return wrapped(model, { stream: (request) => replay(request, ask) });
}

async function whole(model: Model, request: ModelRequest, signal?: AbortSignal): Promise<readonly ModelPart[]> {
  const own = scope(signal);
  const parts: ModelPart[] = [];
  try {
    for await (const part of model.stream({ ...request, signal: own.signal }))
      if (part.type !== "wait") parts.push(part);
  } finally {
    own.release();
  }
  signal?.throwIfAborted();
  return parts;
}

const tokensOf = (part: ModelPart): number =>
  part.type === "text" ? (part.tokens ?? Math.ceil(part.text.length / 4)) : 0;

async function* replay(
  request: ModelRequest,
  ask: (request: ModelRequest) => Promise<readonly ModelPart[]>,
): AsyncGenerator<ModelPart, void, undefined> {
  const parts = await ask(request);
  const last = parts.at(-1);
  const usage = last?.type === "end" ? last.usage : none;
  let outputTokens = 0;
  for (const part of parts) {
    if (part.type !== "end" && request.signal?.aborted === true)
      return yield { type: "end", reason: "interrupted", usage: { ...usage, outputTokens } };
    outputTokens += tokensOf(part);
    yield part;
  }
}
