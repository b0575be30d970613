import assert from "node:assert/strict";
import { test } from "node:test";
import { ConfigError } from "../base/errors.ts";
import { VirtualClock } from "../testing/clock.ts";
import { scripted } from "../testing/scripted.ts";
import { chat, eventsOf, failure, get, hi, pair, post, said, says, serving, two } from "./asking.fixture.ts";
import { handler } from "./handler.ts";
import { held, until } from "./held.fixture.ts";
import type { HandlerOptions } from "./service.ts";

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
    const { error } = await response.json();
    assert.equal(error.param, param);
    assert.ok(error.message.startsWith(`${param}: `), error.message);
  }
  const taken = { user: "u", n: 1, top_p: null, tools: [], metadata: { a: "b" }, logit_bias: null, store: false };
  assert.equal((await chat(answer, taken)).status, 200);
});

test("a key sent where a parameter's name should be is not sent back", async () => {
  const answer = serving(pair(), { secrets: ["sk-canary-1234"] });
  const text = await (await chat(answer, { "sk-canary-1234": 1 })).text();
  assert.doesNotMatch(text, /canary/);
  assert.match(text, /"param":"\*\*\*"/);
});

test("a body that is no JSON, too large, empty or for an unknown model is told apart", async () => {
  const answer = serving(pair(), { limits: { bodyBytes: 1000 } });
  const path = "/v1/chat/completions";
  assert.deepEqual(await failure(await post(answer, path, { body: "{no" })), [400, "the body is not JSON"]);
  assert.deepEqual(await failure(await post(answer, path, { body: "" })), [400, "the body is not JSON"]);
  assert.equal((await post(answer, path, { body: "[]" })).status, 400);
  assert.deepEqual(await failure(await post(answer, path, { body: "x".repeat(1001) })), [
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
  assert.equal((await post(answer, "/v1/chat/completions", { body: deep })).status, 400);
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
  const withPage = serving(pair(), { keys: ["first-key"], page: () => "<p>A page</p>" });
  const page = await get(withPage, "/");
  assert.deepEqual([page.status, await page.text()], [200, "<p>A page</p>"]);
  assert.match(page.headers.get("content-type") ?? "", /^text\/html/);
  assert.equal((await get(withPage, "/runs")).status, 401);
});

test("what is missing is named, with the form it should have", async () => {
  const answer = serving(pair());
  const cases: readonly (readonly [string, object, RegExp])[] = [
    ["chat/completions", { model: "team" }, /^messages: is missing; it must be a list$/],
    ["chat/completions", { messages: hi }, /^model: is missing; it must be a string$/],
    [
      "chat/completions",
      { model: "team", messages: [{ role: "user" }] },
      /^messages\[0\]\.content: is missing; it must be a string, or a list of parts as in \[\{"type":"text"/,
    ],
    [
      "chat/completions",
      { model: "team", messages: [{ role: "user", content: 7 }] },
      /^messages\[0\]\.content: must be a string, or a list of parts/,
    ],
    [
      "chat/completions",
      { model: "team", messages: [{ content: "hi" }] },
      /^messages\[0\]\.role: is missing; it must be system, developer, user or assistant$/,
    ],
    ["chat/completions", { model: "team", messages: [] }, /^messages: must have at least one message$/],
    ["chat/completions", { model: "team", messages: hi, temperature: "hot" }, /^temperature: must be a number$/],
    ["responses", { model: "team" }, /^input: is missing; it must be a string, or a list of messages as in /],
    ["responses", { model: "team", input: [{ role: "user" }] }, /^input\[0\]\.content: is missing/],
  ];
  for (const [path, body, message] of cases) {
    const [status, text] = await failure(await post(answer, `/v1/${path}`, { body }));
    assert.equal(status, 400);
    assert.match(text, message);
  }
});

test("pages of other sites may not call unless they are named", async () => {
  const origin = "https://example.com";
  const closed = serving(pair(), { hosts: ["127.0.0.1"] });
  const [foreign, how] = await failure(await get(closed, "/runs", { origin }));
  assert.equal(foreign, 403);
  assert.match(how, /option origins .*--origin/);
  const [elsewhere, names] = await failure(await get(closed, "/runs", { host: "evil.example" }));
  assert.equal(elsewhere, 421);
  assert.match(names, /is called 127\.0\.0\.1; the option hosts adds names/);
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
