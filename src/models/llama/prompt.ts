// From messages to tokens, by the model's own chat template, such that each request extends the one before.
import { explain, ModelError } from "../../base/errors.ts";
import type { Message } from "../../core/types.ts";
import { recall } from "./speech.ts";
import type { Spoken } from "./speech.ts";

/** What of a tokenizer is needed; `special` reads the names of control tokens as such. */
export type Tokenize = (text: string, special: boolean) => readonly number[];

type Variables = Readonly<Record<string, unknown>>;

/** Renders a chat template. */
export type Render = (variables: Variables) => string;

export type PromptOptions = {
  readonly model: string;
  readonly render: Render;
  readonly tokenize: Tokenize;
  readonly bos: { readonly text: string | null; readonly token: number | null; readonly prepend: boolean };
  readonly eosText: string | null;
};

/** The template of a file that has none (ChatML). */
export const plainTemplate =
  "{% for message in messages %}{{ '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>' + '\\n' }}" +
  "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}";

// Contents are put in after rendering: text by people or other agents can then never be read as a control token, and a
// template that rewrites earlier turns (dropping thoughts, trimming) cannot break the prefix.
const mark = (index: number) => `\uE000${index}\uE001`;
const marks = /\uE000(\d+)\uE001/u;

type Marked = { readonly role: Message["role"]; readonly content: string };

/** Some templates know no system role and want user and assistant to take turns. */
function alternate(messages: readonly Marked[]): Marked[] {
  const merged: Marked[] = [];
  for (const { role, content } of messages) {
    const as = role === "system" ? "user" : role;
    const last = merged.at(-1);
    if (last?.role === as) merged[merged.length - 1] = { role: as, content: `${last.content}\n\n${content}` };
    else merged.push({ role: as, content });
  }
  return merged;
}

function renderMarked(messages: readonly Message[], { render, model, bos, eosText }: PromptOptions): string {
  const marked = messages.map(({ role }, index) => ({ role, content: mark(index) }));
  const continued = messages.at(-1)?.role === "assistant";
  const attempt = (shown: readonly Marked[]) =>
    render({
      messages: shown,
      add_generation_prompt: !continued,
      bos_token: bos.text ?? "",
      eos_token: eosText ?? "",
    });
  let text: string;
  try {
    text = attempt(marked);
  } catch {
    try {
      text = attempt(alternate(marked));
    } catch (cause) {
      throw new ModelError(`the chat template of ${model} does not take these messages: ${explain(cause)}`, {
        model,
        cause,
      });
    }
  }
  if (!continued) return text;
  // The turn stays open: what the template puts after the last message is left out.
  const last = mark(messages.length - 1);
  const at = text.lastIndexOf(last);
  return at < 0 ? text : text.slice(0, at + last.length);
}

/**
 * The tokens of a request. `said` holds what this session's model said before, by message index: those messages keep the
 * very tokens they were made of. A last message by the assistant is left open.
 */
export function promptTokens(
  messages: readonly Message[],
  said: ReadonlyMap<number, Spoken>,
  options: PromptOptions,
): number[] {
  const { tokenize, bos } = options;
  const tokens: number[] = [];
  // Splitting by a pattern with one group gives text, index, text, index, …
  renderMarked(messages, options)
    .split(marks)
    .forEach((piece, position) => {
      if (position % 2 === 0) {
        for (const token of tokenize(piece, true)) tokens.push(token);
        return;
      }
      const index = Number(piece);
      const content = messages[index]?.content ?? "";
      const spoken = messages[index]?.role === "assistant" ? said.get(index) : undefined;
      const { tokens: kept, rest } = spoken === undefined ? { tokens: [], rest: content } : recall(spoken, content);
      for (const token of kept) tokens.push(token);
      for (const token of tokenize(rest, false)) tokens.push(token);
    });
  if (bos.token !== null && bos.prepend && tokens[0] !== bos.token) tokens.unshift(bos.token);
  return tokens;
}
