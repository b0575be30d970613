import { z } from "zod";
import type { Message, ModelRequest } from "../core/types.ts";
import { faultIn } from "./fault.ts";

/** An answer that is an error, in OpenAI's shape. */
export class HttpError extends Error {
  override readonly name = "HttpError";
  readonly status: number;
  readonly body: { readonly error: { message: string; type: string; param: string | null; code: string | null } };
  readonly headers: Readonly<Record<string, string>>;
  constructor(
    status: number,
    message: string,
    more: { type?: string; param?: string; code?: string; headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(message);
    const { type = "invalid_request_error", param = null, code = null, headers = {} } = more;
    this.status = status;
    this.body = { error: { message, type, param, code } };
    this.headers = headers;
  }
}

const part = z.looseObject({ type: z.literal("text", "only text can be simulated"), text: z.string() });
const contentForm = 'must be a string, or a list of parts as in [{"type":"text","text":"…"}]';
const message = z.looseObject({
  role: z.enum(["system", "developer", "user", "assistant"], "must be system, developer, user or assistant"),
  content: z.union([z.string(), z.array(part), z.null()], contentForm),
});
/** Clients send null for what they leave open. */
const open = <T extends z.ZodType>(schema: T) => schema.nullish().transform((value) => value ?? undefined);
const count = open(z.int().min(1));
const body = z.looseObject({
  model: z.string(),
  messages: z.array(message).min(1, "must have at least one message"),
  max_tokens: count,
  max_completion_tokens: count,
  temperature: open(z.number().min(0).max(2)),
  seed: open(z.int()),
  stop: open(z.union([z.string(), z.array(z.string())], "must be a string or a list of strings")),
  n: open(z.literal(1, "only one answer can be simulated")),
  stream: open(z.boolean()),
  stream_options: open(z.looseObject({ include_usage: open(z.boolean()) })),
  logprobs: open(z.boolean()),
  top_logprobs: open(z.int().min(0).max(20)),
  continue_final_message: open(z.boolean()),
  prompt_cache_key: open(z.string()),
  tools: open(z.array(z.unknown()).max(0, "no tools can be simulated")),
  response_format: open(z.looseObject({ type: z.literal("text", "only text can be simulated") })),
});

/** What a client asks for. */
export type Asked = {
  readonly model: string;
  readonly request: ModelRequest;
  readonly stream: boolean;
  readonly includeUsage: boolean;
  /** How many of the likeliest tokens to show of the one that is asked for. */
  readonly likeliest: number | undefined;
};

function toMessage({ role, content }: z.infer<typeof message>): Message {
  const text = typeof content === "string" ? content : (content ?? []).map((piece) => piece.text).join("");
  return { role: role === "developer" ? "system" : role, content: text };
}

function parseBody(text: string): z.infer<typeof body> {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new HttpError(400, "the body is not JSON");
  }
  const { success, data, error } = body.safeParse(json);
  if (success) return data;
  const { path: param, message: reason } = faultIn(error, json);
  throw new HttpError(400, param === "" ? reason : `${param}: ${reason}`, param === "" ? {} : { param });
}

/** Reads the body of a chat completion request. Throws an `HttpError` that names the first field that is wrong. */
export function readRequest(text: string, signal: AbortSignal): Asked {
  const data = parseBody(text);
  const messages = data.messages.map(toMessage);
  // Without the flag a last message by the assistant is over, and the model answers to it.
  const goesOn = messages.at(-1)?.role !== "assistant" || data.continue_final_message === true;
  const maxTokens = data.max_completion_tokens ?? data.max_tokens;
  if (data.logprobs === true && maxTokens !== 1) {
    throw new HttpError(400, "logprobs: only of one token; set max_tokens to 1", { param: "logprobs" });
  }
  const request: ModelRequest = {
    messages: goesOn ? messages : [...messages, { role: "user", content: "" }],
    maxTokens,
    temperature: data.temperature,
    seed: data.seed,
    stop: typeof data.stop === "string" ? [data.stop] : data.stop,
    session: data.prompt_cache_key,
    signal,
  };
  return {
    model: data.model,
    request,
    stream: data.stream === true,
    includeUsage: data.stream_options?.include_usage === true,
    likeliest: data.logprobs === true ? (data.top_logprobs ?? 0) : undefined,
  };
}
