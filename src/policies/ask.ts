// Asking a model what it makes of what was heard so far.

import { ConfigError } from "../base/errors.ts";
import type { Hearing } from "../core/policy.ts";
import type { Choice, Message, Model, Usage } from "../core/types.ts";
import { none } from "../core/usage.ts";

export type Question = {
  /** Put after what was heard. Short, since each look reads it again; empty: nothing is asked. */
  readonly question: string;
  /** How the model's reply begins, for models that go on from a prefix; others are told to reply with nothing else. */
  readonly lead?: string | undefined;
};

/**
 * The hearing's messages with a question behind them. Up to the end of what was heard they are the listener's own, byte by byte:
 * the next look shares all but the question, and so does the reply when the listener takes the floor.
 */
export function asking(hearing: Hearing, { question, lead }: Question, model: Model): readonly Message[] {
  const messages = hearing.messages();
  const leads = lead !== undefined && lead !== "" && model.continues === true;
  const asked = [question, lead !== undefined && !leads ? "Reply with nothing else." : ""].filter(
    (part) => part !== "",
  );
  const tail: readonly Message[] = leads ? [{ role: "assistant", content: lead }] : [];
  return asked.length === 0 ? [...messages, ...tail] : [...behind(messages, asked.join(" ")), ...tail];
}

/** Messages with a question behind the last of them. */
export function behind(messages: readonly Message[], question: string): readonly Message[] {
  const last = messages.at(-1);
  if (last?.role !== "user") return [...messages, { role: "user", content: question }];
  return [...messages.slice(0, -1), { role: "user", content: `${last.content}\n\n${question}` }];
}

/** What was heard of the message, also of turns before this one that it began in. */
export const heardOfMessage = ({ text, resumes }: Pick<Hearing, "text" | "resumes">): string =>
  `${resumes?.text ?? ""}${text}`;

/** What a listener is asked about a report: its answer so far, or that there is none. */
export const answerOrUnknown =
  'Reply with the answer only, as the report says it. If the report has not said it, reply "unknown".';

/** What is asked apart, of which text: the question that the listener needs answered, and what it shall reply. */
export type Apart = {
  readonly text: string;
  readonly about: string;
  /** Default: `answerOrUnknown`. */
  readonly question?: string | undefined;
  /** How the reply begins; empty where the model does not go on from a beginning. */
  readonly lead: string;
};

/**
 * A question about what was heard of a message, and nothing else. What was heard comes first, so that the next look shares it.
 */
export function askingApart({ text, about, question = answerOrUnknown, lead }: Apart): readonly Message[] {
  const content = `Report: ${text.trimEnd()}\n\nQuestion: ${about}\n${question}`;
  const tail: readonly Message[] = lead === "" ? [] : [{ role: "assistant", content: lead }];
  return [{ role: "user", content }, ...tail];
}

/** Usage of a call that was called off before it could say. */
export function estimatedUsage(messages: readonly Message[]): Usage {
  const characters = messages.reduce((total, { content }) => total + content.length, 0);
  return { ...none, calls: 1, inputTokens: Math.ceil(characters / 4), estimated: true };
}

/** What a look showed; without a choice it was called off. */
export type Look = { readonly choice: Choice | undefined; readonly usage: Usage };

export type Request = {
  readonly messages: readonly Message[];
  readonly options: readonly string[];
  readonly session?: string | undefined;
  readonly signal: AbortSignal;
};

/** Throws a ConfigError for a model without `choose`. */
export function checkChooses(model: Model): void {
  if (model.choose !== undefined) return;
  throw new ConfigError(
    "model",
    `${model.id} shows no probabilities; take one that does, or the policy "prompted", which reads its words`,
  );
}

/** One look at the next token. Rejects with the model's failure, with a ConfigError where it shows no probabilities. */
export async function look(model: Model, { messages, options, session, signal }: Request): Promise<Look> {
  checkChooses(model);
  if (signal.aborted) return { choice: undefined, usage: none };
  try {
    const request = { messages, session, signal, maxTokens: 1, temperature: 0 };
    const choice = await model.choose?.(request, options);
    return { choice, usage: choice?.usage ?? none };
  } catch (error) {
    if (!signal.aborted) throw error;
    return { choice: undefined, usage: estimatedUsage(messages) };
  }
}

/** What a decision that was called off says. */
export const calledOff = "called off";
