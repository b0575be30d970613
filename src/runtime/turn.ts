// One turn: an agent's model answers what the agent has heard. The only caller of `Model.stream`.

import { after } from "../base/clock.ts";
import { drain } from "../base/drain.ts";
import type { Reading } from "../base/drain.ts";
import { GrowingText } from "../base/text.ts";
import type { Agent, Chunk, Cutter, EndReason, Heard, Message, ModelPart, Piece, Step, Usage } from "../core/types.ts";
import { checked, closedEarly, open, stalled, usageKnown } from "./call.ts";
import type { Stage } from "./stage.ts";

/** An agent's voice in a run: it numbers the agent's events and steps. */
export type Voice = {
  readonly agent: Agent;
  /** The number of the agent's next event. */
  seq: number;
  /** The number of the agent's next step. */
  steps: number;
  /** Called with each step before it is said. */
  readonly onStep: (step: Step) => void;
  /** Ends a turn at its model. One for all turns until it has fired: a signal costs as much as the rest of a turn. */
  stop: AbortController;
};

export type TurnRequest = {
  readonly turn: number;
  readonly messages: readonly Message[];
  /** The steps that are new in `messages`. */
  readonly heard: readonly Heard[];
  /** The turn, cut before, that this one goes on with. */
  readonly resumes?: number | undefined;
  /** What was said before of the message that the model goes on with: its unfinished step is said whole. */
  readonly prefix?: string | undefined;
  /** Called with each chunk and each step once it is said. */
  readonly onSaid?: ((said: Chunk | Step) => void) | undefined;
};

/** How a turn ended that did not fail: the raw text said (delimiters included, so that it can be replayed), and why. */
export type Spoken = { readonly text: string; readonly reason: EndReason | "cancelled" };

/** Tokens of a text by rule of thumb (four characters a token), where nobody counted them. */
export const estimateTokens = (text: string): number => Math.ceil(text.length / 4);

/** A turn in progress. Starts when it is made; `stage.signal` cancels it. */
export class Turn {
  /** Resolves once the trace has the turn's end; rejects with the failure of a turn that failed. */
  readonly over: Promise<Spoken>;
  readonly #stage: Stage;
  readonly #voice: Voice;
  readonly #turn: number;
  readonly #messages: readonly Message[];
  readonly #onSaid: ((said: Chunk | Step) => void) | undefined;
  readonly #cutter: Cutter;
  readonly #reading: Reading;
  readonly #stop: AbortController;
  readonly #forget: () => void;
  readonly #unwatch: () => void;
  #grace: (() => void) | undefined;
  #sign: number;
  #stalled = false;
  /** The model's stream is over. */
  #read = false;
  #state: "speaking" | "cut" | "cancelled" = "speaking";
  #ended = false;
  readonly #text = new GrowingText();
  /** What was shown of the step in progress. */
  #shown = "";
  #spokenTokens = 0;
  #unshownTokens = 0;
  #unheardTokens = 0;
  #reasoned = false;
  #heldBack = false;
  #waitedMs = 0;
  #end: { readonly reason: EndReason; readonly usage: Usage } | undefined;

  constructor(stage: Stage, voice: Voice, request: TurnRequest) {
    const { turn, messages, heard, resumes, prefix } = request;
    const { splitter, maxTokens, temperature, seed } = stage.settings;
    this.#stage = stage;
    this.#voice = voice;
    this.#turn = turn;
    this.#onSaid = request.onSaid;
    this.#cutter = splitter();
    if (prefix !== undefined) this.#recall(prefix);
    this.#sign = stage.settings.clock.now();
    if (voice.stop.signal.aborted) voice.stop = new AbortController();
    this.#stop = voice.stop;
    const agent = voice.agent.id;
    this.#messages = messages;
    stage.emit({ type: "turn-start", at: stage.now(), agent, seq: voice.seq++, turn, heard, resumes });
    const session = `${stage.run}/${voice.agent.id}`;
    const { signal } = this.#stop;
    const source = open(voice.agent, { messages, maxTokens, temperature, seed, session, signal });
    this.#reading = drain(source, (part) => this.#take(part));
    this.#unwatch = stage.watchdog.watch({ lastSign: () => this.#lastSign(), expire: () => this.#expire() });
    this.#forget = stage.onStop(() => this.#cancel());
    this.over = this.#finish();
  }

  /** Whether the trace has the turn's end. */
  get ended(): boolean {
    return this.#ended;
  }

  /** What was shown of the step in progress. */
  unfinished(): string {
    return this.#shown;
  }

  /** Says what was heard of the unfinished step, as a step that was cut. To be followed by `cut`. */
  flush(): void {
    if (this.#state === "speaking" && this.#shown.trim() !== "") this.#step(this.#shown.trim(), true);
  }

  /** Ends the turn, as an outcome. What the model makes after it is not said. */
  cut(): void {
    if (this.#state !== "speaking") return;
    this.#state = "cut";
    const { onInterruptUsage } = this.#stage.settings;
    if (onInterruptUsage === "drain") return;
    this.#halt();
    if (onInterruptUsage === "ignore") this.#reading.leave();
  }

  #cancel(): void {
    this.#state = "cancelled";
    this.#halt();
  }

  /** Tells the model to end, and leaves it when it does not. */
  #halt(): void {
    if (this.#grace !== undefined || this.#read) return;
    this.#stop.abort();
    const { clock, graceMs } = this.#stage.settings;
    this.#grace = after(clock, graceMs, () => this.#reading.leave());
  }

  /** Cuts again what was said before, so that its unfinished step goes on. */
  #recall(prefix: string): void {
    for (const piece of this.#cutter.push(prefix)) this.#shown = piece.type === "text" ? this.#shown + piece.text : "";
  }

  /** A request that is held back is not silent. */
  #lastSign(): number {
    return this.#heldBack ? this.#stage.settings.clock.now() : this.#sign;
  }

  #expire(): void {
    this.#stalled = true;
    this.#stop.abort();
    this.#reading.leave();
  }

  #stamp() {
    return { at: this.#stage.now(), agent: this.#voice.agent.id, seq: this.#voice.seq++ };
  }

  #take(part: ModelPart): boolean {
    this.#sign = this.#stage.settings.clock.now();
    checked(part, this.#voice.agent);
    switch (part.type) {
      case "text":
        this.#hear(part.text, part.tokens);
        return true;
      case "reasoning":
        this.#reasoned = true;
        if (this.#state === "speaking")
          this.#stage.emit({ type: "reasoning", ...this.#stamp(), turn: this.#turn, text: part.text });
        return true;
      case "wait":
        this.#heldBack = part.ms === undefined;
        this.#waitedMs += part.ms ?? 0;
        return true;
      case "end":
        this.#end = part;
        return false;
    }
  }

  #hear(text: string, told: number | undefined): void {
    const tokens = told ?? estimateTokens(text);
    if (this.#state !== "speaking") {
      this.#unheardTokens += tokens;
      return;
    }
    this.#text.add(text);
    this.#spokenTokens += tokens;
    this.#unshownTokens += told ?? 0;
    this.#say(this.#cutter.push(text));
  }

  /** Says pieces until somebody cuts in. */
  #say(pieces: readonly Piece[]): void {
    for (const piece of pieces) {
      if (this.#state !== "speaking") return;
      if (piece.type === "text") this.#chunk(piece.text);
      else this.#step(piece.text);
    }
  }

  #chunk(text: string): void {
    const voice = this.#voice;
    const tokens = this.#unshownTokens > 0 ? this.#unshownTokens : undefined;
    this.#unshownTokens = 0;
    this.#shown += text;
    const { at, agent, seq, turn } = {
      at: this.#stage.now(),
      agent: voice.agent.id,
      seq: voice.seq++,
      turn: this.#turn,
    };
    const chunk: Chunk = { type: "chunk", at, agent, seq, turn, text, tokens };
    this.#stage.emit(chunk);
    this.#onSaid?.(chunk);
  }

  #step(text: string, cut?: true): void {
    this.#shown = "";
    const index = this.#voice.steps++;
    const { at, agent, turn } = { at: this.#stage.now(), agent: this.#voice.agent.id, turn: this.#turn };
    const step: Step = { type: "step", at, agent, seq: this.#voice.seq, turn, index, text, cut };
    this.#voice.onStep(step);
    // Routing says its own event first, and so moves the number on.
    this.#stage.emit({ type: "step", at, agent, seq: this.#voice.seq++, turn, index, text, cut });
    // What was cut off is no reason to cut in.
    if (cut === undefined) this.#onSaid?.(step);
  }

  async #finish(): Promise<Spoken> {
    const read = await this.#reading.over.then(
      () => ({}),
      (failure: unknown) => ({ failure }),
    );
    this.#forget();
    this.#unwatch();
    this.#grace?.();
    this.#read = true;
    const { reason, failure } = this.#outcome(read);
    if (reason === "stop" || reason === "length") this.#say(this.#cutter.end());
    // A listener may have cut in on the last step.
    const ended = this.#was() === "cut" ? "interrupted" : reason;
    this.#ended = true;
    this.#stage.emit({
      type: "turn-end",
      ...this.#stamp(),
      turn: this.#turn,
      reason: ended,
      ...this.#account(ended, failure),
    });
    if (ended === "failed" || ended === "truncated") throw failure;
    return { text: this.#text.toString(), reason: ended };
  }

  /** Read through a method, since what is said may change it. */
  #was() {
    return this.#state;
  }

  #outcome(read: { failure?: unknown }): {
    reason: EndReason | "failed" | "cancelled";
    failure?: unknown;
  } {
    const { agent } = this.#voice;
    if (this.#state === "cut") return { reason: "interrupted" };
    if (this.#state === "cancelled") return { reason: "cancelled" };
    if ("failure" in read) return { reason: "failed", failure: read.failure };
    if (this.#stalled) return { reason: "failed", failure: stalled(agent, this.#stage.settings.idleMs) };
    if (this.#end === undefined || this.#end.reason === "truncated")
      return { reason: "truncated", failure: closedEarly(agent) };
    return { reason: this.#end.reason };
  }

  /** What the turn used, how long it was held back, and how much of it nobody heard. */
  #account(ended: EndReason | "failed" | "cancelled", failure: unknown) {
    const waitedMs = this.#waitedMs > 0 ? this.#waitedMs : undefined;
    const ignored = ended === "interrupted" && this.#stage.settings.onInterruptUsage === "ignore";
    if (this.#end === undefined || ignored) {
      const outputTokens = this.#spokenTokens + this.#unheardTokens;
      return { usage: usageKnown(outputTokens, { failure, messages: ignored ? [] : this.#messages }), waitedMs };
    }
    const { usage } = this.#end;
    const past = this.#reasoned ? 0 : usage.outputTokens - this.#spokenTokens;
    const overrunTokens = this.#state === "speaking" ? undefined : Math.max(this.#unheardTokens, past);
    return { usage, waitedMs, overrunTokens };
  }
}
