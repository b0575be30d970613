import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync, statSync, watch } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { assertRefused, bin, duplex, folder, jsonLines } from "./process.mjs";

const args = [
  "eval",
  "report",
  "--policy",
  "never,after:3,own:0.5,oracle",
  "--samples",
  "40",
  "--repeats",
  "2",
  "--json",
];

/** Ends the program by a signal once it has kept some more results, and tells how it ended. */
async function ended(file, signal) {
  const path = join(folder, file);
  const size = () => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  const before = size();
  const child = spawn(process.execPath, [bin, ...args, "--out", path], { stdio: "ignore" });
  const watching = watch(folder, () => {
    if (size() > before + 20_000) child.kill(signal);
  });
  const [code, by] = await new Promise((done) => child.on("close", (...how) => done(how)));
  watching.close();
  return { code, by, lines: readFileSync(path, "utf8").split("\n").length };
}

test("an evaluation without a network prints a line a policy, and the same again", async () => {
  const { code, stdout, stderr } = await duplex(args);
  assert.equal(code, 0, stderr);
  const lines = jsonLines(stdout);
  assert.deepEqual(
    lines.map(({ policy, samples, repeats, simulated }) => [policy, samples, repeats, simulated]),
    ["never", "after:3", "own:0.5", "oracle"].map((policy) => [policy, 40, 2, true]),
  );
  for (const { cost } of lines)
    assert.ok(Math.abs(cost.spoken + cost.overrun + cost.decisions + cost.replies - cost.total) < 1e-9);
  assert.equal((await duplex(args)).stdout, stdout);
});

test("killed in the middle and started again it comes to the same, and Ctrl-C keeps what is finished", async () => {
  const { stdout } = await duplex(args);
  const killed = await ended("killed.jsonl", "SIGKILL");
  assert.equal(killed.by, "SIGKILL");
  const stopped = await ended("killed.jsonl", "SIGINT");
  assert.equal(stopped.code, 130);
  assert.ok(
    killed.lines > 2 && stopped.lines > killed.lines && stopped.lines < 322,
    `${killed.lines} ${stopped.lines}`,
  );
  const { code, stdout: again } = await duplex([...args, "--out", join(folder, "killed.jsonl")]);
  assert.equal(code, 0);
  assert.equal(again, stdout);
});

test("wrong use is told in one line", async () => {
  assertRefused(await duplex(["eval", "nope"]), { exit: 2, names: 'task: "nope" is none of' });
  assertRefused(await duplex(["eval", "report", "--policy", "bogus"]), {
    exit: 2,
    names: '--policy: there is no "bogus"',
  });
  assertRefused(await duplex(["eval", "report", "--split", "exam"]), { exit: 2, names: "--split" });
});
