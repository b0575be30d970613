import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { test } from "node:test";
import * as fc from "fast-check";
import { Pool } from "./pool.ts";

function numbered(size: number, atOnce: number) {
  let made = 0;
  const gone: number[] = [];
  const pool = new Pool<number>({
    size,
    atOnce,
    create: async () => made++,
    destroy: async (value) => void gone.push(value),
  });
  return { pool, gone, made: () => made };
}

test("A session finds its own state again, and the least recently used is given away", async () => {
  const { pool, made } = numbered(2, 2);
  const use = async (session: string) => {
    const lease = await pool.take(session);
    lease?.release();
    return lease;
  };
  assert.equal((await use("a"))?.value, 0);
  assert.equal((await use("b"))?.value, 1);
  assert.deepEqual(await use("a").then((lease) => [lease?.value, lease?.fresh]), [0, false]);
  assert.deepEqual(await use("c").then((lease) => [lease?.value, lease?.fresh]), [1, true]);
  assert.deepEqual(await use("b").then((lease) => [lease?.value, lease?.fresh]), [0, true]);
  assert.equal(made(), 2);
});

test("Two calls of one session come one after the other, and others pass by", async () => {
  const { pool } = numbered(3, 2);
  const first = await pool.take("a");
  assert.equal(pool.tryTake("a"), undefined);
  const second = pool.take("a");
  const other = await pool.take("b");
  other?.release();
  first?.release();
  assert.equal((await second)?.value, 0);
});

test("Never more at once than allowed, never two with one state, and everybody is served", async () => {
  const sessions = fc.array(fc.option(fc.constantFrom("a", "b", "c", "d"), { nil: undefined }), { maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(
      sessions,
      fc.integer({ min: 1, max: 4 }),
      fc.integer({ min: 1, max: 4 }),
      async (list, size, atOnce) => {
        const { pool } = numbered(size, atOnce);
        const inUse = new Set<number>();
        await Promise.all(
          list.map(async (session) => {
            const lease = await pool.take(session);
            assert.ok(lease !== undefined && !inUse.has(lease.value));
            inUse.add(lease.value);
            assert.ok(inUse.size <= Math.min(size, atOnce));
            await new Promise((resolve) => setImmediate(resolve));
            inUse.delete(lease.value);
            lease.release();
          }),
        );
      },
    ),
    { numRuns: 50 },
  );
});

test("Who stops waiting gets nothing and leaves no listener; closing frees everything", async () => {
  const { pool, gone } = numbered(1, 1);
  await pool.take("a");
  const stop = new AbortController();
  const waiting = pool.take("b", stop.signal);
  const forGood = pool.take("c");
  stop.abort();
  assert.equal(await waiting, undefined);
  assert.equal(getEventListeners(stop.signal, "abort").length, 0);
  await pool.close();
  assert.equal(await forGood, undefined);
  assert.deepEqual(gone, [0]);
  assert.equal(await pool.take("d"), undefined);
});

test("A state that cannot be made is the taker's error, and the place is free again", async () => {
  let fail = true;
  const create = async () => {
    if (fail) throw new Error("no memory");
    return 1;
  };
  const pool = new Pool<number>({ size: 1, atOnce: 1, create, destroy: async () => {} });
  await assert.rejects(pool.take("a"), /no memory/);
  fail = false;
  assert.equal((await pool.take("a"))?.value, 1);
});
