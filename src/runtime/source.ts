// The token streams of others, recognized by their shape: AI SDK, OpenAI SDK, LangChain, web streams, our own models.

import { ConfigError } from "../base/errors.ts";

/** Text of an item of a stream; "" for one that carries none, undefined for one of an unknown shape. */
export type TextOf = (item: unknown) => string | undefined;

type Loose = { readonly [name: string]: unknown };

const isObject = (value: unknown): value is Loose => typeof value === "object" && value !== null;

/** A message's content: text, or parts of which some are text. */
function contentOf(content: unknown): string | undefined {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return undefined;
  return content
    .map((part: unknown) => (isObject(part) && typeof part["text"] === "string" ? part["text"] : ""))
    .join("");
}

/** Throws what a stream reports as its failure among its parts. */
function throwReported(item: Loose): void {
  const { type, error } = item;
  if (type !== "error" && type !== "response.failed") return;
  const message = isObject(error) ? error["message"] : error;
  throw error instanceof Error ? error : new Error(typeof message === "string" ? message : "the source failed");
}

/** Parts with a type: AI SDK's full stream, OpenAI's responses, a `Model` of ours. */
function typedText(item: Loose): string | undefined {
  throwReported(item);
  switch (item["type"]) {
    case "text":
    case "text-delta": {
      const text = item["text"] ?? item["textDelta"] ?? item["delta"];
      return typeof text === "string" ? text : "";
    }
    case "response.output_text.delta":
      return typeof item["delta"] === "string" ? item["delta"] : "";
    default:
      return "";
  }
}

/** The text of an item of any stream that is known here. Throws what an item reports as the source's failure. */
export const knownText: TextOf = (item) => {
  if (typeof item === "string") return item;
  // LangChain's mode "messages" says each with its metadata.
  if (Array.isArray(item)) return item.length === 2 && isObject(item[0]) ? knownText(item[0]) : undefined;
  if (!isObject(item)) return undefined;
  if (Array.isArray(item["choices"])) {
    const [choice] = item["choices"] as readonly unknown[];
    const delta = isObject(choice) ? choice["delta"] : undefined;
    return (isObject(delta) ? contentOf(delta["content"]) : undefined) ?? "";
  }
  if ("content" in item) return contentOf(item["content"]);
  return typeof item["type"] === "string" ? typedText(item) : undefined;
};

/** Anything that says text: an iterable of items, a web stream, or an AI SDK result. */
export type Source = AsyncIterable<unknown> | ReadableStream<unknown> | { readonly fullStream: AsyncIterable<unknown> };

/** Reads a web stream such that leaving cancels it at once: its own iterator would wait for the read under way. */
function read(stream: ReadableStream<unknown>): AsyncIterable<unknown> {
  if (stream.locked)
    throw new ConfigError("source", "is already being read by another reader; give a stream of its own");
  const reader = stream.getReader();
  const over = { value: undefined, done: true } as const;
  return {
    [Symbol.asyncIterator]: () => ({
      async next() {
        const result = await reader.read();
        return result.done ? over : { value: result.value, done: false };
      },
      async return() {
        await reader.cancel();
        return over;
      },
    }),
  };
}

type Streamlike = Loose & Partial<AsyncIterable<unknown>>;

/** Something to iterate over. Throws a ConfigError for what is no stream. */
export function iterableOf(source: unknown): AsyncIterable<unknown> {
  const place = "source";
  if (!isObject(source)) throw new ConfigError(place, "is no stream; give an async iterable or a ReadableStream");
  // The text stream of an AI SDK result would hide failures.
  if (isObject(source["fullStream"])) return iterableOf(source["fullStream"]);
  if (typeof source["getReader"] === "function") return read(source as unknown as ReadableStream<unknown>);
  if (typeof (source as Streamlike)[Symbol.asyncIterator] === "function")
    return source as Loose & AsyncIterable<unknown>;
  if (typeof source["then"] === "function") throw new ConfigError(place, "is a promise of a stream; await it first");
  throw new ConfigError(
    place,
    "is no stream; give an async iterable, a ReadableStream or the result of an AI SDK call",
  );
}

/** What ends an OpenAI SDK's stream at once. */
export function controllerOf(source: unknown): { abort(): void } | undefined {
  const controller = isObject(source) ? source["controller"] : undefined;
  return isObject(controller) && typeof controller["abort"] === "function"
    ? (controller as { abort(): void })
    : undefined;
}

/** Tokens of an item, where it is a part of one of our models. */
export function tokensTold(item: unknown): number | undefined {
  const tokens = typeof item === "object" && item !== null ? (item as { readonly tokens?: unknown }).tokens : undefined;
  return typeof tokens === "number" ? tokens : undefined;
}
