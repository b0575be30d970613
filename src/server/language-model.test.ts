import assert from "node:assert/strict";
import { test } from "node:test";
import { generateText, streamText } from "ai";
import { systemClock } from "../base/clock.ts";
import { chain } from "../core/topology.ts";
import type { Model } from "../core/types.ts";
import { scripted } from "../testing/scripted.ts";
import { held, until } from "./held.fixture.ts";
import { asLanguageModel } from "./language-model.ts";
import type { Team } from "./team.ts";

const teamOf = (first: Model, second: Model): Team => ({
  topology: chain([
    { id: "solver", instructions: "Solve.", model: first },
    { id: "reviewer", instructions: "Review.", model: second },
  ]),
});
const solver = () => scripted(systemClock, () => ["one\nEND_STEP\n", "two\nEND_STEP"]);
const pair = () =>
  teamOf(
    solver(),
    scripted(systemClock, (call) => ["seen ", `${call + 1}`, "\nEND_STEP"]),
  );

test("generateText takes a team for a model", async () => {
  const result = await generateText({
    model: asLanguageModel({ ...pair(), reasoning: true }),
    system: "Be brief.",
    prompt: "hi",
  });
  assert.equal(result.text, "seen 1\n\nseen 2");
  assert.equal(result.reasoningText, "[solver] one\n\n[solver] two\n\n");
  assert.equal(result.finishReason, "stop");
  assert.equal(result.usage.outputTokens, 8);
  assert.equal(result.usage.outputTokenDetails.reasoningTokens, 2);
  assert.match(JSON.stringify(result.providerMetadata?.["duplex"]?.["run"]), /^"[\w-]{36}"$/);
});

test("streamText streams what a team says", async () => {
  const result = streamText({ model: asLanguageModel({ ...pair(), reasoning: true }), prompt: "hi" });
  let text = "";
  for await (const delta of result.textStream) text += delta;
  assert.equal(text, "seen 1\n\nseen 2");
  assert.match((await result.reasoningText) ?? "", /\[solver\] two/);
  assert.equal((await result.usage).outputTokens, 8);
  assert.equal(await result.finishReason, "stop");
});

test("what a team cannot do is warned of, and files are refused", async () => {
  const { warnings } = await generateText({ model: asLanguageModel(pair()), prompt: "hi", topK: 3 });
  assert.deepEqual(
    warnings?.map((warning) => "feature" in warning && warning.feature),
    ["topK"],
  );
  const content = [{ type: "file" as const, data: "aGk=", mediaType: "image/png" }];
  await assert.rejects(
    generateText({ model: asLanguageModel(pair()), messages: [{ role: "user", content }], maxRetries: 0 }),
    /a team hears text only/,
  );
});

test("an abort ends every model of the team", async () => {
  const [first, second] = [held(["one\nEND_STEP\n", "tw"]), held(["seen "])];
  const stop = new AbortController();
  const result = streamText({ model: asLanguageModel(teamOf(first, second)), prompt: "hi", abortSignal: stop.signal });
  const types: string[] = [];
  for await (const { type } of result.fullStream) {
    types.push(type);
    if (type === "text-delta") stop.abort();
  }
  await until(() => first.aborted() === 1 && second.aborted() === 1, "the abort");
  assert.equal(types.at(-1), "abort");
  const late = new AbortController();
  const whole = generateText({ model: asLanguageModel(teamOf(first, second)), prompt: "hi", abortSignal: late.signal });
  whole.catch(() => {});
  await until(() => second.requests.length === 2, "the call");
  late.abort();
  await assert.rejects(whole, { name: "AbortError" });
  assert.deepEqual([first.aborted(), second.aborted()], [2, 2]);
});

test("leaving the stream ends the run; a failure in its midst is a part of it", async () => {
  const model = held(["seen "]);
  const prompt = [{ role: "user", content: [{ type: "text", text: "hi" }] }];
  const { stream } = await asLanguageModel(teamOf(solver(), model)).doStream({ prompt });
  const reader = stream.getReader();
  while ((await reader.read()).value?.type !== "text-delta");
  await reader.cancel();
  await until(() => model.aborted() === 1, "the abort");
  const failing = scripted(systemClock, () => ["half ", { fail: new Error("it broke") }]);
  const errors: unknown[] = [];
  const result = streamText({
    model: asLanguageModel(teamOf(solver(), failing)),
    prompt: "hi",
    onError: ({ error }) => void errors.push(error),
  });
  await result.consumeStream();
  assert.match(String(errors[0]), /it broke/);
});
