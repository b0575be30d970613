import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock } from "../base/clock.ts";
import type { Model, ModelPart, ModelRequest } from "../core/types.ts";
import { countTokens } from "../models/tokens.ts";
import { choosing } from "./choosing.ts";
import { all, small } from "./play.fixture.ts";
import { simulatedListeners } from "./simulated-listener.ts";
import { report } from "./tasks/report.ts";

const task = report({ choices: 8 });
const samples = task.samples({ split: "dev", size: 4, seed: 1 });
const [sample] = samples;
assert.ok(sample !== undefined);
const seat = { sample, role: sample.roles[1]!, clock: systemClock, seed: 1 };
const usage = { calls: 1, inputTokens: 50, cachedTokens: 20, outputTokens: 0 };

/** Likes the third option best, and keeps what it was asked. */
function picky(continues: boolean): { model: Model; asked: ModelRequest[] } {
  const asked: ModelRequest[] = [];
  const model: Model = {
    id: "picky",
    continues,
    stream: () => assert.fail("it is asked to choose, not to speak"),
    choose: async (request, options) => {
      asked.push(request);
      return { probabilities: options.map((_, index) => (index === 2 ? 0.4 : 0.05)), usage };
    },
  };
  return { model, asked };
}

async function play(model: Model): Promise<ModelPart[]> {
  const parts: ModelPart[] = [];
  for await (const part of model.stream({ messages: [{ role: "user", content: "Which?" }] })) parts.push(part);
  return parts;
}

test("a closed list is answered with the likeliest candidate, whose tokens count as said", async () => {
  for (const continues of [true, false]) {
    const { model, asked } = picky(continues);
    const text: string = `Answer: ${sample.answer.candidates?.[2]}`;
    const tokens = await countTokens(text);
    assert.deepEqual(await play(choosing(model)(seat)), [
      { type: "text", text, tokens },
      { type: "end", reason: "stop", usage: { ...usage, outputTokens: tokens } },
    ]);
    const last = asked[0]?.messages.at(-1);
    assert.deepEqual(last, continues ? { role: "assistant", content: "Answer:" } : { role: "user", content: "Which?" });
  }
});

test("without candidates the model speaks for itself, and one that shows no probabilities is refused", async () => {
  const { model } = picky(true);
  const open = { ...seat, sample: { ...sample, answer: { ...sample.answer, candidates: undefined } } };
  assert.equal(choosing(model)(open), model);
  const blind: Model = { id: model.id, stream: () => assert.fail("it is not asked") };
  await assert.rejects(play(choosing(blind)(seat)), /listener: picky shows no probabilities/);
});

test("in an evaluation, what a choosing listener knows is what it answers", async () => {
  const listener = choosing(simulatedListeners());
  const results = await all(small({ task, samples, listener, arms: small().arms.slice(0, 1), pace: "lockstep" }));
  assert.ok(results.every(({ success, reply }) => success === 1 && reply?.startsWith("Answer: ")));
});
