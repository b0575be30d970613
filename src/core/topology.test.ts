import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { ConfigError } from "../base/errors.ts";
import {
  chain,
  depth,
  diamond,
  graph,
  listenersOf,
  ordered,
  parentsOf,
  sinks,
  sources,
  topology,
  tree,
  validate,
} from "./topology.ts";
import type { Agent, Edge, Model } from "./types.ts";

const silent: Model = { id: "silent", async *stream() {} };
const agents = (...ids: readonly string[]): readonly Agent[] =>
  ids.map((id) => ({ id, instructions: "", model: silent }));
const drawn = ({ edges }: { readonly edges: readonly Edge[] }) => edges.map((edge) => edge.join(">")).join(" ");
const ids = (given: readonly Agent[]) => given.map(({ id }) => id).join("");

test("the named topologies have the edges that are drawn for four agents", () => {
  const four = agents("A", "B", "C", "D");
  assert.equal(drawn(chain(four)), "A>B B>C C>D");
  assert.equal(drawn(tree(four)), "A>B A>C B>D C>D");
  assert.equal(drawn(graph(four)), "A>B B>C C>D A>C");
  assert.equal(diamond, tree);
});

test("the named topologies exist for any number of agents", () => {
  assert.equal(drawn(tree(agents("A", "B", "C", "D", "E"))), "A>B A>C A>D B>E C>E D>E");
  for (const shape of [chain, tree, graph]) {
    assert.equal(drawn(shape(agents("A"))), "");
    assert.equal(drawn(shape(agents("A", "B"))), "A>B");
    assert.throws(() => shape([]), { name: "ConfigError", message: "agents: there must be at least one agent" });
  }
  assert.equal(drawn(tree(agents("A", "B", "C"))), "A>B B>C");
  assert.equal(drawn(graph(agents("A", "B", "C"))), "A>B B>C A>C");
});

test("who hears whom, where it begins and ends, and how deep it is", () => {
  const made = topology(agents("D", "C", "B", "A", "X"), [
    ["A", "B"],
    ["A", "C"],
    ["B", "D"],
    ["C", "D"],
    ["A", "D"],
  ]);
  assert.deepEqual(parentsOf(made).get("D"), ["B", "C", "A"]);
  assert.deepEqual(listenersOf(made).get("A"), ["B", "C", "D"]);
  assert.deepEqual(parentsOf(made).get("X"), []);
  assert.equal(ids(sources(made)), "AX");
  assert.equal(ids(sinks(made)), "DX");
  assert.equal(ids(ordered(made)), "ACBDX");
  assert.equal(depth(made), 3);
  assert.equal(depth(chain(agents("A", "B", "C", "D"))), 4);
});

test("a wrong topology is refused with the place and what is wrong", () => {
  const cases: readonly (readonly [readonly string[], readonly unknown[], string])[] = [
    [["a", "b", "a"], [], 'agents[2].id: "a" is the id of an earlier agent too'],
    [["a", " "], [], 'agents[1].id: must be a name of at least one character, not " "'],
    [["a\u001b[1m"], [], 'agents[0].id: must have no control characters: "a\\u001b[1m"'],
    [
      ["a", "b"],
      [
        ["a", "b"],
        ["b", "c"],
      ],
      'edges[1]: there is no agent "c"; the agents are a, b',
    ],
    [["a", "b"], [["b", "b"]], 'edges[0]: "b" must not hear itself'],
    [
      ["a", "b"],
      [
        ["a", "b"],
        ["a", "b"],
      ],
      "edges[1]: a -> b was given before",
    ],
    [["a", "b"], [["a"]], "edges[0]: must be a pair [speaker, listener] of agent ids"],
    [
      ["a", "b"],
      [
        ["a", "b"],
        ["b", "a"],
      ],
      "edges: there is a cycle, a -> b -> a; agents must not hear themselves",
    ],
    [
      ["s", "a", "b", "c", "t"],
      [
        ["s", "a"],
        ["a", "b"],
        ["b", "c"],
        ["c", "a"],
        ["c", "t"],
      ],
      "edges: there is a cycle, a -> b -> c -> a; agents must not hear themselves",
    ],
  ];
  for (const [names, edges, message] of cases)
    assert.throws(() => validate({ agents: agents(...names), edges: edges as readonly Edge[] }), {
      name: "ConfigError",
      message,
    });
});

test("any acyclic graph is ordered, parents first; one edge back makes a cycle that is named edge by edge", () => {
  const pairs = fc.array(fc.tuple(fc.nat(9), fc.nat(9)), { maxLength: 25 });
  fc.assert(
    fc.property(pairs, fc.nat(9), fc.nat(9), (drawnPairs, from, to) => {
      const forward = new Map(drawnPairs.filter(([a, b]) => a < b).map(([a, b]) => [`${a}${b}`, [`${a}`, `${b}`]]));
      const edges = [...forward.values()] as unknown as readonly Edge[];
      const team = agents(..."7305182964".split(""));
      const order = ids(ordered(topology(team, edges)));
      assert.equal(order.length, 10);
      for (const [speaker, listener] of edges) assert.ok(order.indexOf(speaker) < order.indexOf(listener));
      if (from <= to) return;
      const all: readonly Edge[] = [...edges, [`${from}`, `${to}`]];
      const reach = new Set([`${to}`]);
      for (const { id } of ordered({ agents: team, edges }))
        for (const [speaker, listener] of edges) if (speaker === id && reach.has(speaker)) reach.add(listener);
      try {
        validate({ agents: team, edges: all });
        assert.ok(!reach.has(`${from}`));
      } catch (error) {
        assert.ok(error instanceof ConfigError, String(error));
        assert.ok(reach.has(`${from}`));
        const cycle = /cycle, (.*);/.exec(error.message)?.[1]?.split(" -> ") ?? [];
        assert.equal(cycle[0], cycle.at(-1));
        for (const [index, id] of cycle.slice(1).entries())
          assert.ok(all.some(([speaker, listener]) => speaker === cycle[index] && listener === id));
      }
    }),
    { numRuns: 500 },
  );
});
