import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { test } from "node:test";
import type { ModelPart } from "../core/types.ts";
import { VirtualClock } from "../testing/clock.ts";
import { leavable, Watch } from "./watch.ts";

const never = new Promise<object>(() => {});
const listeners = (signal: AbortSignal) => getEventListeners(signal, "abort").length;

test("waiting ends by the promise, the idle time or the signal, whichever is first", async () => {
  const clock = new VirtualClock();
  const cut = new AbortController();
  const watch = new Watch({ clock, signal: cut.signal, idleMs: 100 });
  const value = { value: 1 };
  assert.equal(await clock.run(watch.wait(clock.sleep(99).then(() => value))), value);
  assert.equal(await clock.run(watch.wait(never)), "idle");
  assert.equal(clock.now(), 199);
  assert.equal(await watch.wait(Promise.resolve(value)), "idle");
  assert.equal(listeners(cut.signal), 0);

  const other = new Watch({ clock, signal: cut.signal, idleMs: 0 });
  const waiting = other.wait(never);
  cut.abort();
  assert.equal(await waiting, "stopped");
});

test("the time between waits is the reader's, not the source's", async () => {
  const clock = new VirtualClock();
  const watch = new Watch({ clock, signal: new AbortController().signal, idleMs: 100 });
  const value = { value: 1 };
  const reading = async () => {
    for (let pull = 0; pull < 5; pull++) {
      assert.equal(await watch.wait(clock.sleep(60).then(() => value)), value);
      await clock.sleep(1000);
    }
  };
  await clock.run(reading());
});

test("a failure is passed on, unless it comes of the signal", async () => {
  const clock = new VirtualClock();
  const cut = new AbortController();
  const watch = new Watch({ clock, signal: cut.signal, idleMs: 0 });
  await assert.rejects(watch.wait(Promise.reject(new Error("broken"))), { message: "broken" });
  cut.abort();
  assert.equal(await watch.wait(Promise.reject(new Error("aborted"))), "stopped");
});

test("one timer serves all waits", async () => {
  const clock = new VirtualClock();
  let timers = 0;
  const counting = {
    now: () => clock.now(),
    sleep: (ms: number, signal?: AbortSignal) => {
      timers++;
      return clock.sleep(ms, signal);
    },
  };
  const watch = new Watch({ clock: counting, signal: new AbortController().signal, idleMs: 1000 });
  for (let wait = 0; wait < 1000; wait++) await watch.wait(Promise.resolve({}));
  watch.close();
  assert.equal(timers, 1);
});

test("leaving a stream while a part is awaited ends the source at once", async () => {
  const parent = new AbortController();
  let over = false;
  const parts = leavable(
    { messages: [], signal: parent.signal },
    async function* ({ signal }): AsyncGenerator<ModelPart> {
      try {
        yield { type: "text", text: "a" };
        await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
      } finally {
        over = true;
      }
    },
  );
  const iterator = parts[Symbol.asyncIterator]();
  await iterator.next();
  const pending = iterator.next();
  assert.equal(listeners(parent.signal), 1);
  assert.deepEqual(await iterator.return?.(), { value: undefined, done: true });
  assert.equal((await pending).done, true);
  assert.equal(over, true);
  assert.equal(listeners(parent.signal), 0);
  assert.deepEqual(await iterator.next(), { value: undefined, done: true });
});
