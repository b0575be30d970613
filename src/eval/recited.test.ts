import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { ConfigError } from "../base/errors.ts";
import type { Message, Model, ModelPart } from "../core/types.ts";
import { countTokens } from "../models/tokens.ts";
import { VirtualClock } from "../testing/clock.ts";
import { loadVocabulary, recited, template } from "./recited.ts";
import { small } from "./play.fixture.ts";

async function play(model: Model, messages: readonly Message[] = [], signal?: AbortSignal) {
  const parts: ModelPart[] = [];
  for await (const part of model.stream({ messages, signal })) parts.push(part);
  const text = parts.map((part) => (part.type === "text" ? part.text : "")).join("");
  return { parts, text, end: parts.at(-1) };
}

const system: Message = { role: "system", content: "Speak." };
const user: Message = { role: "user", content: "Now." };
const said = (content: string): Message => ({ role: "assistant", content });

test("a text is said whole, in the tokens of the vocabulary, whatever it is made of", async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: "grapheme", minLength: 1, maxLength: 40 }), async (text) => {
      const { text: heard, parts, end } = await play(recited([text]));
      const tokens = parts.reduce((sum, part) => sum + (part.type === "text" ? (part.tokens ?? 0) : 0), 0);
      assert.equal(heard, text);
      assert.equal(tokens, await countTokens(text));
      assert.ok(end?.type === "end" && end.usage.outputTokens === tokens && end.reason === "stop");
    }),
    { numRuns: 50 },
  );
});

test("cut and given the floor back, it goes on where it was cut", async () => {
  const text = "The gate code is 4711. The meeting is in room 3.";
  assert.equal(
    (await play(recited([text]), [system, user, said("The gate co")])).text,
    "de is 4711. The meeting is in room 3.",
  );
});

test("it says a text a turn, then what was never heard of the last, then that there is no more", async () => {
  const model = recited(["One two.", "Three four."]);
  assert.equal((await play(model, [system, user])).text, "One two.");
  assert.equal((await play(model, [system, user, said("One"), user])).text, "Three four.");
  assert.equal((await play(model, [system, user, said("One"), user, said("Three"), user])).text, "four.");
  const over = [system, user, said("One two."), user, said("Three four."), user];
  assert.equal((await play(model, over)).text, "That is all I know.");
});

test("tokens come at the stated speed, and an abort ends it with what it took", async () => {
  await loadVocabulary();
  const clock = new VirtualClock();
  const stop = new AbortController();
  const model = recited(["one two three four five six seven eight"], { tokensPerSecond: 10, clock });
  clock.after(350, () => stop.abort());
  const { end, text } = await clock.run(play(model, [], stop.signal));
  assert.equal(text, "one two three");
  assert.ok(end?.type === "end" && end.reason === "interrupted" && end.usage.outputTokens === 3);
  assert.equal(clock.now(), 350);
});

test("a role without a template, and a speed that is none, are refused", () => {
  const [sample] = small().samples;
  assert.ok(sample !== undefined);
  const role = { ...sample.roles[0]!, says: undefined };
  assert.throws(() => template()({ sample, role, clock: new VirtualClock(), seed: 1 }), ConfigError);
  assert.throws(() => recited(["a"], { tokensPerSecond: 0 }), /tokensPerSecond: must be above 0/);
});
