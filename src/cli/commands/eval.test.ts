import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { PolicyReport } from "../../eval/index.ts";
import { leftOf, progressOf } from "./eval-progress.ts";
import { evalCommand } from "./eval.ts";

let folder = "";
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "duplex-eval-"));
});
after(() => rm(folder, { recursive: true }));

function io(signal = new AbortController().signal) {
  const written = { out: "", err: "" };
  const stdout = { write: (text: string) => (written.out += text), columns: 100 };
  const stderr = { write: (text: string) => (written.err += text) };
  return { written, io: { stdout, stderr, env: {}, signal } };
}

async function evaluated(args: readonly string[]) {
  const made = io();
  await evalCommand(made.io).parseAsync(args, { from: "user" });
  return made.written;
}

const lines = (out: string): PolicyReport[] =>
  out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as PolicyReport);

const quick = ["report", "--samples", "6", "--policy", "never,after:2,own:0.5"];

test("a line of JSON for each policy, marked as simulated, whose parts add up", async () => {
  const { out, err } = await evaluated([...quick, "--repeats", "2", "--json"]);
  const reports = lines(out);
  assert.deepEqual(
    reports.map(({ policy }) => policy),
    ["never", "after:2", "own:0.5"],
  );
  for (const { task, samples, repeats, success, successCI, cost, simulated, costVsNever } of reports) {
    assert.deepEqual([task, samples, repeats, simulated], ["report:facts=7", 6, 2, true]);
    assert.ok(Math.abs(cost.spoken + cost.overrun + cost.decisions + cost.replies - cost.total) < 1e-9);
    assert.ok(successCI !== null && success !== null && successCI[0] <= success && success <= successCI[1]);
    assert.ok(costVsNever !== null);
  }
  assert.equal(err, "");
});

test("people get tables that say what was compared, with intervals, and that it is simulated", async () => {
  const { out } = await evaluated([...quick, "--max-loss", "0.5"]);
  assert.match(out, /^report:facts=7: 6 samples of dev, 1 each, seed 1\. Speaker template, listener simulated/);
  assert.match(out, /simulated: words and times are\s+made up/);
  assert.match(out, /^after:2 +\d\.\d\d \[\d\.\d\d, \d\.\d\d\] .* \d\.\d\d \[\d\.\d\d, \d\.\d\d\]$/m);
  assert.match(out, /^own:0\.5 is the cheapest that loses at most 0\.5 of success on dev$/m);
  assert.ok(out.split("\n").every((line) => line.length <= 100));
});

test("results are kept, a second run plays nothing again, and more policies may be added", async () => {
  const file = join(folder, "kept.jsonl");
  const { out: first } = await evaluated([...quick, "--out", file, "--json"]);
  const size = (await readFile(file, "utf8")).length;
  const { out: again } = await evaluated([...quick, "--out", file, "--json"]);
  assert.equal(again, first);
  assert.equal((await readFile(file, "utf8")).length, size);
  const { out: more } = await evaluated(["report", "--samples", "6", "--policy", "oracle", "--out", file, "--json"]);
  assert.deepEqual(
    lines(more).map(({ policy }) => policy),
    ["never", "oracle"],
  );
  await assert.rejects(evaluated([...quick, "--out", file, "--chunk", "8"]), /kept\.jsonl: .*chunk 16, now 8/);
});

test("Ctrl-C stops it, shows and keeps what is finished, and says how to go on", async () => {
  const file = join(folder, "stopped.jsonl");
  const stop = new AbortController();
  const made = io(stop.signal);
  const stderr = { write: () => stop.abort(new Error("ended by SIGINT")), isTTY: true, columns: 80 };
  let told = "";
  const both = { ...stderr, write: (text: string) => (text.startsWith("duplex") ? (told += text) : stderr.write()) };
  const command = evalCommand({ ...made.io, stderr: both });
  await assert.rejects(
    command.parseAsync([...quick, "--samples", "40", "--out", file], { from: "user" }),
    /ended by SIGINT/,
  );
  assert.match(
    told,
    /^duplex: stopped after \d+ of 120 conversations; the same command goes on from .*stopped\.jsonl\n$/,
  );
  const kept = (await readFile(file, "utf8")).trim().split("\n").length - 1;
  assert.ok(kept >= 1 && kept < 120);
  assert.match(made.written.out, /success and cost/);
});

test("a budget stops it cleanly", async () => {
  const { out, err } = await evaluated([...quick, "--samples", "40", "--budget-tokens", "2000", "--json"]);
  assert.match(err, /^duplex: the budget is spent after \d+ of 120 conversations\n$/);
  assert.ok((lines(out)[0]?.samples ?? 0) < 40);
});

test("samples of one's own are evaluated, with answers to choose from", async () => {
  const file = join(folder, "mine.jsonl");
  const sample = (id: number) => ({
    id: `s${id}`,
    split: "test",
    prompt: "One tells, the other answers.",
    roles: [
      {
        id: "teller",
        instructions: "Tell.",
        says: `The color of the door is ${id % 2 === 0 ? "red" : "blue"}. It was painted in spring by two people from the village.`,
      },
      { id: "asker", instructions: "Which color has the door?", listens: true },
    ],
    answer: { by: "asker", right: [id % 2 === 0 ? "red" : "blue"], candidates: ["red", "blue", "green"] },
    enough: [[{ by: "teller", said: `The color of the door is ${id % 2 === 0 ? "red" : "blue"}` }]],
  });
  await writeFile(file, Array.from({ length: 8 }, (_, id) => JSON.stringify(sample(id))).join("\n"));
  const { out } = await evaluated([
    file,
    "--split",
    "test",
    "--policy",
    "own:0.6,oracle",
    "--chunk",
    "8",
    "--pace",
    "lockstep",
    "--json",
  ]);
  const [never, own, oracle] = lines(out);
  assert.deepEqual([never?.samples, never?.success, own?.success, oracle?.success], [8, 1, 1, 1]);
  assert.ok((own?.costVsNever ?? 1) < 1 && (oracle?.costVsNever ?? 1) < 0.8);
});

test("what is wrong is told in one line that names the place", async () => {
  const wrong: readonly [readonly string[], RegExp][] = [
    [["nope"], /^task: "nope" is none of pictionary/],
    [["report", "--policy", "bogus"], /^--policy: there is no "bogus"/],
    [["report", "--policy", "concise"], /^--policy: "concise" asks something of the speaker/],
    [["report", "--policy", "own:0.5,own:0.5"], /^--policy: "own:0\.5" is there twice/],
    [["pictionary", "--speaker", "template"], /^--speaker: pictionary.* has no template/],
    [["report", "--pace", "-1"], /^--pace: must be lockstep, live/],
    [["report", "--speaker", "once:simulated"], /^--speaker: once: is for models/],
    [["report", "--speaker", "once:openai:x", "--pace", "live"], /^--pace: words from memory take no time/],
    [["report", "--chunk", "0"], /^--chunk: must be a whole number of at least 1/],
    [["report", "--model", "simulated:foo=3"], /^--model: foo: /],
    [["report", "--model", "simulated:accuracy"], /^--model: "accuracy" is not an option/],
    [["report", "--listener", "simulated:decode=0"], /^--listener: decode: 0 is not a number above 0/],
    [["pictionary", "--speaker", "simulated:decode=0"], /^--speaker: decode: 0 is not a number above 0/],
    [["report", "--listener", "openai:x@nowhere"], /^--listener: after the @ comes an address/],
    [["report", "--speaker", "once:gpt"], /^--speaker: there is no form "gpt"/],
    [["report", "--policy", "calibrated:nowhere.json"], /nowhere\.json: cannot be read: there is no such file/],
    [["report", "--price", "input=x"], /^--price/],
    [["report", "--budget-cost", "1"], /^--budget-cost: no price of simulated is known; give --price$/],
    [["report", "--out", join(folder, "no", "file.jsonl")], /file\.jsonl: cannot be opened/],
  ];
  for (const [args, message] of wrong)
    await assert.rejects(
      evaluated(args),
      (error) => error instanceof Error && message.test(error.message),
      args.join(" "),
    );
});

test("progress tells how far it is and how long it will take, now and then where nobody watches", () => {
  const { written, io: world } = io();
  let now = 0;
  const progress = progressOf(world, { all: 10, before: 2 }, () => now);
  const result = { failure: undefined } as Parameters<typeof progress.add>[0];
  for (let each = 0; each < 4; each++) {
    now += 20_000;
    progress.add(result);
  }
  assert.equal(
    written.err,
    "duplex: 4 of 10 conversations, about 2 min left\nduplex: 6 of 10 conversations, about 1 min left\n",
  );
  assert.deepEqual(
    [leftOf(1000, 0, 5), leftOf(1000, 1, 7), leftOf(3.6e6, 1, 5)],
    ["", ", about 7 s left", ", about 5 h left"],
  );
});

test("what is wrong is named by its flag: a split that has none, too many samples, a threshold never passed", async () => {
  const path = join(folder, "few.jsonl");
  const roles = [
    { id: "owner", instructions: "Tell.", says: "The key is under the mat." },
    { id: "guest", instructions: "Find out.", listens: true },
  ];
  await writeFile(
    path,
    JSON.stringify({ id: "1", split: "test", prompt: "?", roles, answer: { by: "guest", right: ["mat"] } }),
  );
  const wrong: readonly (readonly [readonly string[], RegExp])[] = [
    [[path], /^ConfigError: --split dev: .*the split "dev" is empty.*; choose train or test$/],
    [["report", "--samples", "1e9"], /^ConfigError: --samples: .*at most 20000/],
    [["report", "--policy", "own:2"], /^ConfigError: --policy own:2: 2 is no threshold/],
    [["report", "--policy", "ear:nowhere.json"], /^ConfigError: --policy ear: nowhere\.json/],
    [["report", "--out", "/dev/full"], /^ConfigError: --out \/dev\/full: is no file that can be read back/],
  ];
  for (const [args, message] of wrong) await assert.rejects(evaluated(args), message);
});

test("policies with options of their own stand side by side", async () => {
  const { out } = await evaluated([
    "report:choices=8",
    "--samples",
    "4",
    "--chunk",
    "6",
    "--json",
    "--policy",
    "own:0.5,own:0.5:ask=within,own:0.5:stable=2:from=2,prompted:every=2",
  ]);
  assert.deepEqual(
    lines(out).map(({ policy }) => policy),
    ["never", "own:0.5", "own:0.5:ask=within", "own:0.5:stable=2:from=2", "prompted:every=2"],
  );
});
