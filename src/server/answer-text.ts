// What a run says to its client, an event at a time: the answer, and the other agents' words as reasoning.

import { answer as answerOf } from "../core/transcript.ts";
import type { EventOf, RunEvent } from "../core/types.ts";

/** Puts the steps of one agent together again: with the space that was between them, or an empty line. */
class Joined {
  text = "";
  #space = "";
  #boundary = false;

  push(text: string): string {
    const all = this.#space + text;
    const said = all.trim();
    if (said === "") {
      this.#space = all;
      return "";
    }
    const begins = all.length - all.trimStart().length;
    const ends = begins + said.length;
    const before = all.slice(0, begins);
    const gap = this.text === "" ? "" : before === "" && this.#boundary ? "\n\n" : before;
    this.#space = all.slice(ends);
    this.#boundary = false;
    const more = gap + said;
    this.text += more;
    return more;
  }

  step(): void {
    this.#boundary = true;
  }

  turn(): void {
    this.#boundary = true;
    this.#space = "";
  }
}

/**
 * The answer as it can be sent: what the sink says, live where only one agent can be it; else, and in a dialogue, all at the
 * end. Everything `add` and `end` give back, one after the other, is the whole answer.
 */
export class AnswerText {
  readonly #last: boolean;
  readonly #events: RunEvent[] = [];
  readonly #said = new Map<string, Joined>();
  readonly #sinks = new Set<string>();
  /** Whether only the last step is the answer, so that nothing can be sent before the end. */
  atEnd = false;
  #live: string | undefined;
  #lengths = new Map<string, boolean>();

  constructor(mode: "steps" | "last" = "steps") {
    this.#last = mode === "last";
  }

  /** The agents whose words are the answer, as far as is known. */
  get sinks(): ReadonlySet<string> {
    return this.#sinks;
  }

  /** Whether the answer was cut off by a bound on tokens. */
  get cutOff(): boolean {
    return [...this.#sinks].some((id) => this.#lengths.get(id) === true);
  }

  add(event: RunEvent): string {
    if (this.atEnd && (event.type === "step" || event.type === "route" || event.type === "run-end"))
      this.#events.push(event);
    if (event.type === "chunk") return this.#chunk(event);
    if (event.type === "run-start") return this.#begin(event);
    if (event.type === "step") this.#joined(event.agent).step();
    else if (event.type === "turn-end") {
      this.#joined(event.agent).turn();
      this.#lengths.set(event.agent, event.reason === "length");
    } else if (event.type === "route" && event.listeners.length === 0) this.#sinks.add(event.agent);
    else if (event.type === "agent-end" && this.#joined(event.agent).text === "") this.#sinks.delete(event.agent);
    else return "";
    return this.#decide();
  }

  /** What is left to say once the run is over. */
  end(): string {
    if (this.atEnd) return answerOf(this.#events).trim();
    const found = [...this.#sinks].filter((id) => id !== this.#live && this.#joined(id).text !== "");
    const headed = found.map((id) => `${id}:\n${this.#joined(id).text}`);
    const only = this.#live === undefined && found.length === 1 ? this.#joined(found[0] as string).text : undefined;
    const rest = only ?? headed.join("\n\n");
    return this.#live !== undefined && rest !== "" ? `\n\n${rest}` : rest;
  }

  #begin(start: EventOf<"run-start">): string {
    this.atEnd = this.#last || start.protocol === "dialogue";
    if (this.atEnd) this.#events.push(start);
    const heard = new Set(start.edges.map(([speaker]) => speaker));
    for (const { id } of start.agents) if (!heard.has(id)) this.#sinks.add(id);
    return this.#decide();
  }

  #chunk({ agent, text }: EventOf<"chunk">): string {
    const more = this.#joined(agent).push(text);
    return agent === this.#live ? more : "";
  }

  #joined(agent: string): Joined {
    let found = this.#said.get(agent);
    if (found === undefined) this.#said.set(agent, (found = new Joined()));
    return found;
  }

  /** From when on only one agent can be the sink it is sent live, with what it has said before. */
  #decide(): string {
    if (this.#live !== undefined || this.atEnd || this.#sinks.size !== 1) return "";
    const [only] = this.#sinks;
    this.#live = only;
    return only === undefined ? "" : this.#joined(only).text;
  }
}

/** The steps that are not the answer, each headed by its speaker, and who raised a hand. */
export class ReasoningText {
  readonly #answer: AnswerText;
  /** What is the answer unless more is said. */
  #held = "";

  constructor(answer: AnswerText) {
    this.#answer = answer;
  }

  add(event: RunEvent): string {
    if (event.type === "step" && event.text.trim() !== "") return this.#step(event);
    if (event.type === "interrupt")
      return `[${event.by} interrupts ${event.agent}${event.reason === undefined ? "" : `: ${event.reason}`}]\n\n`;
    if (event.type === "leave") return `[${event.listener} has heard enough of ${event.agent}]\n\n`;
    return "";
  }

  #step({ agent, text }: EventOf<"step">): string {
    const line = `[${agent}] ${text.trim()}\n\n`;
    if (!this.#answer.sinks.has(agent)) return line;
    if (!this.#answer.atEnd) return "";
    const before = this.#held;
    this.#held = line;
    return before;
  }
}

/** Ends a text at the first of some sequences, which may be cut anywhere. */
export class Stops {
  readonly #sequences: readonly string[];
  #held = "";
  /** A sequence was found; nothing more is said. */
  found = false;
  constructor(sequences: readonly string[]) {
    this.#sequences = sequences.filter((each) => each !== "");
  }

  push(text: string): string {
    if (this.#sequences.length === 0) return text;
    if (this.found) return "";
    const all = this.#held + text;
    const at = this.#sequences.map((each) => all.indexOf(each)).filter((index) => index >= 0);
    if (at.length > 0) {
      this.found = true;
      this.#held = "";
      return all.slice(0, Math.min(...at));
    }
    const keep = Math.max(...this.#sequences.map((each) => overlap(all, each)));
    this.#held = all.slice(all.length - keep);
    return all.slice(0, all.length - keep);
  }

  end(): string {
    const rest = this.#held;
    this.#held = "";
    return rest;
  }
}

/** How much of `text`'s end is the beginning of `sequence`. */
function overlap(text: string, sequence: string): number {
  for (let length = Math.min(text.length, sequence.length - 1); length > 0; length--)
    if (text.endsWith(sequence.slice(0, length))) return length;
  return 0;
}
