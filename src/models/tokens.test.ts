import assert from "node:assert/strict";
import { test } from "node:test";
import { countMessages, countTokens, estimate } from "./tokens.ts";

test("counts as the o200k vocabulary does", async () => {
  assert.equal(await countTokens(""), 0);
  assert.equal(await countTokens("hello world"), 2);
  assert.equal(await countTokens("Die Zwölf"), (await countTokens("Die")) + (await countTokens(" Zwölf")));
});

test("text that looks like a control token is text", async () => {
  assert.ok((await countTokens("<|endoftext|>")) > 1);
});

test("a run without a break is counted in time that grows with its length only", async () => {
  const tokens = await countTokens("a".repeat(200_000));
  assert.ok(tokens > 20_000 && tokens < 50_000, String(tokens));
});

test("a request costs more than its contents, and an estimate says that it is one", async () => {
  const messages = [{ role: "user", content: "hello world" }] as const;
  assert.ok((await countMessages(messages)) > 2);
  const usage = await estimate(messages, "hello");
  assert.deepEqual(usage, {
    calls: 1,
    inputTokens: await countMessages(messages),
    cachedTokens: 0,
    outputTokens: 1,
    estimated: true,
  });
});
