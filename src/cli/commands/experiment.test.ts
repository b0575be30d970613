import assert from "node:assert/strict";
import { appendFile, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Findings } from "../../eval/findings.ts";
import { program } from "../program.ts";

let folder = "";
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "duplex-experiment-"));
});
after(() => rm(folder, { recursive: true }));

async function experiment(args: readonly string[], signal = new AbortController().signal) {
  const written = { out: "", err: "" };
  const stdout = { write: (text: string) => (written.out += text), columns: 100 };
  const stderr = { write: (text: string) => (written.err += text) };
  const code = await program(["experiment", ...args], { stdout, stderr, env: {}, signal }, "1.2.3");
  // Unit tests have no bundle for the page.
  return { code, out: written.out, err: written.err.replaceAll(/^duplex: report\.html is left out.*\n/gm, "") };
}

const at = (name: string): string => join(folder, name);
const findingsIn = async (name: string) =>
  JSON.parse(await readFile(join(at(name), "findings.json"), "utf8")) as Findings;
const linesIn = async (name: string) => (await readFile(join(at(name), "items.jsonl"), "utf8")).trim().split("\n");

const small = ["--model", "simulated:accuracy=0.8,stepTokens=8", "--items", "3", "--topologies", "chain"];

const all: Readonly<Record<string, readonly string[]>> = {
  main: [...small, "--repeats", "3", "--vote", "1"],
  scaling: ["--items", "1", "--grid-agents", "1,2,4", "--grid-steps", "1,4"],
  pareto: ["--items", "3", "--votes", "1,4", "--steps", "4"],
  perturbation: ["--items", "2"],
  interruption: ["--tasks", "report:choices=8", "--samples", "4", "--chunks", "8,16", "--policy", "never,after:2"],
  controls: ["--items", "2", "--samples", "2", "--policy", "never,own:0.8"],
};

for (const [name, flags] of Object.entries(all))
  test(`${name} is estimated, played, reported, and not played again`, async () => {
    const args = [name, ...flags, "--out", at(name), "--json"];
    const { code, out, err } = await experiment(args);
    assert.equal(code, 0, err);
    assert.match(err, new RegExp(`^duplex: ${name}: \\d+ runs, about \\d+ calls, [\\d,]+ tokens read`));
    const [head, ...rows] = out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    assert.equal(head?.["type"], "findings");
    assert.ok(rows.length > 5 && rows.every(({ simulated }) => simulated === true));
    const { provenance } = await findingsIn(name);
    assert.equal(provenance["samples failed"], 0);
    assert.equal(provenance["samples scored"], (await linesIn(name)).length - 1);
    const again = await experiment(args);
    assert.equal(again.out, out);
    assert.doesNotMatch(again.err, /runs, about/);
  });

test("where there is nothing to stream the report says so", async () => {
  const says = async (name: string, ...args: readonly string[]) => {
    const { out, err } = await experiment([...args, "--items", "1", "--out", at(name)]);
    assert.match(out, /How to read this/, err);
    return out.includes("there is nothing to stream");
  };
  const grid = ["scaling", "--grid-steps", "2"];
  assert.equal(await says("one-agent", "main", "--topologies", "chain", "--agents", "1"), true);
  assert.equal(await says("one-step", "main", "--topologies", "chain", "--steps", "1"), true);
  assert.equal(await says("two", "main", "--topologies", "chain", "--agents", "2"), false);
  assert.equal(await says("grid-one", ...grid, "--grid-agents", "1"), true);
  assert.equal(await says("grid-two", ...grid, "--grid-agents", "2"), false);
});

test("a vote of three is one sample of an item", async () => {
  const { code, err } = await experiment(["main", ...small, "--vote", "3", "--out", at("vote")]);
  assert.equal(code, 0, err);
  const rows = (await findingsIn("vote")).sections[0]?.tables?.[0]?.rows ?? [];
  assert.deepEqual(
    rows.map((row) => row[4]),
    [3, 3, 3, 3],
  );
  assert.equal((await linesIn("vote")).length, 1 + 4 * 3 * 3);
});

test("built-in items of published benchmarks stand beside the published numbers", async () => {
  const args = ["main", "--benchmark", "aime-2025:sample,gpqa-diamond:sample", "--items", "2", "--topologies", "tree"];
  const { code, err } = await experiment([...args, "--out", at("sample")]);
  assert.equal(code, 0, err);
  const rows = (await findingsIn("sample")).sections[0]?.tables?.[0]?.rows ?? [];
  const row = rows.find(
    ([benchmark, topology, protocol]) =>
      benchmark === "aime-2025:sample" && topology === "tree" && protocol === "stream",
  );
  assert.equal(row?.[7], 93.34);
});

test("failed samples are kept apart, and played again only when that is asked for", async () => {
  const args = ["main", ...small, "--out", at("failed")];
  await experiment(args);
  const whole = await findingsIn("failed");
  const lines = await linesIn("failed");
  const { correct: _, ...rest } = JSON.parse(lines[3] ?? "") as Record<string, unknown>;
  const failure = { name: "ModelError", message: "gone" };
  await appendFile(join(at("failed"), "items.jsonl"), `${JSON.stringify({ ...rest, failure })}\n`);
  const kept = await experiment(args);
  assert.match(kept.err, /12 samples, 1 failed; the report is in/);
  assert.equal((await findingsIn("failed")).provenance["samples failed"], 1);
  const retried = await experiment([...args, "--retry-failed"]);
  assert.match(retried.err, /main: 1 runs/);
  assert.deepEqual(await findingsIn("failed"), whole);
});

test("a torn last line is played again; other settings, changed items and damaged lines are refused by name", async () => {
  const args = ["main", ...small, "--out", at("torn")];
  await experiment(args);
  const [whole, file] = [await findingsIn("torn"), join(at("torn"), "items.jsonl")];
  const text = await readFile(file, "utf8");
  await writeFile(file, text.slice(0, -20));
  assert.match((await experiment(args)).err, /1 runs.*\(11 samples are there already\)/);
  assert.deepEqual(await findingsIn("torn"), whole);
  const other = await experiment([...args, "--seed", "2"]);
  assert.equal(other.code, 2);
  assert.match(other.err, /items\.jsonl: was made with other settings \(seed 1, now 2\)/);
  await writeFile(file, text.replaceAll(/"of":"./g, '"of":"x'));
  assert.match((await experiment(args)).err, /holds samples of another item "sum-1-1": it has changed/);
  await writeFile(file, `${text.split("\n", 1)[0]}\nnonsense\n`);
  assert.match((await experiment(args)).err, /items\.jsonl:2: is not a line of JSON/);
});

test("stopped by Ctrl-C it reports what is finished, and goes on from there", async () => {
  const stop = new AbortController();
  const args = ["main", ...small, "--items", "12", "--out", at("stopped")];
  const playing = experiment(args, stop.signal);
  while ((await linesIn("stopped").catch(() => [])).length < 4) await new Promise((next) => setImmediate(next));
  stop.abort();
  const { code, err } = await playing;
  assert.equal(code, 130);
  assert.match(err, /\d+ are left, and the same command goes on/);
  const kept = (await findingsIn("stopped")).provenance["samples scored"];
  assert.ok(Number(kept) >= 3);
  const { code: whole } = await experiment(args);
  assert.equal(whole, 0);
  assert.equal((await findingsIn("stopped")).provenance["samples scored"], 48);
});

test("a folder that holds what is not ours is refused with a name; an empty one, and one that was begun, are taken", async () => {
  const args = ["main", ...small, "--items", "1", "--out", at("folder")];
  await mkdir(join(at("folder"), "sub"), { recursive: true });
  const { code, err } = await experiment(args);
  assert.equal(code, 2);
  assert.match(err, /--out \S+folder: holds "sub", which is not of this experiment/);
  await rm(join(at("folder"), "sub"), { recursive: true });
  await writeFile(join(at("folder"), ".gitignore"), "*");
  await writeFile(join(at("folder"), "items.jsonl"), "");
  assert.equal((await experiment(args)).code, 0);
  await writeFile(join(at("folder"), "notes.txt"), "look at this");
  assert.equal((await experiment(args)).code, 0);
  await writeFile(join(at("folder"), "items.jsonl"), "");
  assert.match((await experiment(args)).err, /holds "findings\.json"/);
});

test("what is wrong with a flag is said by its name, in one line", async () => {
  const cases: readonly (readonly [readonly string[], RegExp])[] = [
    [["main", "--topologies", "ring"], /--topologies: there is no "ring"; there are chain/],
    [["main", "--protocols", "stream,telepathy"], /--protocols: there is no "telepathy"/],
    [["main", "--benchmark", "nothing"], /--benchmark: there is no "nothing"; there are sums/],
    [["main", "--benchmark", "sums,sums"], /--benchmark: "sums" is there twice/],
    [["scaling", "--benchmark", "sums,aime-2025:sample"], /--benchmark: scaling is played on one benchmark, not on 2/],
    [["main", "--benchmark", "aime-2025=/no/such.jsonl"], /such\.jsonl/],
    [["main", "--agents", "0"], /--agents/],
    [["main", "--model", "simulated:speed=3"], /--model: speed: /],
    [["main", "--judge", "simulated:decode=0"], /--judge: decode: 0 is not/],
    [["interruption", "--listeners", "simulated,openai:x@nowhere"], /--listeners: after the @ comes an address/],
    [["interruption", "--listeners", "simulated:decode=0"], /--listeners: decode: 0 is not/],
    [["pareto", "--votes", "4,6"], /votes: 6 runs make no whole votes of 4/],
    [["perturbation", "--masks", "1112"], /--masks: "1112" is no mask/],
    [["perturbation", "--masks", "11,111"], /--masks: "111" is not as long as 11/],
    [["interruption", "--policy", "maybe"], /--policy: there is no "maybe"/],
    [["interruption", "--policy", "concise"], /--policy: "concise" asks something of the speaker/],
    [["interruption", "--symmetric"], /--symmetric: template speaks what is written and decides nothing/],
    [["interruption", "--tasks", "chess"], /chess/],
    [["interruption", "--chunks", "0"], /--chunks/],
    [["interruption", "--items", "3"], /--items: conversations are made of samples; give --samples/],
    [
      ["scaling", "--agents", "2,3"],
      /--agents: must be a whole number .*, not "2,3"; several sizes are given by --grid-agents/,
    ],
    [["scaling", "--steps", "1,2"], /--steps: must be auto or .*; several numbers of steps are given by --grid-steps/],
  ];
  for (const [args, message] of cases) {
    const { code, err } = await experiment([...args, "--out", at("wrong")]);
    assert.equal(code, 2, `${args.join(" ")}: ${err}`);
    assert.match(err, message);
    assert.equal(err.trim().split("\n").length, 1, err);
  }
  assert.equal((await experiment(["main"])).code, 2);
});
