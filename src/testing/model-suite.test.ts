import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { faults } from "./__fixtures__/faults.ts";

/** Cases by suite, as TAP says them: whether each was passed, failed or skipped. */
function results(tap: string): Map<string, Map<string, string>> {
  const suites = new Map<string, Map<string, string>>();
  let cases = new Map<string, string>();
  for (const line of tap.split("\n")) {
    const [, nested, verdict = "", title = ""] = /^( *)(ok|not ok) \d+ - (.*)$/.exec(line) ?? [];
    if (nested === undefined) continue;
    if (nested === "") {
      suites.set(title, cases);
      cases = new Map();
    } else cases.set(title.replace(/ # SKIP.*$/, ""), title.includes("# SKIP") ? "skipped" : verdict);
  }
  return suites;
}

test("the suite finds what is wrong with a model, in the case meant for it, and nothing in a sound one", () => {
  const path = fileURLToPath(new URL("__fixtures__/faulty.js", import.meta.url));
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const { stdout } = spawnSync(process.execPath, ["--test-reporter=tap", path], { env, encoding: "utf8" });
  const suites = results(stdout);
  assert.deepEqual(new Set(suites.get("sound")?.values()), new Set(["ok"]));
  assert.deepEqual(new Set(suites.get("skipped")?.values()), new Set(["skipped"]));
  for (const [fault, found] of faults) assert.equal(suites.get(fault)?.get(found), "not ok", fault);
});
