import type { Message, Model } from "../core/types.ts";
import { wrapped } from "../core/wrapped.ts";

function withReminder(messages: readonly Message[], reminder: string): readonly Message[] {
  const at = messages.findLastIndex(({ role }) => role === "user");
  const last = messages[at];
  if (last === undefined) return [...messages, { role: "user", content: reminder }];
  return messages.with(at, { role: "user", content: `${last.content}\n\n${reminder}` });
}

/**
 * The model with a reminder behind what it heard whenever it speaks. It is no part of the conversation: decisions and later
 * messages do not see it, and what comes before it stays a prefix of the next request.
 */
export function reminded(model: Model, reminder: string | undefined): Model {
  if (reminder === undefined) return model;
  const stream: Model["stream"] = (request) =>
    model.stream({ ...request, messages: withReminder(request.messages, reminder) });
  return wrapped(model, { stream });
}
