// A run told as an A2A task: its state, and its words as artifacts.

import type { Artifact, Message, Part, StreamResponse, Task, TaskState, TaskStatus } from "@a2a-js/sdk";
import { explain } from "../base/errors.ts";
import type { EventOf, RunEvent, Usage } from "../core/types.ts";
import type { Sdk } from "./a2a-sdk.ts";
import { AnswerText } from "./answer-text.ts";
import type { Redact } from "./failure.ts";
import type { Entry } from "./runs.ts";
import type { Team } from "./team.ts";

/** What a client asked for, kept beside its run. */
export type AskedTask = {
  readonly contextId: string;
  readonly message: Message;
  /** The words of that message. */
  readonly text: string;
  /** Whether the other agents' words are artifacts too. */
  readonly reasoning: boolean;
};

/** What happens to a task, as the SDK streams it. */
export type Update = NonNullable<StreamResponse["payload"]>;

type Words = { readonly id: string; readonly name: string; readonly agent: string | undefined; text: string };
type Metadata = Record<string, unknown>;

/** The artifact that is the answer. */
export const answerId = "answer";

const part = (value: string): Part => ({
  content: { $case: "text", value },
  metadata: undefined,
  filename: "",
  mediaType: "text/plain",
});

/** What a task is told from. */
export type Told = {
  readonly sdk: Sdk;
  readonly entry: Entry;
  readonly team: Team;
  readonly asked: AskedTask;
  readonly redact: Redact;
};

/** Folds the events of a run; `add` and `end` give what a client is told of each. */
export class Telling {
  readonly #told: Told;
  readonly #answer: AnswerText;
  readonly #words = new Map<string, Words>();
  readonly #speaking = new Set<string>();
  /** Agents that have ended a step, and not yet begun the next. */
  readonly #between = new Set<string>();
  #status: TaskStatus;
  #metadata: Metadata;

  constructor(told: Told) {
    this.#told = told;
    this.#answer = new AnswerText(told.team.answer);
    this.#metadata = { team: told.entry.team };
    this.#status = this.#statusOf(told.sdk.types.TaskState.TASK_STATE_SUBMITTED, 0);
  }

  /** The agents that are in the midst of a turn. */
  get speaking(): ReadonlySet<string> {
    return this.#speaking;
  }

  /** What the answer is, as far as it was said. */
  get answer(): string {
    return this.#words.get(answerId)?.text ?? "";
  }

  add(event: RunEvent): readonly Update[] {
    const said = this.#said(event);
    if (event.type === "run-start") return [this.#working(event, {}), ...said];
    if (event.type === "turn-start") {
      this.#speaking.add(event.agent);
      return [this.#working(event, { agent: event.agent, turn: event.turn }), ...said];
    }
    if (event.type === "turn-end") this.#speaking.delete(event.agent);
    if (event.type === "interrupt") {
      const { agent, by, reason } = event;
      return [this.#working(event, { agent, interrupted: true, by, reason }), ...said];
    }
    return event.type === "run-end" ? [...said, ...this.#over(event)] : said;
  }

  /** What is left once the run is over; nothing where it ended in order. */
  end(failure: { readonly error: unknown } | undefined): readonly Update[] {
    const { TaskState: states } = this.#told.sdk.types;
    if (this.#status.state !== states.TASK_STATE_WORKING && this.#status.state !== states.TASK_STATE_SUBMITTED)
      return [];
    const text = failure === undefined ? "the run broke off" : explain(failure.error);
    return [this.#settle(states.TASK_STATE_FAILED, { at: 0, text })];
  }

  /** The whole task as it stands. */
  task(historyLength?: number): Task {
    const { entry, asked } = this.#told;
    const words = [...this.#words.values()].toSorted((a, b) => Number(b.id === answerId) - Number(a.id === answerId));
    return {
      id: entry.id,
      contextId: asked.contextId,
      status: this.#status,
      artifacts: words.filter(({ text }) => text !== "").map((each) => artifact(each, each.text)),
      history: historyLength === 0 ? [] : [{ ...asked.message, contextId: asked.contextId, taskId: entry.id }],
      metadata: this.#metadata,
    };
  }

  #said(event: RunEvent): readonly Update[] {
    const { reasoning } = this.#told.asked;
    const more = this.#answer.add(event);
    const [sink] = this.#answer.sinks;
    const agent = this.#answer.sinks.size === 1 ? sink : undefined;
    const answer = more === "" ? [] : [this.#say({ id: answerId, name: answerId, agent }, more)];
    if (event.type === "step") this.#between.add(event.agent);
    if (!reasoning || event.type !== "chunk") return answer;
    // Whose words are the answer is heard as the answer.
    if (agent === event.agent && !this.#answer.atEnd) return answer;
    const speaker = { id: `said by ${event.agent}`, name: event.agent, agent: event.agent };
    const apart = this.#between.delete(event.agent) && !/^\s/.test(event.text);
    return [...answer, this.#say(speaker, apart ? `\n\n${event.text}` : event.text)];
  }

  #say(by: Omit<Words, "text">, text: string, lastChunk = false): Update {
    const known = this.#words.get(by.id);
    const words = known ?? { ...by, text: "" };
    words.text += text;
    this.#words.set(by.id, words);
    const value = {
      ...this.#ids(),
      artifact: artifact(words, text),
      append: known !== undefined,
      lastChunk,
      metadata: agentOf(by.agent),
    };
    return { $case: "artifactUpdate", value };
  }

  #over(event: EventOf<"run-end">): readonly Update[] {
    const { TaskState: states } = this.#told.sdk.types;
    if (event.reason === "cancelled")
      return [this.#settle(states.TASK_STATE_CANCELED, { at: event.at, text: "the task was canceled" })];
    if (event.reason === "failed")
      return [this.#settle(states.TASK_STATE_FAILED, { at: event.at, text: event.error?.message ?? "the run failed" })];
    const rest = this.#answer.end();
    const { id, name, agent } = this.#words.get(answerId) ?? { id: answerId, name: answerId, agent: undefined };
    const last = this.#say({ id, name, agent }, rest, true);
    return [last, this.#settle(states.TASK_STATE_COMPLETED, { at: event.at })];
  }

  #working({ at }: RunEvent, metadata: Metadata): Update {
    return this.#change(this.#statusOf(this.#told.sdk.types.TaskState.TASK_STATE_WORKING, at), metadata);
  }

  #settle(state: TaskState, { at, text }: { readonly at: number; readonly text?: string }): Update {
    const usage: Usage = this.#told.entry.usage().total;
    const cutOff = this.#answer.cutOff ? { finish: "length" } : {};
    this.#metadata = { ...this.#metadata, usage, ...cutOff };
    return this.#change(this.#statusOf(state, at, text), { usage, ...cutOff });
  }

  #change(status: TaskStatus, metadata: Metadata): Update {
    this.#status = status;
    const known = Object.fromEntries(Object.entries(metadata).filter(([, value]) => value !== undefined));
    return { $case: "statusUpdate", value: { ...this.#ids(), status, metadata: known } };
  }

  #statusOf(state: TaskState, at: number, text?: string): TaskStatus {
    const { entry, sdk, redact } = this.#told;
    const message: Message | undefined =
      text === undefined
        ? undefined
        : {
            ...this.#ids(),
            messageId: `${entry.id}-end`,
            role: sdk.types.Role.ROLE_AGENT,
            parts: [part(redact(text))],
            metadata: undefined,
            extensions: [],
            referenceTaskIds: [],
          };
    return { state, message, timestamp: new Date(entry.started + at).toISOString() };
  }

  #ids(): { readonly taskId: string; readonly contextId: string } {
    return { taskId: this.#told.entry.id, contextId: this.#told.asked.contextId };
  }
}

const agentOf = (agent: string | undefined): Metadata => (agent === undefined ? {} : { agent });

function artifact({ id, name, agent }: Words, text: string): Artifact {
  return { artifactId: id, name, description: "", parts: [part(text)], metadata: agentOf(agent), extensions: [] };
}

const textOf = ({ parts }: Artifact): string =>
  parts.map(({ content }) => (content?.$case === "text" ? content.value : "")).join("");

/** Two updates as one, where the same agent goes on with the same artifact. */
function together(before: Update | undefined, update: Update): Update | undefined {
  if (before?.$case !== "artifactUpdate" || update.$case !== "artifactUpdate") return undefined;
  const [a, b] = [before.value.artifact, update.value.artifact];
  if (a === undefined || b === undefined || a.artifactId !== b.artifactId) return undefined;
  if (a.metadata?.["agent"] !== b.metadata?.["agent"]) return undefined;
  const whole = { ...a, parts: [part(textOf(a) + textOf(b))] };
  return { $case: "artifactUpdate", value: { ...before.value, artifact: whole, lastChunk: update.value.lastChunk } };
}

/** Joins what an agent said for an artifact without anything between. */
export function inOnePiece(updates: readonly Update[]): readonly Update[] {
  const joined: Update[] = [];
  for (const update of updates) {
    const both = together(joined.at(-1), update);
    if (both === undefined) joined.push(update);
    else joined[joined.length - 1] = both;
  }
  return joined;
}
