import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { Model, ModelPart, ModelRequest } from "../core/types.ts";
import { simulateServer } from "../server/simulate.ts";
import { VirtualClock } from "../testing/clock.ts";
import { tinyGguf } from "../testing/gguf.ts";
import { parseModel } from "./spec.ts";

const env = {};
const request: ModelRequest = { messages: [{ role: "user", content: "Solve it in 2 steps." }] };

async function endOf(model: Model, asked = request): Promise<ModelPart | undefined> {
  let last: ModelPart | undefined;
  for await (const part of model.stream(asked)) last = part;
  return last;
}

const refused = (spec: string, message: RegExp, given: Readonly<Record<string, string>> = env) =>
  assert.rejects(parseModel(spec, { env: given }), (error) => {
    assert.ok(error instanceof Error && error.name === "ConfigError", String(error));
    assert.match(error.message, message);
    assert.doesNotMatch(error.message, /\n|secret/);
    return true;
  });

test("a simulated model with and without options, under the clock given", async () => {
  const plain = await parseModel("simulated", { env });
  assert.deepEqual([plain.id, plain.simulated], ["simulated", true]);
  const clock = new VirtualClock();
  const model = await parseModel("simulated:decode=50, ttft=300,prefill=Infinity,accuracy=0.9/0.8", { env, clock });
  await clock.run(endOf(model));
  assert.equal(clock.now(), 300 + (2 * 24 * 1000) / 50);
});

test("a model behind an address, with Duplex's key of the environment; OpenAI's goes to OpenAI alone", async (context) => {
  const server = await simulateServer({ ttft: 0, decode: Infinity, apiKey: "secret-key" });
  context.after(() => server.close());
  const given = { DUPLEX_API_KEY: "secret-key", OPENAI_API_KEY: "other" };
  const model = await parseModel(`openai:simulated@${server.url},concurrency=2,retries=0`, { env: given });
  assert.equal(model.id, "simulated");
  const end = await endOf(model);
  assert.ok(end?.type === "end" && end.usage.outputTokens === 48);
  for (const others of [{ DUPLEX_API_KEY: "secret" }, { OPENAI_API_KEY: "secret-key" }]) {
    const wrong = await parseModel(`openai:simulated@${server.url},retries=0`, { env: others });
    await assert.rejects(endOf(wrong), (error) => error instanceof Error && !error.message.includes("secret"));
  }
});

test("models of one address, name and key share a gate", async (context) => {
  let inside = 0;
  let most = 0;
  const server = createServer((_, response) => {
    most = Math.max(most, ++inside);
    setImmediate(() => {
      inside--;
      response.end('data: {"choices":[{"delta":{"content":"x"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  context.after(() => server.close());
  const spec = `openai:gated@http://127.0.0.1:${(server.address() as AddressInfo).port}/v1,concurrency=1`;
  const models = await Promise.all([parseModel(spec, { env }), parseModel(spec, { env })]);
  await Promise.all([...models, ...models].map((model) => endOf(model)));
  assert.equal(most, 1);
});

test("a local model from a file", async (context) => {
  const folder = await mkdtemp(join(tmpdir(), "duplex-spec-"));
  context.after(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, "tiny, small.gguf");
  await writeFile(path, tinyGguf());
  const model = await parseModel(`llama:${path},threads=1,contextTokens=256`, { env });
  const end = await endOf(model, { ...request, maxTokens: 3 });
  await model.close?.();
  assert.ok(end?.type === "end" && end.usage.outputTokens === 3);
});

test("an unknown form is answered with those there are", () =>
  refused(
    "gpt-4",
    /^model: there is no form "gpt-4"; write simulated, .*openai:NAME@URL, llama:NAME or llama:\.\/file/,
  ));

test("an unknown or wrong option is named, with those there are", async () => {
  await refused(
    "simulated:speed=1",
    /^model option speed: a simulated model has no such option; there are ttft, .*cache/,
  );
  await refused("simulated:decode=fast", /^model option decode: "fast" is not a number/);
  await refused("simulated:jitter=2", /^model option jitter: 2 is not a number of at least 0 and at most 1/);
  await refused("simulated:seed=1,seed=2", /^model option seed: is there twice/);
  await refused("simulated:decode", /^model: "decode" is not an option; write name=value/);
  await refused("simulated:constructor=1", /^model option constructor: /);
  await refused(
    "openai:x@http://localhost/v1,speed=1",
    /^model option speed: openai has no such option; there are conc/,
  );
  await refused("openai:x@http://localhost/v1,concurrency=many", /^model option concurrency: "many" is not a whole/);
  await refused("llama:./x.gguf,constructor=4", /^model option constructor: llama has no such option; .*lora, threads/);
});

test("a missing name, address, key or file is named", async () => {
  await refused("openai:", /needs the model's name/);
  await refused("openai:x", /needs a key; set OPENAI_API_KEY or DUPLEX_API_KEY/);
  await refused("openai:x@localhost:8080", /begins with http/, { OPENAI_API_KEY: "secret" });
  await refused("llama:", /needs a model's name or a file/);
  await refused("llama:./missing.gguf", /missing\.gguf/);
  await refused("llama:no-such-model", /no-such-model/);
});
