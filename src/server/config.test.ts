import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { ConfigError } from "../base/errors.ts";
import { parseModel } from "../models/spec.ts";
import { simulated } from "../models/simulated.ts";
import type { OpenPolicies } from "../policies/index.ts";
import { checkConfig, openConfig, readConfig } from "./config.ts";
import type { Config } from "./config-schema.ts";
import { handler } from "./handler.ts";
import { readyTeams } from "./ready.ts";

const instant = { ttft: 0, prefill: Infinity, cacheRead: Infinity, decode: Infinity } as const;
const open = async (spec: string) => {
  if (!spec.startsWith("simulated")) throw new ConfigError("model", `there is no form "${spec}"`);
  return simulated({ ...instant, id: spec });
};
const ask = async (options: Parameters<typeof handler>[0], model: string): Promise<string> => {
  const body = JSON.stringify({ model, messages: [{ role: "user", content: "Solve it in 2 steps." }] });
  const response = await handler(options)(new Request("http://x/v1/chat/completions", { method: "POST", body }));
  const answer = (await response.json()) as {
    choices?: { message: { content: string } }[];
    error?: { message: string };
  };
  return answer.choices?.[0]?.message.content ?? `${answer.error?.message}`;
};

test("ready-made teams answer", async () => {
  const teams = readyTeams(simulated(instant));
  assert.deepEqual(Object.keys(teams), ["solo", "chain", "tree", "graph", "dialogue"]);
  for (const name of Object.keys(teams)) assert.match(await ask({ teams }, name), /Step \d: /, name);
});

test("a wrong option of a model is told at its place in the config", async () => {
  const config = checkConfig({ models: { slow: "simulated:decode=0" }, teams: { t: { model: "slow" } } });
  await assert.rejects(
    openConfig(config, (spec) => parseModel(spec, { env: {} })),
    { name: "ConfigError", message: "models.slow: decode: 0 is not a number above 0" },
  );
});

test("a config declares models, and teams by shape, by agents and edges, as a dictionary, and as a dialogue", async () => {
  const agents = [
    { id: "a", instructions: "Solve.", model: "fast" },
    { id: "b", instructions: "Check.", model: "simulated:steps=2" },
  ];
  const config = checkConfig({
    models: { fast: "simulated" },
    teams: {
      shape: { topology: "tree", agents: 4, model: "fast", protocol: "serial", policy: "never", maxTokens: 500 },
      lists: { topology: { agents, edges: [["a", "b"]] }, policy: { b: "after:1" }, cut: "any" },
      dictionary: {
        model: "fast",
        topology: { A: { system_prompt: "Solve.", next: ["B"] }, B: { system_prompt: "Check." } },
      },
      talk: { model: "fast", protocol: "dialogue", rounds: 1, policy: "after:50" },
    },
    limits: { runs: 2 },
  });
  const opened = await openConfig(config, open);
  assert.deepEqual(Object.keys(opened.models ?? {}), ["fast"]);
  assert.equal(opened.teams["lists"]?.topology.agents[1]?.policy?.decide === undefined, false);
  assert.equal(opened.teams["lists"]?.topology.agents[0]?.policy, undefined);
  for (const name of [...Object.keys(opened.teams), "fast"]) assert.match(await ask(opened, name), /Step 1: /, name);
  await opened.close();
});

test("policies that need a file are opened with the config and closed with it", async () => {
  const config = (policy: string) =>
    checkConfig({ models: { fast: "simulated" }, teams: { talk: { model: "fast", protocol: "dialogue", policy } } });
  let closed = 0;
  const asked: unknown[] = [];
  const openPolicies: OpenPolicies = async (texts, whom) => {
    asked.push(texts, whom);
    return { opened: ({ name, file }) => ({ name: `${name} ${file}` }), close: async () => void closed++ };
  };
  const opened = await openConfig(config("ear:a.json"), open, openPolicies);
  assert.equal(opened.teams["talk"]?.topology.agents[0]?.policy?.name, "ear a.json");
  assert.deepEqual(asked, [["ear:a.json"], { place: "policy", model: "fast" }]);
  await opened.close();
  assert.equal(closed, 1);
  const failing: OpenPolicies = () => Promise.reject(new ConfigError("policy ear", "a.json: is not there"));
  await assert.rejects(openConfig(config("ear:a.json"), open, failing), {
    message: "teams.talk: policy ear: a.json: is not there",
  });
  await assert.rejects(openConfig(config("ear:a.json"), open), /teams\.talk: policy: "ear:a\.json" was not opened/);
});

test("what is wrong in a config is named by its place", async () => {
  const team = { model: "simulated" };
  const wrong: [unknown, string][] = [
    [[], "config"],
    [{ tems: {} }, "tems"],
    [{ teams: { a: { ...team, protocl: "x" } } }, "teams.a.protocl"],
    [{ teams: { a: { ...team, protocol: "strem" } } }, "teams.a.protocol"],
    [{ teams: { a: { ...team, agents: "three" } } }, "teams.a.agents"],
    [{ teams: { a: { ...team, topology: "ring" } } }, "teams.a.topology"],
    [{ models: { m: 3 } }, "models.m"],
    [{ limits: { runs: 0 } }, "limits.runs"],
    [{ origins: ["everywhere"] }, "origins[0]"],
    [{ teams: { a: { ...team, policy: "sometimes" } } }, "teams.a: policy"],
    [{ teams: { a: { ...team, policy: { nobody: "never" } } } }, "teams.a: policy.nobody"],
    [{ teams: { a: { ...team, splitter: "odd" } } }, "teams.a: splitter"],
    [{ teams: { a: { ...team, rounds: 3 } } }, "teams.a: rounds"],
    [{ teams: { a: {} } }, "teams.a: model"],
    [{ teams: { a: { model: "nothing:at-all" } } }, "teams.a.model"],
    [{ models: { m: "nothing:at-all" } }, "models.m"],
    [
      { teams: { a: { ...team, topology: { A: { system_prompt: "x", next: ["C"] } } } } },
      "teams.a: topology: A.next[0]",
    ],
    [{ teams: { a: { ...team, protocol: "segmented", hear: "waiting" } } }, "teams.a: hear"],
  ];
  for (const [config, place] of wrong) {
    await assert.rejects(
      async () => openConfig(checkConfig(config), open),
      (error) => error instanceof ConfigError && error.message.startsWith(`${place}: `),
      place,
    );
  }
});

test("models opened before one that fails are closed again", async () => {
  let closed = 0;
  const opening = async (spec: string) => ({ ...(await open(spec)), close: async () => void closed++ });
  const config: Config = { models: { a: "simulated", b: "broken" }, teams: {} };
  await assert.rejects(openConfig(config, opening), ConfigError);
  assert.equal(closed, 1);
});

test("a config is read from JSON or a module; what cannot be read says why, and quotes nothing", async (context) => {
  const folder = await mkdtemp(join(tmpdir(), "duplex-"));
  context.after(() => rm(folder, { recursive: true }));
  const write = async (name: string, text: string) => {
    await writeFile(join(folder, name), text);
    return join(folder, name);
  };
  const team = '{ model: "simulated" }';
  const module = await readConfig(await write("teams.mjs", `export default { teams: { a: ${team} } };`));
  assert.deepEqual(module, { teams: { a: { model: "simulated" } } });
  const json = await readConfig(await write("teams.json", '{"teams":{"a":{"model":"simulated"}}}'));
  assert.deepEqual(json, module);
  const failure = async (file: string) => readConfig(file).then(String, (error: Error) => error.message);
  const torn = await failure(await write("torn.json", '{"models":{"m":"sk-a-secret'));
  assert.match(torn, /torn\.json: cannot be read: it is not JSON$/);
  assert.match(await failure(join(folder, "none.json")), /none\.json: cannot be read: there is no such file/);
  assert.match(await failure(await write("teams.yaml", "teams:")), /this Node cannot import it; TypeScript needs/);
  assert.match(await failure(await write("empty.mjs", "")), /no default export/);
  assert.match(await failure(await write("wrong.json", '{"teams":3}')), /wrong\.json: teams: /);
});
