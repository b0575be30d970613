import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { test } from "node:test";
import { systemClock } from "./clock.ts";
import { scope, together } from "./scope.ts";
import { onAbort, unlessAborted } from "./signal.ts";

const listeners = (signal: AbortSignal) => getEventListeners(signal, "abort").length;

test("a thousand callbacks are one listener, all are called in order, and none is left", () => {
  const caller = new AbortController();
  const called: number[] = [];
  for (let i = 0; i < 1000; i++) onAbort(caller.signal, () => called.push(i));
  assert.equal(listeners(caller.signal), 1);
  caller.abort();
  assert.deepEqual(
    called,
    Array.from({ length: 1000 }, (_, i) => i),
  );
  assert.equal(listeners(caller.signal), 0);
});

test("a callback taken back is not called, and the last one takes the listener with it", () => {
  const caller = new AbortController();
  const called: string[] = [];
  const first = onAbort(caller.signal, () => called.push("first"));
  const second = onAbort(caller.signal, () => called.push("second"));
  first();
  first();
  assert.equal(listeners(caller.signal), 1);
  second();
  assert.equal(listeners(caller.signal), 0);
  caller.abort();
  assert.deepEqual(called, []);
});

test("one function given twice is called twice, and at once when the signal has fired", () => {
  const caller = new AbortController();
  let calls = 0;
  const count = () => calls++;
  onAbort(caller.signal, count);
  onAbort(caller.signal, count);
  caller.abort();
  onAbort(caller.signal, count);
  assert.equal(calls, 3);
});

test("a sleep that ends by itself or by its signal leaves no listener", async () => {
  const caller = new AbortController();
  await systemClock.sleep(0, caller.signal);
  assert.equal(listeners(caller.signal), 0);
  const asleep = systemClock.sleep(1e9, caller.signal);
  caller.abort();
  await asleep;
});

test("a scope fires with the parent it follows and lets go of it", () => {
  const parent = new AbortController();
  const child = scope();
  child.follow(parent.signal);
  const free = scope(parent.signal);
  free.release();
  parent.abort("why");
  assert.deepEqual([child.signal.reason, free.signal.aborted], ["why", false]);
});

test("together waits for all, and the first failure stops the rest", async () => {
  const order: string[] = [];
  const wait = (signal: AbortSignal) =>
    new Promise<void>((resolve) => {
      onAbort(signal, () => {
        order.push("stopped");
        resolve();
      });
    });
  const fail = async () => {
    await Promise.resolve();
    throw new Error("first");
  };
  await assert.rejects(together([wait, fail]), /first/);
  assert.deepEqual(order, ["stopped"]);
});

test("what comes is given unless the signal fires first, and nothing stays on the signal", async () => {
  const stop = new AbortController();
  assert.equal(await unlessAborted(Promise.resolve(1), stop.signal), 1);
  await assert.rejects(unlessAborted(Promise.reject(new Error("own")), stop.signal), /own/);
  const never = unlessAborted(new Promise(() => {}), stop.signal);
  stop.abort(new Error("enough"));
  await assert.rejects(never, /enough/);
  await assert.rejects(unlessAborted(new Promise(() => {}), stop.signal), /enough/);
});
