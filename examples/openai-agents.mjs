// A team as a model of the OpenAI Agents SDK (@openai/agents): streamed, heard by a policy, aborted with all its agents.
// @ts-check
import assert from "node:assert/strict";
// #region snippet
import { Agent, OpenAIChatCompletionsModel, run, setTracingDisabled } from "@openai/agents";
import { listen, teamOf } from "duplex-ai";
import { simulated } from "duplex-ai/models";
import { onPattern } from "duplex-ai/policies";
import { handler } from "duplex-ai/server";
import OpenAI from "openai";

const model = simulated({ ttft: 20, decode: 200 }); // or openai({ baseURL, model }), or await llama({ name })
const review = { topology: teamOf({ topology: "chain", agents: 2, steps: 8, model }) };
// What `duplex serve` answers, without a socket. With a server: a baseURL, and no fetch.
const served = handler({ teams: { review } });
const client = new OpenAI({
  baseURL: "http://duplex/v1",
  apiKey: "none",
  fetch: (url, init) => served(new Request(url, init)),
});
setTracingDisabled(true); // its traces go to OpenAI
const agent = new Agent({
  name: "Reviewed",
  instructions: "Be brief.",
  model: new OpenAIChatCompletionsModel(/** @type {any} */ (client), "review"),
});

const result = await run(agent, "How many minutes are there in 3.5 days?", { stream: true });
for await (const text of result.toTextStream()) process.stdout.write(text);
await result.completed;
const { usage } = result.state;
console.log(`\n${usage.outputTokens} tokens, those of both agents`);

// Cut by a listener: the request ends, and with it both agents.
const abort = new AbortController();
const cut = await run(agent, "Add up the takings of four days.", { stream: true, signal: abort.signal });
const listening = listen(cut.toTextStream(), { policy: onPattern(/\bStep 2\b/), chunk: 4, abort });
let heard = "";
for await (const text of listening) heard += text;
await cut.completed.catch(() => {});
// #endregion
const { reason, tokens } = await listening.result;
assert.match(result.finalOutput ?? "", /^Step 1: .*Step 8: /s);
assert.ok(usage.outputTokens > 0);
assert.equal(reason, "interrupted");
assert.match(heard, /\bStep 2\b/);
assert.doesNotMatch(heard, /\bStep 6\b/);
// Of the runs the newest is first.
const state = async () => (await (await served(new Request("http://duplex/runs"))).json()).runs[0].state;
while ((await state()) === "running") await new Promise((resolve) => setImmediate(resolve));
assert.equal(await state(), "cancelled");
// By responses, which the SDK takes by default, it is the same.
const { OpenAIResponsesModel } = await import("@openai/agents");
const other = agent.clone({ model: new OpenAIResponsesModel(/** @type {any} */ (client), "review") });
assert.match((await run(other, "How many minutes are there in 3.5 days?")).finalOutput ?? "", /^Step 1: .*Step 8: /s);
await served.close();
console.log(`openai agents: cut after ${tokens} tokens; the run was cancelled`);
