import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { Decision, Hearing, Policy } from "../core/policy.ts";
import { chain } from "../core/topology.ts";
import type { Agent, Topology } from "../core/types.ts";
import { VirtualClock } from "../testing/clock.ts";
import { dialogue } from "./dialogue.ts";
import type { DialogueOptions } from "./dialogue.ts";
import { agent, ends, lines, of, play, said } from "./play.fixture.ts";
import { run } from "./run.ts";
import type { RunOptions } from "./run.ts";

const policy = (decide: (hearing: Hearing) => boolean): Policy => ({
  name: "test",
  decide: (hearing) => ({ advantage: decide(hearing) ? 1 : -1 }),
});
const slow = (clock: VirtualClock, ms: number, decide: (hearing: Hearing) => Decision): Policy => ({
  name: "slow",
  decide: async (hearing) => {
    await clock.sleep(ms);
    return decide(hearing);
  },
});
const table = (agents: readonly Agent[]): Topology => ({ agents, edges: [] });
type Talk = DialogueOptions & Pick<RunOptions, "chunk">;
const talk = (clock: VirtualClock, agents: readonly Agent[], { chunk = 1, ...options }: Talk = {}) =>
  play(clock, table(agents), { protocol: dialogue(options), chunk });
const turnsOf = (events: Awaited<ReturnType<typeof play>>["events"]) =>
  of(events, "turn-end").map((e) => [e.agent, e.reason]);
const lastRequest = ({ model }: Agent) => {
  const requests = "requests" in model ? (model.requests as { messages: { role: string; content: string }[] }[]) : [];
  return requests.at(-1)!.messages.map(({ role, content }) => [role, content]);
};

suite("turn-taking", () => {
  test("agents speak in turn until the rounds are over", async () => {
    const clock = new VirtualClock();
    const { events } = await talk(clock, [agent(clock, "a"), agent(clock, "b"), agent(clock, "c")], { rounds: 2 });
    assert.deepEqual(
      turnsOf(events).map(([id]) => id),
      ["a", "b", "c", "a", "b", "c"],
    );
    assert.deepEqual(ends(events), { a: "done", b: "done", c: "done" });
  });
  test("a stop rule ends it with an answer", async () => {
    const clock = new VirtualClock();
    const stop: DialogueOptions["stop"] = (all) => (all.length === 3 ? { answer: all[2]!.text } : false);
    const { events } = await talk(clock, [agent(clock, "a"), agent(clock, "b")], { stop });
    assert.equal(of(events, "run-end")[0]?.answer, "a.0");
  });
  test("in a broadcast everybody hears everything; otherwise only who speaks next", async () => {
    for (const [audience, heard] of [
      ["broadcast", "the task\n\na: a.0\n\nb: b.0"],
      ["next", "the task\n\nb: b.0"],
    ] as const) {
      const clock = new VirtualClock();
      const team = [agent(clock, "a"), agent(clock, "b"), agent(clock, "c")];
      await talk(clock, team, { rounds: 1, audience });
      assert.deepEqual(lastRequest(team[2]!).at(-1), ["user", heard]);
    }
  });
});

suite("a raised hand", () => {
  test("cuts the speaker, takes the floor, and only what was heard counts as said, for everybody", async () => {
    const clock = new VirtualClock();
    const team = [
      agent(clock, "a", { says: 5 }),
      agent(clock, "b", { says: 2 }),
      { ...agent(clock, "c"), policy: policy(({ speaker, chunks }) => speaker === "a" && chunks === 3) },
    ];
    const { events } = await talk(clock, team, { rounds: 1 });
    assert.deepEqual(turnsOf(events), [
      ["a", "interrupted"],
      ["c", "stop"],
      ["a", "interrupted"],
    ]);
    const cut = "a (cut off): a.0\na.1\na.2 …";
    assert.deepEqual(lastRequest(team[2]!).at(-1), ["user", `the task\n\n${cut}`]);
    assert.deepEqual(lastRequest(team[0]!).slice(2), [
      ["assistant", "a.0\na.1\na.2\n"],
      ["user", "(You were cut off by c.)\n\nc: c.0"],
    ]);
    const end = of(events, "turn-end")[0];
    assert.deepEqual([end?.usage.outputTokens, said(events, "a")[0]], [3, "a.0\na.1\na.2"]);
  });
  test("of several hands the first counts, and the decisions of the others stay in the trace", async () => {
    const clock = new VirtualClock();
    const eager = policy(({ speaker, chunks }) => speaker === "a" && chunks === 2);
    const team = [agent(clock, "a", { says: 5 }), ...["b", "c"].map((id) => ({ ...agent(clock, id), policy: eager }))];
    const { events } = await talk(clock, team, { rounds: 1 });
    assert.deepEqual(
      of(events, "decision").flatMap((e) => (e.turn === 0 && e.agent === "a" ? [[e.by, e.chunks, e.outcome]] : [])),
      [
        ["b", 1, "wait"],
        ["c", 1, "wait"],
        ["b", 2, "interrupt"],
      ],
    );
    assert.equal(of(events, "interrupt")[0]?.by, "b");
  });
  test("of two that come in the same tick too", async () => {
    const clock = new VirtualClock();
    const eager = slow(clock, 15, ({ speaker }) => ({ advantage: speaker === "a" ? 1 : -1 }));
    const team = [agent(clock, "a", { says: 5 }), ...["b", "c"].map((id) => ({ ...agent(clock, id), policy: eager }))];
    const { events } = await talk(clock, team, { rounds: 1 });
    assert.deepEqual(
      of(events, "decision").flatMap((e) => (e.turn === 0 && e.agent === "a" ? [[e.by, e.advantage, e.outcome]] : [])),
      [
        ["b", 1, "interrupt"],
        ["c", 1, "late"],
      ],
    );
    assert.equal(of(events, "interrupt").length, 1);
  });
  test("designated listeners alone may raise it", async () => {
    const clock = new VirtualClock();
    const eager = policy(({ chunks }) => chunks === 1);
    const team = ["a", "b", "c"].map((id) => ({ ...agent(clock, id, { says: 3 }), policy: eager }));
    const { events } = await talk(clock, team, { rounds: 1, listeners: ["c"] });
    assert.deepEqual([...new Set(of(events, "decision").map(({ by }) => by))], ["c"]);
  });
  test("chunks are counted in tokens, or cut by any splitter", async () => {
    const clock = new VirtualClock();
    const seen: number[] = [];
    const note = policy(({ tokens }) => seen.push(tokens) < 0);
    await talk(clock, [agent(clock, "a", { says: 9 }), { ...agent(clock, "b"), policy: note }], {
      rounds: 1,
      chunk: 4,
    });
    assert.deepEqual(seen, [4, 8]);
  });
});

suite("giving the floor back", () => {
  const cutOnce = policy(({ speaker, turn, chunks }) => speaker === "a" && turn === 0 && chunks === 2);
  const conversation = async (continues: boolean) => {
    const clock = new VirtualClock();
    const speaker = agent(clock, "a", { script: (call) => (call === 0 ? lines("a", 4) : ["a.2\n", "a.3\n"]) });
    const team = [
      { ...speaker, model: { ...speaker.model, continues } },
      { ...agent(clock, "b", { script: (call) => (call === 0 ? ["Please go on."] : ["ok"]) }), policy: cutOnce },
    ];
    const { events } = await talk(clock, team, { rounds: 2 });
    return { events, messages: lastRequest(team[0]!), heard: lastRequest(team[1]!) };
  };
  test("the speaker goes on from its own prefix where the model can, and its cost is counted", async () => {
    const { events, messages, heard } = await conversation(true);
    assert.deepEqual(messages.at(-1), ["assistant", "a.0\na.1\n"]);
    assert.deepEqual(
      of(events, "turn-start").map((e) => [e.agent, e.resumes]),
      [
        ["a", undefined],
        ["b", undefined],
        ["a", 0],
        ["b", undefined],
      ],
    );
    assert.equal(
      of(events, "turn-end").reduce((sum, e) => sum + e.usage.outputTokens, 0),
      2 + 1 + 2 + 1,
    );
    assert.deepEqual(heard.at(-1), ["user", "a: a.2\na.3"]);
  });
  for (const [continues, between] of [
    [true, ""],
    [false, " "],
  ] as const)
    test(`who hears it go on is told what was said of it before, cut twice too (from a prefix: ${continues})`, async () => {
      const clock = new VirtualClock();
      const speaker = agent(clock, "a", { script: (call) => lines("a", 6).slice(2 * call) });
      const seen: unknown[] = [];
      const cutTwice = policy(({ speaker: who, turn, chunks, text, resumes }) => {
        if (who === "a" && chunks === 2) seen.push([turn, text, resumes]);
        return who === "a" && turn < 2 && chunks === 2;
      });
      const team = [
        { ...speaker, model: { ...speaker.model, continues } },
        { ...agent(clock, "b", { script: () => ["go on"] }), policy: cutTwice },
      ];
      await talk(clock, team, { rounds: 3 });
      const first = "a.0\na.1\n";
      assert.deepEqual(seen, [
        [0, first.trimEnd(), undefined],
        [1, "a.2\na.3", { turn: 0, text: `${first}${between}` }],
        [2, "a.4\na.5", { turn: 1, text: `${first}${between}a.2\na.3\n${between}` }],
      ]);
    });
  test("and by a user turn where it cannot", async () => {
    const { messages } = await conversation(false);
    assert.deepEqual(messages.slice(-2), [
      ["assistant", "a.0\na.1\n"],
      ["user", "(You were cut off by b.)\n\nb: Please go on."],
    ]);
  });
});

suite("slow, broken and hanging policies", () => {
  test("never delay the speaker, and always see the newest chunk", async () => {
    const clock = new VirtualClock();
    const seen: number[] = [];
    const noting = slow(clock, 24, ({ chunks }) => ({ advantage: -seen.push(chunks) }));
    const { events } = await talk(clock, [agent(clock, "a", { says: 6 }), { ...agent(clock, "b"), policy: noting }], {
      rounds: 1,
    });
    assert.deepEqual(seen, [1, 3, 5]);
    assert.equal(of(events, "turn-end")[0]?.at, 60);
  });
  test("a decision that comes when the turn is over changes nothing, and its cost is kept", async () => {
    const clock = new VirtualClock();
    const usage = { calls: 1, inputTokens: 9, cachedTokens: 0, outputTokens: 1 };
    const late = slow(clock, 500, () => ({ advantage: 1, usage }));
    const { events } = await talk(clock, [agent(clock, "a", { says: 2 }), { ...agent(clock, "b"), policy: late }], {
      rounds: 1,
    });
    assert.deepEqual(
      of(events, "decision").map((e) => [e.outcome, e.usage]),
      [["late", usage]],
    );
    assert.equal(of(events, "interrupt").length, 0);
  });
  test("one that throws means wait, and the trace says why", async () => {
    const clock = new VirtualClock();
    const broken: Policy = {
      name: "broken",
      decide: () => {
        throw new Error("no weights");
      },
    };
    const { events, error } = await talk(clock, [agent(clock, "a"), { ...agent(clock, "b"), policy: broken }], {
      rounds: 1,
    });
    assert.equal(error, undefined);
    assert.deepEqual(
      of(events, "decision").map((e) => [e.outcome, e.note]),
      [["failed", "no weights"]],
    );
  });
  test("one that hangs is timed out, told so, left, and counted", async () => {
    const clock = new VirtualClock();
    const told: number[] = [];
    const hangs: Policy = {
      name: "hangs",
      decide: (_, signal) => {
        signal.addEventListener("abort", () => told.push(clock.now()), { once: true });
        return new Promise(() => {});
      },
    };
    const team = [agent(clock, "a", { says: 100 }), { ...agent(clock, "b"), policy: hangs }];
    const { events } = await play(clock, table(team), {
      protocol: dialogue({ rounds: 1 }),
      chunk: 1,
      decisionMs: 206,
      graceMs: 50,
    });
    const decisions = of(events, "decision").filter(({ agent: id }) => id === "a");
    assert.deepEqual(
      decisions.map((e) => [e.at, e.chunks, e.outcome]),
      [
        [266, 1, "timeout"],
        [522, 26, "timeout"],
        [778, 52, "timeout"],
        [1034, 77, "timeout"],
      ],
    );
    assert.deepEqual(told, [216, 472, 728, 984]);
  });
});

test("what cannot be played is refused by name", () => {
  const clock = new VirtualClock();
  const pair = [agent(clock, "a"), agent(clock, "b")];
  assert.throws(
    () => run(table(pair.slice(1)), "t", { protocol: dialogue() }),
    /agents: a dialogue needs at least two/,
  );
  assert.throws(() => run(chain(pair), "t", { protocol: dialogue() }), /edges: a dialogue has none/);
  assert.throws(() => run(table(pair), "t", { protocol: dialogue({ rounds: 0 }) }), /rounds: 0 is out of range/);
  assert.throws(
    () => run(table(pair), "t", { protocol: dialogue({ listeners: ["z"] }) }),
    /listeners: "z" is no agent/,
  );
  assert.throws(() => run(table(pair), "t", { protocol: dialogue(), chunk: 0 }), /chunk: 0 is out of range/);
});
