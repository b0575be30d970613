import assert from "node:assert/strict";
import { test } from "node:test";
import type { Model, ModelPart, ModelRequest } from "../core/types.ts";
import { once } from "./once.ts";

/** Never says the same twice; counts how often it is asked. */
function fickle({ fails = 0 } = {}) {
  const asked: ModelRequest[] = [];
  async function* stream(request: ModelRequest): AsyncGenerator<ModelPart, void, undefined> {
    asked.push(request);
    if (asked.length <= fails) throw new Error("busy");
    const words = ["take", String(asked.length), "of", "it"];
    for (const word of words) {
      await Promise.resolve();
      if (request.signal?.aborted === true) break;
      yield { type: "text", text: `${word} `, tokens: 1 };
    }
    const usage = { calls: 1, inputTokens: 9, cachedTokens: 0, outputTokens: words.length };
    yield { type: "end", reason: "stop", usage };
  }
  const model: Model = { id: "fickle", continues: true, stream };
  return { model, asked };
}

const prompt = (content: string): ModelRequest => ({ messages: [{ role: "user", content }] });

async function said(model: Model, request: ModelRequest, cutAfter = Infinity) {
  const cut = new AbortController();
  const parts: ModelPart[] = [];
  for await (const part of model.stream({ ...request, signal: cut.signal })) {
    parts.push(part);
    if (parts.length === cutAfter) cut.abort();
  }
  const text = parts.map((part) => (part.type === "text" ? part.text : "")).join("");
  const end = parts.at(-1);
  return { text, end: end?.type === "end" ? end : undefined };
}

test("the same prompt is answered with the same words by one call, another prompt by another", async () => {
  const { model, asked } = fickle();
  const remembered = once(model);
  const [first, together] = await Promise.all([said(remembered, prompt("a")), said(remembered, prompt("a"))]);
  const again = await said(remembered, { ...prompt("a"), session: "another" });
  assert.deepEqual([together, again], [first, first]);
  assert.equal(asked.length, 1);
  assert.notEqual((await said(remembered, prompt("b"))).text, first.text);
  assert.deepEqual([asked.length, remembered.id, remembered.continues], [2, "fickle", true]);
});

test("who is cut is charged for what was heard, and the others still hear all of it", async () => {
  const { model, asked } = fickle();
  const remembered = once(model);
  const cut = await said(remembered, prompt("a"), 2);
  assert.equal(cut.text, "take 1 ");
  assert.deepEqual([cut.end?.reason, cut.end?.usage.outputTokens, cut.end?.usage.inputTokens], ["interrupted", 2, 9]);
  const whole = await said(remembered, prompt("a"));
  assert.deepEqual([whole.text, whole.end?.reason, whole.end?.usage.outputTokens], ["take 1 of it ", "stop", 4]);
  assert.equal(asked.length, 1);
});

test("a failure is told and forgotten, and the signal ends a message in the making", async () => {
  const { model, asked } = fickle({ fails: 1 });
  const remembered = once(model);
  await assert.rejects(said(remembered, prompt("a")), /busy/);
  assert.equal((await said(remembered, prompt("a"))).text, "take 2 of it ");
  const stop = new AbortController();
  const stopped = once(model, { signal: stop.signal });
  const waiting = assert.rejects(said(stopped, prompt("a")), /enough/);
  stop.abort(new Error("enough"));
  await waiting;
  assert.equal(asked.length, 3);
});
