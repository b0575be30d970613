import assert from "node:assert/strict";
import { test } from "node:test";
import { encode } from "gpt-tokenizer";
import { heardMessage, rolePrompts, teamOf } from "./prompts.ts";
import { depth, parentsOf, topologyNames } from "./topology.ts";
import type { TopologyName } from "./topology.ts";
import type { Model, Step } from "./types.ts";

const model: Model = { id: "silent", async *stream() {} };
const ids = (name: TopologyName, agents: number) => rolePrompts(name, { agents }).map(({ id }) => id);

test("agents are named by what they do, and numbered where there are many", () => {
  assert.deepEqual(ids("single", 1), ["solver"]);
  assert.deepEqual(ids("chain", 4), ["solver", "reviewer", "checker", "editor"]);
  assert.deepEqual(ids("tree", 4), ["solver", "reviewer", "checker", "synthesizer"]);
  assert.deepEqual(ids("diamond", 4), ids("tree", 4));
  assert.deepEqual(ids("graph", 4), ["solver", "reviewer", "synthesizer", "editor"]);
  assert.deepEqual(ids("chain", 5), ["solver", "reviewer-1", "reviewer-2", "reviewer-3", "reviewer-4"]);
  assert.deepEqual(ids("graph", 5), ["solver", "reviewer-1", "synthesizer", "reviewer-2", "reviewer-3"]);
});

test("everyone is told its own id, whom it hears and how a step ends, in at most 150 tokens", () => {
  for (const topology of topologyNames)
    for (const agents of topology === "single" ? [1] : [1, 2, 3, 4, 5, 64]) {
      const team = teamOf({ topology, agents, steps: 8, delimiter: "NEXT_PART", model });
      const parents = parentsOf(team);
      assert.equal(team.agents.length, agents);
      assert.equal(new Set(team.agents.map(({ id }) => id)).size, agents);
      for (const { id, instructions } of team.agents) {
        assert.ok(instructions.startsWith(`You are ${id}. `));
        assert.ok(instructions.includes("write NEXT_PART alone on a line"));
        assert.ok(instructions.includes("the final answer"));
        assert.ok(encode(instructions).length <= 150, instructions);
        const heard = parents.get(id) ?? [];
        for (const parent of heard.length > 4 ? [heard[0], heard.at(-1)] : heard)
          assert.ok(instructions.includes(`${parent}`));
      }
    }
});

test("where the splitter needs no delimiter, none is asked for", () => {
  for (const { instructions } of rolePrompts("tree", { agents: 4, delimiter: null })) {
    assert.ok(!instructions.includes("END_STEP") && !instructions.includes("alone on a line"));
    assert.equal(instructions, instructions.trim());
  }
});

test("the number of steps is asked of the solver alone, or left to it", () => {
  const words = (steps: number | "auto") => rolePrompts("chain", { agents: 3, steps }).map((role) => role.instructions);
  assert.match(words(5)[0] ?? "", /in exactly 5 steps/);
  assert.match(words(1)[0] ?? "", /in 1 step\./);
  assert.match(words("auto")[0] ?? "", /step by step/);
  assert.deepEqual(words(5).slice(1), words("auto").slice(1));
});

test("a team is ready to run, with a model for all or one for each", () => {
  assert.equal(depth(teamOf({ topology: "graph", agents: 4, model })), 4);
  const team = teamOf({ topology: "tree", agents: 4, model: (index) => ({ ...model, id: `model ${index}` }) });
  assert.deepEqual(
    team.agents.map((agent) => agent.model.id),
    ["model 0", "model 1", "model 2", "model 3"],
  );
  assert.equal(team.edges.length, 4);
});

test("bad values are refused with what is allowed", () => {
  const refuse = (topology: string, options: object, message: RegExp) =>
    assert.throws(() => rolePrompts(topology as TopologyName, { agents: 2, ...options }), {
      name: "ConfigError",
      message,
    });
  refuse("ring", {}, /^topology: unknown "ring"; there are single, chain, tree, diamond, graph$/);
  for (const agents of [0, -1, 1.5, Number.NaN])
    refuse("chain", { agents }, /^agents: must be a whole number of at least 1/);
  for (const steps of [0, -3, 2.5, "many"])
    refuse("chain", { steps }, /^steps: must be "auto" or a whole number of at/);
  refuse("single", {}, /^agents: must be 1 in the topology single, not 2/);
  refuse("chain", { delimiter: " " }, /^delimiter: must be one line/);
});

test("a message names speaker and step, and brings the task where it is given", () => {
  const said = (agent: string, index: number, text: string): Step => ({
    type: "step",
    at: 0,
    seq: 0,
    turn: 0,
    agent,
    index,
    text,
  });
  assert.equal(
    heardMessage([said("solver", 0, "x = 2"), said("reviewer", 0, "yes")], { task: "Find x." }),
    "Task:\nFind x.\n\nStep 1 by solver:\nx = 2\n\nStep 1 by reviewer:\nyes",
  );
  assert.equal(heardMessage([said("solver", 1, "y")]), "Step 2 by solver:\ny");
  assert.equal(
    heardMessage([], { task: "T" }),
    "Task:\nT\n\nThe agents you listen to said nothing. Work on the task by yourself.",
  );
});
