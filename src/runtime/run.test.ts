import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { byLine } from "../core/splitters.ts";
import { chain, topology as make } from "../core/topology.ts";
import type { Agent, Edge, EventOf, RunEvent, Topology } from "../core/types.ts";
import { VirtualClock } from "../testing/clock.ts";
import { scripted } from "../testing/scripted.ts";
import type { Line } from "../testing/scripted.ts";
import { run } from "./run.ts";
import type { Run, RunOptions } from "./run.ts";

const lines = (id: string, count: number) => Array.from({ length: count }, (_, i) => `${id}.${i}\n`);

type Cast = { ms?: number; script?: (call: number) => readonly Line[] } & Partial<Pick<Agent, "route">>;

/** An agent that says `count` lines in each of its turns, `ms` apart. */
function agent(clock: VirtualClock, id: string, count: number, { ms = 10, script, ...rest }: Cast = {}) {
  const model = scripted(clock, script ?? (() => lines(id, count)), { ms, id });
  return { id, instructions: `you are ${id}`, model, ...rest };
}

type Played = { events: RunEvent[]; error: unknown };

/** Plays a run in virtual time; `during` sees each event and may act on the run. */
async function play(
  clock: VirtualClock,
  topology: Topology,
  { during, ...options }: RunOptions & { during?: (event: RunEvent, run: Run) => void } = {},
): Promise<Played> {
  const events: RunEvent[] = [];
  let error: unknown;
  const perform = async () => {
    const performance = run(topology, "the task", { clock, splitter: byLine(), id: "r", ...options });
    try {
      for await (const event of performance) {
        events.push(event);
        during?.(event, performance);
      }
    } catch (caught) {
      error = caught;
    }
  };
  await clock.run(perform());
  return { events, error };
}

const of = <T extends RunEvent["type"]>(events: readonly RunEvent[], type: T): EventOf<T>[] =>
  events.filter((event): event is EventOf<T> => event.type === type);
const starts = (events: readonly RunEvent[], id: string) =>
  of(events, "turn-start").flatMap((event) => (event.agent === id ? [event.at] : []));
const said = (events: readonly RunEvent[], id: string) =>
  of(events, "step").flatMap((event) => (event.agent === id ? [event.text.trim()] : []));
const ends = (events: readonly RunEvent[]) =>
  Object.fromEntries(of(events, "agent-end").map((e) => [e.agent, e.reason]));

const chainOf = (clock: VirtualClock, count: number, steps: (index: number) => number): Topology =>
  chain(Array.from({ length: count }, (_, index) => agent(clock, `a${index}`, steps(index))));

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
    const agents = [agent(clock, "x", 2), agent(clock, "y", 3, { ms: 25 }), agent(clock, "z", 1, { ms: 1 })];
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
  const slow = agent(clock, "b", 0, { script: (call) => [{ wait: 35 }, ...lines(`b${call}`, 1)], ms: 0 });
  const { events } = await play(clock, chain([agent(clock, "a", 6), slow]), { hear: "waiting" });
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
    const { events } = await play(clock, chain([agent(clock, "a", 10), agent(clock, "b", 1)]), {
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
    const { events } = await play(clock, chain([agent(clock, "a", 3), agent(clock, "b", 1)]), {
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
    const { events } = await play(clock, chain([agent(clock, "a", 50), agent(clock, "b", 1)]), {
      during: (event, performance) => {
        if (event.type === "step" && event.agent === "b" && event.index === 2) performance.interrupt("b");
      },
    });
    assert.deepEqual(ends(events), { a: "interrupted", b: "interrupted" });
    assert.ok(clock.now() < 60);
  });
  test("a cut does not wait longer than the grace for a model that ignores its signal", async () => {
    const clock = new VirtualClock();
    const deaf: Agent = {
      id: "a",
      instructions: "",
      model: {
        id: "deaf",
        async *stream() {
          for (;;) {
            await clock.sleep(10);
            yield { type: "text", text: "x\n", tokens: 1 };
          }
        },
      },
    };
    const { events } = await play(clock, chain([deaf, agent(clock, "b", 1)]), {
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
    const { events } = await play(clock, chain([agent(clock, "a", 10), agent(clock, "b", 1)]), {
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

suite("failures", () => {
  const boom = new Error("boom");
  test("failFast: the first failure ends the run, everything has its end, and the error is thrown", async () => {
    const clock = new VirtualClock();
    const broken = agent(clock, "b", 0, { script: () => [{ fail: boom }] });
    const { events, error } = await play(clock, chain([agent(clock, "a", 5), broken, agent(clock, "c", 1)]));
    assert.equal(error, boom);
    assert.deepEqual(ends(events), { a: "cancelled", b: "failed", c: "cancelled" });
    assert.deepEqual(events.at(-1), {
      type: "run-end",
      at: 10,
      reason: "failed",
      error: { name: "Error", message: "boom" },
    });
  });
  test("collect: other branches go on, and the join does without the failed one", async () => {
    const clock = new VirtualClock();
    const agents = [
      agent(clock, "a", 3),
      agent(clock, "b", 0, { script: () => [{ fail: boom }] }),
      agent(clock, "c", 1),
      agent(clock, "d", 1),
    ];
    const diamond = make(agents, [
      ["a", "b"],
      ["a", "c"],
      ["b", "d"],
      ["c", "d"],
    ]);
    const { events, error } = await play(clock, diamond, { onFailure: "collect" });
    assert.equal(error, undefined);
    assert.deepEqual(ends(events), { a: "done", b: "failed", c: "done", d: "done" });
    assert.deepEqual(said(events, "d").length, 3);
  });
  test("collect: with no answer at all the run has failed", async () => {
    const clock = new VirtualClock();
    const broken = agent(clock, "a", 0, { script: () => [{ fail: boom }] });
    const { events, error } = await play(clock, chain([broken, agent(clock, "b", 1)]), { onFailure: "collect" });
    assert.equal(error, boom);
    assert.deepEqual(ends(events), { a: "failed", b: "skipped" });
  });
  test("a stream that closes without its end is truncated, and its unfinished step travels nowhere", async () => {
    const clock = new VirtualClock();
    const cut = agent(clock, "a", 0, { script: () => ["one\n", "tw", { then: "close" }] });
    const { events, error } = await play(clock, chain([cut, agent(clock, "b", 1)]));
    assert.match(String(error), /closed without its end/);
    assert.equal(of(events, "turn-end")[0]?.reason, "truncated");
    assert.deepEqual(said(events, "a"), ["one"]);
  });
  test("a stream that stalls ends by the idle time-out", async () => {
    const clock = new VirtualClock();
    const stalls = agent(clock, "a", 0, { script: () => ["one\n", { then: "stall" }] });
    const { events, error } = await play(clock, chain([stalls, agent(clock, "b", 1)]), { idleMs: 300 });
    assert.match(String(error), /a: model a said nothing for 300 ms/);
    assert.equal(events.at(-1)?.at, 310);
  });
});

suite("silence", () => {
  test("an agent that says nothing closes its edges, and its listener answers the task alone", async () => {
    const clock = new VirtualClock();
    const silent = agent(clock, "a", 0);
    for (const protocol of ["serial", "stream", "segmented"]) {
      const { events } = await play(clock, chain([silent, agent(clock, "b", 2)]), { protocol });
      assert.deepEqual(ends(events), { a: "done", b: "done" }, protocol);
      assert.deepEqual(said(events, "b"), ["b.0", "b.1"], protocol);
    }
  });
  test("a router skips a branch: it and what hangs on it alone make no call", async () => {
    const clock = new VirtualClock();
    const router = agent(clock, "a", 3, { route: () => ["c"] });
    const agents = [router, ...["b", "bb", "c", "d"].map((id) => agent(clock, id, 1))];
    const team = make(agents, [
      ["a", "b"],
      ["b", "bb"],
      ["a", "c"],
      ["bb", "d"],
      ["c", "d"],
    ]);
    for (const protocol of ["stream", "serial", "segmented"]) {
      const { events } = await play(clock, team, { protocol });
      assert.deepEqual(ends(events), { a: "done", b: "skipped", bb: "skipped", c: "done", d: "done" }, protocol);
    }
  });
});

suite("cancelling", () => {
  test("rejects with the signal's reason, every turn and agent ended", async () => {
    const clock = new VirtualClock();
    const caller = new AbortController();
    const reason = new Error("deadline");
    void clock.sleep(35).then(() => caller.abort(reason));
    const { events, error } = await play(
      clock,
      chainOf(clock, 3, () => 20),
      { signal: caller.signal },
    );
    assert.equal(error, reason);
    assert.equal(events.at(-1)?.type, "run-end");
    assert.deepEqual(Object.values(ends(events)), ["cancelled", "cancelled", "cancelled"]);
    assert.equal(of(events, "turn-start").length, of(events, "turn-end").length);
    assert.equal(clock.now(), 35);
  });
  test("leaving the for await stops every agent", async () => {
    const clock = new VirtualClock();
    const leave = async () => {
      let seen = 0;
      for await (const _ of run(
        chainOf(clock, 3, () => 100),
        "task",
        { clock, splitter: byLine() },
      ))
        if (++seen === 9) break;
    };
    await clock.run(leave());
    assert.ok(clock.now() < 100);
  });
  test("a reader that comes late gets every event, and leaving it cancels nothing", async () => {
    const clock = new VirtualClock();
    const performance = run(
      chainOf(clock, 2, () => 3),
      "task",
      { clock, splitter: byLine() },
    );
    const collect = async () => {
      const main: RunEvent[] = [];
      const late: RunEvent[] = [];
      for await (const event of performance) {
        main.push(event);
        if (main.length === 5) for await (const _ of performance.read()) break;
      }
      for await (const event of performance.read()) late.push(event);
      return { main, late };
    };
    const { main, late } = await clock.run(collect());
    assert.deepEqual(late, main);
    assert.equal(main.at(-1)?.type, "run-end");
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
