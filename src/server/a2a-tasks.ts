// A2A tasks as runs of the server: what the SDK asks of a server, answered from the runs' own traces.

import type {
  AgentCard,
  CancelTaskRequest,
  GetTaskRequest,
  ListTasksRequest,
  ListTasksResponse,
  Message,
  SendMessageRequest,
  StreamResponse,
  SubscribeToTaskRequest,
  Task,
} from "@a2a-js/sdk";
import type { A2ARequestHandler, ServerCallContext } from "@a2a-js/sdk/server";
import { onAbort } from "../base/signal.ts";
import type { Sdk } from "./a2a-sdk.ts";
import { inOnePiece, Telling } from "./a2a-telling.ts";
import type { AskedTask, Update } from "./a2a-telling.ts";
import { taskOf } from "./conversation.ts";
import { contextOf } from "./follow.ts";
import type { Entry } from "./runs.ts";
import type { Service } from "./service.ts";
import { HttpError } from "./simulate-request.ts";
import type { Team } from "./team.ts";

/** Which runs are tasks, and those that are over as they were told; held weakly, so that a task lives as long as its trace. */
export type Tasks = { readonly asked: WeakMap<Entry, AskedTask>; readonly over: WeakMap<Entry, Telling> };

/** Where the SDK's state has the client's request, and a refusal that has a status of its own. */
export const requestKey = "duplex request";
export const refusalKey = "duplex refusal";

export type TasksOf = {
  readonly sdk: Sdk;
  readonly service: Service;
  readonly tasks: Tasks;
  /** The teams that can be asked, the default first. */
  readonly teams: ReadonlyMap<string, Team>;
  readonly card: AgentCard;
};

type ErrorName =
  | "ContentTypeNotSupportedError"
  | "PushNotificationNotSupportedError"
  | "RequestMalformedError"
  | "TaskNotCancelableError"
  | "TaskNotFoundError"
  | "UnsupportedOperationError";

const most = 100;
const requestOf = ({ state }: ServerCallContext) => state.get(requestKey) as Request;

/** Answers the SDK's requests for these teams. A task's id is its run's, so its trace is at `/runs/ID/events`. */
export class TeamTasks implements A2ARequestHandler {
  readonly #of: TasksOf;
  constructor(of: TasksOf) {
    this.#of = of;
  }

  async getAgentCard(): Promise<AgentCard> {
    return this.#of.card;
  }

  async sendMessage(params: SendMessageRequest, context: ServerCallContext): Promise<Task> {
    const entry = await this.#start(params, context);
    const { returnImmediately = false, historyLength } = params.configuration ?? {};
    if (returnImmediately) return this.#told(entry).telling.task(historyLength);
    // Whoever leaves now was not told the task's id, and could not cancel it.
    const forget = onAbort(requestOf(context).signal, () => entry.cancel("the client left"));
    await entry.over;
    forget();
    return this.#told(entry).telling.task(historyLength);
  }

  async *sendMessageStream(
    params: SendMessageRequest,
    context: ServerCallContext,
  ): AsyncGenerator<StreamResponse, void> {
    const entry = await this.#start(params, context);
    yield* this.#follow(this.#blank(entry), { entry, from: 0 }, params.configuration?.historyLength);
  }

  async *resubscribe({ id }: SubscribeToTaskRequest): AsyncGenerator<StreamResponse, void> {
    const entry = this.#entry(id);
    const { telling, read } = this.#told(entry);
    if (entry.tape.ended) throw this.#error("UnsupportedOperationError", "the task is over; get it instead");
    yield* this.#follow(telling, { entry, from: read });
  }

  async getTask({ id, historyLength }: GetTaskRequest): Promise<Task> {
    return this.#told(this.#entry(id)).telling.task(historyLength);
  }

  async listTasks(asked: ListTasksRequest): Promise<ListTasksResponse> {
    const unspecified = this.#of.sdk.types.TaskState.TASK_STATE_UNSPECIFIED;
    const { contextId, status, pageSize = 50, pageToken, statusTimestampAfter, includeArtifacts = false } = asked;
    if (!Number.isInteger(pageSize) || pageSize < 1 || pageSize > most)
      throw this.#error("RequestMalformedError", `pageSize: must be from 1 to ${most}`);
    const after = statusTimestampAfter === undefined ? -Infinity : Date.parse(statusTimestampAfter);
    if (Number.isNaN(after)) throw this.#error("RequestMalformedError", "statusTimestampAfter: is not a time");
    const all = this.#all()
      .filter((entry) => contextId === "" || this.#of.tasks.asked.get(entry)?.contextId === contextId)
      .map((entry) => this.#told(entry).telling.task(asked.historyLength))
      .filter((task) => status === unspecified || task.status?.state === status)
      .filter((task) => Date.parse(task.status?.timestamp ?? "") > after);
    const from = pageToken === "" ? 0 : all.findIndex(({ id }) => id === pageToken);
    if (from < 0) throw this.#error("RequestMalformedError", "pageToken: is not known here");
    const page = all.slice(from, from + pageSize).map((task) => (includeArtifacts ? task : { ...task, artifacts: [] }));
    return { tasks: page, nextPageToken: all[from + pageSize]?.id ?? "", pageSize, totalSize: all.length };
  }

  /** Raises a hand at everybody who speaks, so that the trace says where they were cut, and ends the run. */
  async cancelTask({ id }: CancelTaskRequest): Promise<Task> {
    const entry = this.#entry(id);
    const reason = "the task was canceled";
    for (const agent of this.#told(entry).telling.speaking) entry.interrupt(agent, { by: "client", reason });
    entry.cancel(reason);
    await entry.over;
    const task = this.#told(entry).telling.task();
    if (task.status?.state !== this.#of.sdk.types.TaskState.TASK_STATE_CANCELED)
      throw this.#error("TaskNotCancelableError", "the task is over");
    return task;
  }

  async getAuthenticatedExtendedAgentCard(): Promise<never> {
    throw this.#error("UnsupportedOperationError", "there is no other card than the public one");
  }

  async createTaskPushNotificationConfig(): Promise<never> {
    throw this.#noPush();
  }

  async getTaskPushNotificationConfig(): Promise<never> {
    throw this.#noPush();
  }

  async listTaskPushNotificationConfigs(): Promise<never> {
    throw this.#noPush();
  }

  async deleteTaskPushNotificationConfig(): Promise<never> {
    throw this.#noPush();
  }

  async #start(params: SendMessageRequest, context: ServerCallContext): Promise<Entry> {
    const { service, tasks, teams } = this.#of;
    const asked = this.#read(params);
    const skill: unknown = params.metadata?.["skill"] ?? asked.message.metadata?.["skill"] ?? [...teams.keys()][0];
    const team = typeof skill === "string" ? teams.get(skill) : undefined;
    if (typeof skill !== "string" || team === undefined)
      throw this.#error("RequestMalformedError", `metadata.skill: there are ${[...teams.keys()].join(", ")}`);
    const earlier = this.#all()
      .filter((entry) => entry.tape.ended && tasks.asked.get(entry)?.contextId === asked.contextId)
      .toReversed()
      .flatMap((entry) => {
        const said = this.#told(entry).telling.answer;
        const { text = "" } = tasks.asked.get(entry) ?? {};
        return said === ""
          ? []
          : [
              { role: "user", text },
              { role: "assistant", text: said },
            ];
      });
    const request = requestOf(context);
    try {
      const task = taskOf([...earlier, { role: "user", text: asked.text }]);
      const { signal } = request;
      const entry = await service.runs.start({ name: skill, team, task, signal, context: contextOf(request) });
      tasks.asked.set(entry, { ...asked, reasoning: asked.reasoning || team.reasoning === true });
      return entry;
    } catch (error) {
      if (error instanceof HttpError && error.status !== 400) context.state.set(refusalKey, error);
      throw error instanceof HttpError && error.status === 400
        ? this.#error("RequestMalformedError", error.message)
        : error;
    }
  }

  #read({ message, configuration, metadata }: SendMessageRequest): AskedTask {
    if (message === undefined) throw this.#error("RequestMalformedError", "message: is missing");
    if (message.messageId === "") throw this.#error("RequestMalformedError", "message.messageId: is missing");
    if (message.taskId !== "") {
      this.#entry(message.taskId);
      throw this.#error("UnsupportedOperationError", "a task takes one message; send the next in the same context");
    }
    if (configuration?.taskPushNotificationConfig !== undefined) throw this.#noPush();
    const wanted = configuration?.acceptedOutputModes ?? [];
    if (wanted.length > 0 && !wanted.some((mode) => /^(text(\/(plain|markdown|\*))?|\*\/\*)$/.test(mode)))
      throw this.#error("ContentTypeNotSupportedError", `a team answers in text/plain, not ${wanted.join(", ")}`);
    const reasoning = (metadata?.["reasoning"] ?? message.metadata?.["reasoning"]) === true;
    const contextId = message.contextId === "" ? crypto.randomUUID() : message.contextId;
    return { contextId, message, text: this.#textOf(message), reasoning };
  }

  #textOf({ parts }: Message): string {
    const odd = parts.find(({ content }) => content?.$case !== "text");
    if (odd !== undefined)
      throw this.#error("ContentTypeNotSupportedError", `a team hears text, not ${odd.content?.$case ?? "nothing"}`);
    const text = parts.map(({ content }) => (content?.$case === "text" ? content.value : "")).join("\n");
    if (text.trim() === "") throw this.#error("RequestMalformedError", "message.parts: there is no text in them");
    return text;
  }

  /** The tasks of these teams, the newest first. */
  #all(): readonly Entry[] {
    const { service, tasks, teams } = this.#of;
    return service.runs.list().filter((entry) => tasks.asked.has(entry) && teams.has(entry.team));
  }

  #entry(id: string): Entry {
    if (id.trim() === "") throw this.#error("RequestMalformedError", "id: is missing");
    const entry = this.#of.service.runs.get(id);
    if (entry !== undefined && this.#of.tasks.asked.has(entry) && this.#of.teams.has(entry.team)) return entry;
    throw this.#error("TaskNotFoundError", "there is no such task; only the last ones are kept");
  }

  #blank(entry: Entry): Telling {
    const { sdk, service, tasks, teams } = this.#of;
    const [team, asked] = [teams.get(entry.team), tasks.asked.get(entry)];
    if (team === undefined || asked === undefined) throw new Error("a run that is no task");
    return new Telling({ sdk, entry, team, asked, redact: service.redact });
  }

  /** A task as far as it has come, and how many events that is. */
  #told(entry: Entry): { readonly telling: Telling; readonly read: number } {
    const { tape } = entry;
    const { over } = this.#of.tasks;
    const known = over.get(entry);
    if (known !== undefined) return { telling: known, read: tape.events.length };
    const telling = this.#blank(entry);
    for (const event of tape.events) telling.add(event);
    if (tape.ended) {
      telling.end(tape.failure);
      over.set(entry, telling);
    }
    return { telling, read: tape.events.length };
  }

  /** The task as it stands, and then what happens to it, at the reader's pace. Leaving it cancels nothing. */
  async *#follow(
    telling: Telling,
    { entry: { tape }, from }: { readonly entry: Entry; readonly from: number },
    historyLength?: number,
  ): AsyncGenerator<StreamResponse, void> {
    const told = (payload: Update): StreamResponse => ({ payload });
    yield told({ $case: "task", value: telling.task(historyLength) });
    let read = from;
    for (;;) {
      // What was said since the last look is told in one piece.
      const news = tape.events.slice(read);
      read += news.length;
      yield* inOnePiece(news.flatMap((event) => telling.add(event))).map(told);
      if (tape.ended && read === tape.events.length) break;
      await tape.until(() => tape.ended || read < tape.events.length);
    }
    yield* telling.end(tape.failure).map(told);
  }

  #error(name: ErrorName, message: string): Error {
    return new this.#of.sdk.errors[name](message);
  }

  #noPush(): Error {
    return this.#error("PushNotificationNotSupportedError", "nothing is pushed; stream the task, or get it");
  }
}
