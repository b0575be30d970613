// What an ear is sent: the same words when it is fitted, checked, and asked at work.

import { ConfigError } from "../base/errors.ts";
import type { Hearing } from "../core/policy.ts";
import type { Message } from "../core/types.ts";
import { answerOrUnknown, askingApart, behind, heardOfMessage } from "../policies/ask.ts";

/**
 * How an ear is asked. `apart`: about what was heard of a message and the question that the listener needs answered, and nothing
 * else. `within`: behind the listener's own messages.
 */
export const earAsks = ["apart", "within"] as const;

/** One of `earAsks`. */
export type EarAsk = (typeof earAsks)[number];

/** What an ear that is asked within is asked where nothing else is given. */
export const earQuestion = "(Has the question been answered already? Yes or No.)";

/** What an ear is asked where nothing else is given. */
export const questionOf = (ask: EarAsk): string => (ask === "apart" ? answerOrUnknown : earQuestion);

/** What was heard, and for what. `about`: the question that the listener needs answered. */
export type Heard = {
  /** All that the listener would be sent, what it has heard last. */
  readonly messages: readonly Message[];
  /** What was heard of the message that is being said. */
  readonly text: string;
  readonly about?: string | undefined;
};

/** What a listener has heard. Where nobody tells what it needs, that is the whole run's task. */
export const heardOf = (hearing: Hearing): Heard => ({
  messages: hearing.messages(),
  text: heardOfMessage(hearing),
  about: hearing.about ?? hearing.task,
});

/** What an ear is sent. Throws a ConfigError where it asks apart and nobody knows about what. */
export function earMessages(heard: Heard, { ask = "within", question }: EarAsking): readonly Message[] {
  if (ask === "within") return behind(heard.messages, question);
  const { text, about } = heard;
  if (about === undefined)
    throw new ConfigError("about", "is missing: this ear is told the question and what was heard");
  return askingApart({ text, about, question, lead: "" });
}

/** How an ear is asked; without `ask`, as ears of before were. */
export type EarAsking = { readonly ask?: EarAsk | undefined; readonly question: string };
