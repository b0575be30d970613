import type { ServerResponse } from "node:http";
import type { Choice, EndReason, Model, Usage } from "../core/types.ts";
import type { Asked } from "./simulate-request.ts";

/** How a call ended, and what it charged. */
export type Charged = { readonly reason: EndReason; readonly usage: Usage };

/** What every answer of one call carries. */
export type Head = { readonly id: string; readonly created: number; readonly model: string };

type To = { readonly response: ServerResponse; readonly head: Head };

const wireUsage = ({ inputTokens, cachedTokens, outputTokens }: Usage) => ({
  prompt_tokens: inputTokens,
  completion_tokens: outputTokens,
  total_tokens: inputTokens + outputTokens,
  prompt_tokens_details: { cached_tokens: cachedTokens },
});

const drained = (response: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      response.off("drain", done).off("close", done);
      resolve();
    };
    response.on("drain", done).on("close", done);
  });

const event = (data: unknown): string => `data: ${JSON.stringify(data)}\n\n`;

/** Server-sent events of one response; what is sent in one go of the event loop is one write. */
class Events {
  readonly #response: ServerResponse;
  readonly #around: readonly [string, string];
  readonly #head: Head;
  #waiting = "";

  constructor(response: ServerResponse, head: Head) {
    this.#response = response;
    this.#head = head;
    // Encoded once: only the text differs from token to token.
    const [before = "", after = ""] = this.#chunk({ content: "\0" }, null).split(JSON.stringify("\0"));
    this.#around = [before, after];
  }

  text(text: string): void {
    this.#send(this.#around[0] + JSON.stringify(text) + this.#around[1]);
  }

  delta(delta: object, logprobs?: object): void {
    this.#send(this.#chunk(delta, null, logprobs));
  }

  /** The last events. Without a reason the body closes as if its end had been lost. */
  end(finish: string | undefined, usage: Usage | undefined): void {
    let last = finish === undefined ? "" : this.#chunk({}, finish);
    const object = "chat.completion.chunk";
    if (usage !== undefined) last += event({ ...this.#head, object, choices: [], usage: wireUsage(usage) });
    if (finish !== undefined) last += "data: [DONE]\n\n";
    this.#start();
    this.#response.end(this.#waiting + last);
    this.#waiting = "";
  }

  #chunk(delta: object, finish: string | null, logprobs: object | null = null): string {
    const choice = { index: 0, delta, logprobs, finish_reason: finish };
    return event({ ...this.#head, object: "chat.completion.chunk", choices: [choice] });
  }

  #start(): void {
    if (this.#response.headersSent) return;
    this.#response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" });
  }

  #send(text: string): void {
    // A tick comes after all promises that can go on now, so after all tokens that are due now.
    if (this.#waiting === "") process.nextTick(() => this.flush());
    this.#waiting += text;
  }

  /** Writes what waits. */
  flush(): void {
    if (this.#waiting === "") return;
    this.#start();
    this.#response.write(this.#waiting);
    this.#waiting = "";
  }
}

const finishOf = (reason: EndReason): string | undefined =>
  reason === "stop" || reason === "length" ? reason : undefined;

/** Streams the answer as the model says it. Rejects with the model's error, with what was said before it sent. */
export async function stream(model: Model, asked: Asked, { response, head }: To): Promise<Charged> {
  const events = new Events(response, head);
  let begun = false;
  try {
    for await (const part of model.stream(asked.request)) {
      if (part.type === "text") {
        if (!begun) events.delta({ role: "assistant", content: "" });
        begun = true;
        events.text(part.text);
        if (response.writableNeedDrain) await drained(response);
      } else if (part.type === "end") {
        const finish = finishOf(part.reason);
        events.end(finish, finish !== undefined && asked.includeUsage ? part.usage : undefined);
        return part;
      }
    }
  } finally {
    events.flush();
  }
  throw new Error("the model closed without its end");
}

function sendWhole({ response, head }: To, choice: object, usage: Usage): void {
  const body = { ...head, object: "chat.completion", choices: [{ index: 0, ...choice }], usage: wireUsage(usage) };
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
}

/** Sends the answer once it is whole; a call cut short breaks the connection. */
export async function whole(model: Model, asked: Asked, to: To): Promise<Charged> {
  let content = "";
  for await (const part of model.stream(asked.request)) {
    if (part.type === "text") content += part.text;
    if (part.type !== "end") continue;
    const finish = finishOf(part.reason);
    if (finish === undefined) to.response.destroy();
    else sendWhole(to, { message: { role: "assistant", content }, logprobs: null, finish_reason: finish }, part.usage);
    return part;
  }
  throw new Error("the model closed without its end");
}

/** The options a prompt seems to offer as the next token: Yes and No, or letters such as `A)`; Yes and No where none. */
export function offered(prompt: string): readonly string[] {
  if (/\byes\b/i.test(prompt) && /\bno\b/i.test(prompt)) return ["Yes", "No"];
  const letters = new Set(Array.from(prompt.matchAll(/\b([A-J])[).:]/g), (match) => match[1] ?? ""));
  return letters.size > 1 ? [...letters].slice(0, 20) : ["Yes", "No"];
}

function shown(options: readonly string[], { probabilities, top }: Choice, likeliest: number) {
  const entry = (token: string, probability: number) => ({
    token,
    logprob: Math.max(-100, Math.log(probability)),
    bytes: [...Buffer.from(token)],
  });
  const all = options.map((option, index) => entry(option, probabilities[index] ?? 0));
  const sorted = all.toSorted((a, b) => b.logprob - a.logprob).slice(0, likeliest);
  return { content: [{ ...entry(top?.text ?? "", top?.probability ?? 0), top_logprobs: sorted }], refusal: null };
}

/** One token with the probabilities of those offered. */
export async function oneToken(model: Model, asked: Asked, to: To): Promise<Charged> {
  const options = offered(asked.request.messages.at(-1)?.content ?? "");
  const choice = await model.choose?.(asked.request, options);
  if (choice === undefined) throw new Error("the model cannot choose");
  const [content, logprobs] = [choice.top?.text ?? "", shown(options, choice, asked.likeliest ?? 0)];
  if (asked.stream) {
    const events = new Events(to.response, to.head);
    events.delta({ role: "assistant", content }, logprobs);
    events.end("length", asked.includeUsage ? choice.usage : undefined);
  } else {
    sendWhole(to, { message: { role: "assistant", content }, logprobs, finish_reason: "length" }, choice.usage);
  }
  return { reason: "length", usage: choice.usage };
}
