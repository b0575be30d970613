// `duplex serve` as people start it, end to end.
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { assertRefused, duplex, each, fast, folder } from "./process.mjs";

/** Starts a server, does `work` with what it printed as JSON, and ends it by SIGTERM. */
async function served(args, work, env = {}) {
  /** @type {Promise<unknown> | undefined} */
  let working;
  const on = (text, child) => {
    working ??= Promise.resolve(work(JSON.parse(text), child)).finally(() => {
      // Asked twice it would not wait.
      if (!child.killed) child.kill("SIGTERM");
    });
  };
  const ended = await duplex(["serve", "--port", "0", "--json", ...args], { env, on });
  assert.notEqual(working, undefined, ended.stderr);
  await working;
  return ended;
}

const ask = (url, model, { key, ...more } = {}) =>
  fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", ...(key && { authorization: `Bearer ${key}` }) },
    body: JSON.stringify({ model, messages: [{ role: "user", content: "Solve it in 2 steps." }], ...more }),
  });

test("without a config it serves ready-made teams, and ends cleanly", async () => {
  const { code, stderr } = await served(["--model", fast, "--reasoning"], async ({ url, models }) => {
    assert.match(url, /^http:\/\/127\.0\.0\.1:\d+$/);
    assert.deepEqual(models, ["solo", "chain", "tree", "graph", "dialogue"]);
    const { choices } = await (await ask(url, "chain")).json();
    assert.match(choices[0].message.content, /Step 2: /);
    assert.match(choices[0].message.reasoning_content, /^\[solver\] Step 1: /);
    const streamed = await (await ask(url, "tree", { stream: true })).text();
    assert.match(streamed, /data: \[DONE\]\n\n$/);
  });
  assert.equal(code, 0);
  assert.match(stderr, /^duplex: stopping; runs may end within 10 s\n$/);
});

test("with a config and keys it serves what they say, to whom they say", async () => {
  await writeFile(join(folder, "keys.txt"), "# for the team\nkey-of-ada\n\nkey-of-bob\n");
  const teams = { review: { model: "quick", agents: 3, policy: "after:3" } };
  await writeFile(join(folder, "teams.json"), JSON.stringify({ models: { quick: fast }, teams }));
  const { stdout, stderr } = await served(["teams.json", "--keys", "keys.txt"], async ({ url, models }) => {
    assert.deepEqual(models, ["review", "quick"]);
    assert.equal((await ask(url, "review")).status, 401);
    assert.equal((await ask(url, "review", { key: "key-of-eve" })).status, 401);
    assert.equal((await ask(url, "review", { key: "key-of-bob" })).status, 200);
  });
  assert.doesNotMatch(stdout + stderr, /key-of-/);
});

test("the line for people has an address, the models and a curl that asks one of them", async () => {
  let printed = "";
  await duplex(["serve", "--port", "0", "--model", fast], {
    on: (text, child) => {
      printed += text;
      child.kill("SIGINT");
    },
  });
  assert.match(printed, /^http:\S+\/v1 {2}serves solo, chain, tree, graph, dialogue\n/);
  assert.match(printed, /^curl -N http:\S+\/v1\/chat\/completions .* -d '\{"model":"chain",.*\}'$/m);
});

test("SIGTERM in the middle of a run lets it end by the deadline, or cancels it there", async () => {
  for (const [deadline, model, expected] of [
    ["30", "simulated:ttft=5,decode=100", /data: \[DONE\]\n\n$/],
    ["0", "simulated:ttft=5,decode=20", /"error":\{"message":"the run was cancelled: the server is shutting down"/],
  ]) {
    let text = "";
    const { code } = await served(["--model", model, "--deadline", deadline], async ({ url }, child) => {
      const { body } = await ask(url, "solo", { stream: true });
      for await (const part of body.pipeThrough(new TextDecoderStream())) {
        if (text === "") child.kill("SIGTERM");
        text += part;
      }
    });
    assert.match(text, expected);
    assert.equal(code, 0);
  }
});

test("two servers on one port, and other mistakes, are told in one line that names the place", async () => {
  await writeFile(join(folder, "wrong.json"), '{"teams":{"a":{"model":"simulated","protocol":"strem"}}}');
  await writeFile(join(folder, "empty.txt"), "\n");
  await served(["--model", fast], async ({ port }) => {
    await each(
      [
        [
          ["--model", fast, "--port", String(port)],
          ["--port", "in use"],
        ],
        [
          ["--model", fast, "--host", "0.0.0.0"],
          ["--host", "--keys"],
        ],
        [["--model", fast, "--port", "99999"], ["port"]],
        [
          ["--model", fast, "--keys", "none.txt"],
          ["--keys", "none.txt"],
        ],
        [["--model", fast, "--keys", "empty.txt"], ["--keys"]],
        [["none.json"], ["none.json"]],
        [["wrong.json"], ["wrong.json", "teams.a.protocol"]],
        [["wrong.json", "--model", fast], ["--model"]],
      ],
      async ([args, names]) => assertRefused(await duplex(["serve", ...args]), { exit: 2, names }),
    );
  });
});
