// A router decides on its first step which of its listeners hear it; the others make no call.
// @ts-check
import assert from "node:assert/strict";
import { run, topology } from "duplex-ai";
import { simulated } from "duplex-ai/models";

const model = simulated({ ttft: 1, decode: 2000 });
const agent = (/** @type {string} */ id) => ({ id, instructions: `You are the ${id}.`, model });
const triage = {
  ...agent("triage"),
  route: (/** @type {import("duplex-ai").Step} */ { text }) => (/\d/.test(text) ? ["mathematician"] : ["writer"]),
};
const team = topology(
  [triage, agent("mathematician"), agent("writer"), agent("editor")],
  [
    ["triage", "mathematician"],
    ["triage", "writer"],
    ["mathematician", "editor"],
    ["writer", "editor"],
  ],
);
/** @type {Record<string, string>} */
const ends = {};
for await (const event of run(team, "What is 17 times 23?"))
  if (event.type === "agent-end") ends[event.agent] = event.reason;
console.log(ends);
assert.deepEqual(ends, { writer: "skipped", triage: "done", mathematician: "done", editor: "done" });
