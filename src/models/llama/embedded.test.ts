// The real embedded model, where it is here or can be fetched. DUPLEX_TEST_MODEL=off leaves it out, another name chooses another.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { TestContext } from "node:test";
import { explain } from "../../base/errors.ts";
import type { Message, ModelRequest } from "../../core/types.ts";
import { pull } from "../store/index.ts";
import { llama } from "./index.ts";
import type { LlamaModel } from "./index.ts";

const wanted = process.env["DUPLEX_TEST_MODEL"] ?? "smollm2-135m";
let model: LlamaModel | undefined;
let why = "";

before(async () => {
  if (wanted === "off") {
    why = "the embedded model is left out (DUPLEX_TEST_MODEL=off)";
    return;
  }
  try {
    const { path } = await pull(wanted, { signal: AbortSignal.timeout(60_000) });
    model = await llama({ name: wanted, path, contextTokens: 1024 });
  } catch (error) {
    why = `the embedded model cannot be had: ${explain(error)}`;
  }
});
after(() => model?.close());

const realTest = (name: string, check: (model: LlamaModel) => Promise<void>) =>
  test(name, async (context: TestContext) => {
    if (model === undefined) context.skip(why);
    else await check(model);
  });

async function hear(speaker: LlamaModel, request: ModelRequest) {
  let text = "";
  for await (const part of speaker.stream(request)) {
    if (part.type === "text") text += part.text;
    if (part.type === "end") return { text, ...part };
  }
  throw new Error("no end");
}

void realTest(
  "The embedded model says something sensible, the same each time, and ends its turn itself",
  async (speaker) => {
    const messages = [
      { role: "user", content: "What is the capital of France? Answer in one short sentence." } as const,
    ];
    const first = await hear(speaker, { messages, session: "a", maxTokens: 40 });
    assert.match(first.text, /Paris/);
    assert.equal(first.reason, "stop");
    assert.equal((await hear(speaker, { messages, session: "b", maxTokens: 40 })).text, first.text);
  },
);

void realTest("At least 95 % of what can be reused in a growing conversation is not read again", async (speaker) => {
  const messages: Message[] = [{ role: "system", content: "You check each step that you are told, in one sentence." }];
  let [held, reusable, cached] = [0, 0, 0];
  for (const step of ["4 pens cost 3 euros each.", "Together they cost 12 euros — 12 €.", "The change from 20 is 8."]) {
    messages.push({ role: "user", content: step });
    const { text, usage } = await hear(speaker, { messages, session: "growing", maxTokens: 24 });
    reusable += held;
    cached += usage.cachedTokens;
    held = usage.inputTokens + usage.outputTokens;
    messages.push({ role: "assistant", content: text });
  }
  assert.ok(cached >= 0.95 * reusable, `${cached} of ${reusable}`);
});

void realTest("What it would choose is what it says first", async (speaker) => {
  const messages = [{ role: "user", content: "Reply with one word: is fire hot? Yes or No." } as const];
  const { top, probabilities } = await speaker.choose({ messages, session: "choice" }, ["Yes", "No"]);
  const { text } = await hear(speaker, { messages, session: "choice", maxTokens: 1 });
  assert.equal(text, top?.text);
  assert.ok(probabilities.every((p) => p > 0 && p < 1));
});
