import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { chain, topology as make } from "../core/topology.ts";
import type { Edge } from "../core/types.ts";
import { VirtualClock } from "../testing/clock.ts";
import { agent, chainOf, deaf, ends, lines, of, play, said, starts } from "./play.fixture.ts";
import { run } from "./run.ts";
import type { RunOptions } from "./run.ts";

suite("a chain of A agents with S steps of 10 ms", () => {
  for (const [A, S] of [
    [1, 4],
    [3, 4],
    [4, 64],
    [64, 4],
  ] as const)
    test(`A=${A} S=${S}: streamed S+A-1 step times, serial and segmented A*S`, async () => {
      for (const [protocol, calls, steps] of [
        ["stream", 1, S + A - 1],
        ["segmented", 1, A * S],
        ["serial", S, A * S],
      ] as const) {
        const clock = new VirtualClock();
        const { events } = await play(
          clock,
          chainOf(clock, A, (index) => (index === 0 ? S : calls)),
          { protocol },
        );
        assert.equal(events.at(-1)?.type === "run-end" && events.at(-1)?.at, steps * 10, protocol);
      }
    });
});

test("segmented makes the calls and prompts of stream", async () => {
  const requests = async (protocol: string) => {
    const clock = new VirtualClock();
    const team = chainOf(clock, 3, (index) => (index === 0 ? 5 : 1));
    await play(clock, team, { protocol });
    return team.agents.map(({ model }) => "requests" in model && JSON.stringify(model.requests));
  };
  assert.deepEqual(await requests("segmented"), await requests("stream"));
});

test("single is the first source alone", async () => {
  const clock = new VirtualClock();
  const { events } = await play(
    clock,
    chainOf(clock, 3, () => 2),
    { protocol: "single" },
  );
  assert.deepEqual(ends(events), { a0: "done" });
});

suite("joins", () => {
  const edges: Edge[] = [
    ["x", "z"],
    ["y", "z"],
  ];
  const join = async (options: RunOptions) => {
    const clock = new VirtualClock();
    const agents = [
      agent(clock, "x", { says: 2 }),
      agent(clock, "y", { says: 3, ms: 25 }),
      agent(clock, "z", { ms: 1 }),
    ];
    return (await play(clock, make(agents, edges), options)).events;
  };
  test("aligned waits for the next step of every parent that still speaks", async () => {
    const events = await join({});
    assert.deepEqual(starts(events, "z"), [25, 50, 75]);
    assert.deepEqual(
      of(events, "turn-start").flatMap((e) => (e.agent === "z" ? [e.heard] : [])),
      [
        [
          ["x", 0],
          ["y", 0],
        ],
        [
          ["x", 1],
          ["y", 1],
        ],
        [["y", 2]],
      ],
    );
  });
  test("arrival makes a call for each step, as it comes", async () => {
    assert.deepEqual(starts(await join({ join: "arrival" }), "z"), [10, 20, 25, 50, 75]);
  });
  test("serial hears the parents one after the other, whoever was faster", async () => {
    const events = await join({ protocol: "serial" });
    assert.deepEqual(
      of(events, "turn-start")
        .at(-1)
        ?.heard.map(([id]) => id),
      ["x", "x", "y", "y", "y"],
    );
  });
});

test("waiting answers in one call all steps that came while the listener was busy", async () => {
  const clock = new VirtualClock();
  const slow = agent(clock, "b", { script: (call) => [{ wait: 35 }, ...lines(`b${call}`, 1)], ms: 0 });
  const { events } = await play(clock, chain([agent(clock, "a", { says: 6 }), slow]), { hear: "waiting" });
  assert.deepEqual(
    of(events, "turn-start").flatMap((e) => (e.agent === "b" ? [[e.at, e.heard.map(([, index]) => index)]] : [])),
    [
      [10, [0]],
      [45, [1, 2, 3]],
      [80, [4, 5]],
    ],
  );
});

test("contexts only grow: the messages of each request begin with those of the one before", async () => {
  const clock = new VirtualClock();
  const team = chainOf(clock, 3, (index) => (index === 0 ? 5 : 1));
  await play(clock, team);
  for (const { model } of team.agents) {
    const requests = "requests" in model ? (model.requests as { messages: readonly unknown[] }[]) : [];
    for (const [index, { messages }] of requests.slice(1).entries())
      assert.deepEqual(messages.slice(0, requests[index]!.messages.length), requests[index]!.messages);
  }
});

suite("interrupts", () => {
  test("a cut ends the speaker, and the listener goes on with what it heard", async () => {
    const clock = new VirtualClock();
    const { events } = await play(clock, chain([agent(clock, "a", { says: 10 }), agent(clock, "b")]), {
      during: (event, performance) => {
        if (event.type === "step" && event.agent === "a" && event.index === 1) performance.interrupt("a", { by: "me" });
      },
    });
    assert.deepEqual(said(events, "a"), ["a.0", "a.1"]);
    assert.deepEqual(said(events, "b"), ["b.0", "b.0"]);
    assert.deepEqual(ends(events), { a: "interrupted", b: "done" });
    const turn = of(events, "turn-end").find((e) => e.agent === "a");
    assert.deepEqual([turn?.reason, turn?.usage.outputTokens], ["interrupted", 2]);
  });
  test("interrupting twice, between turns or too late changes nothing more", async () => {
    const clock = new VirtualClock();
    const answers: boolean[] = [];
    const { events } = await play(clock, chain([agent(clock, "a", { says: 3 }), agent(clock, "b")]), {
      during: (event, performance) => {
        if (event.type === "chunk" && event.agent === "a" && event.turn === 0)
          answers.push(performance.interrupt("a", { turn: 7 }), performance.interrupt("a"), performance.interrupt("a"));
        if (event.type === "agent-end" && event.agent === "a") answers.push(performance.interrupt("a"));
        if (event.type === "agent-end") answers.push(performance.interrupt("nobody"));
      },
    });
    assert.deepEqual(answers, [false, true, false, false, false, false]);
    assert.equal(of(events, "interrupt").length, 1);
  });
  test("a speaker that nobody hears any more is cut too", async () => {
    const clock = new VirtualClock();
    const { events } = await play(clock, chain([agent(clock, "a", { says: 50 }), agent(clock, "b")]), {
      during: (event, performance) => {
        if (event.type === "step" && event.agent === "b" && event.index === 2) performance.interrupt("b");
      },
    });
    assert.deepEqual(ends(events), { a: "interrupted", b: "interrupted" });
    assert.ok(clock.now() < 60);
  });
  test("a cut does not wait longer than the grace for a model that ignores its signal", async () => {
    const clock = new VirtualClock();
    const { events } = await play(clock, chain([deaf(clock), agent(clock, "b")]), {
      graceMs: 500,
      during: (event, performance) => {
        if (event.type === "chunk" && event.agent === "a") performance.interrupt("a");
      },
    });
    const end = of(events, "turn-end").find((e) => e.agent === "a");
    assert.deepEqual([end?.at, end?.reason, end?.usage.estimated], [510, "interrupted", true]);
  });
  test("drain lets the model finish unheard: exact usage, and the rest is overrun", async () => {
    const clock = new VirtualClock();
    const { events } = await play(clock, chain([agent(clock, "a", { says: 10 }), agent(clock, "b")]), {
      onInterruptUsage: "drain",
      during: (event, performance) => {
        if (event.type === "step" && event.agent === "a" && event.index === 1) performance.interrupt("a");
      },
    });
    const end = of(events, "turn-end").find((e) => e.agent === "a");
    assert.deepEqual([end?.usage.outputTokens, end?.overrunTokens, end?.usage.estimated], [10, 8, undefined]);
    assert.deepEqual(said(events, "a"), ["a.0", "a.1"]);
  });
});

test("what is wrong before the start is thrown at once and names the place", () => {
  const clock = new VirtualClock();
  const team = chainOf(clock, 2, () => 1);
  assert.throws(() => run(team, " "), /task: is empty/);
  assert.throws(() => run(team, "t", { protocol: "toString" }), /protocol: "toString" is none of single, serial/);
  assert.throws(() => run(team, "t", { maxTokens: 0 }), /maxTokens: 0 is out of range/);
  assert.throws(() => run({ ...team, edges: [["a0", "zz"]] }, "t"), /zz/);
  assert.throws(() => run(team, "t", { join: "sideways" as never }), /join: "sideways" is none of aligned, arrival/);
});

test("what only a caller without types can get wrong is named too, and nothing hangs", () => {
  const clock = new VirtualClock();
  const team = chainOf(clock, 1, () => 1);
  const [only] = team.agents;
  const wrong = (more: object) => ({ agents: [{ ...only, ...more }], edges: [] }) as never;
  const cases: readonly [topology: never, task: unknown, options: object, message: RegExp][] = [
    [team as never, 5, {}, /^task: must be a text, not of type number/],
    [wrong({ model: undefined }), "t", {}, /^agents\[0\]\.model: must be a model.* not missing/],
    [wrong({ model: "simulated" }), "t", {}, /^agents\[0\]\.model: must be a model.* not of type string/],
    [wrong({ policy: () => true }), "t", {}, /^agents\[0\]\.policy: must be an object.* not of type function/],
    [wrong({ policy: { name: "p", decide: 1 } }), "t", {}, /^agents\[0\]\.policy\.decide: must be a function/],
    [wrong({ route: "b" }), "t", {}, /^agents\[0\]\.route: must be a function/],
    [team as never, "t", { splitter: "step" }, /^splitter: must be a function/],
    [team as never, "t", { signal: {} }, /^signal: must be an AbortSignal/],
    [team as never, "t", { clock: {} }, /^clock: must have/],
  ];
  for (const [topology, task, options, message] of cases)
    assert.throws(() => run(topology, task as string, options), { name: "ConfigError", message });
});

test("a protocol that throws ends the run instead of leaving its readers waiting", async () => {
  const boom = new Error("boom");
  const broken = {
    name: "broken",
    start: () => {
      throw boom;
    },
  };
  const { events, error } = await play(
    new VirtualClock(),
    chainOf(new VirtualClock(), 1, () => 1),
    { protocol: broken },
  );
  assert.deepEqual([events.map(({ type }) => type), error], [["run-start"], boom]);
});
