import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock } from "../base/clock.ts";
import { ModelError } from "../base/errors.ts";
import { chain } from "../core/topology.ts";
import { scripted } from "../testing/scripted.ts";
import type { Line } from "../testing/scripted.ts";
import { chat, eventsOf, failure, get, pair, post, said, says, serving, solver } from "./asking.fixture.ts";
import { handler } from "./handler.ts";
import { held } from "./held.fixture.ts";

test("a team answers as one model: what its last agent says, with the usage of all", async () => {
  const body = await (await chat(serving(pair()))).json();
  assert.equal(body.choices[0].message.content, "seen 1\n\nseen 2");
  assert.equal(body.choices[0].finish_reason, "stop");
  assert.equal(body.model, "team");
  assert.equal(body.usage.completion_tokens, 9);
  assert.equal(body.usage.total_tokens, body.usage.prompt_tokens + 9);
  assert.equal(body.usage.completion_tokens_details.reasoning_tokens, 3);
});

test("streamed, the deltas are the same text, with usage if asked for and [DONE] at the end", async () => {
  const response = await chat(serving(pair()), { stream: true, stream_options: { include_usage: true } });
  assert.match(response.headers.get("content-type") ?? "", /^text\/event-stream/);
  const events = eventsOf(await response.text());
  assert.equal(said(events), "seen 1\n\nseen 2");
  assert.equal(events[0].choices[0].delta.role, "assistant");
  assert.deepEqual(events.at(-1), "[DONE]");
  assert.equal(events.at(-2).usage.completion_tokens, 9);
  assert.deepEqual(events.at(-2).choices, []);
  assert.equal(events.at(-3).choices[0].finish_reason, "stop");
  const plain = eventsOf(await (await chat(serving(pair()), { stream: true })).text());
  assert.ok(plain.every((event) => event === "[DONE]" || event.usage === undefined));
});

test("words are sent before the run is over, and cached tokens are told", async () => {
  const model = held(["al", "pha"], [" beta"]);
  const response = await chat(handler({ teams: {}, models: { team: model } }), {
    stream: true,
    stream_options: { include_usage: true },
  });
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (!text.includes("pha")) text += (await reader.read()).value;
  assert.ok(!text.includes("beta"));
  model.release();
  for (let part = await reader.read(); !part.done; part = await reader.read()) text += part.value;
  assert.equal(said(eventsOf(text)), "alpha beta");
  assert.equal(eventsOf(text).at(-2).usage.prompt_tokens_details.cached_tokens, 4);
});

test("reasoning text shows which agent is speaking, where a team or a request wants it", async () => {
  const expected = "[solver] one\n\n[solver] two\n\n";
  const body = await (await chat(serving({ ...pair(), reasoning: true }))).json();
  assert.equal(body.choices[0].message.reasoning_content, expected);
  const events = eventsOf(await (await chat(serving(pair()), { stream: true, include_reasoning: true })).text());
  assert.equal(events.map((event) => event.choices?.[0]?.delta.reasoning_content ?? "").join(""), expected);
  const without = await (await chat(serving({ ...pair(), reasoning: true }), { include_reasoning: false })).json();
  assert.equal(without.choices[0].message.reasoning_content, undefined);
});

test("a team may answer with its last step alone", async () => {
  const last = () => serving({ ...pair(), answer: "last", reasoning: true });
  const { choices } = await (await chat(last())).json();
  assert.equal(choices[0].message.content, "seen 2");
  assert.match(choices[0].message.reasoning_content, /\[reviewer\] seen 1/);
  assert.equal(said(eventsOf(await (await chat(last(), { stream: true })).text())), "seen 2");
});

test("several last agents answer under their names; one that is not spoken to says nothing", async () => {
  const agents = ["a", "b", "c"].map((id) => ({ id, instructions: "", model: says(`from ${id}`) }));
  const edges = [
    ["a", "b"],
    ["a", "c"],
  ] as const;
  const both = serving({ topology: { agents, edges } });
  const { choices } = await (await chat(both)).json();
  assert.equal(choices[0].message.content, "b:\nfrom b\n\nc:\nfrom c");
  const routed = agents.map((agent) => (agent.id === "a" ? { ...agent, route: () => ["c"] } : agent));
  const one = serving({ topology: { agents: routed, edges } });
  assert.equal(said(eventsOf(await (await chat(one, { stream: true })).text())), "from c");
});

test("a stop sequence ends the answer and the run, however it is cut", async () => {
  const model = held(["one S", "TO", "P two"], ["never"]);
  const answer = handler({ teams: {}, models: { team: model } });
  const { choices } = await (await chat(answer, { stop: "STOP" })).json();
  assert.equal(choices[0].message.content, "one ");
  assert.equal(choices[0].finish_reason, "stop");
  assert.equal(model.aborted(), 1);
  const events = eventsOf(await (await chat(answer, { stop: ["STOP", "ne S"], stream: true })).text());
  assert.equal(said(events), "o");
  assert.equal(events.at(-1), "[DONE]");
});

test("a conversation becomes the task: who said what, and what to answer", async () => {
  const model = scripted(systemClock, () => ["fine"]);
  const answer = handler({ teams: {}, models: { team: model } });
  await (
    await chat(answer, {
      messages: [
        { role: "system", content: "Be brief." },
        {
          role: "user",
          content: [
            { type: "text", text: "How are " },
            { type: "text", text: "you?" },
          ],
        },
        { role: "assistant", content: "Fine." },
        { role: "user", content: "And now?" },
      ],
    })
  ).text();
  assert.equal(
    model.requests[0]?.messages.at(-1)?.content,
    "Be brief.\n\nThe conversation so far:\n\nUser: How are you?\n\nAssistant: Fine.\n\nAnswer this message:\n\nAnd now?",
  );
});

const failing = (...lines: Line[]) =>
  serving({ topology: chain([solver(says(...lines))]) }, { keys: ["key-of-the-server"], secrets: ["sk-very-secret"] });
const withKey = { headers: { authorization: "Bearer key-of-the-server" } };
const refusal = new ModelError("Incorrect key sk-very-secret", { model: "m", status: 401 });

test("a failure before the first word has a status of its own; after it, it comes in the stream", async () => {
  const [status, message] = await failure(await chat(failing({ fail: refusal }), { stream: true }, withKey));
  assert.deepEqual([status, message], [502, "Incorrect key ***"]);
  const busy = new ModelError("busy", { model: "m", status: 429, retryAfterMs: 2500 });
  const later = await chat(failing({ fail: busy }), {}, withKey);
  assert.deepEqual([later.status, later.headers.get("retry-after")], [429, "3"]);
  const response = await chat(failing("some words", { fail: refusal }), { stream: true }, withKey);
  assert.equal(response.status, 200);
  const events = eventsOf(await response.text());
  assert.equal(said(events), "some words");
  assert.equal(events.at(-1).error.message, "Incorrect key ***");
  assert.equal((await chat(failing("some words", { fail: refusal }), {}, withKey)).status, 502);
});

test("secrets appear in no error, trace, list or count", async () => {
  const answer = failing("sk-very-secret key-of-the-server", { fail: refusal });
  const id = (await chat(answer, { stream: true }, withKey)).headers.get("x-duplex-run");
  const pages = ["/runs", `/runs/${id}`, `/runs/${id}/events`, "/metrics", "/v1/models", "/", "/healthz"];
  for (const path of pages) {
    const text = await (await get(answer, path, withKey.headers)).text();
    assert.ok(!text.includes("sk-very-secret") && !text.includes("key-of-the-server"), path);
  }
});

test("a response of the Responses API, whole and streamed", async () => {
  const answer = serving(pair());
  const whole = await (await post(answer, "/v1/responses", { body: { model: "team", input: "hi" } })).json();
  assert.equal(whole.output[0].content[0].text, "seen 1\n\nseen 2");
  assert.deepEqual([whole.status, whole.object, whole.usage.output_tokens], ["completed", "response", 9]);
  const input = [{ role: "user", content: [{ type: "input_text", text: "hi" }] }];
  const response = await post(serving(pair()), "/v1/responses", {
    body: {
      model: "team",
      input,
      stream: true,
      instructions: "Be brief.",
    },
  });
  const events = eventsOf(await response.text());
  assert.deepEqual(
    events.map((event) => event.sequence_number),
    events.map((_, index) => index),
  );
  const deltas = events.filter((event) => event.type === "response.output_text.delta");
  assert.equal(deltas.map((event) => event.delta).join(""), "seen 1\n\nseen 2");
  assert.equal(events.at(-1).type, "response.completed");
  const refused = [
    { previous_response_id: "resp_1" },
    { store: true },
    { tools: [{}] },
    { reasoning: { effort: "low" } },
  ];
  for (const more of refused)
    assert.equal((await post(answer, "/v1/responses", { body: { model: "team", input: "hi", ...more } })).status, 400);
  const broken = await post(failing("x", { fail: refusal }), "/v1/responses", {
    body: { model: "team", input: "hi", stream: true },
    ...withKey,
  });
  const last = eventsOf(await broken.text()).at(-1);
  assert.deepEqual([last.type, last.response.error.message], ["response.failed", "Incorrect key ***"]);
});
