// A listener with a policy of its own: it raises its hand as soon as it has heard what it needs, and has the floor.
// @ts-check
import assert from "node:assert/strict";
import { answer, dialogue, run } from "duplex-ai";

/** @param {string} id @param {readonly string[]} words @returns {import("duplex-ai").Model} */
const says = (id, words) => ({
  id,
  async *stream({ messages, signal }) {
    let outputTokens = 0;
    for (const word of words) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      if (signal?.aborted) break;
      outputTokens++;
      yield { type: "text", text: `${word} `, tokens: 1 };
    }
    const usage = { calls: 1, inputTokens: messages.length, cachedTokens: 0, outputTokens };
    yield { type: "end", reason: signal?.aborted ? "interrupted" : "stop", usage };
  },
});

/** @type {import("duplex-ai").Policy} */
const knows = { name: "knows", decide: ({ text }) => ({ advantage: text.includes("tomato") ? 1 : -1 }) };
const clue = "It is round and flat and has tomato and cheese on it and comes from Naples and everybody likes it".split(
  " ",
);
const agents = [
  { id: "speaker", instructions: "Describe the word.", model: says("speaker", clue) },
  { id: "listener", instructions: "Guess the word.", model: says("listener", ["Pizza!"]), policy: knows },
];
const stop = (/** @type {readonly import("duplex-ai").Utterance[]} */ said) => said.at(-1)?.agent === "listener";
const events = [];
for await (const event of run({ agents, edges: [] }, "Guess the word.", { protocol: dialogue({ stop }), chunk: 4 })) {
  events.push(event);
  if (event.type === "chunk") process.stdout.write(event.text);
  if (event.type === "interrupt") console.log(`— ✋ ${event.by}`);
}
const cut = events.find((event) => event.type === "turn-end");
assert.equal(cut?.reason, "interrupted");
assert.ok(cut.usage.outputTokens < clue.length);
assert.equal(answer(events), "Pizza!");
console.log();
