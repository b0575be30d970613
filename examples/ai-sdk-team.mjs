// A team as a model of the AI SDK: `streamText` and `generateText` take it like any other, and an abort ends every agent.
// @ts-check
import assert from "node:assert/strict";
// #region snippet
import { generateText, streamText } from "ai";
import { teamOf } from "duplex-ai";
import { simulated } from "duplex-ai/models";
import { asLanguageModel } from "duplex-ai/server";

const model = simulated({ ttft: 20, decode: 400 }); // or openai({ baseURL, model }), or await llama({ name })
const team = teamOf({ topology: "chain", agents: 3, steps: 2, model });
const review = asLanguageModel({ topology: team, reasoning: true });

const { textStream, usage } = streamText({ model: review, prompt: "How many minutes are there in 3.5 days?" });
for await (const text of textStream) process.stdout.write(text);
console.log(`\n${(await usage).outputTokens} tokens, those of all three agents`);

const { reasoningText } = await generateText({ model: review, prompt: "How many minutes are there in 3.5 days?" });
console.log(reasoningText); // what the others said on the way
// #endregion
assert.ok(((await usage).outputTokens ?? 0) > 0);
assert.match(reasoningText ?? "", /^\[solver\] Step 1: .*\[reviewer\] Step 1: /s);

const stop = new AbortController();
/** @type {string[]} */
const ends = [];
/** @type {import("duplex-ai").Model} */
const watched = {
  ...model,
  async *stream(request) {
    for await (const part of model.stream(request)) {
      if (part.type === "end") ends.push(part.reason);
      yield part;
    }
  },
};
const pair = asLanguageModel({ topology: teamOf({ topology: "chain", agents: 2, steps: 40, model: watched }) });
const { fullStream } = streamText({ model: pair, prompt: "Add up six numbers.", abortSignal: stop.signal });
let last = "";
for await (const { type } of fullStream) {
  if (type === "text-delta") stop.abort();
  last = type;
}
for (let turn = 0; ends.length < 2 && turn < 10_000; turn++) await new Promise((resolve) => setImmediate(resolve));
assert.equal(last, "abort");
assert.deepEqual(ends, ["interrupted", "interrupted"], "the calls of both agents were ended");
console.log("an abort ended both agents in the midst of what they said");
