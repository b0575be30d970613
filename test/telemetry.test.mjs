// `duplex serve --telemetry --store`, with the SDK of docs/telemetry.md and a real receiver of OTLP.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { after, test } from "node:test";
import { execFile } from "node:child_process";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { duplex, fast, folder } from "./process.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const page = readFileSync(join(root, "docs/telemetry.md"), "utf8");
const blocks = [...page.matchAll(/^```js\n(.*?)^```$/gms)].map(([, code]) => code);
// Where packages are found.
mkdirSync(join(root, ".build"), { recursive: true });
const place = mkdtempSync(join(root, ".build", "telemetry-"));
after(() => rmSync(place, { recursive: true, force: true }));
const sdk = join(place, "otel.mjs");
writeFileSync(
  sdk,
  blocks.find((code) => code.startsWith("// otel.mjs")),
);

/** A collector: everything that it was sent, as text. */
async function collector(context) {
  const bodies = [];
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (text) => (body += text));
    request.on("end", () => {
      bodies.push(body);
      response.writeHead(200, { "content-type": "application/json" }).end("{}");
    });
  });
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  context.after(() => server.close());
  const spans = () =>
    bodies
      .flatMap((body) => JSON.parse(body).resourceSpans ?? [])
      .flatMap(({ scopeSpans }) => scopeSpans)
      .flatMap(({ spans: found }) => found);
  return { url: `http://127.0.0.1:${server.address().port}`, bodies, spans };
}

/** An OpenAI-compatible endpoint that says a few words, or quotes the key that it was given. */
async function provider(context) {
  const server = createServer((request, response) => {
    const key = request.headers.authorization ?? "";
    let body = "";
    request.setEncoding("utf8").on("data", (text) => (body += text));
    request.on("end", () => {
      if (body.includes("FAIL")) {
        response.writeHead(401, { "content-type": "application/json" });
        response.end(JSON.stringify({ error: { message: `Incorrect API key provided: ${key}` } }));
        return;
      }
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (const content of ["one", "\nEND_STEP\n", "two"])
        response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`);
      response.end(
        `data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] })}\n\ndata: [DONE]\n\n`,
      );
    });
  });
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  context.after(() => server.close());
  return `http://127.0.0.1:${server.address().port}/v1`;
}

const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
const canary = {
  key: "canary-of-the-model-1234",
  own: "canary-in-the-config-3456",
  server: "canary-of-the-server-5678",
  other: 'canary"of\\another-90',
};

test("secrets of a config, the environment and a key file are in no answer, trace, list, count, page, span, file or line", async (context) => {
  const { url: otlp, bodies, spans } = await collector(context);
  const model = await provider(context);
  writeFileSync(join(folder, "secret-keys.txt"), `${canary.server}\n`);
  writeFileSync(
    join(folder, "secret.mjs"),
    `import { openai } from ${JSON.stringify(pathToFileURL(join(process.env.DUPLEX_BIN ?? join(root, "dist/cli/main.js"), "../../models/index.js")).href)};
    const own = openai({ baseURL: "${model}", model: "m", apiKey: "${canary.own}" });
    export default { models: { own, byEnv: "openai:n@${model}" }, teams: { pair: { model: own } }, telemetry: { content: true } };`,
  );
  const seen = [];
  let child;
  const work = async ({ url }) => {
    const get = async (path, init = {}) => {
      const headers = { authorization: `Bearer ${canary.server}`, ...init.headers };
      const response = await fetch(url + path, { ...init, headers });
      const text = await response.text();
      seen.push(path, text, JSON.stringify([...response.headers]));
      return { text, id: response.headers.get("x-duplex-run") };
    };
    const ask = (name, content, stream) =>
      get("/v1/chat/completions", {
        method: "POST",
        headers: { traceparent },
        body: JSON.stringify({ model: name, stream, messages: [{ role: "user", content }] }),
      });
    for (const stream of [true, false])
      for (const name of ["pair", "own", "byEnv"])
        for (const content of ["Go.", "FAIL", `My keys: ${canary.key} ${canary.server} ${canary.other} FAIL`])
          await ask(name, content, stream);
    const { runs } = JSON.parse((await get("/runs")).text);
    assert.equal(runs.length, 18);
    for (const { id } of runs) await get(`/runs/${id}/events`);
    for (const path of ["/", "/metrics", "/healthz", "/v1/models", "/runs/none", `/runs/${canary.server}`])
      await get(path);
    await get("/runs", { headers: { authorization: `Bearer ${canary.server}x` } });
    await get("/v1/chat/completions", { method: "POST", body: `{"model":"${canary.server}"}` });
  };
  /** @type {Promise<void>[]} */
  const working = [];
  const ended = await duplex(
    [
      "serve",
      "secret.mjs",
      "--port",
      "0",
      "--json",
      "--keys",
      "secret-keys.txt",
      "--store",
      "secret.db",
      "--telemetry",
    ],
    {
      env: {
        NODE_OPTIONS: `--import ${sdk}`,
        OTEL_EXPORTER_OTLP_ENDPOINT: otlp,
        DUPLEX_API_KEY: canary.key,
        ANOTHER_SECRET: canary.other,
      },
      on: (text, started) => {
        child = started;
        if (working.length === 0) working.push(work(JSON.parse(text)).finally(() => child.kill("SIGTERM")));
      },
    },
  );
  await Promise.all(working);
  assert.equal(ended.code, 0, ended.stderr);
  assert.doesNotMatch(ended.stderr, /no OpenTelemetry SDK/);
  const named = (name) => spans().filter((span) => span.name === name);
  assert.equal(named("invoke_workflow pair").length, 6);
  for (const { traceId, parentSpanId } of named("invoke_workflow pair"))
    assert.equal(`00-${traceId}-${parentSpanId}-01`, traceparent);
  assert.ok(named("chat m").length > 0 && named("chat n").length > 0);
  assert.ok(bodies.join("").includes("My keys: ***"), "texts are in spans");
  const files = readdirSync(folder).filter((name) => name.startsWith("secret.db"));
  assert.ok(files.length > 0);
  const all = [...seen, ...bodies, ended.stdout, ended.stderr];
  for (const name of files) all.push(readFileSync(join(folder, name), "latin1"));
  const told = seen.findIndex((text) => text === `/runs/${canary.server}`);
  all[told] = "";
  for (const text of all)
    for (const secret of Object.values(canary))
      for (const form of [secret, JSON.stringify(secret).slice(1, -1)])
        assert.ok(!text.includes(form), `${form} in ${text.slice(0, 300)}`);
});

test("without an SDK it warns and serves; a store without its file's folder, or a flag without the file, is refused", async () => {
  let asked;
  const { code, stderr } = await duplex(["serve", "--port", "0", "--json", "--model", fast, "--telemetry"], {
    on: (_, child) => (asked ??= child.kill("SIGTERM")),
  });
  assert.equal(code, 0);
  assert.match(stderr, /^duplex: --telemetry: no OpenTelemetry SDK is registered/);
  writeFileSync(join(folder, "letter.db"), "Dear Sir or Madam, ".repeat(100));
  for (const [args, message] of [
    [["--store", "letter.db"], /^duplex: --store: letter\.db: is not a SQLite database; name another file\n$/],
    [["--store", "letter.db/runs.db"], /^duplex: --store: letter\.db\/runs\.db: cannot be opened/],
    [["--store-runs", "5"], /^duplex: --store-runs: is for runs kept in a file; give --store FILE\n$/],
  ]) {
    const refused = await duplex(["serve", "--port", "0", "--model", fast, ...args]);
    assert.equal(refused.code, 2, refused.stderr);
    assert.match(refused.stderr, message);
    assert.equal(refused.stderr.trim().split("\n").length, 1);
  }
});

test("duplex run --telemetry tells of its run before it ends", async (context) => {
  const { url, spans, bodies } = await collector(context);
  const env = { NODE_OPTIONS: `--import ${sdk}`, OTEL_EXPORTER_OTLP_ENDPOINT: url };
  const { code, stderr } = await duplex(["run", "Solve canary-task.", "--model", fast, "--telemetry"], { env });
  assert.equal(code, 0, stderr);
  assert.ok(spans().some(({ name }) => name === "invoke_workflow stream"));
  assert.ok(!bodies.join("").includes("canary-task"));
});

test("the program of docs/telemetry.md tells of its run twice", async (context) => {
  const { url, spans } = await collector(context);
  writeFileSync(
    join(place, "program.mjs"),
    `${blocks.find((code) => code.includes("duplex-ai/telemetry"))}
    import { flush } from "duplex-ai/telemetry";
    await flush();`,
  );
  const env = { ...process.env, OTEL_EXPORTER_OTLP_ENDPOINT: url };
  await promisify(execFile)(process.execPath, ["--import", sdk, join(place, "program.mjs")], { env });
  const runs = spans().filter(({ name }) => name.startsWith("invoke_workflow"));
  assert.deepEqual(
    runs.map(({ name }) => name),
    ["invoke_workflow minutes", "invoke_workflow stream"],
  );
});
