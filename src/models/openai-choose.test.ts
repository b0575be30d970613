import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import type { Choice } from "../core/types.ts";
import { answering, messages } from "./__fixtures__/answering.ts";
import { match } from "./openai-choose.ts";
import type { OpenAIOptions } from "./openai.ts";

type Shown = readonly (readonly [token: string, probability: number])[];

const completion = (shown: Shown) => ({
  id: "chatcmpl-1",
  object: "chat.completion",
  choices: [
    {
      index: 0,
      message: { role: "assistant", content: shown[0]?.[0] },
      finish_reason: "length",
      logprobs: {
        content: [
          {
            token: shown[0]?.[0],
            logprob: Math.log(shown[0]?.[1] ?? 1),
            top_logprobs: shown.map(([token, probability]) => ({ token, logprob: Math.log(probability), bytes: null })),
          },
        ],
      },
    },
  ],
  usage: { prompt_tokens: 50, completion_tokens: 1, prompt_tokens_details: { cached_tokens: 48 } },
});

const yes: Shown = [
  ["Yes", 0.4],
  [" Yes", 0.1],
  [" No", 0.2],
  ["yes", 0.15],
  ["N", 0.05],
];

type Asked = { readonly body: unknown; readonly with?: Partial<OpenAIOptions> };

async function choice(t: TestContext, options: readonly string[], asking: Asked) {
  const { model, server } = await answering(t, (exchange) => exchange.reply(200, asking.body), asking.with);
  const chosen = await model.choose!({ messages }, options);
  return { chosen, asked: server.exchanges[0]!.body };
}

const near = (actual: readonly number[], expected: readonly number[]) => {
  assert.equal(actual.length, expected.length);
  actual.forEach((value, index) =>
    assert.ok(Math.abs(value - expected[index]!) < 1e-9, `${actual.join()} for ${expected.join()}`),
  );
};

test("a choice adds up a word's tokens with and without a space, minds case, and does not renormalise", async (t) => {
  const { chosen, asked } = await choice(t, ["Yes", "No"], { body: completion(yes) });
  near(chosen.probabilities, [0.5, 0.2]);
  const expected: Choice["usage"] = { calls: 1, inputTokens: 50, cachedTokens: 48, outputTokens: 1 };
  assert.deepEqual(chosen.usage, expected);
  assert.equal(chosen.top?.text, "Yes");
  near([chosen.top?.probability ?? 0], [0.4]);
  near([chosen.entropy ?? 0], [yes.reduce((sum, [, p]) => sum - p * Math.log(p), 0)]);
  assert.deepEqual(
    [asked["max_tokens"], asked["logprobs"], asked["top_logprobs"], asked["stream"], asked["temperature"]],
    [1, true, 20, false, 0],
  );
});

test("a server that allows fewer logprobs is asked for fewer", async (t) => {
  const { asked } = await choice(t, ["Yes"], { body: completion(yes), with: { topLogprobs: 5 } });
  assert.equal(asked["top_logprobs"], 5);
});

test("a choice without logprobs says that the server cannot choose", async (t) => {
  const body = { ...completion(yes), choices: [{ message: { content: "Yes" }, logprobs: null }] };
  await assert.rejects(choice(t, ["Yes"], { body }), {
    name: "ModelError",
    message: /returned no logprobs.*use a server/,
  });
});

test("an answer that is not JSON, or an error, fails the choice", async (t) => {
  await assert.rejects(choice(t, ["Yes"], { body: "Yes" }), { name: "ModelError", message: /not JSON: Yes/ });
  await assert.rejects(choice(t, ["Yes"], { body: { error: { message: "broken" } } }), {
    name: "ModelError",
    message: /broken/,
  });
});

test("options that are empty, double or begin alike are the caller's mistake", async (t) => {
  const config = { name: "ConfigError" };
  await assert.rejects(choice(t, [], { body: completion(yes) }), config);
  await assert.rejects(choice(t, ["Yes", " "], { body: completion(yes) }), config);
  await assert.rejects(choice(t, ["Yes", " Yes"], { body: completion(yes) }), config);
  await assert.rejects(choice(t, ["Interrupt", "Interest"], { body: completion([["Inter", 0.9]]) }), config);
});

test("a choice that is cut rejects with the signal's reason and leaves no listener", async (t) => {
  const cut = new AbortController();
  const { model } = await answering(t, () => cut.abort(new Error("enough")));
  await assert.rejects(model.choose!({ messages, signal: cut.signal }, ["Yes"]), { message: "enough" });
});

for (const [name, shown, options, expected] of [
  [
    "an option longer than a token counts by its longest beginning",
    [
      ["Inter", 0.6],
      [" Int", 0.1],
      ["In", 0.2],
    ],
    ["Interrupt"],
    [0.7],
  ],
  [
    "a lone letter begins too many words",
    [
      ["N", 0.3],
      ["Y", 0.2],
    ],
    ["No", "Yes"],
    [0, 0],
  ],
  [
    "a lone letter can be an option",
    [
      ["B", 0.3],
      [" B", 0.2],
    ],
    ["A", "B"],
    [0, 0.5],
  ],
  ["a digit begins a number", [["1", 0.3]], ["12"], [0.3]],
  [
    "a token that spells one option is not another's beginning",
    [
      ["Yes", 0.5],
      ["Yest", 0.1],
    ],
    ["Yesterday", "Yes"],
    [0.1, 0.5],
  ],
  ["SentencePiece's sign is a space", [["\u2581Yes", 0.5]], ["Yes"], [0.5]],
  [
    "an empty token begins nothing",
    [
      ["", 0.9],
      [" ", 0.1],
    ],
    ["Yes"],
    [0],
  ],
] as const) {
  test(name, () => {
    const likely = shown.map(([text, probability]) => ({ text, probability }));
    near(match(likely, options), expected);
  });
}
