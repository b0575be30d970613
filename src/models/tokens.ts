import type { Message, Usage } from "../core/types.ts";

type Count = (text: string) => number;

let loading: Promise<Count> | undefined;

/** The vocabulary takes a good part of a second to load: once, and not before a model is called. */
function counter(): Promise<Count> {
  loading ??= import("gpt-tokenizer/encoding/o200k_base").then(({ countTokens: count }) => {
    // Text that merely looks like a control token is text.
    const plain = { disallowedSpecial: new Set<string>() };
    return (text) => count(text, plain);
  });
  return loading;
}

/** Begins to load the vocabulary, while something else is waited for: so that an abort does not wait for it. */
export function prepareToCount(): void {
  counter().catch(() => {
    // Whoever counts is told.
  });
}

// Merging costs the square of a run's length, and a run without a break is not language.
const run = /([^\s]{256}|\s{256})/;

/** Tokens of `text` in the o200k vocabulary: exact for current OpenAI models, an estimate for others. */
export async function countTokens(text: string): Promise<number> {
  if (text === "") return 0;
  const count = await counter();
  if (!run.test(text)) return count(text);
  return text.split(run).reduce((sum, piece) => sum + (piece === "" ? 0 : count(piece)), 0);
}

/** Tokens of a whole request: its contents, and what a chat template adds around each message and before the answer. */
export async function countMessages(messages: readonly Message[]): Promise<number> {
  const perMessage = 4;
  const priming = 3;
  let total = priming;
  for (const { content } of messages) total += perMessage + (await countTokens(content));
  return total;
}

/** The usage of one call, counted because the provider did not report it. */
export async function estimate(messages: readonly Message[], said: string): Promise<Usage> {
  const [inputTokens, outputTokens] = [await countMessages(messages), await countTokens(said)];
  return { calls: 1, inputTokens, cachedTokens: 0, outputTokens, estimated: true };
}

/** The usage of a call that was never made. */
export const unused: Usage = { calls: 0, inputTokens: 0, cachedTokens: 0, outputTokens: 0 };
