// What tests say to a served team by A2A, and read from its answers.

import assert from "node:assert/strict";
import type { StreamResponse, Task, TaskState } from "@a2a-js/sdk";
import type { Client } from "@a2a-js/sdk/client";

export const message = (text: string, more: object = {}) => ({
  messageId: crypto.randomUUID(),
  role: 1,
  parts: [{ content: { $case: "text" as const, value: text }, metadata: undefined, filename: "", mediaType: "" }],
  contextId: "",
  taskId: "",
  metadata: undefined,
  extensions: [],
  referenceTaskIds: [],
  ...more,
});
export const asking = (text: string, more: object = {}) => ({
  tenant: "",
  message: message(text),
  configuration: undefined,
  metadata: undefined,
  ...more,
});
export const textOf = (task: Pick<Task, "artifacts">, id = "answer") =>
  (task.artifacts.find(({ artifactId }) => artifactId === id)?.parts ?? [])
    .map(({ content }) => (content?.$case === "text" ? content.value : ""))
    .join("");
export const done = async (client: Client, request: Parameters<Client["sendMessage"]>[0]): Promise<Task> => {
  const result = await client.sendMessage(request);
  assert.ok("status" in result, "a task, not a message");
  return result;
};
export const byId = (id: string) => ({ tenant: "", id, metadata: undefined });

export async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

/** What a client that puts the updates together has in the end. */
export function together(updates: readonly StreamResponse[]) {
  const texts = new Map<string, string>();
  const states: (TaskState | undefined)[] = [];
  const speakers: unknown[] = [];
  for (const { payload } of updates) {
    if (payload?.$case === "task") states.push(payload.value.status?.state);
    if (payload?.$case === "statusUpdate") {
      states.push(payload.value.status?.state);
      speakers.push(payload.value.metadata?.["agent"]);
    }
    if (payload?.$case !== "artifactUpdate" || payload.value.artifact === undefined) continue;
    const { artifact, append } = payload.value;
    const id = artifact.artifactId;
    assert.equal(append, texts.has(id), "the first piece of an artifact begins it");
    texts.set(id, `${texts.get(id) ?? ""}${textOf({ artifacts: [artifact] }, id)}`);
  }
  return { texts, states, speakers: new Set(speakers.filter((each) => each !== undefined)) };
}
