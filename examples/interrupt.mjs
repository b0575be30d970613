// Any code that holds a run can cut a speaker; what was heard by then is what counts as said.
// @ts-check
import assert from "node:assert/strict";
import { answer, run, teamOf, usageOf } from "duplex-ai";
import { simulated } from "duplex-ai/models";

const team = teamOf({ topology: "chain", agents: 2, steps: 10, model: simulated({ ttft: 5, decode: 1000 }) });
const performance = run(team, "List what to pack for a week at sea.");
const events = [];
for await (const event of performance) {
  events.push(event);
  if (event.type === "step" && event.agent === "solver" && event.index === 2)
    performance.interrupt("solver", { by: "reader", reason: "three are enough" });
}
const ends = Object.fromEntries(
  events.flatMap((event) => (event.type === "agent-end" ? [[event.agent, event.reason]] : [])),
);
console.log(answer(events));
console.log(ends, usageOf(events).total);
assert.deepEqual(ends, { solver: "interrupted", reviewer: "done" });
