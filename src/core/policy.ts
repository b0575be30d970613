// When a listener cuts a speaker. Types only.

import type { Message, Model, Step, Usage } from "./types.ts";

/** What a listener knows when it decides. */
export type Hearing = {
  readonly task: string;
  /** The question that the listener needs answered, where it is known. */
  readonly about?: string | undefined;
  /** The agent that listens. */
  readonly listener: string;
  /** The agent that speaks. */
  readonly speaker: string;
  /** The speaker's turn. */
  readonly turn: number;
  /** What was heard of this turn so far. */
  readonly text: string;
  /** The turn that this one goes on with, cut before, and what was said of the message until then. */
  readonly resumes?: { readonly turn: number; readonly text: string } | undefined;
  /** Chunks heard of this turn. */
  readonly chunks: number;
  /** Tokens heard of this turn. */
  readonly tokens: number;
  /** The speaker's complete steps so far, of this turn and earlier ones. */
  readonly steps: readonly Step[];
  /** What the listener's model would be sent if it spoke now; the last message brings what was heard so far. */
  readonly messages: () => readonly Message[];
  /** The listener's own model. */
  readonly model: Model;
  /** A session for decisions: they extend one another, so that a prompt is read once. */
  readonly session: string;
};

/** What interrupting now is worth. */
export type Decision = {
  /** Above 0 interrupts. In the unit of the policy: log-odds, tokens, money. */
  readonly advantage: number;
  /** Probability that enough has been heard, where the policy has one. */
  readonly probability?: number | undefined;
  /** What the decision itself cost. */
  readonly usage?: Usage | undefined;
  /** What a person should know: an answer that was neither Yes nor No, a refusal. */
  readonly note?: string | undefined;
};

/** When a listener cuts a speaker. */
export type Policy = {
  readonly name: string;
  /** Decides after a chunk. Absent: never interrupts. A decision that is no longer wanted is told by its signal. */
  readonly decide?: (hearing: Hearing, signal: AbortSignal) => Decision | Promise<Decision>;
  /** What speakers are told in addition to their instructions, for policies that work on the speaker's side. */
  readonly speakerNote?: string;
};
