import type { EndReason, Message, ModelPart, Usage } from "../core/types.ts";
import { fault, type Place, saidError } from "./openai-errors.ts";
import { countTokens, estimate } from "./tokens.ts";

type Fields = Readonly<Record<string, unknown>>;

const fields = (value: unknown): Fields | undefined =>
  typeof value === "object" && value !== null ? (value as Fields) : undefined;
const count = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isFinite(value) && value >= 0 ? Math.round(value) : undefined;

/** Usage as the servers report it: OpenAI's and DeepSeek's names for cached tokens, and llama.cpp's beside the usage. */
export function readUsage(usage: unknown, timings?: unknown): Usage | undefined {
  const said = fields(usage);
  const inputTokens = count(said?.["prompt_tokens"]);
  const outputTokens = count(said?.["completion_tokens"]);
  if (said === undefined || (inputTokens === undefined && outputTokens === undefined)) return undefined;
  const cached =
    count(fields(said["prompt_tokens_details"])?.["cached_tokens"]) ??
    count(said["prompt_cache_hit_tokens"]) ??
    count(fields(timings)?.["cache_n"]) ??
    0;
  const input = inputTokens ?? 0;
  return { calls: 1, inputTokens: input, cachedTokens: Math.min(cached, input), outputTokens: outputTokens ?? 0 };
}

const ends: Readonly<Record<string, EndReason>> = {
  length: "length",
  max_tokens: "length",
  model_length: "length",
  abort: "truncated",
};

/** Text of a delta: a string, or a list of typed pieces. */
function joined(content: unknown, type: "text" | "thinking"): string {
  if (typeof content === "string") return type === "text" ? content : "";
  if (!Array.isArray(content)) return "";
  return content.map((piece) => (fields(piece)?.["type"] === type ? joinedPiece(fields(piece)?.[type]) : "")).join("");
}
const joinedPiece = (value: unknown): string => (typeof value === "string" ? value : joined(value, "text"));

const string = (value: unknown): string => (typeof value === "string" ? value : "");

function whole(event: string): boolean {
  if (event === "[DONE]") return true;
  try {
    JSON.parse(event);
    return true;
  } catch {
    return false;
  }
}

/** One streamed answer: takes the events of the stream and gives back what they say. */
export class Answer {
  readonly #place: Place;
  /** All that was generated, thinking included, for counting. */
  #generated = "";
  #usage: Usage | undefined;
  /** Characters of `#generated` that `#usage` covers. */
  #covered = 0;
  #reason: EndReason | undefined;
  #done = false;

  constructor(place: Place) {
    this.#place = place;
  }

  /** No more events will follow. */
  get done(): boolean {
    return this.#done;
  }

  /** The answer has told why it ended. */
  get finished(): boolean {
    return this.#reason !== undefined;
  }

  /** The parts of what the body's end left over; half an event is no error here but a lost end. */
  takeLast(events: readonly string[]): readonly ModelPart[] {
    return events.flatMap((event) => (whole(event) ? this.take(event) : []));
  }

  /** Counts what had arrived when the answer was left; nobody hears it. */
  overhear(events: readonly string[]): void {
    for (const event of events) {
      try {
        this.take(event);
      } catch {
        return;
      }
    }
  }

  /** The parts of one event. Throws `ModelError` for an error in the stream and for what is not JSON. */
  take(event: string): readonly ModelPart[] {
    if (event === "[DONE]") {
      this.#done = true;
      return [];
    }
    const chunk = this.#parse(event);
    const choices = chunk["choices"];
    const choice = Array.isArray(choices) ? fields(choices[0]) : undefined;
    const usage = readUsage(chunk["usage"] ?? choice?.["usage"], chunk["timings"]);
    // Before the choice is read, which may say that the call failed.
    if (usage !== undefined) this.#usage = usage;
    if (chunk["error"] !== undefined && chunk["error"] !== null) throw this.#failed(chunk["error"]);
    const parts = choice === undefined ? [] : this.#choice(choice);
    if (usage !== undefined) this.#covered = this.#generated.length;
    return parts;
  }

  /** The last part. `gone`: the stream was left before its own end. */
  async end(messages: readonly Message[], gone?: "interrupted"): Promise<ModelPart> {
    const reason = gone ?? this.#reason ?? (this.#done ? "stop" : "truncated");
    return { type: "end", reason, usage: await this.#count(messages) };
  }

  async #count(messages: readonly Message[]): Promise<Usage> {
    const usage = this.#usage;
    if (usage === undefined) return estimate(messages, this.#generated);
    const more = await countTokens(this.#generated.slice(this.#covered));
    return more === 0 ? usage : { ...usage, outputTokens: usage.outputTokens + more, estimated: true };
  }

  #parse(event: string): Fields {
    try {
      const chunk = fields(JSON.parse(event));
      if (chunk !== undefined) return chunk;
    } catch (cause) {
      throw fault(this.#place, `sent a line that is not JSON: ${event.slice(0, 100)}`, { cause });
    }
    throw fault(this.#place, `sent a line that is not an object: ${event.slice(0, 100)}`);
  }

  #choice(choice: Fields): readonly ModelPart[] {
    const delta = fields(choice["delta"]);
    const parts: ModelPart[] = [];
    if (delta !== undefined) {
      const content = delta["content"];
      const thought = string(delta["reasoning_content"]) || string(delta["reasoning"]) || joined(content, "thinking");
      const said = joined(content, "text") || string(delta["refusal"]);
      if (thought !== "") parts.push({ type: "reasoning", text: thought });
      if (said !== "") parts.push({ type: "text", text: said });
      this.#generated += thought + said;
    }
    const finish = choice["finish_reason"];
    if (typeof finish === "string" && finish !== "") this.#finish(finish);
    return parts;
  }

  #finish(finish: string): void {
    if (finish === "content_filter")
      throw fault(this.#place, "its content filter cut the answer; change the request or the model", {
        usage: this.#usage,
      });
    if (finish === "error" || finish === "insufficient_system_resource")
      throw fault(this.#place, `ended the answer with "${finish}"; try again`, {
        retryable: true,
        usage: this.#usage,
      });
    this.#reason = ends[finish] ?? "stop";
  }

  #failed(error: unknown): Error {
    const status = Number(fields(error)?.["code"] ?? fields(error)?.["status"]);
    const known = Number.isInteger(status) && status >= 100 && status < 600 ? status : undefined;
    // Without a status it is the server that failed while it answered, not the request.
    const retryable = known === undefined || known >= 500 || known === 429 || known === 408;
    return fault(
      this.#place,
      `failed while answering: ${saidError(error)}; ${retryable ? "try again" : "check the request"}`,
      {
        status: known,
        retryable,
        usage: this.#usage,
      },
    );
  }
}
