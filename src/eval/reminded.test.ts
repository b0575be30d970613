import assert from "node:assert/strict";
import { test } from "node:test";
import type { Message, Model, ModelRequest } from "../core/types.ts";
import { none } from "../core/usage.ts";
import { choosing } from "./choosing.ts";
import { converse } from "./conversation.ts";
import { listing, unlisted } from "./listing.ts";
import { reminded } from "./reminded.ts";
import { report } from "./tasks/report.ts";
import { template } from "./recited.ts";

/** A model that keeps what it is asked and answers the same each time. */
function asked(): { readonly model: Model; readonly requests: ModelRequest[] } {
  const requests: ModelRequest[] = [];
  const model: Model = {
    id: "asked",
    async *stream(request) {
      requests.push(request);
      yield { type: "text", text: "Answer: 5" };
      yield { type: "end", reason: "stop", usage: none };
    },
    choose: async (request, options) => {
      requests.push(request);
      return { probabilities: options.map((_, index) => (index === 0 ? 1 : 0)), usage: none };
    },
  };
  return { model, requests };
}

const contents = (messages: readonly Message[] | undefined) => messages?.map(({ content }) => content);

test("A reminder comes behind what was heard when a role speaks, and is no part of what is decided on", async () => {
  const { model, requests } = asked();
  const told = reminded(model, "Be brief.");
  const messages: readonly Message[] = [
    { role: "user", content: "One." },
    { role: "assistant", content: "Answer:" },
  ];
  for await (const _ of told.stream({ messages }));
  await told.choose?.({ messages }, ["a", "b"]);
  assert.deepEqual(
    requests.map((each) => contents(each.messages)),
    [
      ["One.\n\nBe brief.", "Answer:"],
      ["One.", "Answer:"],
    ],
  );
  for await (const _ of told.stream({ messages: [] }));
  assert.deepEqual(contents(requests[2]?.messages), ["Be brief."]);
  assert.equal(reminded(model, undefined), model);
});

test("In a conversation it stands last, once; where the answer is looked up the list is not read", async () => {
  const task = report({ facts: 2, choices: 4 });
  const [sample] = task.samples({ split: "dev", size: 1, seed: 1 });
  const { candidates = [], question = "" } = sample!.answer;
  for (const [wrap, listed] of [
    [(model: Model) => model, true],
    [choosing, false],
  ] as const) {
    const { model, requests } = asked();
    const setting = {
      task,
      chunk: 16,
      temperature: 0,
      maxTokens: 20,
      pace: "lockstep" as const,
      virtual: false,
      speaker: template(),
      listener: wrap(model),
    } as const;
    await converse(setting, { sample: sample!, seed: 1, policy: { name: "never" } });
    const heard = requests[0]?.messages.findLast(({ role }) => role === "user")?.content ?? "";
    assert.match(heard, /reporter: [^]*\n\nQuestion: [^]*"Answer: unknown"\.$/);
    assert.equal(heard.split(question).length, 2);
    assert.equal(heard.includes(listing(candidates)), listed);
  }
});

test("Only the list itself is left out", () => {
  const messages: readonly Message[] = [
    { role: "user", content: "Which? It is one of: a | b. Say it. It is one of: a | c." },
  ];
  assert.deepEqual(contents(unlisted(messages, ["a", "b"])), ["Which? Say it. It is one of: a | c."]);
});
