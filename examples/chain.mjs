// Three agents in a chain: each works on a step while the one before says the next.
// @ts-check
import assert from "node:assert/strict";
// #region snippet
import { answer, measured, run, teamOf } from "duplex-ai";
import { simulated } from "duplex-ai/models";

const model = simulated({ ttft: 20, decode: 400 }); // or openai({ baseURL, model }), or await llama({ name })
const team = teamOf({ topology: "chain", agents: 3, steps: 4, model });
const events = [];
for await (const event of run(team, "How many minutes are there in 3.5 days?")) {
  if (event.type === "step") console.log(`${event.at} ms  ${event.agent}: ${event.text}`);
  events.push(event);
}
console.log(answer(events));
console.log(`${measured(events).selfReferenced?.toFixed(2)} times as fast as one after the other`);
// #endregion
const steps = events.filter((event) => event.type === "step");
assert.equal(steps.length, 12);
const firstHeard = steps.findIndex(({ agent }) => agent === "reviewer");
const lastSaid = steps.findLastIndex(({ agent }) => agent === "solver");
assert.ok(firstHeard < lastSaid, "the reviewer answered before the solver had ended");
