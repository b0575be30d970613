import assert from "node:assert/strict";
import { test } from "node:test";
import { Gate } from "./gate.ts";

const { signal } = new AbortController();

test("a pause that ends while the queue is looked at lets the queue in", async () => {
  // A clock that moves with each reading, as the machine's does.
  let time = 0;
  const clock = { now: () => time++, sleep: () => Promise.resolve() };
  for (let ms = 1; ms < 8; ms++) {
    const gate = new Gate({ clock });
    gate.pause(ms);
    assert.equal(await gate.enter(gate.ticket(), signal), true);
  }
});

test("who comes again with an earlier ticket goes in earlier", async () => {
  const gate = new Gate({ concurrency: 1 });
  const early = gate.ticket();
  const late = gate.ticket();
  assert.equal(gate.tryEnter(), true);
  const order: string[] = [];
  const entering = [
    gate.enter(late, signal).then(() => order.push("late")),
    gate.enter(early, signal).then(() => order.push("early")),
  ];
  gate.leave();
  await entering[1];
  gate.leave();
  await Promise.all(entering);
  assert.deepEqual(order, ["early", "late"]);
});

test("a signal that has fired lets nobody in", async () => {
  const gate = new Gate();
  assert.equal(await gate.enter(gate.ticket(), AbortSignal.abort()), false);
  assert.deepEqual(gate.load, { inside: 0, waiting: 0 });
});
