// What is told to people who ask for what cannot be, and when a provider fails.
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { assertRefused, duplex, each, fast, folder, serving } from "./process.mjs";

const wrong = [
  [["run"], "task"],
  [["run", ""], "task"],
  [["run", " \n "], "task"],
  [["run", "T", "--file", "t.txt"], "--file"],
  [["run", "--file", "missing.txt"], "missing.txt"],
  [["run", "--file", "huge.txt"], "--file"],
  [
    ["run", "T", "--model", "gpt"],
    ["--model", "llama:NAME"],
  ],
  [
    ["run", "T", "--model", "simulated:speed=3"],
    ["--model: speed: ", "decode"],
  ],
  [
    ["run", "T", "--model", "openai:gpt-4.1-mini"],
    ["--model", "OPENAI_API_KEY"],
  ],
  [["models", "test", "simulated:decode=0"], "simulated:decode=0: decode: 0 is not"],
  [["measure", "--model", "simulated:decode=0", "--budget-tokens", "99999"], "--model: decode: 0 is not"],
  [["serve", "--model", "simulated:decode=0"], "--model: decode: 0 is not"],
  [["serve", "slow.json"], "slow.json: models.slow: decode: 0 is not"],
  [["run", "T", "--topology", "slow-agent.json"], "slow-agent.json: model: decode: 0 is not"],
  [["run", "T", "--model", "llama:./missing.gguf"], "missing.gguf"],
  [["run", "T", "--model", "llama:./cut.gguf"], "cut.gguf"],
  [["run", "T", "--model", "llama:nothing"], "smollm2-135m"],
  [
    ["run", "T", "--model", fast, "--topology", "star"],
    ["--topology", "chain"],
  ],
  [
    ["run", "T", "--model", fast, "--protocol", "shout"],
    ["--protocol", "segmented"],
  ],
  [
    ["run", "T", "--model", fast, "--splitter", "words"],
    ["--splitter", "sentence"],
  ],
  [
    ["run", "T", "--model", fast, "--splitter", "sentence:no_such!"],
    ["--splitter", "language tag"],
  ],
  [
    ["run", "T", "--model", fast, "--policy", "sometimes"],
    ["--policy", "after:3"],
  ],
  [["run", "T", "--model", fast, "--policy", "calibrated:./none.json"], "none.json"],
  [["run", "T", "--model", fast, "--policy", "never", "--chunk", "0"], "--chunk"],
  [["run", "T", "--model", fast, "--cut", "some"], "--cut"],
  [["run", "T", "--model", fast, "--join", "maybe"], "--join"],
  [["run", "T", "--model", fast, "--hear", "waiting", "--protocol", "segmented"], "hear"],
  [
    ["run", "T", "--model", fast, "--agents", "0"],
    ["--agents", "0"],
  ],
  [
    ["run", "T", "--model", fast, "--agents", "1000000"],
    ["--agents", "1000"],
  ],
  [["view", "any.jsonl", "--port", "99999"], "--port"],
  [["serve", "--port", "99999"], "--port"],
  [["eval", "report", "--max-loss", "2"], "--max-loss"],
  [
    ["run", "T", "--model", fast, "--agents", "-3"],
    ["--agents", "-3"],
  ],
  [
    ["run", "T", "--model", fast, "--steps", "-1"],
    ["--steps", "-1"],
  ],
  [
    ["run", "T", "--model", fast, "--max-tokens", "1.5"],
    ["--max-tokens", "1.5"],
  ],
  [["run", "T", "--model", fast, "--temperature", "-1"], "--temperature"],
  [["run", "T", "--model", fast, "--timeout", "0"], "--timeout"],
  [["run", "T", "--model", fast, "--idle", "soon"], "--idle"],
  [["run", "T", "--model", fast, "--price", "output=3"], "--price"],
  [["run", "T", "more", "words"], "arguments"],
  [["run", "T", "--nonsense"], "--nonsense"],
  [
    ["compare", "T", "--model", fast, "--protocols", "stream,shout"],
    ["--protocols", "shout"],
  ],
  [["compare", "T", "--model", fast, "--repeats", "0"], "--repeats"],
  [["sing"], "sing"],
  [["run", "T", "--model", fast, "--topology", "missing.json"], "missing.json"],
  [
    ["run", "T", "--model", fast, "--topology", "broken.json"],
    ["broken.json", "not JSON"],
  ],
  [
    ["run", "T", "--model", fast, "--topology", "cycle.json"],
    ["cycle.json", "A -> B -> A"],
  ],
  [
    ["run", "T", "--model", fast, "--topology", "self.json"],
    ["self.json", "A.next[0]"],
  ],
  [
    ["run", "T", "--model", fast, "--topology", "unknown.json"],
    ["unknown.json", "A.next[0]", '"C"'],
  ],
  [
    ["run", "T", "--model", fast, "--topology", "twice.json"],
    ["twice.json", "agents[1].id"],
  ],
  [
    ["run", "T", "--model", fast, "--topology", "edge.json"],
    ["edge.json", "edges[1]"],
  ],
  [
    ["run", "T", "--model", fast, "--topology", "nobody.json"],
    ["nobody.json", "agents"],
  ],
  [
    ["run", "T", "--topology", "named.json"],
    ["named.json: model: ", '"oracle"'],
  ],
];
const agent = (next, more = {}) => ({ system_prompt: "Work.", next, ...more });
const listed = (ids, edges) => ({ agents: ids.map((id) => ({ id, instructions: "Work." })), edges });
const files = {
  "huge.txt": "x".repeat(2 ** 20 + 1),
  "cut.gguf": `GGUF\u0003\0\0\0`,
  "broken.json": "{",
  "cycle.json": JSON.stringify({ A: agent(["B"]), B: agent(["A"]) }),
  "self.json": JSON.stringify({ A: agent(["A"]) }),
  "unknown.json": JSON.stringify({ A: agent(["C"]), B: agent([]) }),
  "twice.json": JSON.stringify(listed(["A", "A"], [])),
  "edge.json": JSON.stringify(
    listed(
      ["A", "B"],
      [
        ["A", "B"],
        ["A", "B"],
      ],
    ),
  ),
  "nobody.json": JSON.stringify(listed([], [])),
  "slow.json": JSON.stringify({ models: { slow: "simulated:decode=0" }, teams: { t: { model: "slow" } } }),
  "slow-agent.json": JSON.stringify({ A: agent([], { model: "simulated:decode=0" }) }),
  "named.json": JSON.stringify({ A: agent([], { model: "oracle" }) }),
};
test("wrong use ends with 2 and one line that names the place", async () => {
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  await each(wrong, async ([args, names]) => assertRefused(await duplex(args), { exit: 2, names }));
});

const events = { "content-type": "text/event-stream" };
const answers = {
  401: ["401", (response) => response.writeHead(401).end('{"error":{"message":"bad key"}}')],
  404: ["404", (response) => response.writeHead(404).end('{"error":{"message":"no such model"}}')],
  html: ["HTML", (response) => response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html><p>Hi")],
  json: [
    "JSON",
    (response) =>
      response
        .writeHead(200, events)
        .end('data: {"choices":[{"delta":{"content":"a"}}]}\n\ndata: {"choices":[{"del\n\ndata: [DONE]\n\n'),
  ],
};
test("a provider that fails ends a run with 1 and one line that names it: unreachable, 401, 404, HTML instead of events, broken JSON in the middle", async (context) => {
  const server = await serving(context, (request, response) => answers[request.url.split("/")[1]][1](response));
  const base = server.url.replace("/v1", "");
  const env = { DUPLEX_API_KEY: "sk-very-secret" };
  await each(Object.entries(answers), async ([path, [names]]) => {
    const result = await duplex(["run", "T", "--model", `openai:m@${base}/${path}`], { env });
    assertRefused(result, { exit: 1, names: [names, base] });
    assert.ok(!result.stderr.includes("very-secret"));
  });
  await server.close();
  assertRefused(await duplex(["run", "T", "--model", `openai:m@${base}/v1,retries=0`], { env }), {
    exit: 1,
    names: base,
  });
});
