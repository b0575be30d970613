import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { measured } from "./measure.ts";
import { timeline } from "./timeline.ts";
import { small } from "./trace-samples.fixture.ts";
import { answer, answers, transcript } from "./transcript.ts";
import type { EventOf, RunEvent, Usage } from "./types.ts";
import { usageOf } from "./usage.ts";

const ids = ["A", "B", "C"];
const agent = fc.constantFrom(...ids);
const turn = fc.nat(2);
const said = { at: fc.nat(1000), agent, seq: fc.nat(9), turn };
const usage: fc.Arbitrary<Usage> = fc
  .tuple(fc.nat(99), fc.nat(99), fc.nat(99), fc.boolean())
  .map(([cachedTokens, fresh, outputTokens, estimated]) => ({
    calls: 1,
    inputTokens: cachedTokens + fresh,
    cachedTokens,
    outputTokens,
    ...(estimated ? { estimated } : {}),
  }));
const text = fc.constantFrom("a", " ", "\n", "b c", "");
const kinds: readonly fc.Arbitrary<RunEvent>[] = [
  fc.record({ ...said, type: fc.constant("chunk" as const), text }),
  fc.record({ ...said, type: fc.constant("step" as const), index: fc.nat(5), text }),
  fc.record({
    ...said,
    type: fc.constant("turn-start" as const),
    heard: fc.array(fc.tuple(agent, fc.nat(5)), { maxLength: 4 }),
  }),
  fc.record({
    ...said,
    type: fc.constant("turn-end" as const),
    reason: fc.constant("stop" as const),
    usage,
    waitedMs: fc.nat(50),
  }),
  fc.record({ ...said, type: fc.constant("interrupt" as const), by: agent }),
  // A type of a later release: kept in the trace, passed over by every fold.
  fc.record({ ...said, type: fc.constant("novel") }).map((event) => event as unknown as RunEvent),
];
const events = fc
  .array(fc.oneof(...kinds), { maxLength: 60 })
  .map((list) => list.toSorted((a, b) => a.at - b.at))
  .map((list): RunEvent[] => [
    {
      ...(small[0] as EventOf<"run-start">),
      agents: ids.map((id) => ({ id, model: "m" })),
      edges: [
        ["A", "B"],
        ["A", "C"],
      ],
    },
    ...list,
  ]);

const of = <T extends RunEvent["type"]>(trace: readonly RunEvent[], type: T): EventOf<T>[] =>
  trace.filter((event): event is EventOf<T> => event.type === type);
const total = (numbers: readonly number[]) => numbers.reduce((all, number) => all + number, 0);

test("usage is the sum of what the turns charged, by agent and in all, and edges are what was heard", () => {
  fc.assert(
    fc.property(events, (trace) => {
      const { total: all, agents, edges, interrupts } = usageOf(trace);
      const ends = of(trace, "turn-end");
      assert.equal(all.inputTokens, total(ends.map((end) => end.usage.inputTokens)));
      assert.equal(
        all.estimated ?? false,
        ends.some((end) => end.usage.estimated),
      );
      for (const id of ids) {
        const mine = ends.filter((end) => end.agent === id);
        assert.equal(agents.get(id)?.outputTokens, total(mine.map((end) => end.usage.outputTokens)));
        assert.equal(agents.get(id)?.calls, mine.length);
      }
      assert.equal(interrupts, of(trace, "interrupt").length);
      assert.equal(
        total(edges.map(({ steps }) => steps)),
        total(of(trace, "turn-start").map(({ heard }) => heard.length)),
      );
    }),
  );
});

test("transcript, answer and timeline agree with what a search through the events finds", () => {
  fc.assert(
    fc.property(events, (trace) => {
      for (const { agent: id, turns } of transcript(trace))
        for (const one of turns) {
          const mine = (event: { agent: string; turn: number }) => event.agent === id && event.turn === one.turn;
          assert.equal(
            one.text,
            of(trace, "chunk")
              .filter(mine)
              .map((chunk) => chunk.text)
              .join(""),
          );
          assert.deepEqual(
            one.steps,
            of(trace, "step")
              .filter(mine)
              .map((step) => step.text),
          );
        }
      for (const id of ["B", "C"])
        assert.equal(
          answers(trace).get(id),
          of(trace, "step").findLast((step) => step.agent === id && step.text.trim() !== "")?.text,
        );
      assert.equal(typeof answer(trace), "string");
      const { agents, wallMs } = timeline(trace);
      assert.equal(wallMs, Math.max(...trace.map(({ at }) => at)));
      assert.equal(total(agents.flatMap(({ turns }) => turns.map(({ chunks }) => chunks))), of(trace, "chunk").length);
    }),
  );
});

test("the parts of what is measured fit together", () => {
  fc.assert(
    fc.property(events, (trace) => {
      const { alpha, beta, workingMs, wallMs, apiMs, selfReferenced, concurrency, cacheShare } = measured(trace);
      const { inputTokens, outputTokens } = usageOf(trace).total;
      if (alpha !== null && beta !== null)
        assert.ok(Math.abs((alpha + beta) * outputTokens - inputTokens) < 1e-9 * Math.max(1, inputTokens));
      assert.ok(workingMs <= wallMs && workingMs <= apiMs && workingMs >= 0);
      assert.ok((selfReferenced ?? 0) <= (concurrency ?? 0) + 1e-12);
      assert.ok(cacheShare === null || (cacheShare >= 0 && cacheShare <= 1));
    }),
  );
});

test("folding reads each event a bounded number of times, however long the run", () => {
  const reads = (chunks: number): number => {
    let count = 0;
    const counted = { get: (event: RunEvent, key: string): unknown => (count++, Reflect.get(event, key)) };
    const chunk = (seq: number): RunEvent => ({ type: "chunk", at: seq, agent: "A", seq, turn: seq >> 8, text: "x" });
    const trace = [small[0]!, ...Array.from({ length: chunks }, (_, seq) => chunk(seq))];
    const watched = trace.map((event) => new Proxy(event, counted as ProxyHandler<RunEvent>));
    for (const view of [answer, transcript, usageOf, timeline, measured]) view(watched);
    return count;
  };
  const [once, twice, fourTimes] = [reads(1000), reads(2000), reads(4000)];
  assert.equal(fourTimes - twice, 2 * (twice - once));
  assert.ok((twice - once) / 1000 <= 60, `${(twice - once) / 1000} reads a chunk`);
});
