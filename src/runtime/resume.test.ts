import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { byStep } from "../core/splitters.ts";
import type { Agent, RunEvent } from "../core/types.ts";
import { VirtualClock } from "../testing/clock.ts";
import { dialogue } from "./dialogue.ts";
import { agent, ends, lines, of, play, said } from "./play.fixture.ts";
import { run } from "./run.ts";
import type { Run } from "./run.ts";

/** Says four lines in its first turn, and the two that were cut off in its next. */
const speaker = (clock: VirtualClock, id: string, continues: boolean): Agent => {
  const made = agent(clock, id, {
    script: (call) => (call === 0 ? lines(id, 4) : call === 1 ? [`${id}.2\n`, `${id}.3\n`] : ["done"]),
  });
  return { ...made, model: { ...made.model, continues } };
};

const requestsOf = ({ model }: Agent) =>
  (model as unknown as { requests: { messages: { role: string; content: string }[] }[] }).requests.map(({ messages }) =>
    messages.slice(1).map(({ role, content }) => [role, content]),
  );

const turnsOf = (events: readonly RunEvent[]) =>
  of(events, "turn-start").map(({ agent: id, turn, resumes }) => [id, turn, resumes]);

type During = (event: RunEvent, run: Run) => void;

const isChunk = (event: RunEvent, id: string, text: string): boolean =>
  event.type === "chunk" && event.agent === id && event.text.trimStart().startsWith(text);

suite("the floor given back from outside, in a dialogue", () => {
  const talk = async (continues: boolean, during: During, rounds = 2) => {
    const clock = new VirtualClock();
    const agents = [speaker(clock, "a", continues), agent(clock, "b", { says: 2 })];
    const { events } = await play(clock, { agents, edges: [] }, { protocol: dialogue({ rounds }), during });
    return { events, agents };
  };
  const cutAndGive: During = (event, it) => {
    if (isChunk(event, "a", "a.1")) assert.ok(it.interrupt("a", { by: "person" }));
    if (isChunk(event, "b", "b.0") && "turn" in event && event.turn === 0)
      assert.deepEqual([it.resume("a"), it.resume("a")], [true, false]);
  };

  test("goes to the speaker once the message in progress has ended, and is no further message", async () => {
    const { events, agents } = await talk(true, cutAndGive, 1);
    assert.deepEqual(turnsOf(events), [
      ["a", 0, undefined],
      ["b", 0, undefined],
      ["a", 1, 0],
    ]);
    assert.deepEqual(requestsOf(agents[0]!)[1], [
      ["user", "the task"],
      ["assistant", "a.0\na.1\n"],
    ]);
    assert.equal(of(events, "turn-end").at(-1)?.usage.outputTokens, 2);
  });
  test("what others said meanwhile is heard after the message that went on", async () => {
    const { agents } = await talk(true, cutAndGive);
    assert.deepEqual(requestsOf(agents[0]!)[2]?.slice(1), [
      ["assistant", "a.0\na.1\na.2\na.3\n"],
      ["user", "b: b.0\nb.1\n\nb: b.0\nb.1"],
    ]);
  });
  test("a model that cannot continue is told so by a user turn", async () => {
    const { agents } = await talk(false, cutAndGive);
    assert.deepEqual(requestsOf(agents[0]!)[1]?.slice(1), [
      ["assistant", "a.0\na.1\n"],
      [
        "user",
        "(You were cut off by person.)\n\nb: b.0\nb.1\n\n(You have the floor again: go on where you were cut off.)",
      ],
    ]);
  });
  test("at once, nobody speaks in between", async () => {
    const { events } = await talk(true, (event, it) => {
      if (isChunk(event, "a", "a.1")) assert.ok(it.interrupt("a") && it.resume("a"));
    });
    assert.deepEqual(turnsOf(events).slice(0, 3), [
      ["a", 0, undefined],
      ["a", 1, 0],
      ["b", 0, undefined],
    ]);
    assert.deepEqual(said(events, "a").slice(0, 2), ["a.0\na.1", "a.2\na.3"]);
  });
  test("while the floor is held, nobody speaks until it is given back, let go, or the time is over", async () => {
    const when = async (end: (run: Run) => void) => {
      const clock = new VirtualClock();
      const agents = [speaker(clock, "a", true), agent(clock, "b")];
      const { events } = await play(
        clock,
        { agents, edges: [] },
        {
          protocol: dialogue({ rounds: 1 }),
          during: (event, performance) => {
            if (!isChunk(event, "a", "a.1")) return;
            performance.interrupt("a", { holdMs: 500 });
            void clock.sleep(100).then(() => end(performance));
          },
        },
      );
      const second = of(events, "turn-start")[1];
      return [second?.agent, second?.at, second?.resumes];
    };
    assert.deepEqual(await when((it) => it.resume("a")), ["a", 120, 0]);
    assert.deepEqual(await when((it) => it.interrupt("a")), ["b", 120, undefined]);
    assert.deepEqual(await when(() => {}), ["b", 520, undefined]);
  });
  test("who was not cut, has spoken since, or is nobody, gets nothing", async () => {
    const seen: boolean[] = [];
    await talk(true, (event, it) => {
      if (isChunk(event, "a", "a.0")) seen.push(it.resume("a"), it.resume("b"), it.resume("nobody"));
      if (isChunk(event, "a", "a.1")) it.interrupt("a");
      if (event.type === "turn-start" && event.agent === "b" && event.turn === 1) seen.push(it.resume("a"));
      if (event.type === "run-end") seen.push(it.resume("a"), it.resume("b"));
    });
    assert.deepEqual(seen, [false, false, false, false, false, false]);
  });
});

suite("the floor given back from outside, in a graph", () => {
  const pass = async (continues: boolean, during: During) => {
    const clock = new VirtualClock();
    const agents = [speaker(clock, "a", continues), agent(clock, "b")];
    const { events } = await play(clock, { agents, edges: [["a", "b"]] }, { during });
    return { events, agents };
  };
  const cutAndGive: During = (event, it) => {
    if (!isChunk(event, "a", "a.1")) return;
    assert.ok(it.interrupt("a", { by: "person", holdMs: 1000 }));
    assert.ok(it.resume("a"));
  };

  test("the speaker goes on while its place is kept, and its listeners hear it to the end", async () => {
    const { events, agents } = await pass(true, cutAndGive);
    assert.deepEqual(
      of(events, "turn-start").flatMap(({ agent: id, resumes }) => (id === "a" ? [resumes] : [])),
      [undefined, 0],
    );
    assert.deepEqual(said(events, "a"), ["a.0", "a.1", "a.2", "a.3"]);
    assert.deepEqual(ends(events), { a: "done", b: "done" });
    const heard = of(events, "turn-start").flatMap(({ agent: id, heard: steps }) => (id === "b" ? steps : []));
    assert.deepEqual(
      heard.map(([, index]) => index),
      [0, 1, 2, 3],
    );
    assert.deepEqual(requestsOf(agents[0]!)[1]?.at(-1), ["assistant", "a.0\na.1\n"]);
  });
  test("a step that was cut in its middle is said whole, and a delimiter cut in two is none the less one", async () => {
    for (const [first, rest, steps] of [
      [["It is 4", "2 or"], [" so.\nEND_STEP\nYes."], ["It is 42 or", "It is 42 or so.", "Yes."]],
      [["It is 42.\nEND", "_ST"], ["EP\nYes."], ["It is 42.", "It is 42.", "Yes."]],
    ] as const) {
      const clock = new VirtualClock();
      const made = agent(clock, "a", { script: (call) => (call === 0 ? [...first, { wait: 1000 }] : rest) });
      const agents = [{ ...made, model: { ...made.model, continues: true } }];
      const { events } = await play(
        clock,
        { agents, edges: [] },
        {
          splitter: byStep(),
          during: (event, it) => {
            if (event.type === "turn-start" && event.turn === 0)
              void clock.sleep(first.length * 10 + 5).then(() => it.interrupt("a", { holdMs: 100 }) && it.resume("a"));
          },
        },
      );
      assert.deepEqual(said(events, "a"), steps);
    }
  });
  test("by a user turn where its model cannot continue", async () => {
    const { agents } = await pass(false, cutAndGive);
    assert.deepEqual(requestsOf(agents[0]!)[1]?.at(-1), ["user", "(Go on where you were cut off.)"]);
  });
  test("a cut that kept no place is final, and so is one let go", async () => {
    const seen: boolean[] = [];
    const final = await pass(true, (event, it) => {
      if (isChunk(event, "a", "a.1")) seen.push(it.interrupt("a"), it.resume("a"));
    });
    assert.deepEqual([seen, ends(final.events)["a"]], [[true, false], "interrupted"]);
    const letGo = await pass(true, (event, it) => {
      if (isChunk(event, "a", "a.1"))
        seen.push(
          it.interrupt("a", { holdMs: 1000 }),
          it.interrupt("a", { turn: 7 }),
          it.interrupt("a"),
          it.resume("a"),
        );
    });
    assert.deepEqual([seen.slice(2), ends(letGo.events)["a"]], [[true, false, true, false], "interrupted"]);
    assert.ok((letGo.events.at(-1)?.at ?? 0) < 500, "what was let go is not waited for");
  });
});

test("how long a place is kept must be a time", () => {
  const clock = new VirtualClock();
  const playing = run({ agents: [agent(clock, "a")], edges: [] }, "t", { clock });
  assert.throws(() => playing.interrupt("a", { holdMs: -1 }), /^ConfigError: holdMs: -1 is out of range/);
});

test("a further reader begins the run as well, and one that was left before it began has no events", async () => {
  const clock = new VirtualClock();
  const make = () => run({ agents: [agent(clock, "a")], edges: [] }, "t", { clock });
  const read = async (playing: Run) => {
    const types: string[] = [];
    for await (const { type } of playing.read()) types.push(type);
    return types;
  };
  const whole = await clock.run(read(make()));
  assert.deepEqual([whole[0], whole.at(-1)], ["run-start", "run-end"]);
  const left = make();
  await left.return();
  assert.deepEqual(await read(left), []);
});
