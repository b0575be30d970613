import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { systemClock } from "./clock.ts";

test("a wait longer than a timer of the machine can take does not overflow it, which would end the wait at once", async () => {
  const warnings: string[] = [];
  const note = ({ name }: Error) => void warnings.push(name);
  process.on("warning", note);
  const off = new AbortController();
  for (const ms of [2 ** 31, 1e15, Number.POSITIVE_INFINITY]) {
    systemClock.after?.(ms, () => {})();
    void systemClock.sleep(ms, off.signal);
  }
  await setImmediate();
  off.abort();
  process.off("warning", note);
  assert.deepEqual(warnings, []);
});
