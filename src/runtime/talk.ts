// What a dialogue is made of: seats around a table, what each knows, and what was said.

import type { Agent, Message, Step } from "../core/types.ts";
import { instructionsOf } from "./ears.ts";
import type { Audience } from "./ears.ts";
import type { Hold } from "./hold.ts";
import type { Stage } from "./stage.ts";
import type { Turn, Voice } from "./turn.ts";

/** A message of a dialogue, as it was heard. */
export type Utterance = {
  readonly agent: string;
  readonly turn: number;
  readonly text: string;
  /** Who cut it, if somebody did: what was heard is what counts as said. */
  readonly cutBy?: string | undefined;
};

/** Whether the dialogue is over, and with which answer. Asked after each message. */
export type StopRule = (said: readonly Utterance[]) => boolean | { readonly answer: string };

/** How agents talk in turns. */
export type DialogueOptions = {
  /** How often each agent speaks at the most, on average; 10. */
  readonly rounds?: number;
  /** Who hears a message: everybody, or the agent that speaks next. */
  readonly audience?: "broadcast" | "next";
  /** The agents that may interrupt; by default all that have a policy. */
  readonly listeners?: readonly string[];
  readonly stop?: StopRule;
  /**
   * Whether a reply to a message that was cut gives the floor back: the speaker then goes on with the same turn. By default
   * a reply that begins with "go on", "continue", "carry on" or "please go on".
   */
  readonly floorBack?: (reply: Utterance, cut: Utterance) => boolean;
};

/** What an agent knows of the dialogue. */
export type Seat = {
  readonly agent: Agent;
  readonly voice: Voice;
  readonly messages: Message[];
  /** What it said, message by message; another list after each, since policies may keep what they were shown. */
  said: readonly Step[];
  /** What it heard since it last spoke. */
  pending: string[];
  turns: number;
};

/** A message in progress. */
export type Current = {
  readonly seat: Seat;
  readonly turn: Turn;
  readonly audience: Audience;
  cutBy: string | undefined;
  /** The floor is kept free for a while after the cut. */
  hold: Hold | undefined;
};

export type Talk = {
  readonly stage: Stage;
  readonly options: Required<Omit<DialogueOptions, "listeners">> & { readonly listeners: readonly string[] };
  readonly seats: readonly Seat[];
  readonly said: Utterance[];
  /** Each message from its beginning, where it went on after a cut. */
  readonly whole: WeakMap<Utterance, string>;
  readonly settling: Promise<void>[];
  /** The message in progress, or the last one as long as its floor is kept free. */
  current: Current | undefined;
  /** Messages that are to go on because somebody outside gave the floor back. */
  readonly given: { readonly seat: Seat; readonly turn: number }[];
  /** Who has the floor. */
  speaker: string;
  answer: string | undefined;
  over: boolean;
};

const heardLine = ({ agent, text, cutBy }: Utterance): string =>
  cutBy === undefined ? `${agent}: ${text}` : `${agent} (cut off): ${text} …`;

const cutLine = (by: string): string => `(You were cut off by ${by}.)`;

/** What tells a speaker to go on whose model cannot go on from a prefix. */
const backLine = "(You have the floor again: go on where you were cut off.)";

/** The user message an agent is sent when it speaks: the task at first, then what it heard. */
export function phrase(talk: Talk, seat: Seat, heard: readonly string[]): string {
  const task = seat.turns === 0 ? [talk.stage.task] : [];
  return [...task, ...heard].join("\n\n");
}

/** Whether one seat hears another, by their places. */
export function hears(talk: Talk, speaker: number, listener: number): boolean {
  if (speaker === listener) return false;
  return talk.options.audience === "broadcast" || listener === (speaker + 1) % talk.seats.length;
}

/** A message that was cut and is to go on; `given`: the floor was given back from outside. */
export type Resumed = { readonly cut: Utterance; readonly given: boolean };

/**
 * Readies a seat's context for its next message. True where the model goes on from its own unfinished message: it never
 * learns that it was cut.
 */
export function prepare(talk: Talk, seat: Seat, resumes: Resumed | undefined): boolean {
  const prefix =
    resumes !== undefined && seat.agent.model.continues === true && seat.messages.at(-1)?.role === "assistant";
  const given = resumes?.given === true;
  if (!prefix) {
    const heard = given ? [...seat.pending, backLine] : seat.pending;
    seat.messages.push({ role: "user", content: phrase(talk, seat, heard) });
    seat.pending = [];
    return false;
  }
  // A reply that gave the floor back says nothing else; what was said before somebody outside did is heard afterwards.
  seat.pending = given ? seat.pending.filter((line) => line !== cutLine(resumes.cut.cutBy ?? "")) : [];
  return true;
}

/** Puts what an agent said into its own context; a resumed message grows the one that was cut. */
export function remember(seat: Seat, text: string, resumed: boolean): void {
  const last = seat.messages.at(-1);
  if (resumed && last !== undefined)
    seat.messages[seat.messages.length - 1] = { role: "assistant", content: last.content + text };
  else if (text !== "") seat.messages.push({ role: "assistant", content: text });
}

/** Tells the others what was said, and a speaker that was cut so. */
export function tell(talk: Talk, speaker: number, said: Utterance): void {
  talk.said.push(said);
  const { voice, said: before } = talk.seats[speaker]!;
  const stamp = { at: talk.stage.now(), agent: said.agent, seq: voice.seq };
  talk.seats[speaker]!.said = [
    ...before,
    { type: "step", ...stamp, turn: said.turn, index: before.length, text: said.text },
  ];
  for (const [index, seat] of talk.seats.entries()) if (hears(talk, speaker, index)) seat.pending.push(heardLine(said));
  if (said.cutBy !== undefined) talk.seats[speaker]!.pending.push(cutLine(said.cutBy));
}

/** A seat for each agent. */
export function seated(stage: Stage): Seat[] {
  const { agents } = stage.topology;
  return agents.map((agent) => {
    const others = agents.filter((other) => other !== agent);
    return {
      agent,
      voice: { agent, seq: 0, steps: 0, onStep: () => {}, stop: new AbortController() },
      messages: [{ role: "system", content: instructionsOf(agent, others) }],
      said: [],
      pending: [],
      turns: 0,
    };
  });
}
