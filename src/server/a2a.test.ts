// The official client of A2A against teams that are served, over real sockets.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { TaskState } from "@a2a-js/sdk";
import type { StreamResponse } from "@a2a-js/sdk";
import { AgentCardResolver, ClientFactory } from "@a2a-js/sdk/client";
import type { Client } from "@a2a-js/sdk/client";
import { TaskNotCancelableError, UnsupportedOperationError } from "@a2a-js/sdk/errors";
import { systemClock } from "../base/clock.ts";
import { parseTrace } from "../core/trace.ts";
import { chain } from "../core/topology.ts";
import { dialogue } from "../runtime/dialogue.ts";
import { scripted } from "../testing/scripted.ts";
import { held, until } from "./held.fixture.ts";
import { all, asking, byId, done, message, textOf, together } from "./a2a.fixture.ts";
import { serve } from "./serve.ts";
import type { Serving } from "./serve.ts";

const expected = "checked one\n\nchecked two";
const solver = scripted(systemClock, () => ["one\nEND_STEP\n", "two\nEND_STEP"]);
const reviewer = scripted(systemClock, (_, { messages }) => [
  "checked ",
  (messages.at(-1)?.content ?? "").includes("two") ? "two" : "one",
  "\nEND_STEP",
]);
const topology = chain([
  { id: "solver", instructions: "Solve.", model: solver },
  { id: "reviewer", instructions: "Review.", model: reviewer },
]);
const talkers = {
  agents: ["proposer", "critic"].map((id) => ({
    id,
    instructions: "Talk.",
    model: scripted(systemClock, () => [`${id} speaks`]),
  })),
  edges: [],
};
const slow = held(["word "], ["more"]);
const breaking = scripted(systemClock, () => [
  "half ",
  { fail: new Error("the model broke, its key was sesame-open") },
]);

let serving: Serving;
before(async () => {
  serving = await serve({
    teams: {
      team: { topology, description: "a solver and a reviewer" },
      talk: { topology: talkers, options: { protocol: dialogue({ rounds: 1 }) } },
    },
    models: { slow, breaking },
    secrets: ["sesame-open"],
  });
});
after(() => serving.close({ deadlineMs: 0 }));

const clientOf = (team?: string): Promise<Client> =>
  new ClientFactory().createFromUrl(team === undefined ? serving.url : `${serving.url}/a2a/${team}/`);

test("the card names the teams as skills, and each team has a card of its own", async () => {
  const card = await AgentCardResolver.default.resolve(serving.url);
  assert.deepEqual(
    card.skills.map(({ id }) => id),
    ["team", "talk", "slow", "breaking"],
  );
  assert.equal(card.capabilities?.streaming, true);
  assert.equal(card.supportedInterfaces[0]?.url, `${serving.url}/a2a`);
  const own = await AgentCardResolver.default.resolve(`${serving.url}/a2a/team/`);
  assert.deepEqual([own.name, own.description], ["team", "a solver and a reviewer"]);
  assert.deepEqual(own.skills[0]?.tags, ["solver", "reviewer"]);
  assert.equal(own.supportedInterfaces[0]?.url, `${serving.url}/a2a/team`);
  assert.equal((await fetch(`${serving.url}/a2a/nobody/.well-known/agent-card.json`)).status, 404);
});

test("a message is a task that is completed, with the answer as artifact; it can be got again and listed", async () => {
  const client = await clientOf();
  const task = await done(client, asking("Do it.", { metadata: { skill: "team" } }));
  assert.equal(task.status?.state, TaskState.TASK_STATE_COMPLETED);
  assert.equal(textOf(task), expected);
  assert.deepEqual(task.artifacts[0]?.metadata, { agent: "reviewer" });
  assert.equal((task.metadata?.["usage"] as { outputTokens: number } | undefined)?.outputTokens, 8);
  assert.deepEqual(await client.getTask({ tenant: "", id: task.id }), task);
  const { contextId } = task;
  const listed = await client.listTasks({
    tenant: "",
    contextId,
    status: TaskState.TASK_STATE_UNSPECIFIED,
    pageToken: "",
    statusTimestampAfter: undefined,
  });
  assert.deepEqual(
    listed.tasks.map(({ id }) => id),
    [task.id],
  );
  const events = await (await fetch(`${serving.url}/runs/${task.id}/events`)).text();
  const trace = events.split("\n").flatMap((line) => (line.startsWith("data: ") ? [line.slice(6)] : []));
  assert.equal(parseTrace(trace).runs[0]?.at(-1)?.type, "run-end");
});

test("a stream tells the state, who speaks, and the answer as it is said", async () => {
  const client = await clientOf("team");
  const updates = await all(client.sendMessageStream(asking("Do it.")));
  const { texts, states, speakers } = together(updates);
  assert.deepEqual(Object.fromEntries(texts), { answer: expected });
  assert.deepEqual(
    [states[0], states[1], states.at(-1)],
    [TaskState.TASK_STATE_SUBMITTED, TaskState.TASK_STATE_WORKING, TaskState.TASK_STATE_COMPLETED],
  );
  assert.deepEqual(speakers, new Set(["solver", "reviewer"]));
  const pieces = updates.flatMap(({ payload }) => (payload?.$case === "artifactUpdate" ? [payload.value] : []));
  assert.deepEqual(pieces[0]?.metadata, { agent: "reviewer" });
  assert.equal(pieces.at(-1)?.lastChunk, true);
});

test("whoever asks for reasoning has the other agents' words too, each as an artifact with its speaker", async () => {
  const request = asking("Do it.", { metadata: { reasoning: true } });
  const updates = await all((await clientOf("team")).sendMessageStream(request));
  assert.deepEqual(Object.fromEntries(together(updates).texts), { "said by solver": "one\ntwo", answer: expected });
  const talk = await done(await clientOf("talk"), request);
  assert.deepEqual(
    talk.artifacts.map((each) => [each.artifactId, each.metadata?.["agent"], textOf(talk, each.artifactId)]),
    [
      ["answer", undefined, "critic speaks"],
      ["said by proposer", "proposer", "proposer speaks"],
      ["said by critic", "critic", "critic speaks"],
    ],
  );
});

test("a task that is canceled in mid-speech is cut: the speaker's model sees the abort, and the trace who cut", async () => {
  const client = await clientOf("slow");
  const earlier = slow.aborted();
  const updates: StreamResponse[] = [];
  let id = "";
  for await (const update of client.sendMessageStream(asking("Speak."))) {
    updates.push(update);
    if (update.payload?.$case === "task") id = update.payload.value.id;
    if (update.payload?.$case !== "artifactUpdate") continue;
    const task = await client.cancelTask(byId(id));
    assert.equal(task.status?.state, TaskState.TASK_STATE_CANCELED);
    assert.equal(textOf(task), "word");
  }
  assert.equal(slow.aborted(), earlier + 1);
  const { states } = together(updates);
  assert.equal(states.at(-1), TaskState.TASK_STATE_CANCELED);
  assert.equal(
    (await client.cancelTask(byId(id))).status?.state,
    TaskState.TASK_STATE_CANCELED,
    "once more is no harm",
  );
  const trace = await (await fetch(`${serving.url}/runs/${id}/events`)).text();
  assert.match(trace, /"type":"interrupt".*"by":"client"/);
  assert.match(trace, /"type":"run-end".*"cancelled"/);
});

test("leaving a stream cancels nothing: a task is subscribed to again, and nothing of it is lost", async () => {
  const own = held(["first ", "second "], ["third"]);
  const other = await serve({ teams: {}, models: { own } });
  try {
    const client = await new ClientFactory().createFromUrl(other.url);
    let id = "";
    for await (const { payload } of client.sendMessageStream(asking("Speak."))) {
      if (payload?.$case === "task") id = payload.value.id;
      if (payload?.$case === "artifactUpdate") break;
    }
    let text = "";
    for await (const { payload } of client.resubscribeTask({ tenant: "", id })) {
      if (payload?.$case === "task") {
        text = textOf(payload.value);
        own.release();
      }
      if (payload?.$case === "artifactUpdate" && payload.value.artifact !== undefined)
        text += textOf({ artifacts: [payload.value.artifact] });
    }
    assert.equal(text, "first second third");
    assert.equal(own.aborted(), 0);
    await assert.rejects(async () => {
      for await (const _ of client.resubscribeTask({ tenant: "", id }));
    }, UnsupportedOperationError);
    await assert.rejects(client.cancelTask(byId(id)), TaskNotCancelableError);
  } finally {
    await other.close({ deadlineMs: 0 });
  }
});

test("a client that leaves before it was told the task's id cancels it", async () => {
  const client = await clientOf("slow");
  const [earlier, calls] = [slow.aborted(), slow.requests.length];
  const stop = new AbortController();
  const sent = client.sendMessage(asking("Speak."), { signal: stop.signal });
  sent.catch(() => {});
  await until(() => slow.requests.length === calls + 1, "the call");
  stop.abort();
  await assert.rejects(sent);
  await until(() => slow.aborted() === earlier + 1, "the abort");
});

test("who does not want to wait is told the task at once, and may poll and cancel it", async () => {
  const client = await clientOf("slow");
  const configuration = { acceptedOutputModes: [], taskPushNotificationConfig: undefined, returnImmediately: true };
  const task = await done(client, asking("Speak.", { configuration }));
  assert.ok([TaskState.TASK_STATE_SUBMITTED, TaskState.TASK_STATE_WORKING].includes(task.status?.state as TaskState));
  assert.equal((await client.cancelTask(byId(task.id))).status?.state, TaskState.TASK_STATE_CANCELED);
});

test("a second message in a context is heard with the conversation so far", async () => {
  const client = await clientOf("team");
  const first = await done(client, asking("What is one?"));
  const calls = solver.requests.length;
  const again = { message: message("And two?", { contextId: first.contextId }) };
  const second = await done(client, asking("", again));
  assert.equal(second.contextId, first.contextId);
  const heard = solver.requests[calls]?.messages.map(({ content }) => content).join("\n") ?? "";
  for (const part of ["User: What is one?", `Assistant: ${expected}`, "And two?"])
    assert.ok(heard.includes(part), part);
  await assert.rejects(
    client.sendMessage(asking("", { message: message("More.", { taskId: first.id }) })),
    UnsupportedOperationError,
  );
});

test("a run that fails is a failed task that says why, without secrets", async () => {
  const task = await done(await clientOf("breaking"), asking("Break."));
  assert.equal(task.status?.state, TaskState.TASK_STATE_FAILED);
  const part = task.status?.message?.parts[0]?.content;
  assert.equal(part?.$case === "text" ? part.value : "", "the model broke, its key was ***");
});
