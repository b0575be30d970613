import { ModelError } from "../base/errors.ts";
import type { Decision, Hearing, Policy } from "../core/policy.ts";
import type { Model, Usage } from "../core/types.ts";
import { readAnswer } from "./answer.ts";
import { asking, calledOff, estimatedUsage } from "./ask.ts";
import { none } from "../core/usage.ts";

/** What listeners are asked where nothing else is given. Short: each look reads it again. */
export const enoughQuestion = ([yes, no]: readonly [string, string] = ["Yes", "No"]): string =>
  `(Have you heard enough to reply now? ${yes} or ${no}.)`;

/** What the listener's model is asked in words. */
export type PromptedOptions = {
  /** Another model than the listener's own. */
  readonly model?: Model | undefined;
  /** What is asked after what was heard; it should call for Yes or No. */
  readonly question?: string | undefined;
  /** Upper bound on the answer's tokens; 8. */
  readonly maxTokens?: number | undefined;
};

type Said = { readonly text: string; readonly reasoned: boolean; readonly usage: Usage };

async function say(model: Model, request: Parameters<Model["stream"]>[0]): Promise<Said> {
  let [text, reasoned] = ["", false];
  for await (const part of model.stream(request)) {
    if (part.type === "text") text += part.text;
    if (part.type === "reasoning") reasoned = true;
    if (part.type !== "end") continue;
    if (part.reason === "truncated") break;
    return { text, reasoned, usage: part.usage };
  }
  if (request.signal?.aborted === true) return { text, reasoned, usage: estimatedUsage(request.messages) };
  const message = `the stream of model ${model.id} closed without its end, so its answer is not whole`;
  throw new ModelError(message, { model: model.id, retryable: true, truncated: true });
}

async function ask(hearing: Hearing, signal: AbortSignal, options: PromptedOptions): Promise<Decision> {
  const { model = hearing.model, question = enoughQuestion(), maxTokens = 8 } = options;
  if (signal.aborted) return { advantage: 0, usage: none, note: calledOff };
  const messages = asking(hearing, { question }, model);
  const request = { messages, maxTokens, temperature: 0, session: hearing.session, signal };
  const { text, reasoned, usage } = await say(model, request);
  if (signal.aborted) return { advantage: 0, usage, note: calledOff };
  const answer = readAnswer(text, { reasoned });
  if ("note" in answer) return { advantage: 0, usage, note: answer.note };
  return { advantage: answer.says === "yes" ? 1 : -1, usage };
}

/**
 * Asks the listener's model, in its own context, whether it has heard enough, and reads its words. Known to cut far too early
 * (arXiv 2604.06452), and on small models no better than chance: a baseline.
 */
export function prompted(options: PromptedOptions = {}): Policy {
  return { name: "prompted", decide: (hearing, signal) => ask(hearing, signal, options) };
}
