// @ts-check
// A reply of the AI SDK (ai 6), cut as soon as the listener has heard what it waited for.
import assert from "node:assert/strict";
import { streamText } from "ai";
import { listen } from "duplex-ai";
import { onPattern } from "duplex-ai/policies";
import { simulateServer } from "duplex-ai/server";
// Published as @ai-sdk/openai-compatible.
import { createOpenAICompatible } from "openai-compatible-v3";

/** @type {(charged: import("duplex-ai/server").Charged) => void} */
let called = () => {};
/** @type {Promise<import("duplex-ai/server").Charged>} */
const charged = new Promise((resolve) => (called = resolve));
const server = await simulateServer({ ttft: 20, decode: 400, steps: 20, onCall: (call) => called(call) });
const provider = createOpenAICompatible({ name: "simulated", baseURL: server.url });

const abort = new AbortController();
const reply = streamText({
  model: provider("simulated"),
  prompt: "Add up the takings of twenty days.",
  abortSignal: abort.signal,
});

let text = "";
// The request's own controller: the SDK keeps reading for its other promises until it is told to stop.
const listening = listen(reply, { policy: onPattern(/\bStep 3\b/), chunk: 8, abort });
for await (const piece of listening) text += piece;

const { reason, tokens, heardMs, ...heard } = await listening.result;
const { reason: left, usage } = await charged;
await server.close();
assert.equal(reason, "interrupted");
assert.equal(heard.text, text);
assert.match(text, /\bStep 3\b/);
assert.equal(left, "interrupted");
console.log(`ai: cut after ${tokens} tokens and ${Math.round(heardMs)} ms; the server made ${usage.outputTokens}`);
