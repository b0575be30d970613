import assert from "node:assert/strict";
import { test } from "node:test";
import { ConfigError } from "../base/errors.ts";
import { teamOf } from "../core/prompts.ts";
import { simulated } from "../models/simulated.ts";
import { run } from "../runtime/run.ts";
import { VirtualClock } from "../testing/clock.ts";
import { conduct } from "./conduct.ts";
import { bound } from "./occupancy.ts";
import type { Cell, Sample } from "./sample.ts";

const cells = (count: number): Cell[] =>
  Array.from({ length: count }, (_, index) => ({ arm: "a", item: String(index), of: "", repeat: 0 }));

const right = (cell: Cell): Sample => ({ ...cell, correct: 1, figures: {} });
const failed = (cell: Cell): Sample => ({ ...cell, figures: {}, failure: { name: "ModelError", message: "refused" } });

async function all(samples: AsyncIterable<Sample>): Promise<Sample[]> {
  const found: Sample[] = [];
  for await (const sample of samples) found.push(sample);
  return found;
}

test("at least 95 % of the calls a model may be asked at once are kept busy, whatever the protocol", async () => {
  for (const protocol of ["serial", "stream", "segmented"]) {
    const clock = new VirtualClock();
    const limit = bound(8, clock);
    let [inside, most] = [0, 0];
    const made = simulated({ clock, ttft: 400, jitter: 0.5, stepTokens: 6, decode: 10 });
    const model = limit.admit({
      ...made,
      async *stream(request) {
        most = Math.max(most, ++inside);
        try {
          yield* made.stream(request);
        } finally {
          inside--;
        }
      },
    });
    const play = async (cell: Cell, signal: AbortSignal) => {
      const team = teamOf({ topology: "chain", agents: 3, steps: 3, model });
      const running = run(team, `Task ${cell.item}`, { protocol, clock, signal, idleMs: 0, seed: Number(cell.item) });
      for await (const _ of running);
      return right(cell);
    };
    // Up to the moment when the last cell has begun: after that nothing is left to fill with.
    let busy = 0;
    const watched: Cell[] = cells(32);
    const playing = conduct({
      cells: watched,
      play: (cell, signal) => {
        if (cell === watched.at(-1)) busy = limit.busy();
        return play(cell, signal);
      },
      atOnce: 8,
    });
    assert.equal((await clock.run(all(playing))).length, 32);
    assert.ok(busy >= 0.95, `${protocol}: ${busy}`);
    assert.ok(most === 8, `${most} at once`);
  }
});

test("each cell is played once, and never more at once than allowed", async () => {
  const clock = new VirtualClock();
  let [inFlight, most] = [0, 0];
  const play = async (cell: Cell) => {
    most = Math.max(most, ++inFlight);
    await clock.sleep(1 + (Number(cell.item) % 7));
    inFlight--;
    return right(cell);
  };
  const samples = await clock.run(all(conduct({ cells: cells(40), play, atOnce: 5 })));
  assert.equal(new Set(samples.map(({ item }) => item)).size, 40);
  assert.equal(most, 5);
});

test("a model that has never worked ends it after five failures; one that has does not", async () => {
  const clock = new VirtualClock();
  const play = async (cell: Cell) => failed(cell);
  const conducted = { cells: cells(20), play, atOnce: 1 };
  await assert.rejects(clock.run(all(conduct(conducted))), /the first 5 samples all failed: refused/);
  assert.equal((await new VirtualClock().run(all(conduct({ ...conducted, hopeful: true })))).length, 20);
  const first = async (cell: Cell) => (cell.item === "0" ? right(cell) : failed(cell));
  assert.equal((await new VirtualClock().run(all(conduct({ ...conducted, play: first })))).length, 20);
});

test("the caller's mistake and the caller's wish end it, and nothing is left running", async () => {
  const clock = new VirtualClock();
  let running = 0;
  const play = async (cell: Cell, signal: AbortSignal) => {
    running++;
    await clock.sleep(10, signal);
    running--;
    if (cell.item === "3") throw new ConfigError("model", "is wrong");
    return right(cell);
  };
  await assert.rejects(clock.run(all(conduct({ cells: cells(20), play, atOnce: 2 }))), /model: is wrong/);
  assert.equal(running, 0);
  const stop = new AbortController();
  const seen: Sample[] = [];
  const read = async () => {
    for await (const sample of conduct({ cells: cells(20), play, atOnce: 2, signal: stop.signal })) {
      seen.push(sample);
      stop.abort(new Error("enough"));
    }
  };
  await assert.rejects(clock.run(read()), /enough/);
  assert.ok(seen.length >= 1 && seen.length <= 2);
  assert.equal(running, 0);
});

test("whoever stops reading stops the playing", async () => {
  const clock = new VirtualClock();
  let begun = 0;
  const play = async (cell: Cell, signal: AbortSignal) => {
    begun++;
    await clock.sleep(10, signal);
    return right(cell);
  };
  const read = async () => {
    for await (const _ of conduct({ cells: cells(20), play, atOnce: 1 })) break;
  };
  await clock.run(read());
  assert.ok(begun <= 2, `${begun}`);
});
