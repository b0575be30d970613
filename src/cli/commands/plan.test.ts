import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Command } from "commander";
import { ConfigError } from "../../base/errors.ts";
import { formatEvent } from "../../core/trace.ts";
import { parallel, small } from "../../core/trace-samples.fixture.ts";
import type { RunEvent } from "../../core/types.ts";
import { formatProfile, parseProfile } from "../../eval/measure/index.ts";
import { profileFor, truthOf } from "../../eval/plan/worlds.fixture.ts";
import type { Io } from "../io.ts";
import { width } from "../printable.ts";
import { measureCommand } from "./measure.ts";
import { planCommand } from "./plan.ts";

let folder = "";
let profile = "";
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "duplex-plan-"));
  profile = await file("profile.json", formatProfile(profileFor(truthOf(3), { seed: 3, error: 0.02 })));
});
after(() => rm(folder, { recursive: true, force: true }));

async function file(name: string, text: string): Promise<string> {
  await writeFile(join(folder, name), text);
  return join(folder, name);
}

async function running(command: (io: Io) => Command, args: readonly string[], columns = 100) {
  const written = { out: "", err: "" };
  const stdout = { write: (text: string) => (written.out += text), columns };
  const stderr = { write: (text: string) => (written.err += text) };
  const io: Io = { stdout, stderr, env: {}, signal: new AbortController().signal };
  await command(io)
    .exitOverride()
    .configureOutput({ writeErr: () => {} })
    .parseAsync(args, { from: "user" });
  return written;
}

const refusal = (command: (io: Io) => Command, args: readonly string[]) =>
  running(command, args).then(
    () => "accepted",
    (error: unknown) => {
      assert.ok(error instanceof ConfigError, String(error));
      return error.message.replaceAll(`${folder}/`, "");
    },
  );

const lines = (events: readonly RunEvent[]) => events.map((event) => `${formatEvent(event)}\n`).join("");

test("a plan is a table that fits the terminal, then the reasons", async () => {
  const args = ["--profile", profile, "--price", "input=5,cached=0.5,output=25", "--agents", "2-4", "--top", "3"];
  for (const columns of [60, 100, 160]) {
    const { out, err } = await running(planCommand, args, columns);
    assert.equal(err, "");
    const [head, , ...rest] = out.trimEnd().split("\n");
    assert.match(head!, /^made up \(simulated\): the first 3 of \d+ by correctness, costs in USD a run$/);
    assert.ok(rest.slice(0, 4).every((line) => width(line) <= columns));
    const told = rest.slice(5);
    assert.match(told[0]!, /^First: /);
    assert.match(told[1]!, /^(Stream|Do not stream): /);
    assert.match(told[2]!, /^(Interrupt|Do not interrupt): /);
    assert.match(told[3]!, /^note: Measured on a simulated model/);
  }
});

test("for programs a plan is a line of advice and a line for each candidate", async () => {
  const { out } = await running(planCommand, ["--profile", profile, "--goal", "time", "--steps", "2,4", "--json"]);
  const [head, ...candidates] = out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  assert.deepEqual([head!["type"], head!["goal"], head!["fits"], candidates.length], ["plan", "time", true, 10]);
  assert.deepEqual(
    candidates.map(({ rank }) => rank),
    candidates.map((_, index) => index + 1),
  );
  assert.ok(candidates.every(({ why, predicted }) => typeof why === "string" && predicted !== null));
});

test("where nothing fits the budget the plan says so, and by how much the nearest misses", async () => {
  const { out } = await running(planCommand, ["--profile", profile, "--budget-time", "0.0001"]);
  assert.match(out, /\nNothing fits the budget\. The nearest: Does not fit: takes .* of 0 ms\. /);
});

test("a wrong plan is refused with its flag, or the place in its file", async () => {
  const other = await file("old.json", JSON.stringify({ kind: "duplex-profile", version: 7 }));
  const { speeds, ...rest } = parseProfile(await readFile(profile, "utf8"));
  const slow = await file("slow.json", formatProfile({ ...rest, speeds: { ...speeds, decode: null } }));
  const cases: readonly (readonly [readonly string[], RegExp])[] = [
    [["--profile", join(folder, "none.json")], /^--profile: none\.json: there is no such file/],
    [["--profile", other], /^old\.json: is a profile of version 7, and this program reads version 1; measure again$/],
    [["--profile", await file("text", "hello")], /^text: is no JSON/],
    [["--profile", slow], /^slow\.json speeds\.decode: the decode speed is not measured/],
    [["--profile", profile, "--budget-cost", "1"], /^--budget-cost: needs prices/],
    [["--profile", profile, "--budget-cost", "0"], /^--budget-cost: must be a number above 0/],
    [["--profile", profile, "--budget-correctness", "2"], /^--budget-correctness: must be a share from 0 to 1/],
    [["--profile", profile, "--goal", "fame"], /^--goal: there is no "fame"/],
    [["--profile", profile, "--goal", "cost"], /^--goal: cost needs prices/],
    [["--profile", profile, "--agents", "4-2"], /^--agents: expected numbers such as 2,4 or 2-8/],
    [["--profile", profile, "--agents", "0"], /^--agents: must be a whole number from 1/],
    [["--profile", profile, "--topologies", "ring"], /^--topologies: there is no "ring"/],
    [["--profile", profile, "--keeps", "peace"], /^--keeps: there is no "peace"/],
    [["--profile", profile, "--price", "input=1"], /^--price: "output" is missing/],
  ];
  for (const [args, message] of cases) assert.match(await refusal(planCommand, args), message);
});

test("traces are measured, shown, and written to a file that a plan is made from", async () => {
  const traces = [await file("a.jsonl", lines(small)), await file("b.jsonl", lines(small))];
  const output = join(folder, "measured.json");
  const { out, err } = await running(measureCommand, [...traces, "-o", output]);
  assert.equal(err, "");
  assert.match(out, /^m: 2 runs, 6 calls, /);
  assert.match(out, /\ndecode +\d/);
  assert.match(out, /\nprofile: .*measured\.json\n$/);
  const written = parseProfile(await readFile(output, "utf8"));
  const { out: line } = await running(measureCommand, [...traces, "--json"]);
  assert.deepEqual(parseProfile(line), written);
});

test("a model is asked, and a plan is made of what it said", async () => {
  const output = join(folder, "asked.json");
  const spec = "simulated:ttft=0,decode=Infinity,prefill=Infinity,cacheRead=Infinity,accuracy=0.7,stepTokens=8";
  const { out } = await running(measureCommand, ["--model", spec, "--budget-tokens", "12000", "-o", output]);
  assert.match(out, /^simulated \(simulated\): asked, /);
  assert.match(out, /\np_4 +\d/);
  const { out: planned } = await running(planCommand, ["--profile", output, "--agents", "2"]);
  assert.match(planned, /\nFirst: /);
  const judged = ["--model", spec, "--judge", `${spec},id=judge`, "--budget-tokens", "9000"];
  assert.match((await running(measureCommand, judged)).out, /judge's agreement/);
});

test("a wrong measurement is refused with its flag or file", async () => {
  const trace = await file("one.jsonl", lines(small));
  const cases: readonly (readonly [readonly string[], RegExp])[] = [
    [[], /^traces: give at least one trace, or a model to ask/],
    [[trace, "--model", "simulated"], /^--model: give traces or a model to ask, not both/],
    [["--model", "simulated"], /^--budget-tokens: say how many tokens asking may take, at least 5000/],
    [["--model", "simulated", "--budget-tokens", "12"], /^--budget-tokens: must be a whole number of at least 5000/],
    [["--model", "nobody", "--budget-tokens", "9000"], /^--model: there is no form "nobody"/],
    [[join(folder, "none.jsonl")], /^none\.jsonl: cannot be read: there is no such file/],
    [[await file("empty.jsonl", "")], /^empty\.jsonl: there is no run in this file/],
    [[await file("other.jsonl", "hello")], /^other\.jsonl: line 1: not a trace/],
    [
      [trace, await file("two.jsonl", lines(parallel))],
      /^traces: a profile is of one model, and these runs are of m, /,
    ],
    [[trace, "-o", join(folder, "no", "p.json")], /^--output: .*p\.json: /],
  ];
  for (const [args, message] of cases) assert.match(await refusal(measureCommand, args), message);
});
