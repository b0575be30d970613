import assert from "node:assert/strict";
import { test } from "node:test";
import { VirtualClock } from "../testing/clock.ts";
import { drain } from "./drain.ts";
import { Log } from "./log.ts";
import { Mailbox } from "./mailbox.ts";
import { GrowingText } from "./text.ts";
import { watchdog } from "./watchdog.ts";

async function read<T>(source: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of source) items.push(item);
  return items;
}

test("every reader of a log gets every item once and in order, however late it comes", async () => {
  const log = new Log<number>();
  const early = read(log);
  log.append(1);
  await Promise.resolve();
  const middle = read(log);
  log.append(2);
  log.close();
  log.append(3);
  assert.deepEqual(await Promise.all([early, middle, read(log)]), [
    [1, 2],
    [1, 2],
    [1, 2],
  ]);
});

test("a mailbox gives a slow reader everything at once", async () => {
  const mailbox = new Mailbox<number>();
  const batches: (readonly number[])[] = [];
  mailbox.put(1);
  for await (const batch of mailbox) {
    batches.push(batch);
    if (batches.length === 1) for (const item of [2, 3, 4]) mailbox.put(item);
    else mailbox.close();
  }
  assert.deepEqual(batches, [[1], [2, 3, 4]]);
});

async function* counting(): AsyncGenerator<number, void, undefined> {
  for (let i = 0; ; i++) yield i;
}

test("draining stops when the visitor answers false, and closes the source", async () => {
  const seen: number[] = [];
  const reading = drain(counting(), (item) => seen.push(item) < 3);
  assert.equal(await reading.over, "left");
  assert.deepEqual(seen, [0, 1, 2]);
});

test("what the visitor throws and what the source throws reject the reading", async () => {
  const visit = () => {
    throw new Error("visitor");
  };
  await assert.rejects(drain(counting(), visit).over, /visitor/);
  const broken: AsyncIterable<number> = {
    [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error("source")) }),
  };
  await assert.rejects(drain(broken, () => true).over, /source/);
});

test("a source that never answers is left at once, and does not keep anybody", async () => {
  const never: AsyncIterable<number> = { [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }) };
  const reading = drain(never, () => true);
  reading.leave();
  reading.leave();
  assert.equal(await reading.over, "left");
});

test("silence longer than the bound expires a thing exactly, once, and others by their own time", async () => {
  const clock = new VirtualClock();
  const dog = watchdog(clock, 100);
  const expired: [string, number][] = [];
  const watch = (name: string, lastSign: () => number) =>
    dog.watch({ lastSign, expire: () => expired.push([name, clock.now()]) });
  let sign = 0;
  watch("silent", () => 0);
  watch("speaks", () => sign);
  watch("forgotten", () => 0)();
  const life = async () => {
    await clock.sleep(70);
    sign = 70;
    await clock.sleep(400);
    watch("late", () => 470);
    await clock.sleep(400);
    dog.close();
  };
  await clock.run(life());
  assert.deepEqual(expired, [
    ["silent", 100],
    ["speaks", 170],
    ["late", 570],
  ]);
});

test("a growing text is all its pieces, read as often as one likes", () => {
  const text = new GrowingText();
  const pieces = Array.from({ length: 3000 }, (_, index) => `${index} é🙂`);
  for (const [index, piece] of pieces.entries()) {
    text.add(piece);
    if (index % 997 === 0) assert.equal(text.toString(), pieces.slice(0, index + 1).join(""));
  }
  assert.equal(text.toString(), pieces.join(""));
});
