import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { Hearing, Policy } from "../core/policy.ts";
import { byDelimiter } from "../core/splitters.ts";
import { chain, topology as make } from "../core/topology.ts";
import { VirtualClock } from "../testing/clock.ts";
import { agent, ends, of, play, said } from "./play.fixture.ts";

const policy = (decide: (hearing: Hearing) => boolean): Policy => ({
  name: "test",
  decide: (hearing) => ({ advantage: decide(hearing) ? 1 : -1 }),
});
suite("listeners with a policy in a graph", () => {
  const enough = (after: number) => policy(({ chunks }) => chunks === after);
  test("the only listener's hand cuts the speaker, and it goes on with the step it heard in part", async () => {
    const clock = new VirtualClock();
    const a = agent(clock, "a", { script: () => ["one ", "two\n", "three ", "four\n"] });
    const { events } = await play(clock, chain([a, { ...agent(clock, "b"), policy: enough(3) }]), { chunk: 1 });
    assert.deepEqual(said(events, "a"), ["one two", "three"]);
    assert.deepEqual(
      of(events, "step").flatMap(({ agent: id, cut }) => (id === "a" ? [cut] : [])),
      [undefined, true],
    );
    assert.deepEqual(ends(events), { a: "interrupted", b: "done" });
  });
  const two = (clock: VirtualClock, cut: "all" | "any" | "leave") => {
    const agents = [
      agent(clock, "a", { says: 6 }),
      { ...agent(clock, "b"), policy: enough(2) },
      { ...agent(clock, "c"), policy: enough(4) },
    ];
    const team = make(agents, [
      ["a", "b"],
      ["a", "c"],
    ]);
    return play(clock, team, { chunk: 1, cut });
  };
  test("cut any: the first hand stops the speaker", async () => {
    const { events } = await two(new VirtualClock(), "any");
    assert.deepEqual([said(events, "a").length, of(events, "interrupt")[0]?.by], [2, "b"]);
  });
  test("cut all: the speaker stops when everybody has had enough", async () => {
    const { events } = await two(new VirtualClock(), "all");
    assert.deepEqual(
      [said(events, "a").length, of(events, "leave")[0]?.listener, of(events, "interrupt")[0]?.by],
      [4, "b", "c"],
    );
  });
  test("cut leave: listeners leave, the speaker goes on", async () => {
    const { events } = await two(new VirtualClock(), "leave");
    assert.deepEqual(
      of(events, "leave").map(({ listener }) => listener),
      ["b", "c"],
    );
    assert.deepEqual(ends(events), { a: "done", b: "done", c: "done" });
  });
  test("with chunks of steps it decides after each step, and what it heard is whole", async () => {
    const clock = new VirtualClock();
    const seen: (readonly [number, string])[] = [];
    const noting = policy(({ chunks, steps }) => {
      seen.push([chunks, steps.map(({ text }) => text.trim()).join()]);
      return chunks === 2;
    });
    const a = agent(clock, "a", { script: () => ["one\nEND_STEP\n", "two\nEND_STEP\n", "three\nEND_STEP\n"] });
    const team = chain([a, { ...agent(clock, "b"), policy: noting }]);
    const { events } = await play(clock, team, { chunk: "step", splitter: byDelimiter() });
    assert.deepEqual(seen, [
      [1, "one"],
      [2, "one,two"],
    ]);
    assert.deepEqual(said(events, "a"), ["one", "two"]);
    assert.deepEqual(ends(events), { a: "interrupted", b: "done" });
  });
  test("a policy that answers what is no decision means wait, and the trace says why", async () => {
    for (const answer of [undefined, "yes", { advantage: Number.NaN }, Promise.resolve(undefined)]) {
      const clock = new VirtualClock();
      const odd = { ...agent(clock, "b"), policy: { name: "odd", decide: () => answer as never } };
      const { events, error } = await play(clock, chain([agent(clock, "a", { says: 2 }), odd]), { chunk: 1 });
      assert.deepEqual([error, ends(events)], [undefined, { a: "done", b: "done" }]);
      const decisions = of(events, "decision");
      assert.ok(decisions.length > 0 && decisions.every(({ outcome }) => outcome !== "interrupt"));
      assert.match(decisions[0]?.note ?? "", /no number as its advantage/);
    }
  });
});
