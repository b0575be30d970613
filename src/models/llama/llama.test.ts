import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Message, ModelPart, ModelRequest } from "../../core/types.ts";
import { chatTemplate, tinyGguf, tinyLora } from "../../testing/gguf.ts";
import { llama } from "./index.ts";
import type { LlamaModel, LlamaOptions } from "./index.ts";

let folder: string;
const files: Record<"endless" | "ending" | "lora", string> = { endless: "", ending: "", lora: "" };
const opened: LlamaModel[] = [];

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "duplex-llama-"));
  for (const name of ["endless", "ending", "lora"] as const) files[name] = join(folder, `${name}.gguf`);
  await writeFile(files.endless, tinyGguf());
  await writeFile(files.ending, tinyGguf({ ending: 1.2 }));
  await writeFile(files.lora, tinyLora());
});
after(async () => {
  for (const model of opened) await model.close();
  await rm(folder, { recursive: true, force: true });
});

async function open(options: LlamaOptions = {}): Promise<LlamaModel> {
  const model = await llama({ path: files.endless, threads: 1, contextTokens: 1024, ...options });
  opened.push(model);
  return model;
}

async function hear(model: LlamaModel, request: ModelRequest) {
  const parts: ModelPart[] = [];
  for await (const part of model.stream(request)) parts.push(part);
  const end = parts.pop();
  assert.equal(end?.type, "end");
  const texts = parts.filter((part) => part.type === "text");
  const text = texts.map((part) => part.text).join("");
  return { text, texts, parts, reason: end.reason, usage: end.usage };
}

const user = (content: string): Message => ({ role: "user", content });
const assistant = (content: string): Message => ({ role: "assistant", content });
const long = Array.from({ length: 60 }, (_, n) => `The step ${n} is so and so.`).join(" ");

test("The same request gives the same words, and usage counts every token", async () => {
  const model = await open();
  const request = { messages: [user("one")], maxTokens: 30 };
  const first = await hear(model, request);
  assert.deepEqual([first.reason, first.usage.calls, first.usage.cachedTokens], ["length", 1, 0]);
  assert.equal(first.usage.outputTokens, 30);
  const second = await hear(model, request);
  assert.equal(second.text, first.text);
  // All but the last token of the prompt is still there.
  assert.deepEqual(second.usage, { ...first.usage, cachedTokens: first.usage.inputTokens - 1 });
});

test("A seed decides what is sampled", async () => {
  const model = await open();
  const sample = (seed: number) => hear(model, { messages: [user("one")], maxTokens: 20, temperature: 1, seed });
  const [a, b, other] = [await sample(7), await sample(7), await sample(8)];
  assert.equal(a.text, b.text);
  assert.notEqual(a.text, other.text);
});

test("In a conversation nothing is read twice: what was heard and what was said are both still there", async () => {
  const model = await open();
  const messages: Message[] = [{ role: "system", content: "So it is." }];
  let reusable = 0;
  let cached = 0;
  let held = 0;
  for (let turn = 0; turn < 6; turn++) {
    messages.push(user(`The answer to ${turn} is é, 日 and 😀.`));
    const { text, usage } = await hear(model, { messages, session: "a", maxTokens: 40, temperature: 1, seed: turn });
    reusable += held;
    cached += usage.cachedTokens;
    held = usage.inputTokens + usage.outputTokens;
    messages.push(assistant(text));
  }
  assert.ok(cached >= 0.98 * reusable, `${cached} of ${reusable} tokens were reused`);
});

test("A session's state survives another session's calls", async () => {
  const model = await open();
  const ask = (session: string) => hear(model, { messages: [user(long)], session, maxTokens: 5 });
  const first = await ask("a");
  await hear(model, { messages: [user("else")], session: "b", maxTokens: 5 });
  const again = await ask("a");
  assert.equal(again.usage.cachedTokens, first.usage.inputTokens - 1);
});

test("A turn that was cut goes on with the very words it would have said", async () => {
  const model = await open();
  const messages = [user("tell")];
  const whole = await hear(model, { messages, session: "whole", maxTokens: 40 });
  const begun = await hear(model, { messages, session: "cut", maxTokens: 15 });
  const rest = await hear(model, { messages: [...messages, assistant(begun.text)], session: "cut", maxTokens: 25 });
  assert.equal(begun.text + rest.text, whole.text);
  assert.equal(rest.usage.cachedTokens, begun.usage.inputTokens + 14);
  const next = { messages: [...messages, assistant(whole.text), user("more")], session: "cut", maxTokens: 1 };
  assert.equal((await hear(model, next)).usage.cachedTokens, begun.usage.inputTokens + 39);
});

test("A turn ends where the model ends it, and never shows how", async () => {
  const model = await open({ path: files.ending });
  const ends = [];
  for (let seed = 0; seed < 12; seed++) {
    ends.push(await hear(model, { messages: [user("one")], maxTokens: 200, temperature: 1, seed }));
  }
  const stopped = ends.filter(({ reason }) => reason === "stop");
  assert.ok(stopped.length > 0);
  for (const { text, texts, usage } of stopped) {
    assert.ok(!text.includes("<|"));
    assert.equal(
      texts.reduce((sum, { tokens = 0 }) => sum + tokens, 0),
      usage.outputTokens,
    );
  }
});

test("A stop string ends the turn and is not said", async () => {
  const model = await open();
  const request = { messages: [user("one")], maxTokens: 60 };
  const { text } = await hear(model, request);
  const stop = text.slice(20, 23);
  const stopped = await hear(model, { ...request, stop: ["never said", stop] });
  assert.equal(stopped.reason, "stop");
  assert.equal(stopped.text, text.slice(0, text.indexOf(stop)));
});

test("An abort while reading ends within a slice, and what was read stays", async () => {
  const model = await open({ prefillSlice: 16 });
  const stop = new AbortController();
  const request = { messages: [user(long)], session: "a", signal: stop.signal };
  const heard = hear(model, request);
  setImmediate(() => stop.abort());
  const { reason, text, usage } = await heard;
  assert.deepEqual([reason, text, usage.outputTokens], ["interrupted", "", 0]);
  const again = await hear(model, { messages: request.messages, session: "a", maxTokens: 1 });
  assert.ok(usage.inputTokens < again.usage.inputTokens);
  assert.equal(again.usage.cachedTokens, usage.inputTokens);
});

test("An abort while speaking ends with the token in progress, with its usage", async () => {
  const model = await open();
  const stop = new AbortController();
  const parts: ModelPart[] = [];
  for await (const part of model.stream({ messages: [user("one")], signal: stop.signal })) {
    parts.push(part);
    if (parts.length === 5) stop.abort();
  }
  const end = parts.at(-1);
  assert.ok(end?.type === "end" && end.reason === "interrupted" && end.usage.outputTokens <= 7);
  assert.equal(parts.filter(({ type }) => type === "end").length, 1);
  const early = await hear(model, { messages: [user("one")], signal: AbortSignal.abort() });
  assert.deepEqual([early.reason, early.usage.outputTokens, early.usage.inputTokens], ["interrupted", 0, 0]);
});

test("Who leaves the stream frees its place for those who wait, and waiting is said", async () => {
  const model = await open({ contexts: 1, atOnce: 1 });
  const first = model.stream({ messages: [user("one")], session: "a" })[Symbol.asyncIterator]();
  await first.next();
  const second = hear(model, { messages: [user("two")], session: "b", maxTokens: 3 });
  const stop = new AbortController();
  const third = hear(model, { messages: [user("two")], session: "c", signal: stop.signal });
  stop.abort();
  assert.equal((await third).reason, "interrupted");
  await first.return?.();
  const { parts } = await second;
  assert.deepEqual(
    parts.slice(0, 2).map((part) => part.type === "wait" && part.ms !== undefined),
    [false, true],
  );
});

test("Sessions side by side say what each would say alone", async () => {
  const model = await open();
  const asked = ["one", "two", "three", "four"];
  const request = (text: string, session: string) => ({ messages: [user(text)], session, maxTokens: 30 });
  const together = await Promise.all(asked.map((text) => hear(model, request(text, `together ${text}`))));
  for (const [index, text] of asked.entries()) {
    assert.equal((await hear(model, request(text, "alone"))).text, together[index]?.text);
  }
});

test("A choice is the model's own distribution, from one pass over what is new", async () => {
  const model = await open();
  const request = { messages: [user("Is it so?")], session: "a" };
  const { top, ...first } = await model.choose(request, ["Yes", "No"]);
  assert.ok(first.probabilities.every((p) => p > 0) && first.probabilities.reduce((sum, p) => sum + p) < 1);
  assert.ok(first.entropy !== undefined && first.entropy > 0 && first.entropy < Math.log(400));
  const said = await hear(model, { ...request, maxTokens: 1 });
  assert.equal(said.text, top?.text);
  const { probabilities } = await model.choose(request, [top?.text ?? "", "Yes"]);
  // The option may also be said after a space; where that is all but impossible, nothing more is read for it.
  const extra = (probabilities[0] ?? 0) - (top?.probability ?? 1);
  assert.ok(extra > -1e-6 && extra < 0.02);
  assert.deepEqual(first.usage, {
    calls: 1,
    inputTokens: said.usage.inputTokens,
    cachedTokens: 0,
    outputTokens: 0,
  });
});

test("Options that begin alike are told apart further on, and what one has is never counted twice", async () => {
  const model = await open();
  const request = { messages: [user("one")] };
  // Most letters are tokens of their own in this vocabulary, and so is a space before one.
  const { probabilities, usage } = await model.choose(request, ["qg", "qj", "q", "x"]);
  const plain = await model.choose(request, ["q", "x"]);
  const [q = 0, x = 0] = plain.probabilities;
  const [qg = 0, qj = 0, rest = 0, alone = 0] = probabilities;
  assert.ok(qg > 0 && qj > 0 && rest > 0);
  assert.ok(Math.abs(qg + qj + rest - q) < 1e-6 && Math.abs(alone - x) < 1e-6);
  const messages = [...request.messages, assistant("q")];
  const [g = 0] = (await model.choose({ messages }, ["g"])).probabilities;
  // What may also follow a space makes the difference.
  assert.ok(Math.abs(qg / q - g) < 0.02);
  // One look for what begins with q, as it stands and after the space.
  assert.equal(usage.inputTokens, plain.usage.inputTokens + 2);
});

test("An option that is empty or there twice is refused", async () => {
  const model = await open();
  const request = { messages: [user("one")] };
  await assert.rejects(model.choose(request, ["tea", ""]), /options\[1\]: an option needs at least one character/);
  await assert.rejects(model.choose(request, ["tea", "tea"]), /options\[1\]: "tea" is there twice/);
});

test("An adapter changes what is said, at its scale", async () => {
  const request = { messages: [user("one")] };
  const weigh = async (options: LlamaOptions) =>
    (await (await open(options)).choose(request, ["Yes"])).probabilities[0];
  const plain = await weigh({});
  assert.equal(await weigh({ lora: [{ path: files.lora, scale: 0 }] }), plain);
  assert.notEqual(await weigh({ lora: [{ path: files.lora }] }), plain);
});

test("What does not fit the context is refused before it is read", async () => {
  const model = await open({ contextTokens: 256 });
  const error = await hear(model, { messages: [user(long)] }).then(
    () => undefined,
    (reason: unknown) => reason as Error,
  );
  assert.match(error?.message ?? "", /the request has \d+ tokens and the context holds 256/);
  assert.equal(error?.name, "ModelError");
  const full = await hear(model, { messages: [user("one")] });
  assert.equal(full.reason, "length");
  assert.equal(full.usage.inputTokens + full.usage.outputTokens, 256);
});

test("A file without a template, and one whose template wants a beginning, both work", async () => {
  const bare = join(folder, "bare.gguf");
  await writeFile(bare, tinyGguf({ template: null }));
  const same = await hear(await open({ path: bare }), { messages: [user("one")], maxTokens: 10 });
  const usual = await hear(await open(), { messages: [user("one")], maxTokens: 10 });
  assert.equal(same.text, usual.text);
  const begun = join(folder, "begun.gguf");
  await writeFile(begun, tinyGguf({ template: `{{ bos_token }}${chatTemplate}` }));
  const { usage } = await hear(await open({ path: begun }), { messages: [user("one")], maxTokens: 1 });
  assert.equal(usage.inputTokens, usual.usage.inputTokens + 1);
});

test("A file used twice is loaded once and stays until the last has closed; a closed model says so", async () => {
  const [first, second] = [await open(), await open()];
  await first.close();
  await first.close();
  assert.equal((await hear(second, { messages: [user("one")], maxTokens: 2 })).reason, "length");
  await assert.rejects(hear(first, { messages: [user("one")] }), /is closed/);
  await assert.rejects(first.choose({ messages: [user("one")] }, ["Yes"]), /is closed/);
});

test("Wrong settings are named before anything is loaded", async () => {
  await assert.rejects(llama({}), /llama: needs a path/);
  await assert.rejects(llama({ path: files.endless, threads: 0 }), /llama\.threads: must be a whole number above 0/);
  await assert.rejects(llama({ path: join(folder, "none.gguf") }), /none\.gguf: there is no such file/);
  await assert.rejects(llama({ name: "no-such-model" }), /model no-such-model/);
});
