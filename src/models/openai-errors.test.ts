import assert from "node:assert/strict";
import { test } from "node:test";
import { explain } from "../base/errors.ts";
import { answering, failure } from "./__fixtures__/answering.ts";
import { saying, serve } from "./__fixtures__/server.ts";
import { openai } from "./openai.ts";

const inBand: readonly (readonly [shape: string, raw: string, status: number | undefined, retryable: boolean])[] = [
  ["an error object", 'data: {"error":{"message":"Out of memory","type":"server_error"}}\n\n', undefined, true],
  [
    "an error beside choices",
    'data: {"error":{"code":502,"message":"Out of memory"},"choices":[{"delta":{"content":""},"finish_reason":"error"}]}\n\n',
    502,
    true,
  ],
  ["an error event", 'event: error\ndata: {"message":"Out of memory","code":400}\n\n', 400, false],
  ["an error field", 'error: {"code":500,"message":"Out of memory"}\n\n', 500, true],
  ["an error string", 'data: {"error":"Out of memory"}\n\n', undefined, true],
];
for (const [shape, raw, status, retryable] of inBand) {
  test(`${shape} in the middle of a stream fails the call`, async (t) => {
    const { model } = await answering(t, async (exchange) => {
      await exchange.data(saying("so far"));
      await exchange.write(raw);
    });
    const error = await failure(model);
    assert.match(
      error.message,
      /^test at http:\/\/127.*\/v1\/chat\/completions: failed while answering: Out of memory/,
    );
    assert.equal(error.status, status);
    assert.equal(error.retryable, retryable);
  });
}

const refused: readonly (readonly [status: number, help: RegExp, retryable: boolean])[] = [
  [400, /name and the extra fields/, false],
  [401, /check the API key/, false],
  [403, /key's rights/, false],
  [404, /base URL .* model's name/, false],
  [429, /lower the concurrency/, true],
  [500, /try again later/, true],
  [503, /try again later/, true],
];
for (const [status, help, retryable] of refused) {
  test(`status ${status} says what to do, in one line, without the key`, async (t) => {
    const apiKey = "sk-very-secret";
    const body = { error: { message: `No\nfor Bearer ${apiKey}` } };
    const { model, server } = await answering(t, (exchange) => exchange.reply(status, body, { "retry-after": "2" }), {
      apiKey,
    });
    const error = await failure(model);
    assert.match(error.message, help);
    assert.ok(
      error.message.startsWith(`test at ${server.baseURL}/chat/completions: answered ${status} (No for Bearer ***)`),
    );
    assert.doesNotMatch(JSON.stringify(error) + explain(error) + error.stack, /very-secret|\n\n/);
    assert.equal(error.status, status);
    assert.equal(error.retryable, retryable);
    assert.equal(error.retryAfterMs, 2000);
  });
}

test("Retry-After may be a date, read by the server's clock, or milliseconds", async (t) => {
  const dates = { date: "Mon, 01 Jan 2024 00:00:00 GMT", "retry-after": "Mon, 01 Jan 2024 00:01:30 GMT" };
  const { model } = await answering(t, (exchange, index) =>
    exchange.reply(
      429,
      {},
      index === 0 ? dates : index === 1 ? { "retry-after-ms": "1500" } : { "retry-after": "soon" },
    ),
  );
  assert.deepEqual(
    [await failure(model), await failure(model), await failure(model)].map(({ retryAfterMs }) => retryAfterMs),
    [90_000, 1500, undefined],
  );
});

test("no quota left is not worth another try", async (t) => {
  const body = { error: { message: "You exceeded your quota", code: "insufficient_quota" } };
  const { model } = await answering(t, (exchange) => exchange.reply(429, body));
  const error = await failure(model);
  assert.equal(error.retryable, false);
  assert.match(error.message, /check the account/);
});

for (const [what, type, body, message] of [
  ["an HTML page", "text/html", "<!doctype html><title>Login</title>", /an HTML page instead of .*base URL/],
  ["a JSON answer", "application/json", '{"choices":[]}', /instead of a stream of events/],
  ["an error with status 200", "application/json", '{"error":{"message":"bad model"}}', /bad model/],
] as const) {
  test(`${what} instead of a stream fails the call`, async (t) => {
    const { model } = await answering(t, (exchange) => exchange.reply(200, body, { "content-type": type }));
    assert.match((await failure(model)).message, message);
  });
}

test("a line that is not JSON fails the call", async (t) => {
  const { model } = await answering(t, async (exchange) => {
    await exchange.data(saying("so far"));
    await exchange.write("data: {not json}\n\n");
  });
  assert.match((await failure(model)).message, /a line that is not JSON: \{not json\}/);
});

test("a server that is not there fails the call in one line that names it", async () => {
  const server = await serve(() => {});
  await server.close();
  const error = await failure(openai({ baseURL: server.baseURL, model: "test" }));
  assert.match(error.message, /no connection \(ECONNREFUSED\); nothing listens there/);
  assert.ok(error.message.includes(server.baseURL));
  assert.equal(error.retryable, true);
});

test("a host that does not exist fails the call for good", async () => {
  const fetch = () =>
    Promise.reject(
      new TypeError("fetch failed", { cause: Object.assign(new Error("getaddrinfo"), { code: "ENOTFOUND" }) }),
    );
  const error = await failure(openai({ baseURL: "http://nowhere.invalid/v1", model: "test", fetch }));
  assert.match(error.message, /no such host: check the host name/);
  assert.equal(error.retryable, false);
});

for (const [options, path] of [
  [{ baseURL: "localhost:8080/v1", model: "m" }, "baseURL"],
  [{ baseURL: "nonsense", model: "m" }, "baseURL"],
  [{ baseURL: "http://user:secret@host/v1", model: "m" }, "baseURL"],
  [{ baseURL: "http://host/v1", model: "" }, "model"],
  [{ baseURL: "http://host/v1", model: "m", apiKey: "sec\nret" }, "apiKey"],
  [{ baseURL: "http://host/v1", model: "m", headers: { "x-key": "sec\nret" } }, "headers.x-key"],
  [{ baseURL: "http://host/v1", model: "m", idleMs: -1 }, "idleMs"],
] as const) {
  test(`a bad ${path} is refused before anything is sent: ${JSON.stringify(options)}`, () => {
    assert.throws(
      () => openai(options),
      (error: Error) =>
        error.name === "ConfigError" && error.message.startsWith(path) && !/sec\s?ret/.test(error.message),
    );
  });
}
