import assert from "node:assert/strict";
import { test } from "node:test";
import { generateText, streamText } from "ai";
import type { LanguageModel } from "ai";
import { systemClock } from "../base/clock.ts";
import { chain } from "../core/topology.ts";
import { scripted } from "../testing/scripted.ts";
import { held, until } from "./held.fixture.ts";
import { asLanguageModelV2 } from "./language-model-v2.ts";
import type { Team } from "./team.ts";

const pair = (): Team => ({
  topology: chain([
    { id: "solver", instructions: "Solve.", model: scripted(systemClock, () => ["one\nEND_STEP\n", "two\nEND_STEP"]) },
    { id: "reviewer", instructions: "Review.", model: scripted(systemClock, () => ["seen\nEND_STEP"]) },
  ]),
  reasoning: true,
});

test("a model of version 2 answers in text with version 2's usage, whole and streamed", async () => {
  // Its type is checked against the AI SDK's own.
  const model: LanguageModel = asLanguageModelV2(pair());
  const { text, usage, finishReason } = await generateText({ model, prompt: "hi" });
  assert.deepEqual([text, finishReason], ["seen\n\nseen", "stop"]);
  assert.deepEqual([usage.outputTokens, usage.outputTokenDetails.reasoningTokens], [4, 2]);
  const { stream } = await asLanguageModelV2(pair()).doStream({ prompt: [{ role: "user", content: "hi" }], topK: 3 });
  const parts = [];
  for await (const part of stream) parts.push(part);
  assert.deepEqual(parts[0], {
    type: "stream-start",
    warnings: [{ type: "other", message: "topK is not supported" }],
  });
  const last = parts.at(-1);
  assert.equal(last?.type, "finish");
  if (last?.type !== "finish") return;
  const { inputTokens, ...rest } = last.usage;
  assert.deepEqual(rest, {
    outputTokens: 4,
    totalTokens: inputTokens + 4,
    reasoningTokens: 2,
    cachedInputTokens: 0,
  });
  assert.equal(last.finishReason, "stop");
});

test("an abort, and leaving the stream, end the run", async () => {
  const model = held(["seen "]);
  const team = { topology: chain([{ id: "solver", instructions: "Solve.", model }]) };
  const stop = new AbortController();
  const result = streamText({ model: asLanguageModelV2(team), prompt: "hi", abortSignal: stop.signal });
  for await (const { type } of result.fullStream) if (type === "text-delta") stop.abort();
  await until(() => model.aborted() === 1, "the abort");
  const { stream } = await asLanguageModelV2(team).doStream({ prompt: [{ role: "user", content: "hi" }] });
  const reader = stream.getReader();
  while ((await reader.read()).value?.type !== "text-delta");
  await reader.cancel();
  await until(() => model.aborted() === 2, "the abort by leaving");
});
