// What can go wrong with a call of a model, told with the agent's name.

import { ModelError } from "../base/errors.ts";
import type { Agent, Message, Model, ModelPart, Usage } from "../core/types.ts";

/** A model that throws when it is called fails like one that throws while it speaks. */
export function open(agent: Agent, request: Parameters<Model["stream"]>[0]): AsyncIterable<ModelPart> {
  try {
    return agent.model.stream(request);
  } catch (error) {
    return {
      [Symbol.asyncIterator]: () => ({
        next: () => Promise.reject(error instanceof Error ? error : new Error(String(error))),
      }),
    };
  }
}

const counts = ["calls", "inputTokens", "cachedTokens", "outputTokens"] as const;

const isUsage = (value: unknown): value is Usage =>
  typeof value === "object" &&
  value !== null &&
  counts.every((name) => Number.isFinite((value as { readonly [key: string]: unknown })[name]));

/** Throws a ModelError for a part that a model of a caller without types made wrongly. */
export function checked(part: unknown, { id, model }: Agent): void {
  const { type, text, usage } = (part ?? {}) as { readonly [key: string]: unknown };
  const wrong = (what: string) => new ModelError(`${id}: model ${model.id} ${what}`, { model: model.id });
  if (typeof type !== "string") throw wrong(`yields ${part === null ? "null" : typeof part} and no part with a type`);
  if ((type === "text" || type === "reasoning") && typeof text !== "string")
    throw wrong(`yields a part of type "${type}" whose text is no text`);
  if (type === "end" && !isUsage(usage))
    throw wrong(`ends without its usage; it must be an object with the numbers ${counts.join(", ")}`);
}

export const stalled = ({ id, model }: Agent, idleMs: number) =>
  new ModelError(`${id}: model ${model.id} said nothing for ${idleMs} ms`, { model: model.id, retryable: true });

export const closedEarly = ({ id, model }: Agent) =>
  new ModelError(`${id}: the stream of model ${model.id} closed without its end, so what came is not a whole message`, {
    model: model.id,
    retryable: true,
    truncated: true,
  });

/**
 * The usage of a call whose model did not say it: what its failure says, else by rule of thumb. A call that gave no token is
 * taken for one that was not answered.
 */
export function usageKnown(
  outputTokens: number,
  { failure, messages }: { readonly failure: unknown; readonly messages: readonly Message[] },
): Usage {
  const { usage } = (failure ?? {}) as { readonly usage?: unknown };
  if (isUsage(usage)) return usage;
  const characters = outputTokens === 0 ? 0 : messages.reduce((sum, { content }) => sum + content.length, 0);
  return { calls: 1, inputTokens: Math.ceil(characters / 4), cachedTokens: 0, outputTokens, estimated: true };
}
