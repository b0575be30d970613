// No message is generated twice: the same request of a model is answered from memory.

import type { Message, Model, ModelPart, ModelRequest, Usage } from "../core/types.ts";
import type { Price } from "../core/usage.ts";
import { wrapped } from "../core/wrapped.ts";
import { spend, tookOf } from "./spent.ts";
import type { Prompts, Spent } from "./spent.ts";

/** What was asked and said in conversations about one sample. */
export type Memory = {
  /** Messages by what was asked for. A message that was cut short is not kept. */
  readonly said: Map<string, readonly ModelPart[]>;
  readonly prompts: Prompts;
};

export const emptyMemory = (): Memory => ({ said: new Map(), prompts: new Map() });

export type RememberOptions = {
  readonly memory: Memory;
  /** All of them are charged. */
  readonly spent: readonly Spent[];
  readonly priceOf?: ((model: string) => Price | undefined) | undefined;
  /** Tells seats apart whose models differ, and requests that should not be answered alike. */
  readonly key: () => string;
  /** Of all requests, in place of their own. */
  readonly session: string;
};

/** The tokens of a text part: told, or a token for four characters. */
const tokensOf = (part: ModelPart): number =>
  part.type === "text" ? (part.tokens ?? Math.ceil(part.text.length / 4)) : 0;

async function* replay(parts: readonly ModelPart[], signal: AbortSignal | undefined, spent: readonly Spent[]) {
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
    spend(spent, { replayed: tokensOf(part) });
    yield part;
  }
}

type Recorder = {
  readonly keep: (parts: readonly ModelPart[]) => void;
  readonly charge: (usage: Usage, said: string) => void;
};

async function* record(parts: AsyncIterable<ModelPart>, { keep, charge }: Recorder) {
  const all: ModelPart[] = [];
  let said = "";
  for await (const part of parts) {
    // How long a gate held a request back is of that request only.
    if (part.type !== "wait") all.push(part);
    if (part.type === "text") said += part.text;
    if (part.type === "end") {
      charge(part.usage, said);
      if (part.reason === "stop" || part.reason === "length") keep(all);
    }
    yield part;
  }
}

const promptOf = (messages: readonly Message[]): string =>
  messages.map(({ role, content }) => `${role}\n${content}`).join("\n");

/** The same model, which says from memory what it was asked for before. */
export function remembering(model: Model, options: RememberOptions): Model {
  const { memory, spent, key, session } = options;
  const charge = (messages: readonly Message[], usage: Usage, said: string) => {
    const call = { session, prompt: promptOf(messages), said, usage, price: options.priceOf?.(model.id) };
    spend(spent, tookOf(call, memory.prompts));
  };
  const stream = (request: ModelRequest) => {
    const { messages, maxTokens, temperature, seed, stop } = request;
    const name = JSON.stringify([key(), model.id, messages, maxTokens, temperature, seed, stop]);
    const known = memory.said.get(name);
    if (known !== undefined) return replay(known, request.signal, spent);
    return record(model.stream({ ...request, session }), {
      keep: (parts) => memory.said.set(name, parts),
      charge: (usage, said) => charge(messages, usage, said),
    });
  };
  const choose: NonNullable<Model["choose"]> = async (request, choices) => {
    if (model.choose === undefined) throw new TypeError(`${model.id} shows no probabilities`);
    // A question of its own does not go on from the conversation.
    const own = request.session?.endsWith("/about") === true ? `${session}/about` : session;
    const choice = await model.choose({ ...request, session: own }, choices);
    charge(request.messages, choice.usage, "");
    return choice;
  };
  return wrapped(model, { stream, choose });
}
