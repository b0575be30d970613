import { z } from "zod";
import { neutral, open, parseBody, remarks } from "./body.ts";
import { taskOf } from "./conversation.ts";
import type { RunOptions } from "../runtime/run.ts";

const part = z.looseObject({ type: z.literal("text", "only text is supported"), text: z.string() });
const contentForm = 'must be a string, or a list of parts as in [{"type":"text","text":"…"}]';
const message = z.looseObject({
  role: z.enum(["system", "developer", "user", "assistant"], "must be system, developer, user or assistant"),
  content: z.union([z.string(), z.array(part), z.null()], contentForm),
  tool_calls: open(z.array(z.unknown()).max(0, "tools are not supported")),
});
const count = open(z.int().min(1));

const body = z.strictObject({
  model: z.string(),
  messages: z.array(message).min(1, "must have at least one message"),
  max_tokens: count,
  max_completion_tokens: count,
  temperature: open(z.number().min(0).max(2)),
  seed: open(z.int()),
  stop: open(z.union([z.string(), z.array(z.string()).max(4)], "must be a string or a list of strings")),
  stream: open(z.boolean()),
  stream_options: open(z.looseObject({ include_usage: open(z.boolean()), include_obfuscation: open(z.boolean()) })),
  include_reasoning: open(z.boolean()),
  n: neutral(1),
  frequency_penalty: neutral(0),
  presence_penalty: neutral(0),
  logprobs: neutral(false),
  top_logprobs: neutral(0),
  store: neutral(false),
  response_format: open(z.looseObject({ type: z.literal("text", "only text is supported") })),
  modalities: open(z.array(z.literal("text", "only text is supported"))),
  logit_bias: open(z.record(z.string(), z.never("this parameter is not supported; leave it out"))),
  ...remarks,
});

/** What a client asks a team for. */
export type Asked = {
  readonly model: string;
  readonly task: string;
  readonly settings: Pick<RunOptions, "maxTokens" | "temperature" | "seed">;
  readonly stream: boolean;
  readonly stop: readonly string[];
  readonly includeUsage: boolean;
  /** Whether to show what the other agents say; undefined leaves it to the team. */
  readonly reasoning: boolean | undefined;
};

/** Reads the body of a chat completion request. Throws an `HttpError` 400 that names the first field that is wrong. */
export function readChat(text: string): Asked {
  const data = parseBody(text, body);
  const { stop = [] } = data;
  return {
    model: data.model,
    task: taskOf(
      data.messages.map(({ role, content }) => ({
        role,
        text: typeof content === "string" ? content : (content ?? []).map((piece) => piece.text).join(""),
      })),
    ),
    settings: {
      maxTokens: data.max_completion_tokens ?? data.max_tokens,
      temperature: data.temperature,
      seed: data.seed,
    },
    stream: data.stream === true,
    stop: typeof stop === "string" ? [stop] : stop,
    includeUsage: data.stream_options?.include_usage === true,
    reasoning: data.include_reasoning,
  };
}
