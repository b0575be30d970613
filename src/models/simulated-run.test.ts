import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { teamOf } from "../core/prompts.ts";
import type { EventOf, RunEvent } from "../core/types.ts";
import { run } from "../runtime/run.ts";
import type { RunOptions } from "../runtime/run.ts";
import { VirtualClock } from "../testing/clock.ts";
import type { SimulatedOptions } from "./simulated-settings.ts";
import { simulated } from "./simulated.ts";

type Shape = { readonly topology: "chain" | "diamond"; readonly agents: number; readonly steps: number };

/** A team of simulated agents under the runtime, in virtual time. */
async function play({ topology, agents, steps }: Shape, options: SimulatedOptions, settings: RunOptions) {
  const clock = new VirtualClock();
  const model = simulated({ prefill: Infinity, cacheRead: Infinity, ...options, clock });
  const events: RunEvent[] = [];
  const work = async () => {
    const team = teamOf({ topology, agents, steps, model });
    for await (const event of run(team, "Add up.", { ...settings, clock })) events.push(event);
  };
  await clock.run(work());
  const ends = events.filter((event): event is EventOf<"turn-end"> => event.type === "turn-end");
  const said = events.filter(({ type }) => type === "step").length;
  return {
    ms: clock.now(),
    calls: ends.length,
    said,
    output: ends.reduce((sum, end) => sum + end.usage.outputTokens, 0),
  };
}

const near = (value: number, wanted: number) => assert.ok(Math.abs(value - wanted) < 1e-6, `${value}, not ${wanted}`);

test("a team under the runtime takes the time and the tokens of the formulas, to the millisecond and the token", () =>
  fc.assert(
    fc.asyncProperty(
      fc.record({ agents: fc.integer({ min: 1, max: 5 }), steps: fc.integer({ min: 1, max: 6 }) }),
      fc.record({ decode: fc.integer({ min: 1, max: 300 }), stepTokens: fc.integer({ min: 4, max: 40 }) }),
      async ({ agents, steps }, { decode, stepTokens }) => {
        const step = (1000 * stepTokens) / decode;
        const options = { ttft: 0, decode, stepTokens };
        const shape = { topology: "chain", agents, steps } as const;
        for (const protocol of ["serial", "segmented", "stream"]) {
          const { ms, said, calls, output } = await play(shape, options, { protocol, idleMs: 0 });
          near(ms, step * (protocol === "stream" ? agents + steps - 1 : agents * steps));
          assert.equal(said, agents * steps);
          assert.equal(calls, protocol === "serial" ? agents : 1 + (agents - 1) * steps);
          assert.equal(output, agents * steps * stepTokens);
        }
      },
    ),
    { numRuns: 15 },
  ));

test("a diamond streams in the time of its longest path, one call for each step number where two are heard", async () => {
  const shape = { topology: "diamond", agents: 4, steps: 5 } as const;
  const { ms, calls, said } = await play(shape, { ttft: 0, decode: 100, stepTokens: 20 }, { protocol: "stream" });
  near(ms, 200 * (5 + 3 - 1));
  assert.deepEqual([calls, said], [1 + 3 * 5, 20]);
});

test("with a time to first token as long as a step, answering what waits in one call saves calls and time", async () => {
  const shape = { topology: "chain", agents: 4, steps: 64 } as const;
  const options = { ttft: 500, decode: 50, stepTokens: 25 };
  const each = await play(shape, options, { protocol: "stream", hear: "each" });
  const waiting = await play(shape, options, { protocol: "stream", hear: "waiting" });
  assert.equal(each.calls, 193);
  near(each.ms, 67_000);
  assert.ok(waiting.ms <= 46_500 && waiting.calls <= 55, `${waiting.ms} ms, ${waiting.calls} calls`);
  assert.equal(waiting.said, 4 * 64);
});
