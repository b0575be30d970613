// A team as an agent of the A2A protocol, asked by the official client (@a2a-js/sdk): who speaks, what is said, and a cancel.
// @ts-check
import assert from "node:assert/strict";
// #region snippet
import { SendMessageRequest, TaskState } from "@a2a-js/sdk";
import { ClientFactory } from "@a2a-js/sdk/client";
import { simulated } from "duplex-ai/models";
import { readyTeams, serve } from "duplex-ai/server";

const server = await serve({ teams: readyTeams(simulated({ ttft: 20, decode: 100 })) }); // or `duplex serve`
const client = await new ClientFactory().createFromUrl(`${server.url}/a2a/chain/`);

/** @type {(text: string) => SendMessageRequest} */
const asking = (text) =>
  SendMessageRequest.fromJSON({
    message: { messageId: crypto.randomUUID(), role: "ROLE_USER", parts: [{ text }] },
    metadata: { reasoning: true }, // the other agents' words too, each as an artifact of its own
  });

/** @type {Record<string, string>} */
const said = {};
let state;
for await (const { payload } of client.sendMessageStream(asking("How many minutes are there in 3.5 days?"))) {
  if (payload?.$case === "statusUpdate") state = payload.value.status?.state;
  if (payload?.$case !== "artifactUpdate") continue;
  const { artifact } = payload.value;
  const content = artifact?.parts[0]?.content;
  const agent = artifact?.metadata?.agent;
  if (content?.$case === "text") said[agent] = `${said[agent] ?? ""}${content.value}`;
}
for (const [agent, text] of Object.entries(said)) console.log(`${agent}:\n${text.trim()}\n`);

// A cancel cuts whoever speaks.
let task;
for await (const { payload } of client.sendMessageStream(asking("Add up the takings of a week."))) {
  if (payload?.$case === "task") task = payload.value;
  if (payload?.$case === "artifactUpdate" && task !== undefined)
    state = (await client.cancelTask({ id: task.id, tenant: "", metadata: {} })).status?.state;
}
// #endregion
assert.deepEqual(Object.keys(said), ["solver", "reviewer"]);
assert.match(said["reviewer"] ?? "", /^Step 1: .*Step 2: /s);
assert.equal(state, TaskState.TASK_STATE_CANCELED);
const trace = await (await fetch(`${server.url}/runs/${task?.id}/events`)).text();
assert.match(trace, /"type":"interrupt","at":[\d.]+,"agent":"solver".*"by":"client"/);
await server.close();
console.log("a2a: two agents were heard, and a cancel cut the speaker");
