// What a protocol plays on: the settings of one run, its time, its signal, and the log of its events.

import type { Clock } from "../base/clock.ts";
import type { Watchdog } from "../base/watchdog.ts";
import type { Hear, Join, RunEvent, Splitter, Step, Topology } from "../core/types.ts";

/** Everything about a run that is not its topology or task, with the defaults filled in. */
export type Settings = {
  readonly clock: Clock;
  readonly splitter: Splitter;
  readonly join: Join;
  readonly hear: Hear;
  /** `failFast`: the first failure ends the run. `collect`: other branches go on, and joins do without the failed one. */
  readonly onFailure: "failFast" | "collect";
  /**
   * Where the usage of a cut turn comes from. `estimate`: what the model says when it is aborted. `drain`: the model
   * is left to finish, unheard, so that its usage is exact. `ignore`: only what was heard is counted.
   */
  readonly onInterruptUsage: "estimate" | "drain" | "ignore";
  /** Milliseconds without a part after which a model counts as stalled; 0: never. */
  readonly idleMs: number;
  /** Milliseconds a model may take to end its stream once it is told to; then it is left. */
  readonly graceMs: number;
  /**
   * When listeners with a policy decide: every so many tokens (16), after each `step` of the speaker, or at the steps of a
   * splitter of their own, which reads what is shown: delimiters are not.
   */
  readonly chunk: number | "step" | Splitter;
  /**
   * What a raised hand does in a graph. `all`: the listener leaves, and the speaker is cut when all have left. `any`: the
   * first hand cuts the speaker. `leave`: the listener leaves, and the speaker always goes on.
   */
  readonly cut: "all" | "any" | "leave";
  /** Milliseconds a policy may take to decide; then it means wait. 0: as long as it likes. */
  readonly decisionMs: number;
  readonly maxTokens: number | undefined;
  readonly temperature: number | undefined;
  readonly seed: number | undefined;
  /** The user message that brings heard steps; the first one of an agent carries the task too. */
  readonly phrase: (steps: readonly Step[], options: { task?: string }) => string;
};

/** What a protocol is given to play a run on. */
export type Stage = {
  /** The run's id. */
  readonly run: string;
  readonly topology: Topology;
  readonly task: string;
  readonly settings: Settings;
  /** Whether the run was cancelled or left, or has failed. */
  stopped(): boolean;
  /** Calls back when the run is stopped (at once if it was), until the returned function is called. */
  onStop(callback: () => void): () => void;
  readonly watchdog: Watchdog;
  /** Milliseconds since the run began, to the microsecond. */
  now(): number;
  emit(event: RunEvent): void;
  /** An agent failed; under `failFast` this ends the run. The first failure counts. */
  fail(error: unknown): void;
};

/** A wish to cut a speaker. */
export type Cut = {
  readonly agent: string;
  /** Who raised the hand: an agent's id, or a name for the code or person that did. */
  readonly by: string;
  readonly reason?: string | undefined;
  /** Cuts only if this turn is in progress, so that a late hand changes nothing. */
  readonly turn?: number | undefined;
  /** Milliseconds for which the speaker's place is kept, so that it can be given the floor back; 0. */
  readonly holdMs?: number | undefined;
};

/** A protocol at work. */
export type Play = {
  /** Resolves when every agent has ended. Never rejects: failures go through `stage.fail`. */
  readonly over: Promise<void>;
  /** Whether the cut was made; late, repeated and unknown ones are not. */
  interrupt(cut: Cut): boolean;
  /** Lets a speaker that was cut go on with the same turn; whether it will. Absent: never. */
  resume?(agent: string): boolean;
  /** The answer, where the protocol decides on one. */
  answer?(): string | undefined;
};

/** When listeners hear what speakers say. */
export type Protocol = {
  readonly name: string;
  /** The agents of the topology that take part; all of them where absent. */
  readonly cast?: (topology: Topology) => Topology;
  /** Throws a ConfigError for what it cannot play. */
  readonly check?: (topology: Topology, settings: Settings) => void;
  readonly start: (stage: Stage) => Play;
};
