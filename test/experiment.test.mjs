// `duplex experiment`: from a command to its report, through every way of being stopped.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import { assertRefused, bin, duplex, folder } from "./process.mjs";

const small = ["--model", "simulated:accuracy=0.8,delta=0.03,epsilon=0.06,stepTokens=8", "--items", "6"];
const main = ["experiment", "main", ...small, "--repeats", "3", "--topologies", "chain"];
const files = ["findings.json", "items.jsonl", "report.html", "report.jsonl", "report.md"];
const samplesIn = async (out) => (await readFile(join(folder, out, "items.jsonl"), "utf8")).trim().split("\n").slice(1);
const reportOf = async (out) => {
  const text = await Promise.all(
    ["findings.json", "report.md", "report.jsonl"].map((name) => readFile(join(folder, out, name), "utf8")),
  );
  return text.map((each) => each.replaceAll(`--out ${out}`, "--out OUT"));
};

/** Kills the program, without a chance to say anything, once its folder has so many samples; the signal it ended by. */
async function killedAt(args, kept) {
  const child = spawn(process.execPath, [bin, ...args], { cwd: folder, stdio: "ignore" });
  const ended = new Promise((done) => child.on("close", (_, signal) => done(signal)));
  const out = args.at(-1);
  for (let signal; signal === undefined;) {
    const lines = await samplesIn(out).catch(() => []);
    if (lines.length >= kept) child.kill("SIGKILL");
    signal = await Promise.race([ended, new Promise((next) => setImmediate(next))]);
  }
  return ended;
}

test("main: an estimate first, then samples, and a report in every form that says simulated", async () => {
  const { code, stdout, stderr } = await duplex([...main, "--out", "whole"]);
  assert.equal(code, 0, stderr);
  assert.match(stderr, /main: 72 runs, about [\d,]+ calls, [\d,]+ tokens read, [\d,]+ generated/);
  assert.deepEqual((await readdir(join(folder, "whole"))).toSorted(), files);
  assert.equal((await samplesIn("whole")).length, 72);
  assert.match(stdout, /^# Benchmarks .*\(\*simulated\*\)/);
  assert.equal(stdout, await readFile(join(folder, "whole", "report.md"), "utf8"));
  const page = await readFile(join(folder, "whole", "report.html"), "utf8");
  assert.match(page, /simulated/i);
});

test("killed at any moment and started again, it gives the report of an undisturbed run", async () => {
  const args = [...main, "--out", "killed"];
  for (const kept of [5, 20, 45]) assert.equal(await killedAt(args, kept), "SIGKILL", `${kept} samples`);
  const before = await samplesIn("killed");
  const { code, stderr } = await duplex(args);
  assert.equal(code, 0, stderr);
  const after = await samplesIn("killed");
  assert.deepEqual(after.slice(0, before.length), before, "what was finished is not played again");
  assert.equal(after.length, 72);
  assert.deepEqual(await reportOf("killed"), await reportOf("whole"));
});

test("above a limit it is not played without a terminal or --yes, and nothing is asked of the model", async () => {
  let asked = 0;
  const server = createServer((_, response) => {
    asked++;
    response.writeHead(400, { "content-type": "application/json" }).end('{"error":{"message":"no such model"}}');
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const model = `openai:gpt-4.1-mini@http://127.0.0.1:${server.address().port}/v1`;
  const args = ["experiment", "main", "--model", model, "--items", "40", "--price", "input=5,output=25"];
  const over = await duplex([...args, "--out", "over"]);
  assert.equal(over.code, 2);
  assert.match(over.stderr, /at most about \d+\.\d\d USD without caches/);
  assert.match(over.stderr, /--yes: that is more than --limit-calls 1000 or --limit-money 1; add --yes/);
  assert.equal(asked, 0);
  const hopeless = await duplex([...args, "--yes", "--concurrency", "2", "--out", "over"]);
  assert.equal(hopeless.code, 1);
  assert.match(hopeless.stderr, /the first 5 samples all failed: .*no such model/);
  const lines = await samplesIn("over");
  assert.ok(lines.length >= 5 && lines.every((line) => JSON.parse(line).failure !== undefined));
  assert.match(await readFile(join(folder, "over", "report.md"), "utf8"), /Failed samples/);
  server.close();
});

test("a folder of somebody else's files, and one that cannot be made, are refused at once, and nothing is written", async () => {
  await mkdir(join(folder, "theirs"));
  await writeFile(join(folder, "theirs", "report.md"), "mine");
  const theirs = await duplex([...main, "--out", "theirs"]);
  assertRefused(theirs, { exit: 2, names: ["--out theirs", '"report.md"'] });
  assert.deepEqual(await readdir(join(folder, "theirs")), ["report.md"]);
  assert.equal(await readFile(join(folder, "theirs", "report.md"), "utf8"), "mine");
  const out = process.platform === "linux" ? "/proc/nothing" : join(folder, "theirs", "report.md");
  assertRefused(await duplex([...main, "--out", out]), { exit: 2, names: [`--out ${out}`, "cannot be made"] });
});
