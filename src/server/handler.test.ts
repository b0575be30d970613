import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock } from "../base/clock.ts";
import { ConfigError, ModelError } from "../base/errors.ts";
import { chain } from "../core/topology.ts";
import type { Model } from "../core/types.ts";
import { VirtualClock } from "../testing/clock.ts";
import { scripted } from "../testing/scripted.ts";
import type { Line } from "../testing/scripted.ts";
import { handler } from "./handler.ts";
import type { Handler } from "./handler.ts";
import { held, until } from "./held.fixture.ts";
import type { HandlerOptions } from "./service.ts";
import type { Team } from "./team.ts";

const says = (...lines: Line[]): Model => scripted(systemClock, () => lines);
const solver = (model: Model) => ({ id: "solver", instructions: "Solve.", model });
const reviewer = (model: Model) => ({ id: "reviewer", instructions: "Review.", model });

const two = (first: Model, second: Model): Team => ({ topology: chain([solver(first), reviewer(second)]) });
const pair = (): Team => {
  const first = says("one\nEND_", "STEP\ntwo\n", "END_STEP\n");
  const second = scripted(systemClock, (call) => [`seen `, `${call + 1}`, "\nEND_STEP"]);
  return two(first, second);
};

type Wire = any;
const post = (answer: Handler, path: string, body: unknown, init: RequestInit = {}) =>
  answer(
    new Request(`http://127.0.0.1${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: typeof body === "string" ? body : JSON.stringify(body),
      ...init,
    }),
  );
const get = (answer: Handler, path: string, headers: Record<string, string> = {}) =>
  answer(new Request(`http://127.0.0.1${path}`, { headers }));
const hi = [{ role: "user", content: "hi" }];
const chat = (answer: Handler, body: object = {}, init: RequestInit = {}) =>
  post(answer, "/v1/chat/completions", { model: "team", messages: hi, ...body }, init);
const serving = (team: Team, options: Partial<HandlerOptions> = {}) => handler({ teams: { team }, ...options });
const eventsOf = (text: string): Wire[] =>
  text
    .split("\n\n")
    .filter((block) => /^data: |\ndata: /.test(block))
    .map((block) => block.slice(block.indexOf("data: ") + 6))
    .map((data) => (data === "[DONE]" ? data : JSON.parse(data)));
const said = (events: Wire[]): string => events.map((event) => event.choices?.[0]?.delta.content ?? "").join("");
const failure = async (response: Response): Promise<[number, string]> => [
  response.status,
  ((await response.json()) as Wire).error.message,
];

test("a team answers as one model: what its last agent says, with the usage of all", async () => {
  const body = (await (await chat(serving(pair()))).json()) as Wire;
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
  const body = (await (await chat(serving({ ...pair(), reasoning: true }))).json()) as Wire;
  assert.equal(body.choices[0].message.reasoning_content, expected);
  const events = eventsOf(await (await chat(serving(pair()), { stream: true, include_reasoning: true })).text());
  assert.equal(events.map((event) => event.choices?.[0]?.delta.reasoning_content ?? "").join(""), expected);
  const without = (await (
    await chat(serving({ ...pair(), reasoning: true }), { include_reasoning: false })
  ).json()) as Wire;
  assert.equal(without.choices[0].message.reasoning_content, undefined);
});

test("a team may answer with its last step alone", async () => {
  const last = () => serving({ ...pair(), answer: "last", reasoning: true });
  const { choices } = (await (await chat(last())).json()) as Wire;
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
  const { choices } = (await (await chat(both)).json()) as Wire;
  assert.equal(choices[0].message.content, "b:\nfrom b\n\nc:\nfrom c");
  const routed = agents.map((agent) => (agent.id === "a" ? { ...agent, route: () => ["c"] } : agent));
  const one = serving({ topology: { agents: routed, edges } });
  assert.equal(said(eventsOf(await (await chat(one, { stream: true })).text())), "from c");
});

test("a stop sequence ends the answer and the run, however it is cut", async () => {
  const model = held(["one S", "TO", "P two"], ["never"]);
  const answer = handler({ teams: {}, models: { team: model } });
  const { choices } = (await (await chat(answer, { stop: "STOP" })).json()) as Wire;
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

test("what is not supported is refused by name, and what only remarks is taken", async () => {
  const answer = serving(pair());
  const refused: [object, string][] = [
    [{ logprobs: true }, "logprobs"],
    [{ n: 2 }, "n"],
    [{ tools: [{}] }, "tools"],
    [{ response_format: { type: "json_object" } }, "response_format.type"],
    [{ top_p: 0.5 }, "top_p"],
    [{ frequency_penalty: 1 }, "frequency_penalty"],
    [{ reasoning_effort: "high" }, "reasoning_effort"],
    [{ messages: [{ role: "user", content: [{ type: "image_url" }] }] }, "messages[0].content[0].type"],
    [{ messages: "hi" }, "messages"],
    [{ messages: [{ role: "tool", content: "x" }] }, "messages[0].role"],
    [{ temperature: "warm" }, "temperature"],
    [{ stream: "yes" }, "stream"],
    [{ model: 3 }, "model"],
    [{ max_tokens: -1 }, "max_tokens"],
    [{ messages: [{ role: "assistant", content: "I go on" }] }, "messages"],
    [{ __proto__: null, constructor: 1 }, "constructor"],
  ];
  for (const [body, param] of refused) {
    const response = await chat(answer, body);
    assert.equal(response.status, 400, param);
    const { error } = (await response.json()) as Wire;
    assert.equal(error.param, param);
    assert.ok(error.message.startsWith(`${param}: `), error.message);
  }
  const taken = { user: "u", n: 1, top_p: null, tools: [], metadata: { a: "b" }, logit_bias: null, store: false };
  assert.equal((await chat(answer, taken)).status, 200);
});

test("a body that is no JSON, too large, empty or for an unknown model is told apart", async () => {
  const answer = serving(pair(), { limits: { bodyBytes: 1000 } });
  const path = "/v1/chat/completions";
  assert.deepEqual(await failure(await post(answer, path, "{no")), [400, "the body is not JSON"]);
  assert.deepEqual(await failure(await post(answer, path, "")), [400, "the body is not JSON"]);
  assert.equal((await post(answer, path, "[]")).status, 400);
  assert.deepEqual(await failure(await post(answer, path, "x".repeat(1001))), [
    413,
    "the body is larger than 1000 bytes",
  ]);
  const [status, message] = await failure(await chat(answer, { model: "nobody" }));
  assert.equal(status, 404);
  assert.match(message, /there is no "nobody" here; there are team/);
  assert.equal((await get(answer, path)).status, 405);
  for (const lost of ["/nothing", "/v1/../../etc/passwd", "/runs/..%2f..%2fetc", "/%2e%2e/%2e%2e/etc/passwd"])
    assert.equal((await get(answer, lost)).status, 404, lost);
});

test("10,000 messages and deep nesting are answered", async () => {
  const answer = serving(pair());
  const messages = Array.from({ length: 10_001 }, (_, index) => ({
    role: index % 2 === 0 ? "user" : "assistant",
    content: `message ${index}`,
  }));
  assert.equal((await chat(answer, { messages })).status, 200);
  const deep = `{"model":"team","messages":${"[".repeat(50_000)}${"]".repeat(50_000)}}`;
  assert.equal((await post(answer, "/v1/chat/completions", deep)).status, 400);
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

test("with keys, nobody comes in without one, save to ask whether the server is well", async () => {
  const answer = serving(pair(), { keys: ["first-key", "second-key"] });
  for (const authorization of [
    "",
    "Bearer",
    "Bearer wrong",
    "Bearer first-ke",
    "first-key",
    `Bearer ${"x".repeat(9999)}`,
  ]) {
    for (const path of ["/v1/models", "/runs", "/metrics", "/"])
      assert.equal((await get(answer, path, { authorization })).status, 401, `${path} ${authorization}`);
  }
  assert.equal((await chat(answer)).status, 401);
  assert.equal((await get(answer, "/v1/models", { authorization: "bearer second-key" })).status, 200);
  assert.equal((await get(answer, "/healthz")).status, 200);
});

test("pages of other sites may not call unless they are named", async () => {
  const origin = "https://example.com";
  const closed = serving(pair(), { hosts: ["127.0.0.1"] });
  assert.equal((await get(closed, "/runs", { origin })).status, 403);
  assert.equal((await get(closed, "/runs", { host: "evil.example" })).status, 421);
  assert.equal((await get(closed, "/runs", { origin: "http://127.0.0.1:80", host: "127.0.0.1:80" })).status, 403);
  const own = await get(closed, "/runs", { origin: "http://127.0.0.1:8080", host: "127.0.0.1:8080" });
  assert.equal(own.status, 200);
  assert.equal(own.headers.get("access-control-allow-origin"), null);
  const opened = serving(pair(), { origins: [origin], keys: ["some-key"] });
  const preflight = await opened(new Request("http://x/runs", { method: "OPTIONS", headers: { origin } }));
  assert.equal(preflight.headers.get("access-control-allow-origin"), origin);
  const response = await get(opened, "/runs", { origin, authorization: "Bearer some-key" });
  assert.equal(response.headers.get("access-control-allow-origin"), origin);
});

test("more runs than there are places wait, more than may wait are refused, and places are handed on in order", async () => {
  const model = held(["x"]);
  const answer = handler({ teams: {}, models: { team: model }, limits: { runs: 1, queue: 1 } });
  const first = chat(answer);
  await until(() => model.requests.length === 1);
  const second = chat(answer);
  await until(() => true);
  const [status, message] = await failure(await chat(answer));
  assert.equal(status, 429);
  assert.match(message, /all 1 runs are taken and 1 requests wait/);
  const refused = await chat(answer);
  assert.match(refused.headers.get("retry-after") ?? "", /^\d+$/);
  model.release();
  assert.deepEqual([(await first).status, (await second).status], [200, 200]);
  assert.equal((await chat(answer)).status, 200);
});

test("who waits too long, or leaves while waiting, gives up the place in the queue", async () => {
  const clock = new VirtualClock();
  const model = held(["x"]);
  const answer = handler({ teams: {}, models: { team: model }, limits: { runs: 1, queue: 1, queueMs: 5000 }, clock });
  const first = chat(answer);
  await until(() => model.requests.length === 1);
  const left = new AbortController();
  const leaving = chat(answer, {}, { signal: left.signal });
  await new Promise((resolve) => setImmediate(resolve));
  left.abort();
  assert.ok((await leaving).status >= 400);
  const [status, message] = await failure(await clock.run(chat(answer)));
  assert.deepEqual([status, message], [429, "no run ended within 5000 ms; try again later"]);
  model.release();
  assert.equal((await first).status, 200);
});

test("a client that leaves ends the whole run", async () => {
  const [first, second] = [held(["one\nEND_STEP\n", "two"]), held(["a"])];
  const answer = serving(two(first, second));
  const response = await chat(answer, { stream: true });
  await until(() => second.requests.length === 1);
  await response.body!.cancel();
  await until(() => first.aborted() === 1 && second.aborted() === 1, "the abort");
  const left = new AbortController();
  const whole = chat(answer, {}, { signal: left.signal });
  await until(() => second.requests.length === 2);
  left.abort();
  assert.equal((await whole).status, 503);
  assert.equal(first.aborted(), 2);
  assert.equal(second.aborted(), 2);
});

test("silence is broken by comments, so that nobody takes the stream for dead", async () => {
  const clock = new VirtualClock();
  const model = scripted(clock, () => ["a", { wait: 100_000 }, "b"]);
  const answer = handler({ teams: {}, models: { team: model }, clock, keepAliveMs: 10_000 });
  const text = await clock.run(chat(answer, { stream: true }).then((response) => response.text()));
  const comments = text.split("\n\n").filter((block) => block.startsWith(":"));
  assert.ok(comments.length >= 4 && comments.length <= 11, `${comments.length}`);
  assert.equal(said(eventsOf(text)), "ab");
});

test("closing lets runs end until the deadline, then cancels them, and takes no new ones", async () => {
  const clock = new VirtualClock();
  const model = scripted(clock, () => ["a", { wait: 100_000 }, "b"]);
  const answer = handler({ teams: {}, models: { team: model }, clock, keepAliveMs: 1e6 });
  const response = await chat(answer, { stream: true });
  const text = response.text();
  const closing = answer.close({ deadlineMs: 5000 });
  assert.equal((await chat(answer)).status, 503);
  assert.equal((await get(answer, "/healthz")).status, 503);
  await clock.run(closing);
  assert.equal(clock.now(), 5000);
  const events = eventsOf(await text);
  assert.match(events.at(-1).error.message, /shutting down/);
});

test("a response of the Responses API, whole and streamed", async () => {
  const answer = serving(pair());
  const whole = (await (await post(answer, "/v1/responses", { model: "team", input: "hi" })).json()) as Wire;
  assert.equal(whole.output[0].content[0].text, "seen 1\n\nseen 2");
  assert.deepEqual([whole.status, whole.object, whole.usage.output_tokens], ["completed", "response", 9]);
  const input = [{ role: "user", content: [{ type: "input_text", text: "hi" }] }];
  const response = await post(serving(pair()), "/v1/responses", {
    model: "team",
    input,
    stream: true,
    instructions: "Be brief.",
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
    assert.equal((await post(answer, "/v1/responses", { model: "team", input: "hi", ...more })).status, 400);
  const broken = await post(
    failing("x", { fail: refusal }),
    "/v1/responses",
    { model: "team", input: "hi", stream: true },
    withKey,
  );
  const last = eventsOf(await broken.text()).at(-1);
  assert.deepEqual([last.type, last.response.error.message], ["response.failed", "Incorrect key ***"]);
});

test("wrong options are told by their place before anything is served", () => {
  const team = pair();
  const wrong: [Partial<HandlerOptions>, RegExp][] = [
    [{ teams: {} }, /^teams: /],
    [{ limits: { runs: 0 } }, /^limits\.runs: /],
    [{ limits: { rnus: 1 } as object }, /^limits\.rnus: /],
    [{ keys: [" "] }, /^keys: /],
    [{ models: { team: says("x") } }, /^models\.team: /],
    [{ teams: { broken: { topology: { agents: [], edges: [] } } } }, /^teams\.broken\.agents: /],
  ];
  for (const [options, message] of wrong)
    assert.throws(
      () => handler({ teams: { team }, ...options }),
      (error) => error instanceof ConfigError && message.test(error.message),
    );
});

test("what is counted is told in Prometheus's format", async () => {
  const answer = serving(pair());
  await (await chat(answer)).text();
  await chat(answer, { model: "nobody" });
  const text = await (await get(answer, "/metrics")).text();
  assert.match(text, /^duplex_runs_total\{team="team",reason="done"\} 1$/m);
  assert.match(text, /^duplex_tokens_total\{team="team",kind="output"\} 9$/m);
  assert.match(text, /^duplex_requests_total\{route="\/v1\/chat\/completions",status="404"\} 1$/m);
  assert.match(text, /^duplex_run_seconds_bucket\{team="team",le="\+Inf"\} 1$/m);
  for (const line of text.trimEnd().split("\n"))
    assert.match(line, /^(# (HELP|TYPE) [a-z_]+ .+|[a-z_]+(\{.*\})? [\d.e+-]+)$/);
});
