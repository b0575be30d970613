import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { ModelError } from "../../base/errors.ts";
import type { Message, Model, ModelPart } from "../../core/types.ts";
import { openai, type OpenAIOptions } from "../openai.ts";
import { type Exchange, serve } from "./server.ts";

export const messages: readonly Message[] = [
  { role: "system", content: "Be brief." },
  { role: "user", content: "How many eggs are in a dozen?" },
];

export type Answering = (exchange: Exchange, index: number) => unknown;

/** A model behind a server, for the time of one test, that answers as `answer` says. */
export async function answering(t: TestContext, answer: Answering, options: Partial<OpenAIOptions> = {}) {
  const server = await serve(answer);
  t.after(() => server.close());
  return { model: openai({ baseURL: server.baseURL, model: "test", ...options }), server };
}

/** All parts of a stream. */
export async function collect(parts: AsyncIterable<ModelPart>): Promise<ModelPart[]> {
  const all: ModelPart[] = [];
  for await (const part of parts) all.push(part);
  return all;
}

/** The text of all parts of one type. */
export const joined = (parts: readonly ModelPart[], type: "text" | "reasoning"): string =>
  parts.map((part) => (part.type === type && "text" in part ? part.text : "")).join("");

/** The error that reading an answer ends in. */
export async function failure(model: Model): Promise<ModelError> {
  try {
    await collect(model.stream({ messages }));
  } catch (error) {
    assert.ok(error instanceof ModelError, String(error));
    return error;
  }
  throw new Error("it did not fail");
}
