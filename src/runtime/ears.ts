// A listener's ears on one turn of a speaker: after each chunk its policy decides. A slow policy never delays the speaker,
// and always decides on the newest chunk.

import { after } from "../base/clock.ts";
import type { Decision, Hearing } from "../core/policy.ts";
import type { Agent, Chunk, DecisionEvent, Message, Step } from "../core/types.ts";
import type { Settings, Stage } from "./stage.ts";
import { estimateTokens } from "./turn.ts";
import type { Voice } from "./turn.ts";

/** Tells, from what is said, when it is time to decide. */
type Chunker = (said: Chunk | Step) => boolean;

/** A chunk is complete every `size` tokens: told by the model, else estimated. */
function byChunks(size: number): Chunker {
  let tokens = 0;
  return (said) => {
    if (said.type === "step") return false;
    tokens += said.tokens ?? estimateTokens(said.text);
    if (tokens < size) return false;
    tokens %= size;
    return true;
  };
}

function chunkerOf(chunk: Settings["chunk"]): Chunker {
  if (chunk === "step") return ({ type }) => type === "step";
  if (typeof chunk === "number") return byChunks(chunk);
  const cutter = chunk();
  return ({ type, text }) => type === "chunk" && cutter.push(text).some((piece) => piece.type === "step");
}

export type Listening = {
  readonly listener: Agent;
  readonly speaker: Pick<Voice, "agent" | "seq">;
  readonly turn: number;
  /** What this turn goes on with. */
  readonly resumes?: Hearing["resumes"];
  /** The speaker's complete steps so far. */
  readonly steps: () => readonly Step[];
  /** What the listener's model would be sent now, given what it has heard of the turn. */
  readonly messages: (text: string) => readonly Message[];
  readonly session: string;
  /** Raises the hand; whether it came in time. */
  readonly raise: () => boolean;
};

/** As much of a stage as ears need. */
export type Room = Pick<Stage, "task" | "now" | "emit"> & {
  readonly settings: Pick<Settings, "clock" | "chunk" | "decisionMs" | "graceMs">;
};

type Outcome = DecisionEvent["outcome"];

const wait: Decision = { advantage: 0 };

/** Hears one turn. */
export class Ears {
  readonly #stage: Room;
  readonly #listening: Listening;
  readonly #chunker: Chunker;
  #text = "";
  #chunks = 0;
  #tokens = 0;
  #fresh = false;
  #closed = false;
  #deciding: Promise<void> | undefined;
  #stop: (() => void) | undefined;

  constructor(stage: Room, listening: Listening) {
    this.#stage = stage;
    this.#listening = listening;
    this.#chunker = chunkerOf(stage.settings.chunk);
  }

  get listener(): string {
    return this.#listening.listener.id;
  }

  /** Chunks heard so far. */
  get chunks(): number {
    return this.#chunks;
  }

  /** Takes what is said; decides when that completes a chunk. */
  hear(said: Chunk | Step): void {
    if (this.#closed) return;
    if (said.type === "chunk") {
      this.#text += said.text;
      this.#tokens += said.tokens ?? estimateTokens(said.text);
    }
    if (!this.#chunker(said)) return;
    this.#chunks++;
    this.#fresh = true;
    this.#next();
  }

  /** The turn is over, or the listener has had enough: a decision in progress is not wanted any more. */
  close(): void {
    this.#closed = true;
    this.#stop?.();
  }

  /** Resolves when no decision is in progress. */
  async settled(): Promise<void> {
    await this.#deciding;
  }

  #next(): void {
    if (this.#closed || this.#deciding !== undefined || !this.#fresh) return;
    this.#fresh = false;
    const { decide } = this.#listening.listener.policy ?? {};
    if (decide === undefined) return;
    const began = { at: this.#stage.now(), chunks: this.#chunks, tokens: this.#tokens };
    const asked = new AbortController();
    let answer: Decision | Promise<Decision>;
    try {
      answer = decide(this.#hearing(), asked.signal);
    } catch (error) {
      this.#settle(began, { decision: failed(error), outcome: "failed" });
      return;
    }
    if (answer instanceof Promise) this.#await(answer, began, asked);
    else this.#settle(began, checked(answer));
  }

  #await(answer: Promise<Decision>, began: Began, asked: AbortController): void {
    this.#deciding = new Promise<Settled>((resolve) => {
      const { clock, graceMs, decisionMs } = this.#stage.settings;
      let outcome: Outcome | undefined;
      // An unwanted decision may still say what it cost, but not for ever.
      const abandon = (why: Outcome) => {
        if (outcome !== undefined) return;
        outcome = why;
        asked.abort();
        callOff();
        callOff = after(clock, graceMs, () => resolve({ decision: wait, outcome: why }));
      };
      let callOff = decisionMs > 0 ? after(clock, decisionMs, () => abandon("timeout")) : () => {};
      this.#stop = () => abandon("late");
      // Who decides may have ended the run before there was an answer to wait for.
      if (this.#closed) this.#stop();
      const done = (settled: Settled) => {
        callOff();
        resolve(settled);
      };
      answer.then(
        (decision) => {
          const made = checked(decision);
          done({ decision: made.decision, outcome: outcome ?? made.outcome });
        },
        (error: unknown) => done({ decision: failed(error), outcome: outcome ?? "failed" }),
      );
    }).then((settled) => {
      this.#stop = undefined;
      this.#deciding = undefined;
      this.#settle(began, settled);
      this.#next();
    });
  }

  #settle({ at, chunks, tokens }: Began, { decision, outcome }: Settled): void {
    const { speaker, listener, turn, raise } = this.#listening;
    const wanted = outcome === undefined && decision.advantage > 0;
    const say = (made: Outcome) =>
      this.#stage.emit({
        type: "decision",
        at: this.#stage.now(),
        agent: speaker.agent.id,
        seq: speaker.seq++,
        turn,
        by: listener.id,
        advantage: Number.isFinite(decision.advantage) ? decision.advantage : Math.sign(decision.advantage) * 1e9 || 0,
        probability: decision.probability,
        chunks,
        tokens,
        ms: Math.max(0, this.#stage.now() - at),
        outcome: made,
        usage: decision.usage,
        note: decision.note,
      });
    if (!wanted) return say(outcome ?? (this.#closed ? "late" : "wait"));
    if (this.#closed) return say("late");
    say("interrupt");
    this.close();
    raise();
  }

  #hearing(): Hearing {
    const { listener, speaker, turn, resumes, steps, messages, session } = this.#listening;
    const text = this.#text;
    return {
      ...(resumes === undefined ? {} : { resumes }),
      task: this.#stage.task,
      listener: listener.id,
      speaker: speaker.agent.id,
      turn,
      text,
      chunks: this.#chunks,
      tokens: this.#tokens,
      steps: steps(),
      messages: () => messages(text),
      model: listener.model,
      session,
    };
  }
}

type Began = { readonly at: number; readonly chunks: number; readonly tokens: number };
type Settled = { readonly decision: Decision; readonly outcome?: Outcome | undefined };

/** All the ears on one turn. */
export class Audience {
  readonly #ears: readonly Ears[];

  constructor(ears: readonly Ears[]) {
    this.#ears = ears;
  }

  hear(said: Chunk | Step): void {
    for (const ears of this.#ears) ears.hear(said);
  }

  /** Nobody decides any more; with `listener`, that one does not. */
  close(listener?: string): void {
    for (const ears of this.#ears) if (listener === undefined || ears.listener === listener) ears.close();
  }

  async settled(): Promise<void> {
    await Promise.all(this.#ears.map((ears) => ears.settled()));
  }
}

/** An agent's instructions, with what its listeners' policies ask of speakers. */
export const instructionsOf = (agent: Agent, listeners: readonly Agent[]): string =>
  [agent.instructions, ...new Set(listeners.flatMap(({ policy }) => policy?.speakerNote ?? []))].join("\n");

const failed = (error: unknown): Decision => ({
  advantage: 0,
  note: error instanceof Error ? error.message : String(error),
});

/** A policy of a caller without types may answer anything. */
function checked(answer: unknown): Settled {
  const { advantage } = (answer ?? {}) as { readonly advantage?: unknown };
  if (typeof advantage === "number" && !Number.isNaN(advantage)) return { decision: answer as Decision };
  return { decision: failed("the policy's answer has no number as its advantage"), outcome: "failed" };
}
