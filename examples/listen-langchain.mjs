// @ts-check
// A reply of a LangChain chat model (@langchain/openai), cut as soon as the listener has heard what it waited for.
import assert from "node:assert/strict";
import { ChatOpenAI } from "@langchain/openai";
import { listen } from "duplex-ai";
import { onPattern } from "duplex-ai/policies";
import { simulateServer } from "duplex-ai/server";

/** @type {(charged: import("duplex-ai/server").Charged) => void} */
let called = () => {};
/** @type {Promise<import("duplex-ai/server").Charged>} */
const charged = new Promise((resolve) => (called = resolve));
const server = await simulateServer({ ttft: 20, decode: 400, steps: 20, onCall: (call) => called(call) });
const model = new ChatOpenAI({ model: "simulated", apiKey: "none", configuration: { baseURL: server.url } });

const abort = new AbortController();
const stream = await model.stream("Add up the takings of twenty days.", { signal: abort.signal });

let text = "";
// With its signal LangChain ends a request at once; without, at its next token.
const listening = listen(stream, { policy: onPattern(/\bStep 3\b/), chunk: 8, abort });
for await (const piece of listening) text += piece;

const { reason, tokens, heardMs, ...heard } = await listening.result;
const { reason: left, usage } = await charged;
await server.close();
assert.equal(reason, "interrupted");
assert.equal(heard.text, text);
assert.match(text, /\bStep 3\b/);
assert.equal(left, "interrupted");
console.log(
  `langchain: cut after ${tokens} tokens and ${Math.round(heardMs)} ms; the server made ${usage.outputTokens}`,
);
