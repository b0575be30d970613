// A team as the model of a Mastra agent (@mastra/core 0.24, on Node 20), and a listener on what the agent says.
// @ts-check
import assert from "node:assert/strict";
// #region snippet
import { Agent } from "@mastra/core/agent";
import { listen, teamOf } from "duplex-ai";
import { simulated } from "duplex-ai/models";
import { onPattern } from "duplex-ai/policies";
import { asLanguageModelV2 } from "duplex-ai/server";

const model = simulated({ ttft: 20, decode: 400 }); // or openai({ baseURL, model }), or await llama({ name })
/** @type {(model: import("duplex-ai").Model, steps?: number) => Agent} */
const reviewed = (each, steps = 8) =>
  new Agent({
    name: "reviewed",
    instructions: "Be brief.",
    model: asLanguageModelV2({ topology: teamOf({ topology: "chain", agents: 2, steps, model: each }) }),
  });

const agent = reviewed(model);
const reply = await agent.stream("How many minutes are there in 3.5 days?");
let streamed = "";
for await (const text of reply.textStream) streamed += text;
console.log(streamed);
const { outputTokens } = await reply.usage;

// Cut by a listener: the agent is aborted, and with it the team.
const abort = new AbortController();
const long = await agent.stream("Add up the takings of four days.", { abortSignal: abort.signal });
const listening = listen(long.textStream, { policy: onPattern(/\bStep 2\b/), chunk: 4, abort });
let heard = "";
for await (const text of listening) heard += text;
// #endregion
const { reason, tokens } = await listening.result;
assert.match(streamed, /^Step 1: .*Step 8: /s);
assert.equal(await reply.text, streamed);
assert.ok((outputTokens ?? 0) > 0);
assert.equal(reason, "interrupted");
assert.match(heard, /\bStep 2\b/);
assert.doesNotMatch(heard, /\bStep 6\b/);

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
const stop = new AbortController();
const stopped = await reviewed(watched, 40).stream("Add up the takings of four days.", { abortSignal: stop.signal });
for await (const _ of stopped.textStream) stop.abort();
for (let turn = 0; ends.length < 2 && turn < 10_000; turn++) await new Promise((resolve) => setImmediate(resolve));
assert.deepEqual(ends, ["interrupted", "interrupted"], "the calls of both agents were ended");
console.log(`mastra: ${outputTokens} tokens of both agents; then cut after ${tokens}; an abort ends both agents`);
