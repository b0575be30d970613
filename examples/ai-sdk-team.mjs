// A team as a model of the AI SDK: `streamText` and `generateText` take it like any other.
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
