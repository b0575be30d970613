// @ts-check
// A reply of the OpenAI SDK (openai 6), cut as soon as the listener has heard what it waited for.
import assert from "node:assert/strict";
import { listen } from "duplex-ai";
import { onPattern } from "duplex-ai/policies";
import { simulateServer } from "duplex-ai/server";
import OpenAI from "openai";

/** @type {(charged: import("duplex-ai/server").Charged) => void} */
let called = () => {};
/** @type {Promise<import("duplex-ai/server").Charged>} */
const charged = new Promise((resolve) => (called = resolve));
const server = await simulateServer({ ttft: 20, decode: 400, steps: 20, onCall: (call) => called(call) });
const client = new OpenAI({ baseURL: server.url, apiKey: "none" });

const stream = await client.chat.completions.create({
  model: "simulated",
  messages: [{ role: "user", content: "Add up the takings of twenty days." }],
  stream: true,
});

let text = "";
// The stream brings its own controller, so nothing else is needed to end the request.
const listening = listen(stream, { policy: onPattern(/\bStep 3\b/), chunk: 8 });
for await (const piece of listening) text += piece;

const { reason, tokens, heardMs, ...heard } = await listening.result;
const { reason: left, usage } = await charged;
await server.close();
assert.equal(reason, "interrupted");
assert.equal(heard.text, text);
assert.match(text, /\bStep 3\b/);
assert.equal(left, "interrupted");
console.log(`openai: cut after ${tokens} tokens and ${Math.round(heardMs)} ms; the server made ${usage.outputTokens}`);
