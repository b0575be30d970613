import assert from "node:assert/strict";
import { test } from "node:test";
import { ModelError } from "../base/errors.ts";
import type { Usage } from "../core/types.ts";
import { VirtualClock } from "../testing/clock.ts";
import { scripted } from "../testing/scripted.ts";
import type { Line } from "../testing/scripted.ts";
import { collect } from "./__fixtures__/answering.ts";
import { limited } from "./limited.ts";
import { Answer } from "./openai-answer.ts";
import { countTokens } from "./tokens.ts";

// Loading the vocabulary takes real time, which a virtual clock does not wait for.
await countTokens("a");

const messages = [{ role: "user", content: "Count." }] as const;
const known: Usage = { calls: 1, inputTokens: 40, cachedTokens: 8, outputTokens: 5 };
const failure = (usage?: Usage) =>
  new ModelError("test: busy", { model: "test", status: 500, retryable: true, ...(usage && { usage }) });

async function failed(tries: readonly (readonly Line[])[]): Promise<ModelError> {
  const clock = new VirtualClock();
  const model = limited(
    scripted(clock, (call) => tries[call] ?? []),
    { clock, retries: tries.length - 1 },
  );
  const error = await clock.run(collect(model.stream({ messages }))).then(
    () => assert.fail("it ended well"),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof ModelError);
  return error;
}

test("a call that failed for good says what all its tries took", async () => {
  const twice = await failed([[{ fail: failure(known) }], [{ fail: failure(known) }]]);
  assert.deepEqual(twice.usage, { calls: 2, inputTokens: 80, cachedTokens: 16, outputTokens: 10 });
  assert.deepEqual([twice.message, twice.status, twice.truncated], ["test: busy", 500, false]);
  const half = await failed([["one", { fail: failure(known) }]]);
  assert.deepEqual([half.usage, half.truncated], [known, true]);
  const counted = await failed([["one", { fail: failure() }]]);
  assert.equal(counted.usage?.estimated, true);
  assert.equal(counted.usage?.calls, 1);
});

test("a call that was refused, whatever often, took nothing that is known", async () => {
  const refused = failure();
  assert.equal(await failed([[{ fail: failure() }], [{ fail: refused }]]), refused);
  assert.equal(refused.usage, undefined);
});

test("a stream that says its usage and then fails fails with it", () => {
  const usage = { prompt_tokens: 40, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 8 } };
  const content = { choices: [{ delta: { content: "one" } }] };
  const ends: readonly object[] = [
    { error: { message: "overloaded" } },
    { choices: [{ delta: {}, finish_reason: "content_filter" }] },
    { choices: [{ delta: {}, finish_reason: "error" }] },
  ];
  for (const end of ends) {
    const together = new Answer({ model: "m", url: "http://x", secrets: [] });
    together.take(JSON.stringify(content));
    assert.throws(
      () => together.take(JSON.stringify({ ...end, usage })),
      (error) => error instanceof ModelError && error.usage?.outputTokens === 5 && error.usage.cachedTokens === 8,
    );
    const unsaid = new Answer({ model: "m", url: "http://x", secrets: [] });
    assert.throws(
      () => unsaid.take(JSON.stringify(end)),
      (error) => error instanceof ModelError && error.usage === undefined,
    );
  }
});
