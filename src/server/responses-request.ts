import { z } from "zod";
import { neutral, open, parseBody, remarks } from "./body.ts";
import type { Asked } from "./chat-request.ts";
import { taskOf } from "./conversation.ts";

const part = z.looseObject({
  type: z.enum(["input_text", "output_text", "text"], "only text is supported"),
  text: z.string(),
});
const contentForm = 'must be a string, or a list of parts as in [{"type":"input_text","text":"…"}]';
const inputForm = 'must be a string, or a list of messages as in [{"role":"user","content":"…"}]';
const item = z.looseObject({
  type: open(z.literal("message", "only messages are supported")),
  role: z.enum(["system", "developer", "user", "assistant"], "must be system, developer, user or assistant"),
  content: z.union([z.string(), z.array(part)], contentForm),
});
// Clients ask for it to send it back, as nothing is stored; here no reasoning is hidden, so there is none to add.
const hidden = z.literal("reasoning.encrypted_content", "this parameter is not supported; leave it out");
const notKept = "responses are not kept here; send the whole conversation as input";

const body = z.strictObject({
  model: z.string(),
  input: z.union([z.string(), z.array(item).min(1, "must have at least one message")], inputForm),
  instructions: open(z.string()),
  max_output_tokens: open(z.int().min(1)),
  temperature: open(z.number().min(0).max(2)),
  stream: open(z.boolean()),
  stream_options: open(z.looseObject({})),
  store: open(z.literal(false, notKept)),
  previous_response_id: open(z.never(notKept)),
  background: neutral(false),
  truncation: neutral("disabled"),
  top_logprobs: neutral(0),
  include: open(z.array(hidden)),
  text: open(z.looseObject({ format: open(z.looseObject({ type: z.literal("text", "only text is supported") })) })),
  ...remarks,
});

/** What a client asks for, and the instructions it gave. */
export type AskedResponse = Asked & { readonly instructions: string | undefined };

/** Reads the body of a request for a response. Throws an `HttpError` 400 that names the first field that is wrong. */
export function readResponses(text: string): AskedResponse {
  const data = parseBody(text, body);
  const { input, instructions } = data;
  const messages =
    typeof input === "string"
      ? [{ role: "user", text: input }]
      : input.map(({ role, content }) => ({
          role,
          text: typeof content === "string" ? content : content.map((piece) => piece.text).join(""),
        }));
  return {
    model: data.model,
    task: taskOf([...(instructions === undefined ? [] : [{ role: "system", text: instructions }]), ...messages]),
    settings: { maxTokens: data.max_output_tokens, temperature: data.temperature, seed: undefined },
    stream: data.stream === true,
    stop: [],
    includeUsage: true,
    reasoning: undefined,
    instructions,
  };
}
