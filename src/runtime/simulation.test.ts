// Deterministic simulation: `CASES=1000000 npm test -- simulation` runs for longer, `SEED=7` starts elsewhere.

import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { test } from "node:test";
import type { RunEvent } from "../core/types.ts";
import { check } from "./invariants.fixture.ts";
import type { Raised, Seen } from "./seen.fixture.ts";
import { casesOf, wanted } from "./cases.fixture.ts";
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
  const raised: Raised[] = [];
  const note = (type: Raised["type"], agent: string, { done, again }: Pick<Raised, "done" | "again">) => {
    const ended = events.some((event) => event.type === "agent-end" && event.agent === agent);
    raised.push({ type, agent, at: clock.now(), done, again, ended, cancelled: caller.signal.aborted });
  };
  const raise = async (performance: Run, { at, agent, times, holdMs, backAfter }: World["hands"][number]) => {
    await clock.sleep(at);
    for (let i = 0; i < times; i++)
      note("interrupt", agent, { done: performance.interrupt(agent, { by: "world", holdMs }), again: i > 0 });
    if (backAfter === undefined) return;
    await clock.sleep(backAfter);
    note("resume", agent, { done: performance.resume(agent), again: false });
  };
  const perform = async (): Promise<Seen> => {
    const performance = run(topology, "the task", { ...options, signal: caller.signal });
    const raising = hands.map((hand) => raise(performance, hand));
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
    await Promise.all([...raising, cancelling]);
    return { world: made, events, late, left, cancelled, endedAt, raised };
  };
  return clock.run(perform()).catch((error: unknown) => {
    throw new Error(`seed ${made.seed}: ${(error as Error).message}`, { cause: error });
  });
}

test(`${cases} random worlds from seed ${firstSeed} keep every invariant`, async (context) => {
  const met = new Map(wanted.map((name) => [name, 0]));
  for (let seed = firstSeed; seed < firstSeed + cases; seed++) {
    const seen = await play(world(seed));
    check(seen);
    for (const name of casesOf(seen)) met.set(name, (met.get(name) ?? 0) + 1);
  }
  for (const [name, count] of met) context.diagnostic(`${name}: ${count} worlds`);
  if (cases < 10_000) return;
  for (const [name, count] of met) assert.ok(count > 0, `no world has ${name}`);
});

test("the same seed gives the same run, event for event", async () => {
  for (let seed = firstSeed; seed < firstSeed + 200; seed++) {
    const [one, two] = [await play(world(seed)), await play(world(seed))];
    assert.deepEqual(one.late, two.late, `seed ${seed}`);
  }
});
