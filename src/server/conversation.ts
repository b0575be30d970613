// A chat as the task of a team.

import { HttpError } from "./simulate-request.ts";

/** A message as clients send it, with its text put together. */
export type Said = { readonly role: string; readonly text: string };

const speakers: Readonly<Record<string, string>> = { user: "User", assistant: "Assistant" };

/**
 * The task of a team: the message itself where there is only one by a user; else the instructions, the conversation so far
 * with who said what, and what the answer is to. Throws an `HttpError` 400 where nobody says anything.
 */
export function taskOf(messages: readonly Said[]): string {
  const instructions = messages.filter(({ role }) => role === "system" || role === "developer").map(({ text }) => text);
  const spoken = messages.filter(({ role }) => role in speakers);
  const last = spoken.at(-1);
  if (last === undefined || last.role !== "user" || last.text.trim() === "")
    throw new HttpError(400, "messages: the last one must be by the user and say something", { param: "messages" });
  const said = instructions.filter((text) => text.trim() !== "");
  if (spoken.length === 1) return [...said, last.text].join("\n\n");
  const earlier = spoken.slice(0, -1).map(({ role, text }) => `${speakers[role]}: ${text}`);
  return [...said, "The conversation so far:", ...earlier, "Answer this message:", last.text].join("\n\n");
}
