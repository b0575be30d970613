import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { ConfigError } from "../base/errors.ts";
import { parseTopology } from "./topology-file.ts";
import type { Model, Step } from "./types.ts";

const named = (id: string): Model => ({ id, async *stream() {} });
const model = named("the one");
const step = (text: string): Step => ({ type: "step", at: 0, agent: "A", seq: 0, turn: 0, index: 0, text });

test("the published dictionary form is a topology in the order of its keys", () => {
  const { agents, edges } = parseTopology(
    {
      A: { system_prompt: "solve", next: ["B", "C"] },
      B: { system_prompt: "review", next: ["D"] },
      C: { system_prompt: "", next: ["D"] },
      D: { system_prompt: "merge" },
    },
    { model },
  );
  assert.deepEqual(
    agents.map(({ id, instructions }) => [id, instructions]),
    [
      ["A", "solve"],
      ["B", "review"],
      ["C", ""],
      ["D", "merge"],
    ],
  );
  assert.deepEqual(edges, [
    ["A", "B"],
    ["A", "C"],
    ["B", "D"],
    ["C", "D"],
  ]);
  assert.ok(agents.every((agent) => agent.model === model && agent.route === undefined));
});

test("our own form holds agents and edges", () => {
  const value = {
    agents: [
      { id: "a", instructions: "x", model: "small" },
      { id: "b", instructions: "y" },
    ],
    edges: [["a", "b"]],
  };
  const { agents, edges } = parseTopology(value, { model: (name) => named(name ?? "default") });
  assert.deepEqual(
    agents.map((agent) => [agent.id, agent.model.id]),
    [
      ["a", "small"],
      ["b", "default"],
    ],
  );
  assert.deepEqual(edges, [["a", "b"]]);
  assert.deepEqual(parseTopology({ agents: [{ id: "a", instructions: "" }] }, { model }).edges, []);
});

test("a listener with a condition hears only what matches it, others hear always", () => {
  const { agents, edges } = parseTopology(
    {
      A: { system_prompt: "", next: [{ to: "B", when: "^math" }, "C", { to: "D", when: "code$" }, { to: "E" }] },
      ...Object.fromEntries(["B", "C", "D", "E"].map((id) => [id, { system_prompt: "" }])),
    },
    { model },
  );
  const route = agents[0]?.route;
  const listeners = ["B", "C", "D", "E"];
  assert.deepEqual(
    edges.map(([, listener]) => listener),
    listeners,
  );
  assert.deepEqual(route?.(step("math"), listeners), ["B", "C", "E"]);
  assert.deepEqual(route?.(step("some code"), listeners), ["C", "D", "E"]);
  assert.deepEqual(route?.(step("math"), ["D"]), []);
});

test("an error names its place", () => {
  const prompt = { system_prompt: "" };
  const cases: readonly (readonly [unknown, string])[] = [
    [undefined, 'topology: must be an object of agents by id, or with "agents" and "edges", not missing'],
    [[], 'topology: must be an object of agents by id, or with "agents" and "edges", not a list'],
    [{}, "agents: there must be at least one agent"],
    [{ agents: [] }, "agents: there must be at least one agent"],
    [{ A: null }, "A: must be an object with system_prompt, next, model, not null"],
    [{ A: {} }, "A.system_prompt: must be a text, not missing"],
    [{ A: { ...prompt, nxt: [] } }, 'A: "nxt" is not known here; the keys are system_prompt, next, model'],
    [{ A: { ...prompt, next: "B" } }, "A.next: must be a list, not a string"],
    [{ A: { ...prompt, next: ["B", 7] }, B: prompt }, "A.next[1]: must be an object with to, when, not a number"],
    [{ A: { ...prompt, next: ["B", "Z"] }, B: prompt }, 'A.next[1]: there is no agent "Z"; the agents are A, B'],
    [{ A: { ...prompt, next: ["A"] } }, 'A.next[0]: "A" must not hear itself'],
    [{ A: { ...prompt, next: ["B", { to: "B" }] }, B: prompt }, 'A.next[1]: "B" was given before'],
    [
      { A: { ...prompt, next: [{ to: "B", when: "(" }] }, B: prompt },
      'A.next[0].when: "(" is not a regular expression',
    ],
    [{ A: { ...prompt, next: [{ when: "x" }] } }, "A.next[0].to: must be a text, not missing"],
    [{ "my agent": { ...prompt, next: 1 } }, '["my agent"].next: must be a list, not a number'],
    [{ "a\u0007": prompt }, 'topology: must have no control characters: "a\\u0007"'],
    [{ A: { ...prompt, model: 3 } }, "A.model: must be a text, not a number"],
    [
      { A: { ...prompt, model: "x" } },
      "A.model: names a model, but all agents share the one given to this run; leave it out",
    ],
    [
      { A: { ...prompt, next: ["B"] }, B: { ...prompt, next: ["A"] } },
      "next: there is a cycle, A -> B -> A; agents must not hear themselves",
    ],
    [{ agents: [{ id: "a" }] }, "agents[0].instructions: must be a text, not missing"],
    [{ agents: [{ instructions: "" }] }, "agents[0].id: must be a name of at least one character, not undefined"],
    [{ agents: [{ id: "a", instructions: "" }], edges: [["a", 4]] }, "edges[0]: there is no agent 4; the agents are a"],
    [{ agents: [{ id: "a", instructions: "" }], edges: {} }, "edges: must be a list, not an object"],
  ];
  for (const [value, message] of cases)
    assert.throws(() => parseTopology(value, { model }), { name: "ConfigError", message });
});

test("an error about a model's name gets the place of the agent; other errors pass", () => {
  const value = JSON.parse('{ "__proto__": { "system_prompt": "", "model": "odd" } }') as unknown;
  const fail = (error: Error) => () => {
    throw error;
  };
  assert.throws(() => parseTopology(value, { model: fail(new ConfigError("", "no such form")) }), {
    message: "__proto__.model: no such form",
  });
  assert.throws(() => parseTopology(value, { model: fail(new TypeError("a defect")) }), TypeError);
});

test("whatever JSON holds, it is a topology or an error of ours", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.boolean(), (value, wrapped) => {
      try {
        parseTopology(wrapped ? { A: { system_prompt: "", next: value }, agents: value } : value, { model });
      } catch (error) {
        assert.ok(error instanceof ConfigError, String(error));
      }
    }),
  );
});
