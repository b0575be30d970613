// The command line, end to end.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { closeSync, existsSync, openSync } from "node:fs";
import { open, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { assertRefused, bin, duplex, each, fast, folder, jsonLines, serving } from "./process.mjs";

test("help, version and examples of each command cost nothing and exit with 0", async () => {
  const commands = [
    "demo",
    "run",
    "compare",
    "trace",
    "eval",
    "view",
    "measure",
    "plan",
    "serve",
    "models",
    "simulate",
  ];
  await each([["--help"], ["--version"], ...commands.map((name) => [name, "--help"])], async (args) => {
    const { code, stdout, stderr } = await duplex(args);
    assert.deepEqual([code, stderr], [0, ""], args.join(" "));
    if (args[0] === "--version") assert.match(stdout, /^\d+\.\d+\.\d+/);
    else assert.match(stdout, /^Examples:$/m, args.join(" "));
    if (args[0] === "--help") for (const name of commands) assert.match(stdout, new RegExp(`^  ${name} `, "m"));
  });
});

test("a pipe gets the answer alone", async () => {
  const { code, stdout, stderr } = await duplex(["run", "What is asked?", "--model", fast, "--steps", "3"]);
  assert.deepEqual([code, stderr], [0, ""]);
  assert.match(stdout, /^Step 3: .*\n$/);
});

test("with --json each event is a line, and a task comes from standard input, a file or the words alike", async () => {
  await writeFile(join(folder, "task.txt"), "What is asked?\n");
  const ways = [
    [["-"], "What is asked?"],
    [["--file", "task.txt"], ""],
    [["What is asked?"], ""],
  ];
  await each(ways, async ([args, input]) => {
    const { code, stdout } = await duplex(["run", ...args, "--model", fast, "--json", "--agents", "3"], { input });
    const events = jsonLines(stdout);
    assert.equal(code, 0);
    assert.deepEqual([events[0].type, events[0].task, events[0].simulated], ["run-start", "What is asked?", true]);
    assert.equal(events.at(-1).type, "run-end");
    assert.equal(events.filter(({ type }) => type === "agent-end").length, 3);
  });
});

test("a task of a megabyte is taken", async () => {
  await writeFile(join(folder, "large.txt"), "word ".repeat(2 ** 20 / 5));
  const args = [
    "--file",
    "large.txt",
    "--model",
    `${fast},prefill=Infinity`,
    "--agents",
    "1",
    "--steps",
    "1",
    "--json",
  ];
  const { code, stdout } = await duplex(["run", ...args]);
  assert.equal(code, 0);
  assert.ok(jsonLines(stdout)[0].task.length > 2 ** 20 - 10);
});

test("the trace is what happened, and a second run is appended to it", async () => {
  const trace = join(folder, "run.jsonl");
  const args = ["run", "TASK", "--model", fast, "--trace", trace, "--json"];
  const first = await duplex(args);
  assert.equal(await readFile(trace, "utf8"), first.stdout);
  // As a crash leaves it.
  await writeFile(trace, '{"type":"chu', { flag: "a" });
  const second = await duplex(args);
  assert.equal(await readFile(trace, "utf8"), `${first.stdout}{"type":"chu\n${second.stdout}`);
});

test("a trace that cannot be written loses the trace and not the run", async () => {
  const places = [join(folder, "missing", "run.jsonl"), folder, ...(existsSync("/dev/full") ? ["/dev/full"] : [])];
  await each(places, async (place) => {
    const { code, stdout, stderr } = await duplex(["run", "TASK", "--model", fast, "--trace", place]);
    assert.equal(code, 0);
    assert.match(stdout, /^Step \d/);
    assert.match(stderr, /^duplex: [^\n]+\n$/);
    assert.ok(stderr.includes(place));
  });
});

test("Ctrl-C ends it with 130 and keeps the trace with its terminal events", async () => {
  const trace = join(folder, "cut.jsonl");
  let sent = false;
  const on = (text, child) => {
    if (!sent && text.includes('"chunk"')) sent = child.kill("SIGINT");
  };
  const args = ["run", "TASK", "--model", "simulated:ttft=5,decode=20", "--json", "--trace", trace];
  const { code, stderr } = await duplex(args, { on });
  assert.deepEqual([code, stderr], [130, ""]);
  const events = jsonLines(await readFile(trace, "utf8"));
  assert.deepEqual([events.at(-1).type, events.at(-1).reason], ["run-end", "cancelled"]);
  const ends = events.filter(({ type }) => type === "agent-end").map(({ reason }) => reason);
  assert.deepEqual(ends, ["cancelled", "cancelled"]);
});

test("a reader that leaves ends it quietly", async () => {
  let left = false;
  const on = (_text, child) => {
    if (!left) child.stdout.destroy();
    left = true;
  };
  const { code, stderr } = await duplex(["run", "TASK", "--model", "simulated:ttft=5,decode=50", "--json"], { on });
  assert.deepEqual([code, stderr], [141, ""]);
});

test("a run that takes too long, or a model that falls silent, fails with 1", async () => {
  const late = ["run", "TASK", "--model", "simulated:decode=20", "--timeout", "0.2"];
  const silent = ["run", "TASK", "--model", "simulated:ttft=5,decode=1000,stall=1", "--idle", "0.2"];
  assertRefused(await duplex(late), { exit: 1, names: "--timeout" });
  assertRefused(await duplex(silent), { exit: 1, names: "simulated" });
});

test("control characters of a model do not reach a terminal's reader raw in the answer", async (context) => {
  const server = await serving(context, (_, response) => {
    const say = (content, reason) =>
      response.write(`data: ${JSON.stringify({ choices: [{ delta: { content }, finish_reason: reason }] })}\n\n`);
    response.writeHead(200, { "content-type": "text/event-stream" });
    say("red \u001b[31m text\u0007", null);
    say("", "stop");
    response.end("data: [DONE]\n\n");
  });
  const { code, stdout } = await duplex(["run", "TASK", "--model", `openai:m@${server.url}`, "--agents", "1"]);
  assert.deepEqual([code, stdout], [0, "red \\x1b[31m text\\x07\n"]);
});

test("standard output that is a file or closed does no harm", async () => {
  const fd = openSync(join(folder, "out.jsonl"), "w");
  const child = spawn(process.execPath, [bin, "run", "T", "--model", fast, "--json"], {
    stdio: ["ignore", fd, "pipe"],
  });
  const code = await new Promise((done) => child.on("close", done));
  closeSync(fd);
  assert.equal(code, 0);
  assert.equal(jsonLines(await readFile(join(folder, "out.jsonl"), "utf8")).at(-1).type, "run-end");
});

test("listeners with a policy leave when they have heard enough, and the speaker is cut", async () => {
  const args = [
    "run",
    "TASK",
    "--model",
    "simulated:ttft=5,decode=400",
    "--steps",
    "8",
    "--policy",
    "after:2",
    "--json",
  ];
  const { code, stdout } = await duplex(args);
  const events = jsonLines(stdout);
  const ends = events.filter(({ type }) => type === "agent-end").map(({ agent, reason }) => `${agent} ${reason}`);
  assert.deepEqual([code, ends.toSorted()], [0, ["reviewer done", "solver interrupted"]]);
  assert.deepEqual(
    events.filter(({ type }) => type === "decision").map(({ outcome }) => outcome),
    ["wait", "interrupt"],
  );
});

const withPipes = spawnSync("mkfifo", [join(folder, "pipe")]).status === 0;

test("one signal ends it where it waits for a file that never comes", { skip: !withPipes }, async () => {
  const child = spawn(process.execPath, [bin, "run", "--file", "pipe", "--model", fast], { cwd: folder });
  const ended = new Promise((done) => child.on("close", (_, signal) => done(signal)));
  // Opened as soon as somebody reads it.
  const pipe = await open(join(folder, "pipe"), "w");
  child.kill("SIGTERM");
  assert.equal(await ended, "SIGTERM");
  await pipe.close();
});
