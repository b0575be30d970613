import assert from "node:assert/strict";
import { test } from "node:test";
import type { Clock } from "../base/clock.ts";
import type { Policy } from "../core/policy.ts";
import { all, small } from "./play.fixture.ts";
import type { Evaluation } from "./evaluate.ts";
import { template } from "./recited.ts";

type Sleeper = Pick<Clock, "sleep">;

// Decides after a while, and in time for the second chunk only if the speaker waits.
const slow = (clock: Sleeper): Policy => ({
  name: "slow",
  decide: async ({ chunks }) => {
    await clock.sleep(1000);
    return { advantage: chunks >= 2 ? 1 : -1 };
  },
});

/** Decisions take time on the clock of the conversation, which only a seat knows. */
function slowly(pace: "lockstep" | "live", overrides: Partial<Evaluation> = {}): Evaluation {
  const base = small();
  let clock: Sleeper = { sleep: () => Promise.resolve() };
  const speaker = template({ tokensPerSecond: 100 });
  return small({
    pace,
    arms: [{ name: "slow", policy: () => slow({ sleep: (ms) => clock.sleep(ms) }) }],
    speaker: (seat) => {
      clock = seat.clock;
      return speaker(seat);
    },
    samples: base.samples.slice(0, 2),
    ...overrides,
  });
}

test("in lockstep a slow decision still cuts at its own chunk, and nothing is overrun", async () => {
  for (const { cuts, cost } of await all(slowly("lockstep"))) {
    assert.equal(cuts[0]?.chunk, 2);
    assert.equal(cost.overrun, 0);
    assert.ok((cuts[0]?.tokens ?? 0) >= 32 && (cuts[0]?.tokens ?? 0) < 40, `${cuts[0]?.tokens}`);
  }
});

test("live, the speaker has ended before the decision comes, and it is late", async () => {
  for (const { cuts, decided } of await all(slowly("live"))) {
    assert.equal(cuts.length, 0);
    assert.ok(decided.late > 0);
  }
});

test("a policy that never decides holds nobody up for ever", async () => {
  const hangs: Policy = { name: "hangs", decide: () => new Promise(() => {}) };
  const evaluation = small({ arms: [{ name: "hangs", policy: hangs }], samples: small().samples.slice(0, 1) });
  const [result] = await all(evaluation);
  assert.equal(result?.failure, undefined);
  assert.ok((result?.decided.timeout ?? 0) > 0, JSON.stringify(result?.decided));
});
