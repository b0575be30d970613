import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { inOnePiece } from "./a2a-telling.ts";
import type { Update } from "./a2a-telling.ts";

const ids = { taskId: "t", contextId: "c" };
const said = (agent: string, text: string): Update => ({
  $case: "artifactUpdate",
  value: {
    ...ids,
    artifact: {
      artifactId: agent,
      name: agent,
      description: "",
      parts: [{ content: { $case: "text", value: text }, metadata: undefined, filename: "", mediaType: "" }],
      metadata: { agent },
      extensions: [],
    },
    append: true,
    lastChunk: false,
    metadata: { agent },
  },
});
const changed = (turn: number): Update => ({
  $case: "statusUpdate",
  value: { ...ids, status: undefined, metadata: { turn } },
});

/** What is heard: who says what between the changes, without how it was cut. */
function heard(updates: readonly Update[]): readonly string[] {
  const all: string[] = [];
  let last = "";
  for (const update of updates) {
    if (update.$case === "statusUpdate") all.push(`turn ${update.value.metadata?.["turn"]}`);
    if (update.$case !== "artifactUpdate") last = "";
    if (update.$case !== "artifactUpdate") continue;
    const { artifactId = "", parts = [] } = update.value.artifact ?? {};
    const text = parts.map(({ content }) => (content?.$case === "text" ? content.value : "")).join("");
    if (artifactId === last) all[all.length - 1] += text;
    else all.push(`${artifactId}: ${text}`);
    last = artifactId;
  }
  return all;
}

test("joining loses no word, keeps the order and who said it, and leaves nothing that could be joined", () => {
  const update = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.tuple(fc.constantFrom("a", "b"), fc.string()).map(([agent, text]) => said(agent, text)),
    },
    { weight: 1, arbitrary: fc.nat(9).map(changed) },
  );
  fc.assert(
    fc.property(fc.array(fc.array(update, { maxLength: 8 }), { maxLength: 8 }), (batches) => {
      const joined = batches.map(inOnePiece);
      assert.deepEqual(heard(joined.flat()), heard(batches.flat()));
      for (const batch of joined) assert.equal(batch.length, heard(batch).length);
    }),
  );
});
