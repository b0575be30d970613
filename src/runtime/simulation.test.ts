// Deterministic simulation: `CASES=1000000 npm test -- simulation` runs for longer, `SEED=7` starts elsewhere.

import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { test } from "node:test";
import type { RunEvent } from "../core/types.ts";
import { check } from "./invariants.fixture.ts";
import type { Seen } from "./invariants.fixture.ts";
import { run } from "./run.ts";
import type { Run } from "./run.ts";
import { world } from "./simulation.fixture.ts";
import type { World } from "./simulation.fixture.ts";

const cases = Number(process.env["CASES"] ?? 10_000);
const firstSeed = Number(process.env["SEED"] ?? 1);

/** Plays one world to its end, hands raised, cancelled and left as it says. */
async function play(made: World): Promise<Seen> {
  const { clock, topology, options, hands, cancelAt, leaveAfter } = made;
  const caller = new AbortController();
  const events: RunEvent[] = [];
  let cancelled = false;
  const raise = async (performance: Run, { at, agent, times }: World["hands"][number]) => {
    await clock.sleep(at);
    for (let i = 0; i < times; i++) performance.interrupt(agent, { by: "world" });
  };
  const perform = async (): Promise<Seen> => {
    const performance = run(topology, "the task", { ...options, signal: caller.signal });
    const raised = hands.map((hand) => raise(performance, hand));
    const cancelling =
      cancelAt === undefined ? undefined : clock.sleep(cancelAt).then(() => caller.abort(new Error("cancelled")));
    let left = false;
    try {
      for await (const event of performance) {
        events.push(event);
        if (events.length === leaveAfter) {
          left = true;
          break;
        }
      }
    } catch (error) {
      cancelled = error === caller.signal.reason;
    }
    const endedAt = clock.now();
    const late: RunEvent[] = [];
    for await (const event of performance.read()) late.push(event);
    assert.equal(
      getEventListeners(caller.signal, "abort").length,
      0,
      `seed ${made.seed}: a listener was left on the caller's signal`,
    );
    await Promise.all([...raised, cancelling]);
    return { world: made, events, late, left, cancelled, endedAt };
  };
  return clock.run(perform()).catch((error: unknown) => {
    throw new Error(`seed ${made.seed}: ${(error as Error).message}`, { cause: error });
  });
}

test(`${cases} random worlds from seed ${firstSeed} keep every invariant`, async () => {
  for (let seed = firstSeed; seed < firstSeed + cases; seed++) check(await play(world(seed)));
});

test("the same seed gives the same run, event for event", async () => {
  for (let seed = firstSeed; seed < firstSeed + 200; seed++) {
    const [one, two] = [await play(world(seed)), await play(world(seed))];
    assert.deepEqual(one.late, two.late, `seed ${seed}`);
  }
});
