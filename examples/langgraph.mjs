// A team and a listener as nodes of a LangGraph.js graph (@langchain/langgraph): what is said streams out of the graph.
// @ts-check
import assert from "node:assert/strict";
// #region snippet
import { END, START, StateGraph } from "@langchain/langgraph";
import { ChatOpenAI } from "@langchain/openai";
import { answer, listen, run, teamOf } from "duplex-ai";
import { simulated } from "duplex-ai/models";
import { onPattern } from "duplex-ai/policies";
import { simulateServer } from "duplex-ai/server";
import { z } from "zod";

const model = simulated({ ttft: 20, decode: 200 }); // or openai({ baseURL, model }), or await llama({ name })
const team = teamOf({ topology: "chain", agents: 2, steps: 8, model });
const server = await simulateServer({ ttft: 20, decode: 400, steps: 80 });
const chat = new ChatOpenAI({ model: "simulated", apiKey: "none", configuration: { baseURL: server.url } });

/** @type {import("duplex-ai").RunEvent[]} */
let events = [];
const State = z.object({ question: z.string(), answer: z.string().optional(), report: z.string().optional() });
/** @typedef {z.infer<typeof State>} Said */
/** @typedef {import("@langchain/langgraph").LangGraphRunnableConfig} Config */
/** @typedef {(state: Said, config: Config) => Promise<Partial<Said>>} Node */

/** @type {Node} */
const discuss = async ({ question }, { writer, signal }) => {
  events = [];
  for await (const event of run(team, question, { signal })) {
    events.push(event);
    if (event.type === "chunk") writer?.({ agent: event.agent, text: event.text });
  }
  return { answer: answer(events) };
};

/** @type {Node} */
const report = async ({ question }, { writer, signal }) => {
  const abort = new AbortController();
  const signals = signal === undefined ? [abort.signal] : [abort.signal, signal];
  const reply = await chat.stream(`Report on: ${question}`, { signal: AbortSignal.any(signals) });
  const listening = listen(reply, { policy: onPattern(/\bStep 3\b/), chunk: 8, abort, signal });
  for await (const text of listening) writer?.({ agent: "reporter", text });
  return { report: (await listening.result).text };
};

const graph = new StateGraph(State)
  .addNode("discuss", discuss)
  .addNode("write", report)
  .addEdge(START, "discuss")
  .addEdge("discuss", "write")
  .addEdge("write", END)
  .compile();

/** @type {Record<string, string>} */
const said = {};
/** @type {Partial<Said>} */
let state = {};
const stream = await graph.stream(
  { question: "How many minutes are in a week?" },
  { streamMode: ["custom", "values"] },
);
for await (const [mode, part] of stream)
  if (mode === "values") state = part;
  else said[part.agent] = `${said[part.agent] ?? ""}${part.text}`;
// #endregion
// Who aborts the graph ends the team.
const stop = new AbortController();
const aborted = await graph.stream({ question: "And in a year?" }, { streamMode: "custom", signal: stop.signal });
await assert.rejects(async () => {
  for await (const _ of aborted) stop.abort();
}, /abort/i);
while (events.at(-1)?.type !== "run-end") await new Promise((resolve) => setImmediate(resolve));
const last = events.at(-1);
assert.equal(last?.type === "run-end" && last.reason, "cancelled");
await server.close();
assert.deepEqual(Object.keys(said), ["solver", "reviewer", "reporter"]);
assert.ok(said.reviewer?.includes(state.answer ?? "nothing"));
assert.match(state.report ?? "", /\bStep 3\b/);
assert.equal(said.reporter, state.report);
assert.doesNotMatch(said.reporter ?? "", /\bStep 5\b/);
console.log(`langgraph: ${Object.keys(said).join(", ")} streamed out of the graph; the report was cut at step 3`);
