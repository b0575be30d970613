// One agent of a graph: it hears its parents, speaks a turn for each batch it gathers, and obeys interrupts.

import type { Agent, AgentEnd, Chunk, Failure, Heard, Message, Step } from "../core/types.ts";
import type { Gather, Gathering } from "./gather.ts";
import type { Cut, Stage } from "./stage.ts";
import { instructionsOf } from "./ears.ts";
import type { Audience } from "./ears.ts";
import { Hold } from "./hold.ts";
import { Turn } from "./turn.ts";
import type { Voice } from "./turn.ts";

type Reason = AgentEnd["reason"];

export type Part = {
  readonly agent: Agent;
  readonly parents: readonly string[];
  readonly gather: Gather;
  /** Those that may hear it. */
  readonly listeners: readonly Agent[];
  /** Called with each step before it is said. */
  readonly onStep: (step: Step) => void;
  /** Those that decide while it says this turn; undefined where nobody does. */
  readonly audience: (turn: number) => Audience | undefined;
};

export const failureOf = (error: unknown): Failure =>
  error instanceof Error ? { name: error.name, message: error.message } : { name: "Error", message: String(error) };

/** An agent at work. It starts with `play`. */
export class Actor {
  readonly agent: Agent;
  readonly voice: Voice;
  readonly #stage: Stage;
  readonly #part: Part;
  readonly #gathering: Gathering;
  /** Called when there is something new to look at. */
  #wake: (() => void) | undefined;
  readonly #messages: Message[];
  /** Parents that have not closed. */
  readonly #open: Set<string>;
  /** Whether some parent ended as it should, so that there is something to answer even if it said nothing. */
  #spokenTo = false;
  #cut = false;
  /** Its place is kept after a cut. */
  #hold: Hold | undefined;
  #givenBack = false;
  #turn: Turn | undefined;
  #audience: Audience | undefined;
  #turns = 0;
  #ended = false;
  /** Decisions on what it said that are still being made. */
  readonly #settling: Promise<void>[] = [];

  constructor(stage: Stage, part: Part) {
    this.#stage = stage;
    this.#part = part;
    this.agent = part.agent;
    this.voice = { agent: part.agent, seq: 0, steps: 0, onStep: part.onStep, stop: new AbortController() };
    this.#open = new Set(part.parents);
    this.#gathering = part.gather(part.parents);
    this.#messages = [{ role: "system", content: instructionsOf(part.agent, part.listeners) }];
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** A parent said a step. */
  hear(step: Step): void {
    this.#gathering.hear(step);
    this.#wake?.();
  }

  /** What was shown of the step it is saying. */
  unfinished(): string {
    return this.#turn?.unfinished() ?? "";
  }

  /** What its model would be sent now if it had also heard this of a speaker. */
  wouldHear(step: Step): readonly Message[] {
    const first = this.#turns === 0;
    const content = this.#stage.settings.phrase([step], first ? { task: this.#stage.task } : {});
    return [...this.#messages, { role: "user", content }];
  }

  /** A parent will say no more to this agent. */
  close(parent: string, reason: Reason): void {
    if (!this.#open.delete(parent)) return;
    if (reason === "done" || reason === "interrupted") this.#spokenTo = true;
    this.#gathering.close(parent);
    this.#wake?.();
  }

  /** The number of the turn in progress. */
  #inProgress(): number | undefined {
    return this.#turn?.ended === false ? this.#turns - 1 : undefined;
  }

  /** Ends what the agent says: its turn in progress, and all that would come. False when that changes nothing. */
  interrupt(by: string, { reason, turn, holdMs = 0 }: Partial<Omit<Cut, "agent" | "by">> = {}): boolean {
    const current = this.#inProgress();
    // Of a run that is stopped all turns end anyway.
    if (this.#stage.stopped()) return false;
    if (this.#cut) return this.#letGo(turn);
    if (this.#ended || (turn !== undefined && turn !== current)) return false;
    this.#turn?.flush();
    this.#cut = true;
    this.#audience?.close();
    const stamp = { at: this.#stage.now(), agent: this.agent.id, seq: this.voice.seq++ };
    this.#stage.emit({ type: "interrupt", ...stamp, turn: current, by, reason });
    if (holdMs > 0) this.#hold = new Hold(this.#stage, holdMs);
    this.#turn?.cut();
    this.#wake?.();
    return true;
  }

  /** A second hand ends the keeping of its place. */
  #letGo(turn: number | undefined): boolean {
    return (turn === undefined || turn === this.#turns - 1) && (this.#hold?.end() ?? false);
  }

  /** Lets it go on with what was cut, while its place is kept. */
  resume(): boolean {
    const given = this.#hold?.end() ?? false;
    this.#givenBack ||= given;
    return given;
  }

  /** Whether it may speak again after a cut; waits as long as its place is kept. */
  async #mayGoOn(): Promise<boolean> {
    await this.#hold?.over;
    this.#hold = undefined;
    if (!this.#givenBack || this.#stage.stopped()) return false;
    this.#givenBack = false;
    this.#cut = false;
    return true;
  }

  /** Hears and speaks until there is no more to hear. Resolves with how the agent ended, its agent-end said. */
  async play(): Promise<Reason> {
    const forget = this.#stage.onStop(() => {
      // Models and decisions are told at once, so that one grace is enough for both.
      this.#audience?.close();
      this.#wake?.();
    });
    let reason: Reason;
    let error: unknown;
    try {
      reason = await this.#speak();
    } catch (caught) {
      error = caught;
      reason = "failed";
    }
    forget();
    if (this.#settling.length > 0) await Promise.all(this.#settling);
    this.#ended = true;
    const failure = reason === "failed" ? failureOf(error) : undefined;
    const stamp = { at: this.#stage.now(), agent: this.agent.id, seq: this.voice.seq++ };
    this.#stage.emit({ type: "agent-end", ...stamp, reason, error: failure });
    if (reason === "failed") this.#stage.fail(error);
    return reason;
  }

  async #speak(): Promise<Reason> {
    if (this.#part.parents.length === 0) await this.#answer([]);
    else await this.#answerAll();
    if (this.#over()) return this.#reason();
    if (this.#turns > 0) return "done";
    if (!this.#spokenTo) return "skipped";
    await this.#answer([]);
    return this.#reason();
  }

  /** Answers what is gathered until every parent has ended and nothing is left. */
  async #answerAll(): Promise<void> {
    while (!this.#over() || (await this.#mayGoOn())) {
      const batch = this.#gathering.next();
      if (batch !== undefined) await this.#answer(batch);
      else if (this.#open.size === 0) return;
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
    }
  }

  #over(): boolean {
    return this.#stage.stopped() || this.#cut;
  }

  #reason(): Reason {
    if (this.#stage.stopped()) return "cancelled";
    return this.#cut ? "interrupted" : "done";
  }

  async #answer(batch: readonly Step[]): Promise<void> {
    if (this.#over()) return;
    const { task, settings } = this.#stage;
    const first = this.#turns === 0;
    const source = this.#part.parents.length === 0;
    const content = source ? task : settings.phrase(batch, first ? { task } : {});
    this.#messages.push({ role: "user", content });
    const heard = batch.map(({ agent, index }) => [agent, index] as const);
    await this.#say({ heard });
    while (this.#cut && (await this.#mayGoOn())) await this.#goOn();
  }

  /** The rest of a turn that was cut: from its own prefix where the model can, else by a user turn. */
  async #goOn(): Promise<void> {
    const last = this.#messages.at(-1);
    const prefix = this.agent.model.continues === true && last?.role === "assistant";
    if (!prefix) this.#messages.push({ role: "user", content: "(Go on where you were cut off.)" });
    await this.#say({ heard: [], resumes: this.#turns - 1, prefix: prefix ? last.content : undefined });
  }

  async #say({ heard, resumes, prefix }: Saying): Promise<void> {
    const turn = this.#turns++;
    const audience = this.#part.audience(turn);
    this.#audience = audience;
    const onSaid = audience && ((said: Chunk | Step) => audience.hear(said));
    const messages = [...this.#messages];
    this.#turn = new Turn(this.#stage, this.voice, { turn, messages, heard, resumes, prefix, onSaid });
    try {
      const { text } = await this.#turn.over;
      if (prefix !== undefined)
        this.#messages[this.#messages.length - 1] = { role: "assistant", content: prefix + text };
      // Some providers refuse an empty message.
      else if (text !== "") this.#messages.push({ role: "assistant", content: text });
    } finally {
      audience?.close();
      if (audience !== undefined) this.#settling.push(audience.settled());
      this.#turn = undefined;
    }
  }
}

type Saying = {
  readonly heard: readonly Heard[];
  readonly resumes?: number | undefined;
  /** What was said of the turn before, where the model goes on from it. */
  readonly prefix?: string | undefined;
};
