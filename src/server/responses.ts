// `/v1/responses`, for text: a run as one response, whole or as events.

import type { RunEvent } from "../core/types.ts";
import { runHeader, Speech } from "./chat.ts";
import { bodyOf, toHttp } from "./failure.ts";
import type { AskedResponse } from "./responses-request.ts";
import type { Entry } from "./runs.ts";
import type { Service } from "./service.ts";
import { sseEvent, sseHeaders, sseStream } from "./sse.ts";
import type { Team } from "./team.ts";

type Call = { readonly entry: Entry; readonly team: Team; readonly asked: AskedResponse };
type Status = "in_progress" | "completed" | "incomplete" | "failed";

function usageOf(speech: Speech) {
  const { total, reasoning } = speech.usage();
  return {
    input_tokens: total.inputTokens,
    input_tokens_details: { cached_tokens: total.cachedTokens },
    output_tokens: total.outputTokens,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: total.inputTokens + total.outputTokens,
  };
}

const partOf = (text: string) => ({ type: "output_text", text, annotations: [], logprobs: [] });

const itemOf = ({ id }: Entry, status: Status, content: readonly object[]) => ({
  id: `msg_${id}`,
  type: "message",
  role: "assistant",
  status,
  content,
});

/** The response as it stands; with a speech once it is over. */
function bodyOfResponse(
  { entry, asked }: Call,
  status: Status,
  { output = [], speech, error }: { output?: readonly object[]; speech?: Speech; error?: object } = {},
) {
  return {
    id: `resp_${entry.id}`,
    object: "response",
    created_at: Math.floor(entry.started / 1000),
    status,
    error: error ?? null,
    incomplete_details: status === "incomplete" ? { reason: "max_output_tokens" } : null,
    instructions: asked.instructions ?? null,
    max_output_tokens: asked.settings.maxTokens ?? null,
    model: entry.team,
    output,
    parallel_tool_calls: false,
    previous_response_id: null,
    store: false,
    temperature: asked.settings.temperature ?? null,
    text: { format: { type: "text" } },
    tool_choice: "none",
    tools: [],
    top_p: 1,
    truncation: "disabled",
    usage: speech === undefined ? null : usageOf(speech),
    metadata: {},
  };
}

const statusOf = (speech: Speech): Status => (speech.finish === "length" ? "incomplete" : "completed");

async function whole(call: Call): Promise<Response> {
  const { entry, team, asked } = call;
  const speech = new Speech(entry, team, asked);
  await entry.over;
  let text = "";
  for (const event of entry.tape.events) text += speech.answer(event);
  if (!speech.whole) throw entry.tape.failure?.error;
  text += speech.end();
  const status = statusOf(speech);
  const output = [itemOf(entry, status, [partOf(text)])];
  return Response.json(bodyOfResponse(call, status, { output, speech }), { headers: runHeader(entry) });
}

/** The events of a response, numbered. */
function writer(call: Call, { redact }: Service) {
  const { entry, team, asked } = call;
  const speech = new Speech(entry, team, asked);
  const place = { item_id: `msg_${entry.id}`, output_index: 0, content_index: 0 };
  let sequence = 0;
  let text = "";
  const event = (type: string, data: object) => sseEvent({ type, sequence_number: sequence++, ...data }, type);
  const delta = (more: string) => {
    text += more;
    return more === "" ? "" : event("response.output_text.delta", { ...place, delta: more, logprobs: [] });
  };
  const begin = () =>
    event("response.created", { response: bodyOfResponse(call, "in_progress") }) +
    event("response.in_progress", { response: bodyOfResponse(call, "in_progress") }) +
    event("response.output_item.added", { output_index: 0, item: itemOf(entry, "in_progress", []) }) +
    event("response.content_part.added", { ...place, part: partOf("") });
  const failed = () => {
    const { message, code } = bodyOf(toHttp(entry.tape.failure?.error), redact).error;
    const error = { code: code ?? "server_error", message };
    return event("response.failed", { response: bodyOfResponse(call, "failed", { error, speech }) });
  };
  const end = () => {
    if (!speech.whole) return failed();
    const rest = delta(speech.end());
    const status = statusOf(speech);
    const item = itemOf(entry, status, [partOf(text)]);
    return (
      rest +
      event("response.output_text.done", { ...place, text, logprobs: [] }) +
      event("response.content_part.done", { ...place, part: partOf(text) }) +
      event("response.output_item.done", { output_index: 0, item }) +
      event(`response.${status}`, { response: bodyOfResponse(call, status, { output: [item], speech }) })
    );
  };
  const encode = (each: RunEvent, index: number) => (index === 0 ? begin() : "") + delta(speech.answer(each));
  return { encode, end };
}

/** A run as a response. Whole, it rejects with the run's failure; streamed, that comes as `response.failed`. */
export async function respond(call: Call, service: Service): Promise<Response> {
  const { entry, asked } = call;
  if (!asked.stream) return whole(call);
  const { clock, keepAliveMs } = service.options;
  const onLeave = () => entry.cancel("the client left");
  const stream = sseStream({ tape: entry.tape, ...writer(call, service), clock, keepAliveMs, onLeave });
  return new Response(stream, { headers: { ...sseHeaders, ...runHeader(entry) } });
}
