import assert from "node:assert/strict";
import { test } from "node:test";
import type { Model } from "./types.ts";
import { none } from "./usage.ts";
import { wrapped } from "./wrapped.ts";

async function* silent() {}

test("A wrapped model is the other one, but for what it is given to do", async () => {
  const choice = { probabilities: [1], usage: none };
  const whole: Model = {
    id: "m",
    continues: true,
    simulated: false,
    stream: silent,
    async choose() {
      assert.equal(this, whole);
      return choice;
    },
  };
  const stream = async function* other() {
    yield { type: "text", text: "other" } as const;
  };
  const same = wrapped(whole, { stream });
  assert.deepEqual([same.id, same.continues, same.simulated], ["m", true, false]);
  for await (const part of same.stream({ messages: [] })) assert.deepEqual(part, { type: "text", text: "other" });
  assert.equal(await same.choose?.({ messages: [] }, ["a"]), choice);
  const choose = async () => ({ ...choice, probabilities: [0] });
  assert.deepEqual((await wrapped(whole, { stream, choose }).choose?.({ messages: [] }, ["a"]))?.probabilities, [0]);
});

test("What the other cannot do, the wrapped one cannot do either, and says nothing of", () => {
  const choose = async () => ({ probabilities: [], usage: none });
  assert.deepEqual(wrapped({ id: "m", stream: silent }, { stream: silent, choose }), { id: "m", stream: silent });
});
