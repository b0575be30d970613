import assert from "node:assert/strict";
import { test } from "node:test";
import type { Decision } from "../core/policy.ts";
import { never } from "../policies/index.ts";
import { listen } from "./listen.ts";
import type { Source, TextOf } from "./source.ts";

async function* from(items: readonly unknown[]): AsyncGenerator<unknown, void, undefined> {
  yield* items;
}

const hear = (source: Source, textOf?: TextOf) => listen(source, { policy: never, textOf }).result;

const shapes: Readonly<Record<string, readonly unknown[]>> = {
  "plain text": ["one ", "two"],
  "chat completions": [
    { choices: [{ delta: { role: "assistant", content: "" } }] },
    { choices: [{ delta: { content: "one " } }] },
    { choices: [{ delta: { content: null, tool_calls: [] } }] },
    { choices: [{ delta: { content: "two" }, finish_reason: "stop" }] },
    { choices: [], usage: { total_tokens: 3 } },
  ],
  responses: [
    { type: "response.created" },
    { type: "response.output_text.delta", delta: "one " },
    { type: "response.output_text.delta", delta: "two" },
    { type: "response.completed" },
  ],
  "the AI SDK's full stream": [
    { type: "start" },
    { type: "reasoning-delta", id: "1", text: "hm" },
    { type: "text-delta", id: "0", text: "one " },
    { type: "text-delta", id: "0", text: "two" },
    { type: "finish" },
  ],
  "an older full stream": [
    { type: "text-delta", textDelta: "one " },
    { type: "text-delta", textDelta: "two" },
  ],
  "chat model chunks": [
    { content: "one ", response_metadata: {} },
    { content: [{ type: "text", text: "tw" }, { type: "tool_use" }, { type: "text", text: "o" }] },
    { content: "" },
  ],
  "messages with metadata": [
    [{ content: "one " }, { node: "agent" }],
    [{ content: "two" }, { node: "agent" }],
  ],
  "a model of ours": [
    { type: "wait" },
    { type: "reasoning", text: "hm" },
    { type: "text", text: "one two", tokens: 7 },
    { type: "end", reason: "stop" },
  ],
};

for (const [name, items] of Object.entries(shapes))
  test(`the text of ${name} is heard, and nothing else`, async () => {
    assert.equal((await hear(from(items))).text, "one two");
  });

test("tokens are counted where the source says them", async () => {
  assert.equal((await hear(from(shapes["a model of ours"] ?? []))).tokens, 7);
});

test("a web stream is read, whether it can be iterated or not", async () => {
  const stream = () =>
    new ReadableStream<string>({
      start(controller) {
        for (const text of ["one ", "two"]) controller.enqueue(text);
        controller.close();
      },
    });
  assert.equal((await hear(stream())).text, "one two");
  const own = stream();
  const bare = { locked: false, getReader: () => own.getReader() } as unknown as ReadableStream<string>;
  assert.equal((await hear(bare)).text, "one two");
});

test("a web stream that is cut while it is silent is cancelled at once", async () => {
  let cancelled = false;
  const silent = new ReadableStream<string>({
    start: (controller) => controller.enqueue("word"),
    cancel: () => {
      cancelled = true;
    },
  });
  let decided = () => {};
  const decide = () => new Promise<Decision>((resolve) => (decided = () => resolve({ advantage: 1 })));
  const { result } = listen(silent, { policy: { name: "once", decide }, chunk: 1 });
  await new Promise((resolve) => setImmediate(resolve));
  decided();
  assert.deepEqual([(await result).reason, cancelled], ["interrupted", true]);
});

test("a web stream that somebody else reads is an error", () => {
  const stream = new ReadableStream<string>();
  stream.getReader();
  assert.throws(() => hear(stream), /source: is already being read/);
});

test("the result of an AI SDK call is heard by its full stream, so that its failures are seen", async () => {
  const failing = { textStream: from([]), fullStream: from([{ type: "error", error: "out of order" }]) };
  const { reason, error } = await hear(failing);
  assert.deepEqual([reason, (error as Error).message], ["failed", "out of order"]);
});

test("a stream of an unknown shape is an error that says what to do, and a function helps", async () => {
  const strange = () => from([{ words: "one " }, { words: "two" }, {}]);
  const { reason, error } = await hear(strange());
  assert.equal(reason, "failed");
  assert.match((error as Error).message, /its 3 items have no text that is known here; give listen\(\) a textOf/);
  const textOf: TextOf = (item) => (item as { words?: string }).words;
  assert.equal((await hear(strange(), textOf)).text, "one two");
  assert.equal((await hear(from([]))).reason, "ended");
});
