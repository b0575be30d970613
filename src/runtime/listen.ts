// Interruption for code that uses none of the rest: any token stream, heard by a policy.

import { systemClock } from "../base/clock.ts";
import type { Clock } from "../base/clock.ts";
import { drain } from "../base/drain.ts";
import type { Reading } from "../base/drain.ts";
import { ConfigError, ModelError } from "../base/errors.ts";
import { Log } from "../base/log.ts";
import { onAbort } from "../base/signal.ts";
import type { Policy } from "../core/policy.ts";
import type { Agent, DecisionEvent, Message, Model, RunEvent, Splitter, Usage } from "../core/types.ts";
import { sum } from "../core/usage.ts";
import { Ears } from "./ears.ts";
import type { Room } from "./ears.ts";
import { controllerOf, iterableOf, knownText, tokensTold } from "./source.ts";
import type { Source, TextOf } from "./source.ts";
import { estimateTokens } from "./turn.ts";

/** Who listens to a stream, and when it decides. */
export type ListenOptions = {
  readonly policy: Policy;
  /** Tokens between two decisions, estimated where the source does not count them; 16. */
  readonly chunk?: number | undefined;
  /** Decides at the end of each step instead. */
  readonly splitter?: Splitter | undefined;
  /** What the source answers, for policies that ask a model. */
  readonly task?: string | undefined;
  /** Who listens and what for, for policies that ask a model. */
  readonly listener?: { readonly id?: string | undefined; readonly instructions?: string | undefined } | undefined;
  /** The listener's model, for policies that ask one. */
  readonly model?: Model | undefined;
  /** Ends the source when it is cut or left, beside closing it: what its request was given as a signal. */
  readonly abort?: AbortController | (() => void) | undefined;
  /** Text of an item, for streams of a shape unknown here; "" for an item without. */
  readonly textOf?: TextOf | undefined;
  /** Cancels: the iterator throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds a decision may take, after which it means wait; 30,000. 0: as long as it likes. */
  readonly decisionMs?: number | undefined;
  readonly clock?: Clock | undefined;
};

/** What came of listening to a stream. */
export type Listened = {
  /** All that was heard. */
  readonly text: string;
  readonly reason: "ended" | "interrupted" | "cancelled" | "failed";
  /** Why it failed. */
  readonly error?: unknown;
  /** Chunks after which there could have been a decision. */
  readonly chunks: number;
  /** Tokens heard. */
  readonly tokens: number;
  readonly decisions: readonly DecisionEvent[];
  /** What the decisions cost. */
  readonly usage: Usage;
  /** Milliseconds from the call to the end of hearing. */
  readonly heardMs: number;
  /** Milliseconds from the call to the cut. */
  readonly cutAt?: number | undefined;
};

/** What is heard, as it is heard; every reader hears it from the start. Leaving it early closes the source. */
export type Listening = AsyncIterable<string> & {
  /** How it went, once no decision is in progress any more. Never rejects. */
  readonly result: Promise<Listened>;
};

type Ending = { readonly reason: Listened["reason"]; readonly error?: unknown };

const speakerId = "speaker";

const deaf: Model = {
  id: "none",
  stream: () => {
    throw new ModelError("the policy asks the listener's model, and there is none; give listen() a model", {
      model: "none",
    });
  },
};

function roomOf(options: ListenOptions, { now, emit }: Pick<Room, "now" | "emit">): Room {
  const { task = "", clock = systemClock, decisionMs = 30_000, chunk = 16, splitter } = options;
  if (!(decisionMs >= 0)) throw new ConfigError("decisionMs", `${decisionMs} is out of range; give 0 or more`);
  if (!Number.isSafeInteger(chunk) || chunk < 1)
    throw new ConfigError("chunk", `${chunk} is out of range; give 1 or more tokens`);
  return { task, now, emit, settings: { clock, chunk: splitter ?? chunk, decisionMs, graceMs: 1000 } };
}

/** Hears one source. */
class Hearer {
  readonly log = new Log<string>();
  readonly result: Promise<Listened>;
  readonly #options: ListenOptions;
  readonly #source: Source;
  readonly #ears: Ears;
  readonly #reading: Reading;
  readonly #clock: Clock;
  readonly #began: number;
  readonly #forget: () => void;
  readonly #decisions: DecisionEvent[] = [];
  #text = "";
  #tokens = 0;
  #seq = 0;
  #items = 0;
  #known = 0;
  #ending: Ending | undefined;
  #endedAt = 0;
  #cutAt: number | undefined;

  constructor(source: Source, options: ListenOptions) {
    this.#source = source;
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#began = this.#clock.now();
    const iterable = iterableOf(source);
    const room = roomOf(options, { now: () => this.#now(), emit: (event) => this.#note(event) });
    this.#ears = new Ears(room, {
      listener: this.#listener(),
      speaker: { agent: { id: speakerId, instructions: "", model: deaf }, seq: 0 },
      turn: 0,
      steps: () => [],
      messages: (text) => this.#messages(text),
      session: `listen/${crypto.randomUUID()}`,
      raise: () => this.#stop({ reason: "interrupted" }),
    });
    this.#reading = drain(iterable, (item) => this.#take(item));
    this.#forget = onAbort(options.signal, () => this.#stop({ reason: "cancelled", error: options.signal?.reason }));
    this.result = this.#finish();
  }

  get ending(): Ending | undefined {
    return this.#ending;
  }

  leave(): void {
    this.#stop({ reason: "cancelled" });
  }

  #now(): number {
    return Math.round((this.#clock.now() - this.#began) * 1000) / 1000;
  }

  #listener(): Agent {
    const { policy, model = deaf, listener: { id = "listener", instructions = "" } = {} } = this.#options;
    return { id, instructions, model, policy };
  }

  #messages(text: string): readonly Message[] {
    const { task, listener } = this.#options;
    const system: readonly Message[] =
      listener?.instructions === undefined ? [] : [{ role: "system", content: listener.instructions }];
    const said = `${speakerId}: ${text}`;
    return [...system, { role: "user", content: task === undefined ? said : `${task}\n\n${said}` }];
  }

  #note(event: RunEvent): void {
    if (event.type === "decision") this.#decisions.push(event);
  }

  #take(item: unknown): boolean {
    this.#items++;
    const text = (this.#options.textOf ?? knownText)(item);
    if (text === undefined) return true;
    this.#known++;
    if (text === "") return true;
    const told = tokensTold(item);
    const tokens = told ?? estimateTokens(text);
    this.#text += text;
    this.#tokens += tokens;
    this.log.append(text);
    const stamp = { at: this.#now(), agent: speakerId, seq: this.#seq++, turn: 0 };
    this.#ears.hear({ type: "chunk", ...stamp, text, tokens: told });
    return this.#ending === undefined;
  }

  /** Ends hearing; the first time counts. The source hears of it before this returns. */
  #stop(ending: Ending): boolean {
    if (this.#ending !== undefined) return false;
    this.#ending = ending;
    this.#endedAt = this.#now();
    if (ending.reason === "interrupted") this.#cutAt = this.#endedAt;
    this.#ears.close();
    this.log.close();
    if (ending.reason === "interrupted" || ending.reason === "cancelled") this.#abort(ending);
    return true;
  }

  #abort(ending: Ending): void {
    const { abort } = this.#options;
    try {
      if (typeof abort === "function") abort();
      else abort?.abort();
      controllerOf(this.#source)?.abort();
    } catch (error) {
      this.#ending = { ...ending, error };
    }
    this.#reading.leave();
  }

  #unknown(): Ending {
    const shape = `its ${this.#items} items have no text that is known here`;
    return { reason: "failed", error: new ConfigError("source", `${shape}; give listen() a textOf`) };
  }

  async #finish(): Promise<Listened> {
    try {
      await this.#reading.over;
      this.#stop(this.#items > 0 && this.#known === 0 ? this.#unknown() : { reason: "ended" });
    } catch (error) {
      this.#stop({ reason: "failed", error });
    }
    this.#forget();
    await this.#ears.settled();
    const { reason, error } = this.#ending ?? { reason: "ended" };
    return {
      text: this.#text,
      reason,
      ...(error === undefined ? {} : { error }),
      chunks: this.#ears.chunks,
      tokens: this.#tokens,
      decisions: this.#decisions,
      usage: sum(this.#decisions.flatMap(({ usage }) => usage ?? [])),
      heardMs: this.#endedAt,
      cutAt: this.#cutAt,
    };
  }
}

/** A reader from the start; it sees nothing more once hearing was cancelled. */
function reader(hearer: Hearer): AsyncIterator<string, undefined> {
  const texts = hearer.log[Symbol.asyncIterator]();
  return {
    async next() {
      const result = await texts.next();
      const { reason, error } = hearer.ending ?? {};
      if (reason === "cancelled") {
        await texts.return?.();
        if (error !== undefined) throw error;
        return { value: undefined, done: true };
      }
      if (result.done === true && reason === "failed") throw error;
      return result;
    },
    async return() {
      hearer.leave();
      await texts.return?.();
      return { value: undefined, done: true };
    },
  };
}

/**
 * Hears any token stream with a policy: passes its text on, closes it when the policy cuts in, and says why it ended and what
 * deciding cost. Hearing begins at once and at the source's pace; nothing after the cut is passed on. The source's failure is
 * thrown to readers. Throws a ConfigError for a source that is no stream, or bad options.
 */
export function listen(source: Source, options: ListenOptions): Listening {
  const hearer = new Hearer(source, options);
  return { result: hearer.result, [Symbol.asyncIterator]: () => reader(hearer) };
}
