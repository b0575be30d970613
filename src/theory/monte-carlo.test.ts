import assert from "node:assert/strict";
import { test } from "node:test";
import { ConfigError } from "../base/errors.ts";
import type { Random } from "../base/random.ts";
import { integer, random } from "../base/random.ts";
import type { Effect } from "./effect.ts";
import {
  headCorrectness,
  meanCorrectness,
  rank,
  serialOverSingle,
  serialOverStream,
  streamOverSingle,
  tailCorrectness,
} from "./effect.ts";
import type { Estimate } from "./monte-carlo.ts";
import { simulateCorrectness } from "./monte-carlo.ts";
import type { Network, NetworkEdge } from "./network.ts";
import { expectedCorrectness } from "./network.ts";
import { chain } from "./plan.ts";
import { schedule } from "./schedule.ts";

// All seeds are fixed, so these tests give the same verdict every time. 4.5 standard errors: one false alarm in 150,000.
const sigmas = 4.5;
const deviation = ({ mean, standardError }: Estimate, expected: number) =>
  Math.abs(mean - expected) / Math.max(standardError, 1e-12);

const profileOf = (next: Random, steps: number) => Array.from({ length: steps }, () => next());
/** A speaker and a listener; δ and ε small enough that no combination leaves [0, 1]. */
function pair(next: Random): { network: Network; profile: number[]; effect: Effect } {
  const steps = integer(next, 1, 8);
  const profile = profileOf(next, steps);
  const effect = { delta: (0.05 + 0.45 * next()) / steps, epsilon: (0.05 + 0.45 * next()) / steps };
  const base = Array.from({ length: steps }, () => 0.5);
  const edges = [{ speaker: "a", listener: "b", ...effect }];
  return {
    network: {
      agents: [
        { id: "a", profile },
        { id: "b", profile: base },
      ],
      edges,
    },
    profile,
    effect,
  };
}

test("the gains of every protocol over every other agree with dice, over random profiles and effects", () => {
  const next = random(7);
  const squares: number[] = [];
  let refused = 0;
  for (let round = 0; round < 40; round++) {
    const { network, profile, effect } = pair(next);
    const options = { runs: 20_000, random: random(round), hearings: ["serial", "stream", "single"] as const };
    const { correctness, differences } = simulateCorrectness(network, options);
    const closed = [serialOverStream, serialOverSingle, streamOverSingle].map((form) => form(profile, effect));
    for (const [index, difference] of differences.entries()) {
      const distance = deviation(difference, closed[index]!);
      assert.ok(distance < sigmas, `round ${round}, difference ${index}: ${distance} standard errors`);
      if (difference.standardError > 0) squares.push(distance ** 2);
    }
    assert.ok(deviation(correctness[2]!, 0.5) < sigmas);
    const order = rank(profile, effect).order.flat();
    const clear = differences.every(({ mean, standardError }) => Math.abs(mean) > sigmas * standardError);
    const dice = (["serial", "stream", "single"] as const)
      .map((protocol, index) => [protocol, correctness[index]!.mean] as const)
      .toSorted(([, a], [, b]) => b - a)
      .map(([protocol]) => protocol);
    if (clear) assert.deepEqual(dice, order, `round ${round}`);
    // With the uniform mean in place of p_head the formula is wrong, and the dice must be good enough to say so.
    const uniform = (serialOverSingle(profile, effect) * (profile.length + 1)) / (2 * profile.length);
    if (deviation(differences[2]!, uniform) > sigmas) refused++;
  }
  const mean = squares.reduce((a, b) => a + b) / squares.length;
  assert.ok(mean > 0.6 && mean < 1.5, `the stated standard errors are off: mean square ${mean}`);
  assert.ok(refused >= 20, `only ${refused} of 40 rounds tell p_head from p̄`);
});

test("p_head is how often a step that Stream hears in time is right, p_tail one that it does not hear yet", () => {
  const next = random(11);
  for (let round = 0; round < 10; round++) {
    const profile = profileOf(next, integer(next, 2, 10));
    const counts = { all: [0, 0], head: [0, 0], tail: [0, 0] };
    for (let draw = 0; draw < 50_000; draw++) {
      const [said, step] = [integer(next, 1, profile.length), integer(next, 1, profile.length)];
      const right = next() < profile[step - 1]! ? 1 : 0;
      for (const kind of ["all", step <= said ? "head" : "tail"] as const) {
        counts[kind][0]! += right;
        counts[kind][1]!++;
      }
    }
    const closed = { all: meanCorrectness, head: headCorrectness, tail: tailCorrectness };
    for (const kind of ["all", "head", "tail"] as const) {
      const [right, draws] = counts[kind] as [number, number];
      const mean = right / draws;
      const standardError = Math.sqrt((mean * (1 - mean)) / draws);
      assert.ok(deviation({ mean, standardError }, closed[kind](profile) ?? Number.NaN) < sigmas, kind);
    }
  }
});

/** A random DAG of agents `0` … with different numbers of steps and effects that cannot leave [0, 1]. */
function web(next: Random): Network {
  const count = integer(next, 2, 6);
  const agents: { id: string; profile: number[] }[] = [];
  const edges: NetworkEdge[] = [];
  for (let listener = 0; listener < count; listener++) {
    const speakers = [...agents.keys()].filter((speaker) => next() < 0.5 || speaker === listener - 1);
    const steps = Math.max(0, ...speakers.map((speaker) => agents[speaker]!.profile.length)) || integer(next, 1, 5);
    agents.push({ id: String(listener), profile: Array.from({ length: steps }, () => 0.4 + 0.2 * next()) });
    const most = 0.4 / (speakers.length * steps);
    for (const speaker of speakers)
      edges.push({
        speaker: `${speaker}`,
        listener: `${listener}`,
        delta: most * next(),
        epsilon: most * next() + 1e-6,
      });
  }
  return { agents, edges };
}

test("the expectation carried through any DAG agrees with dice, under every hearing", () => {
  const next = random(23);
  for (let round = 0; round < 20; round++) {
    const network = web(next);
    const hearings = ["single", "stream", "serial"] as const;
    const { correctness } = simulateCorrectness(network, { runs: 10_000, random: random(round), hearings });
    for (const [index, hearing] of hearings.entries()) {
      const { mean, exact } = expectedCorrectness(network, hearing).at(-1)!;
      assert.ok(exact);
      assert.ok(deviation(correctness[index]!, mean) < sigmas, `round ${round}, ${hearing}`);
    }
    assert.deepEqual(expectedCorrectness(network, "segmented"), expectedCorrectness(network, "stream"));
  }
});

test("on two agents the carried expectation is the closed form", () => {
  const next = random(29);
  for (let round = 0; round < 100; round++) {
    const { network, profile, effect } = pair(next);
    const [single, stream, serial] = (["single", "stream", "serial"] as const).map(
      (hearing) => expectedCorrectness(network, hearing)[1]!.mean,
    ) as [number, number, number];
    assert.ok(Math.abs(stream - single - streamOverSingle(profile, effect)) < 1e-12);
    assert.ok(Math.abs(serial - single - serialOverSingle(profile, effect)) < 1e-12);
  }
});

test("how far a `waiting` listener has heard, taken from its schedule, gives its correctness", () => {
  const steps = 12;
  const plan = {
    ...chain(2),
    protocol: "stream",
    hear: "waiting",
    steps,
    tokens: { prompt: 0, step: 10 },
    speeds: { timeToFirstTokenMs: 900, prefill: Infinity, cacheRead: Infinity, decode: 20 },
  } as const;
  const hearing = { "2": schedule(plan).agents[1]!.heardThrough };
  const edges = [{ speaker: "1", listener: "2", delta: 0.03, epsilon: 0.03 }];
  const profile = Array.from({ length: steps }, (_, j) => 0.9 - 0.07 * j);
  const network = {
    agents: [
      { id: "1", profile },
      { id: "2", profile: profile.map(() => 0.5) },
    ],
    edges,
  };
  const { correctness } = simulateCorrectness(network, { runs: 20_000, random: random(3), hearings: [hearing] });
  const waiting = expectedCorrectness(network, hearing)[1]!.mean;
  assert.ok(deviation(correctness[0]!, waiting) < sigmas);
  const each = expectedCorrectness(network, "stream")[1]!.mean;
  const serial = expectedCorrectness(network, "serial")[1]!.mean;
  assert.ok(Math.min(each, serial) < waiting && waiting < Math.max(each, serial), `${each} ${waiting} ${serial}`);
});

test("an effect that can leave [0, 1] is cut there and said to be approximate, down to its listeners", () => {
  const edges = [
    { speaker: "a", listener: "b", delta: 0.6, epsilon: 0.1 },
    { speaker: "b", listener: "c", delta: 0.1, epsilon: 0.1 },
  ];
  const network = { agents: ["a", "b", "c"].map((id) => ({ id, profile: [0.9] })), edges };
  const expected = expectedCorrectness(network, "stream");
  assert.deepEqual(
    expected.map(({ exact }) => exact),
    [true, false, false],
  );
  assert.equal(expected[1]!.profile[0], 1);
});

test("a million chains are played in five seconds, and agree to a few in ten thousand", () => {
  const profile = [0.95, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3];
  const effect = { delta: 0.05, epsilon: 0.06 };
  const edges = [{ speaker: "a", listener: "b", ...effect }];
  const network = {
    agents: [
      { id: "a", profile },
      { id: "b", profile: profile.map(() => 0.5) },
    ],
    edges,
  };
  const start = performance.now();
  const options = { runs: 1_000_000, random: random(5), hearings: ["stream", "serial", "single"] as const };
  const { differences } = simulateCorrectness(network, options);
  const ms = performance.now() - start;
  const closed = [
    -serialOverStream(profile, effect),
    streamOverSingle(profile, effect),
    serialOverSingle(profile, effect),
  ];
  for (const [index, difference] of differences.entries()) {
    assert.ok(difference.standardError < 3e-4);
    assert.ok(deviation(difference, closed[index]!) < sigmas);
  }
  assert.ok(ms < 5000, `took ${ms} ms`);
});

test("the same seed gives the same numbers", () => {
  const { network } = pair(random(2));
  const play = () => simulateCorrectness(network, { runs: 100, random: random(9), hearings: ["stream"] });
  assert.deepEqual(play(), play());
});

test("what does not fit together is refused by its name", () => {
  const agents = [
    { id: "a", profile: [0.5] },
    { id: "b", profile: [0.5] },
  ];
  const edge = { speaker: "a", listener: "b", delta: 0.1, epsilon: 0.1 };
  const cases: [string, () => unknown][] = [
    [
      "agents[1].profile",
      () => expectedCorrectness({ agents: [agents[0]!, { id: "b", profile: [1, 1] }], edges: [edge] }, "stream"),
    ],
    ["agents[0].profile[0]", () => expectedCorrectness({ agents: [{ id: "a", profile: [2] }], edges: [] }, "stream")],
    ["edges[0].delta", () => expectedCorrectness({ agents, edges: [{ ...edge, delta: -1 }] }, "stream")],
    ["edges[0]", () => expectedCorrectness({ agents, edges: [{ ...edge, speaker: "x" }] }, "stream")],
    ["edges", () => expectedCorrectness({ agents, edges: [edge, { ...edge, speaker: "b", listener: "a" }] }, "stream")],
    ["hearing.b[0]", () => expectedCorrectness({ agents, edges: [edge] }, { b: [] })],
    [
      "runs",
      () => simulateCorrectness({ agents, edges: [edge] }, { runs: 1, random: random(1), hearings: ["stream"] }),
    ],
  ];
  for (const [path, call] of cases)
    assert.throws(call, (error) => error instanceof ConfigError && error.path === path, path);
});
