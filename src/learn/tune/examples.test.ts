import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { label } from "../label.ts";
import { messages, point } from "../points.fixture.ts";
import { balanced, examplesOf, heldBack, leadFor, openaiLine, trlLine } from "./examples.ts";

const asking = { question: "Enough?", words: ["Yes", "No"] as const, lead: "" };

test("A label becomes what the listener would see, the question behind it, and the word", () => {
  const [example] = examplesOf(label([point()]), asking);
  assert.deepEqual(JSON.parse(openaiLine(example!)), {
    messages: [
      { role: "user", content: "reporter: The board meets at\n\nEnough?" },
      { role: "assistant", content: "Yes" },
    ],
  });
  assert.deepEqual(JSON.parse(trlLine(example!, [4, 2])), {
    prompt: [{ role: "user", content: "reporter: The board meets at\n\nEnough?" }],
    completion: [{ role: "assistant", content: "Yes" }],
    label: 1,
    group: "report a",
    tokens: [4, 2],
  });
});

test("A model that thinks aloud has its thought closed before the word", () => {
  assert.equal(leadFor("{{ x }}"), "");
  const lead = leadFor("{% if y %}<think>{{ z }}</think>{% endif %}");
  const [example] = examplesOf(label([point()]), { ...asking, lead });
  assert.deepEqual(example?.prompt.at(-1), { role: "assistant", content: "<think>\n\n</think>\n\n" });
});

test("Samples are held back whole, and balanced classes are equally large", () => {
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 30 }), fc.integer({ min: 0, max: 99 }), (count, seed) => {
      const all = examplesOf(label(messages(count, { seed })), asking);
      const { train, held } = heldBack(all, 0.2, seed);
      const groups = new Set(held.map(({ group }) => group));
      assert.ok(groups.size >= 1 && groups.size < count && train.every(({ group }) => !groups.has(group)));
      assert.deepEqual([...train, ...held].length, all.length);
      const even = balanced(all, seed);
      const positive = even.filter((each) => each.label === 1).length;
      assert.equal(positive * 2, even.length);
      assert.equal(
        even.length,
        2 * Math.min(all.filter((each) => each.label === 1).length, all.filter((each) => each.label === 0).length),
      );
      assert.deepEqual(balanced(all, seed), even);
    }),
    { numRuns: 30 },
  );
});
