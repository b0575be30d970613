import type { Scope } from "../base/scope.ts";
import type { Model, ModelPart, ModelRequest } from "../core/types.ts";
import { Answer } from "./openai-answer.ts";
import { chooseFrom } from "./openai-choose.ts";
import { commonBody, endpoint, type Endpoint, type OpenAIOptions, post } from "./openai-endpoint.ts";
import { fault, idleError } from "./openai-errors.ts";
import { unused } from "./tokens.ts";
import { eventReader, type EventReader } from "./sse.ts";
import { type Gone, leavable, Watch } from "./watch.ts";

export type { OpenAIOptions } from "./openai-endpoint.ts";

type Reader = ReadableStreamDefaultReader<Uint8Array>;

/** How long, in milliseconds, a finished answer's connection may take to close by itself and so be used again. */
const lingerMs = 50;

/**
 * A model behind any server that speaks OpenAI's chat completions. Throws `ConfigError` for bad options; calls throw
 * `ModelError`: unreachable, refused, stalled, or failed in the middle of the answer.
 */
export function openai(options: OpenAIOptions): Model {
  const to = endpoint(options);
  return {
    id: options.model,
    ...(options.continues === undefined ? {} : { continues: options.continues }),
    stream: (request) => leavable(request, (own) => answer(to, request, own)),
    choose: (request, choices) => chooseFrom(to, request, choices),
  };
}

async function* answer(to: Endpoint, request: ModelRequest, own: Scope): AsyncGenerator<ModelPart, void, undefined> {
  const { signal } = own;
  const watch = new Watch({ clock: to.clock, signal, idleMs: to.idleMs });
  const said = new Answer(to.place);
  let closed = false;
  try {
    if (signal.aborted) return yield { type: "end", reason: "interrupted", usage: unused };
    const response = await post(to, streamBody(to, request), { signal, watch });
    const reader: Reader | undefined = response === "stopped" ? undefined : response.body?.getReader();
    let left: Left = response === "stopped" ? "stopped" : "ended";
    if (reader !== undefined) left = yield* read(reader, { to, said, watch, signal });
    // The request is over before anything is counted, which may take a while.
    if (left === "stopped") own.abort();
    yield await said.end(request.messages, left === "stopped" ? "interrupted" : undefined);
    closed = left === "ended" || (left === "done" && reader !== undefined && (await closes(reader, to, signal)));
  } finally {
    watch.close();
    own.release();
    if (!closed) own.abort();
  }
}

const streamBody = (to: Endpoint, request: ModelRequest) => ({
  ...commonBody(to, request),
  stream: true,
  stream_options: { include_usage: true },
});

/** How reading a body ended: at its end, after its last event with the body still open, or because it was left. */
type Left = "ended" | "done" | "stopped";

type Reading = { readonly to: Endpoint; readonly said: Answer; readonly watch: Watch; readonly signal: AbortSignal };

async function* read(reader: Reader, reading: Reading): AsyncGenerator<ModelPart, Left, undefined> {
  const { to, said, watch, signal } = reading;
  const events = eventReader();
  while (!said.done) {
    const result = await pulled(reader, watch);
    if (result === "stopped") return "stopped";
    if (result === "idle") {
      // What matters has been said; only the formal end is missing.
      if (said.finished) return "done";
      throw idleError(to.place, to.idleMs);
    }
    if (result.done) {
      const rest = said.takeLast(events.end());
      yield* rest;
      return "ended";
    }
    const arrived = pushed(events, result.value, to);
    for (let index = 0; index < arrived.length; index++) {
      if (signal.aborted) {
        said.overhear(arrived.slice(index));
        return "stopped";
      }
      yield* said.take(arrived[index]!);
    }
  }
  return "done";
}

/** The next bytes; a connection that breaks is a body that ends: what it lacks then decides how the answer ended. */
async function pulled(reader: Reader, watch: Watch): Promise<Awaited<ReturnType<Reader["read"]>> | Gone> {
  try {
    return await watch.wait(reader.read());
  } catch {
    return { done: true, value: undefined };
  }
}

function pushed(events: EventReader, bytes: Uint8Array, to: Endpoint): readonly string[] {
  try {
    return events.push(bytes);
  } catch (cause) {
    throw fault(to.place, "sent a line without end; check the base URL", { cause });
  }
}

/** Whether the server closes a finished body at once: its connection then serves the next call. */
async function closes(reader: Reader, { clock }: Endpoint, signal: AbortSignal): Promise<boolean> {
  const watch = new Watch({ clock, signal, idleMs: lingerMs });
  try {
    const result = await pulled(reader, watch);
    return typeof result === "object" && result.done;
  } finally {
    watch.close();
  }
}
