import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { byLine } from "../core/splitters.ts";
import { chain, topology as make } from "../core/topology.ts";
import { ModelError } from "../base/errors.ts";
import type { Policy } from "../core/policy.ts";
import type { Model, ModelPart, RunEvent } from "../core/types.ts";
import { VirtualClock } from "../testing/clock.ts";
import type { Line } from "../testing/scripted.ts";
import { dialogue } from "./dialogue.ts";
import { agent, chainOf, deaf, ends, of, play, said } from "./play.fixture.ts";
import { serial, stream } from "./protocols.ts";
import { run } from "./run.ts";

suite("failures", () => {
  const boom = new Error("boom");
  test("failFast: the first failure ends the run, everything has its end, and the error is thrown", async () => {
    const clock = new VirtualClock();
    const broken = agent(clock, "b", { script: () => [{ fail: boom }] });
    const { events, error } = await play(clock, chain([agent(clock, "a", { says: 5 }), broken, agent(clock, "c")]));
    assert.equal(error, boom);
    assert.deepEqual(ends(events), { a: "cancelled", b: "failed", c: "cancelled" });
    assert.deepEqual(events.at(-1), {
      type: "run-end",
      at: 10,
      answer: undefined,
      reason: "failed",
      error: { name: "Error", message: "boom" },
    });
  });
  test("collect: other branches go on, and the join does without the failed one", async () => {
    const clock = new VirtualClock();
    const agents = [
      agent(clock, "a", { says: 3 }),
      agent(clock, "b", { script: () => [{ fail: boom }] }),
      agent(clock, "c"),
      agent(clock, "d"),
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
    const broken = agent(clock, "a", { script: () => [{ fail: boom }] });
    const { events, error } = await play(clock, chain([broken, agent(clock, "b")]), { onFailure: "collect" });
    assert.equal(error, boom);
    assert.deepEqual(ends(events), { a: "failed", b: "skipped" });
  });
  test("a stream that closes without its end is truncated, and its unfinished step travels nowhere", async () => {
    const clock = new VirtualClock();
    const cut = agent(clock, "a", { script: () => ["one\n", "tw", { do: "close" }] });
    const { events, error } = await play(clock, chain([cut, agent(clock, "b")]));
    assert.match(String(error), /closed without its end/);
    assert.equal(of(events, "turn-end")[0]?.reason, "truncated");
    assert.deepEqual(said(events, "a"), ["one"]);
  });
  test("a stream that stalls ends by the idle time-out", async () => {
    const clock = new VirtualClock();
    const stalls = agent(clock, "a", { script: () => ["one\n", { do: "stall" }] });
    const { events, error } = await play(clock, chain([stalls, agent(clock, "b")]), { idleMs: 300 });
    assert.match(String(error), /a: model a said nothing for 300 ms/);
    assert.equal(events.at(-1)?.at, 310);
  });
});

suite("silence", () => {
  test("an agent that says nothing closes its edges, and its listener answers the task alone", async () => {
    const clock = new VirtualClock();
    const silent = agent(clock, "a", { says: 0 });
    for (const protocol of ["serial", "stream", "segmented"]) {
      const { events } = await play(clock, chain([silent, agent(clock, "b", { says: 2 })]), { protocol });
      assert.deepEqual(ends(events), { a: "done", b: "done" }, protocol);
      assert.deepEqual(said(events, "b"), ["b.0", "b.1"], protocol);
    }
  });
  test("a router skips a branch: it and what hangs on it alone make no call", async () => {
    const clock = new VirtualClock();
    const router = agent(clock, "a", { says: 3, route: () => ["c"] });
    const agents = [router, ...["b", "bb", "c", "d"].map((id) => agent(clock, id))];
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
  test("nobody is cut any more: neither by an agent that ends nor by a hand that comes late", async () => {
    const talking = dialogue({ rounds: 1 });
    for (const protocol of [stream, serial, talking]) {
      const clock = new VirtualClock();
      const caller = new AbortController();
      const team = chain([agent(clock, "a", { says: 20 }), agent(clock, "b")]);
      const hands: boolean[] = [];
      const { events } = await play(clock, protocol === talking ? { ...team, edges: [] } : team, {
        protocol,
        signal: caller.signal,
        during: ({ type }, performance) => {
          if (type !== "chunk" || hands.length > 0) return;
          caller.abort(new Error("deadline"));
          hands.push(performance.interrupt("a"));
        },
      });
      assert.deepEqual(hands, [false]);
      assert.deepEqual(ends(events), { a: "cancelled", b: "cancelled" });
      assert.deepEqual(of(events, "interrupt"), [], protocol.name);
    }
  });
  test("one grace is enough for a model and a decision that both ignore their signals", async () => {
    const talking = dialogue({ rounds: 1 });
    const deadline = new Error("deadline");
    // Early: who decides calls the run off itself, before it has answered.
    for (const [protocol, early] of [stream, talking].flatMap((each) => [
      [each, false] as const,
      [each, true] as const,
    ])) {
      const clock = new VirtualClock();
      const caller = new AbortController();
      const speaker = deaf(clock);
      const slow = () => clock.sleep(5000).then(() => ({ advantage: 1 }));
      const policy: Policy = { name: "slow", decide: () => (early ? (caller.abort(deadline), slow()) : slow()) };
      const listener = { ...agent(clock, "b"), policy };
      if (!early) void clock.sleep(35).then(() => caller.abort(deadline));
      const { events } = await play(
        clock,
        { agents: [speaker, listener], edges: protocol === talking ? [] : [["a", "b"]] },
        { protocol, signal: caller.signal, graceMs: 500, chunk: 1, decisionMs: 0 },
      );
      assert.equal(of(events, "decision")[0]?.outcome, "late");
      assert.equal(events.at(-1)?.at, early ? 510 : 535, protocol.name);
    }
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

test("a model that answers nonsense fails by a ModelError that names the agent", async () => {
  const parts: readonly (readonly [unknown, RegExp])[] = [
    [null, /^a: model odd yields null and no part with a type/],
    ["text", /yields string and no part with a type/],
    [{ type: "text" }, /yields a part of type "text" whose text is no text/],
    [
      { type: "end", reason: "stop" },
      /ends without its usage; it must be an object with the numbers calls, inputTokens/,
    ],
    [{ type: "end", reason: "stop", usage: { calls: 1 } }, /ends without its usage/],
  ];
  for (const [part, message] of parts) {
    const clock = new VirtualClock();
    const model: Model = {
      id: "odd",
      async *stream() {
        yield part as ModelPart;
      },
    };
    const { error } = await play(clock, { agents: [{ id: "a", instructions: "", model }], edges: [] });
    assert.ok(error instanceof ModelError, String(error));
    assert.match(error.message, message);
  }
});

test("a call that fails counts what is known: its failure's usage, else what was read and said", async () => {
  const usage = { calls: 3, inputTokens: 40, cachedTokens: 4, outputTokens: 9 };
  const cases: readonly (readonly [readonly Line[], object])[] = [
    [["hi", { fail: Object.assign(new Error("broke"), { usage }) }], usage],
    [
      ["hi", { fail: new Error("broke") }],
      { calls: 1, inputTokens: 5, cachedTokens: 0, outputTokens: 1, estimated: true },
    ],
    [[{ fail: new Error("broke") }], { calls: 1, inputTokens: 0, cachedTokens: 0, outputTokens: 0, estimated: true }],
  ];
  for (const [script, expected] of cases) {
    const clock = new VirtualClock();
    const { events } = await play(clock, { agents: [agent(clock, "a", { script: () => script })], edges: [] });
    assert.deepEqual(of(events, "turn-end")[0]?.usage, expected);
  }
});

test("an option that there is not, or of another kind, is refused by name", () => {
  const clock = new VirtualClock();
  const start = (options: object) => run({ agents: [agent(clock, "a")], edges: [] }, "t", options);
  assert.throws(() => start({ chunks: 4 }), /^ConfigError: options\.chunks: is no option; there are clock, splitter,/);
  assert.throws(() => start({ seed: "a" }), /^ConfigError: seed: a is out of range/);
  assert.throws(() => start({ seed: 0.5 }), /^ConfigError: seed: 0\.5 is out of range/);
  start({ chunks: undefined, seed: -1 });
});
