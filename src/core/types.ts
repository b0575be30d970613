// The vocabulary of Duplex. Types only; nothing here runs.

import type { Policy } from "./policy.ts";

/** One message of a conversation with a model. A last message by the assistant is a prefix to go on from. */
export type Message = {
  readonly role: "system" | "user" | "assistant";
  readonly content: string;
};

/** Calls and tokens of one or more model calls. */
export type Usage = {
  readonly calls: number;
  /** Prompt tokens, cached ones included. */
  readonly inputTokens: number;
  /** Those of `inputTokens` that were read from a cache. */
  readonly cachedTokens: number;
  /** Generated tokens, reasoning and overrun included. */
  readonly outputTokens: number;
  /** Set where at least one number was counted by us and not reported by the provider. */
  readonly estimated?: boolean;
};

/** Why a model's stream or a turn ended. `truncated`: the stream closed without its end, so what came is not a message. */
export type EndReason = "stop" | "length" | "interrupted" | "truncated";

/** One call of a model. */
export type ModelRequest = {
  readonly messages: readonly Message[];
  /** Upper bound on generated tokens. */
  readonly maxTokens?: number | undefined;
  readonly temperature?: number | undefined;
  readonly seed?: number | undefined;
  readonly stop?: readonly string[] | undefined;
  /** Requests of one session extend one another: a local model keeps its KV state by this name, an API its prompt cache. */
  readonly session?: string | undefined;
  /** Ends the call early. The stream then closes with an `end` part of reason `interrupted`, promptly, with its usage. */
  readonly signal?: AbortSignal | undefined;
};

/** What a model's stream is made of. Exactly one `end`, last, also after an abort. A failure is thrown instead. */
export type ModelPart =
  /** Said text, of any length; `tokens` where the model knows how many it took. */
  | { readonly type: "text"; readonly text: string; readonly tokens?: number | undefined }
  /** Thinking, kept apart from the message: nobody hears it. */
  | { readonly type: "reasoning"; readonly text: string }
  /** The request is held back (by a gate, or before a retry): without `ms` the wait begins, with `ms` it has ended. */
  | { readonly type: "wait"; readonly ms?: number }
  | { readonly type: "end"; readonly reason: EndReason; readonly usage: Usage };

/** What a model thinks of the next token. */
export type Choice = {
  /** Probability of each option as the next words, in the order asked; they add up to the mass on the options, at most 1. */
  readonly probabilities: readonly number[];
  /** Entropy of the next-token distribution in nats, where the model shows enough of it. */
  readonly entropy?: number | undefined;
  /** The likeliest next token. */
  readonly top?: { readonly text: string; readonly probability: number } | undefined;
  readonly usage: Usage;
};

/** Anything that answers messages with text, as it is generated. */
export interface Model {
  readonly id: string;
  /** The model can go on from an assistant message that is the last of the request. */
  readonly continues?: boolean;
  /** Its words or its timing are made up: whatever shows them says so. */
  readonly simulated?: boolean;
  stream(request: ModelRequest): AsyncIterable<ModelPart>;
  /** Next-token probabilities over options: one forward pass (local), or one token with logprobs (API). */
  choose?(request: ModelRequest, options: readonly string[]): Promise<Choice>;
}

/** Who speaks and listens. `route` names, from its first step, which of its listeners hear this agent (default: all). */
export type Agent = {
  readonly id: string;
  readonly instructions: string;
  readonly model: Model;
  /** When it cuts those it hears; absent: never. */
  readonly policy?: Policy | undefined;
  readonly route?: (first: Step, listeners: readonly string[]) => readonly string[];
};

/** The second hears the first. */
export type Edge = readonly [speaker: string, listener: string];

/** Agents and who hears whom; a directed acyclic graph. */
export type Topology = { readonly agents: readonly Agent[]; readonly edges: readonly Edge[] };

/** `at`: milliseconds since the run began. `seq`: the number of this event among those of its agent, from 0. */
export type Said = { readonly at: number; readonly agent: string; readonly seq: number };
/** The same within a turn of the agent, counted from 0. */
export type InTurn = Said & { readonly turn: number };

/** How a failure appears in a trace. */
export type Failure = { readonly name: string; readonly message: string };

/** A step an agent heard: the speaker and the step's index. */
export type Heard = readonly [speaker: string, index: number];

/** What a run is made of, in the order in which it happened: one line of a trace each. */
export type RunEvent =
  | RunStart
  /** A model call begins; `heard` are the steps that are new in it. `resumes`: it goes on with this turn, cut before. */
  | (InTurn & { readonly type: "turn-start"; readonly heard: readonly Heard[]; readonly resumes?: number | undefined })
  /** Thinking; not said, nobody hears it. */
  | (InTurn & { readonly type: "reasoning"; readonly text: string })
  /** Said text; `tokens` where the model told. */
  | (InTurn & { readonly type: "chunk"; readonly text: string; readonly tokens?: number | undefined })
  | StepEvent
  | DecisionEvent
  /** A listener has heard enough and leaves, the speaker goes on; `text`: what it heard of the unfinished step. */
  | (InTurn & { readonly type: "leave"; readonly listener: string; readonly text: string })
  /** From here on only these listeners hear the agent. */
  | (Said & { readonly type: "route"; readonly listeners: readonly string[] })
  /** Somebody cut the agent; `turn` is the turn in progress, or absent between turns. */
  | (Said & {
      readonly type: "interrupt";
      readonly turn?: number | undefined;
      readonly by: string;
      readonly reason?: string | undefined;
    })
  | TurnEnd
  | AgentEnd
  | RunEnd;

/** A complete step; `index` counts the agent's steps from 0. `cut`: it was interrupted, and this is what was heard of it. */
export type StepEvent = InTurn & {
  readonly type: "step";
  readonly index: number;
  readonly text: string;
  readonly cut?: true | undefined;
};

/**
 * What a listener thought of interrupting the agent's turn, after so many of its chunks and tokens. `outcome`: `late`, it
 * came when the turn was over or cut by another; `timeout`, `failed`: no answer in time or an error, which means wait.
 */
export type DecisionEvent = InTurn & {
  readonly type: "decision";
  readonly by: string;
  readonly advantage: number;
  readonly probability?: number | undefined;
  readonly chunks: number;
  readonly tokens: number;
  /** Milliseconds from the chunk to the decision. */
  readonly ms: number;
  readonly outcome: "wait" | "interrupt" | "late" | "timeout" | "failed";
  readonly usage?: Usage | undefined;
  readonly note?: string | undefined;
};

/** The first event: who hears whom, and under which settings. */
export type RunStart = {
  readonly type: "run-start";
  readonly version: 1;
  readonly at: 0;
  readonly run: string;
  /** Wall-clock time of the start, ISO 8601; absent where time is virtual. */
  readonly date?: string | undefined;
  readonly protocol: string;
  readonly join: Join;
  readonly hear: Hear;
  readonly task: string;
  readonly agents: readonly { readonly id: string; readonly model: string }[];
  readonly edges: readonly Edge[];
  /** Set where time or words come from a simulated model. */
  readonly simulated?: boolean | undefined;
};

/** A model call has ended, however it did, and what it took. */
export type TurnEnd = InTurn & {
  readonly type: "turn-end";
  readonly reason: EndReason | "failed" | "cancelled";
  readonly usage: Usage;
  /** Milliseconds of the turn in which its request was held back by a gate or a retry. */
  readonly waitedMs?: number | undefined;
  /** Generated tokens that nobody heard: past the cut, counted in `usage`. */
  readonly overrunTokens?: number | undefined;
};

/** An agent has said all that it will say. */
export type AgentEnd = Said & {
  readonly type: "agent-end";
  /** `skipped`: no parent chose to speak to it, or all of them failed. */
  readonly reason: "done" | "interrupted" | "skipped" | "failed" | "cancelled";
  readonly error?: Failure | undefined;
};

/** The last event. */
export type RunEnd = {
  readonly type: "run-end";
  readonly at: number;
  readonly reason: "done" | "failed" | "cancelled";
  /** The answer, where the protocol decides on one; else it is the sinks' last step. */
  readonly answer?: string | undefined;
  readonly error?: Failure | undefined;
};

/** The event with this tag. */
export type EventOf<T extends RunEvent["type"]> = Extract<RunEvent, { type: T }>;

/** A piece of speech, as it was heard. */
export type Chunk = EventOf<"chunk">;

/** A step that is complete. */
export type Step = StepEvent;
/** The events of one run. */
export type Trace = readonly RunEvent[];

/**
 * How a listener with several parents joins them. `aligned`: a call per step index, over all parents still speaking
 * (deterministic). `arrival`: steps as they come (the paper's; calls multiply at fan-in, order depends on latency).
 */
export type Join = "aligned" | "arrival";

/** How much a listener hears before it speaks: `each` step in a call of its own, or all that is `waiting`. */
export type Hear = "each" | "waiting";

/** Cuts one agent's speech into steps: see `Cutter`. A splitter makes a cutter for each turn. */
export type Splitter = () => Cutter;

/** Takes text as it comes and gives back pieces; the same text gives the same steps however it is cut into chunks. */
export interface Cutter {
  /** Pieces that are now certain. */
  push(text: string): readonly Piece[];
  /** The rest, at the end of the turn. */
  end(): readonly Piece[];
}

/** Text to show (never a delimiter), or the end of a step with the step's whole text. */
export type Piece = { readonly type: "text"; readonly text: string } | { readonly type: "step"; readonly text: string };
