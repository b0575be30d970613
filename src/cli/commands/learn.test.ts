import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { tinyGguf } from "../../testing/gguf.ts";
import { learnCommand } from "./learn.ts";

let folder = "";
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "duplex-learn-"));
});
after(() => rm(folder, { recursive: true }));

const at = (name: string) => join(folder, name);

type Outside = {
  readonly signal?: AbortSignal;
  readonly onErr?: (text: string) => unknown;
  readonly onOut?: (text: string) => unknown;
};

async function learn(args: readonly string[], { signal = new AbortController().signal, onErr, onOut }: Outside = {}) {
  const written = { out: "", err: "" };
  const stdout = {
    write: (text: string) => {
      written.out += text;
      onOut?.(text);
    },
    columns: 100,
  };
  const stderr = {
    write: (text: string) => {
      written.err += text;
      onErr?.(text);
    },
  };
  const io = { stdout, stderr, env: {}, signal };
  await learnCommand(io).parseAsync(args, { from: "user" });
  return written;
}

const task = "report:facts=5,choices=4";

test("From rollouts to a policy that saves on samples held out, each step from the files of the last", async () => {
  const sampled = ["sample", task, "--samples", "12", "--rollouts", "4", "--features", "margin,entropy,stability"];
  const { err } = await learn([...sampled, "--out", at("train.jsonl")]);
  assert.match(err, /^duplex: \d+ decision points in .*, \d+ of them new; \d+ tokens generated, \d+ from memory\n$/);
  await learn([...sampled, "--split", "dev", "--out", at("dev.jsonl")]);
  const again = await learn([...sampled, "--out", at("train.jsonl")]);
  assert.match(again.err, /, 0 of them new;/);

  const labels = await learn(["label", at("train.jsonl"), "--confidence", "0.5"]);
  assert.match(
    labels.out,
    /^\d+ decision points of 12 samples\ncutting pays at \d+ \(\d+\.\d %\), and does not at \d+/,
  );
  const lines = (await learn(["label", at("train.jsonl"), "--rule", "stopping", "--json"])).out.trim().split("\n");
  assert.ok(lines.every((line) => [0, 1].includes((JSON.parse(line) as { label: number }).label)));

  const fitting = ["fit", at("train.jsonl"), "--confidence", "0.5", "--max-loss", "0.1"];
  const { out } = await learn([...fitting, "--dev", at("dev.jsonl"), "--out", at("weights.json")]);
  assert.match(out, /^AUC of single decisions, held out by sample: 0\.\d{3}|1\.000/);
  assert.match(out, /cuts above log-odds/);
  const weights = JSON.parse(await readFile(at("weights.json"), "utf8")) as { provenance: { task: string } };
  assert.equal(weights.provenance.task, task);

  const policy = `never,calibrated:${at("weights.json")},oracle`;
  const report = await learn(["report", task, "--policy", policy, "--samples", "12", "--max-loss", "0.2"]);
  assert.match(report.out, /of the saving of the best cut in hindsight\nnever {2}0 %/);
  assert.match(report.out, /\nadvice: calibrated:.*: saves \d+ % of the tokens/);

  const saving = ["--points", at("dev.jsonl"), "--also-task", "report:facts=6,choices=4", "--also-chunk", "24"];
  const again2 = ["report", task, "--policy", policy, "--samples", "6", "--out", at("r.jsonl"), "--save", at("saved")];
  await learn([...again2, ...saving]);
  const written = await readFile(at("saved/report.md"), "utf8");
  for (const title of [
    "On samples held out",
    "What went wrong",
    "Can its probabilities",
    "What a cut is worth",
    "Other tasks",
    "Chunk sizes",
  ])
    assert.match(written, new RegExp(`^## ${title}`, "m"));
  assert.match(written, /Simulated/);
  const findings = JSON.parse(await readFile(at("saved/findings.json"), "utf8")) as { command: string };
  assert.match(findings.command, /^duplex learn report .* --also-chunk 24/);
  assert.ok((await readFile(at("saved/report.jsonl"), "utf8")).trim().split("\n").length > 20);
  // Each comparison has its results, and goes on from them.
  assert.deepEqual((await readdir(folder)).filter((name) => name.startsWith("r.")).toSorted(), [
    "r.chunk-24.jsonl",
    "r.jsonl",
    "r.task-report-facts-6-choices-4.jsonl",
  ]);
  await assert.rejects(learn(["report", task, "--symmetric"]), /--symmetric: asks something of the speakers/);
});

test("An ear is made of labels and a local model, and listens in a report", async () => {
  await writeFile(at("base.gguf"), tinyGguf({ layers: 2, contextTokens: 4096 }));
  await learn([
    "sample",
    task,
    "--samples",
    "5",
    "--rollouts",
    "3",
    "--nodes",
    "2",
    "--features",
    "none",
    "--out",
    at("few.jsonl"),
  ]);
  const making = ["ear", at("few.jsonl"), "--base", at("base.gguf"), "--layers", "1", "--confidence", "0"];
  const { out } = await learn([...making, "--max-loss", "0.9", "--out", at("ear.json")]);
  assert.match(out, /^layer 1 of 2: AUC held out by sample .* \(chosen\)\nfile and fit: log-odds differ by/);
  const report = await learn(["report", task, "--policy", `ear:${at("ear.json")}`, "--samples", "2", "--json"]);
  const lines = report.out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { policy?: string; advice?: string });
  assert.deepEqual(
    lines.map(({ policy }) => policy),
    ["never", `ear:${at("ear.json")}`, undefined],
  );
  assert.ok(lines.at(-1)?.advice !== undefined);
  assert.ok(!report.err.includes("was made for a look"));
  const seldom = ["report", task, "--policy", `ear:${at("ear.json")}`, "--samples", "1", "--chunk", "32", "--json"];
  const told = (await learn(seldom)).err;
  assert.match(told, /duplex: ear:.*ear\.json was made for a look every 16 tokens, here it looks every 32: --chunk 16/);

  // As a feature: measured while sampling, named by the weights, opened with them.
  const sizes = ["--samples", "6", "--nodes", "3", "--rollouts", "4"];
  const measured = ["sample", task, ...sizes, "--ear", at("ear.json"), "--features", "ear,margin"];
  await learn([...measured, "--out", at("eared.jsonl")]);
  const fitting = ["fit", at("eared.jsonl"), "--confidence", "0", "--max-loss", "0.5", "--out", at("eared.json")];
  await assert.rejects(learn(fitting), /--ear: is missing: the points have the feature ear/);
  await learn([...fitting, "--ear", at("ear.json")]);
  const { ear } = JSON.parse(await readFile(at("eared.json"), "utf8")) as { ear: { file: string } };
  assert.equal(ear.file, "ear.json");
  const leaning = ["report", task, "--policy", `calibrated:${at("eared.json")}`, "--samples", "1", "--json"];
  assert.match((await learn(leaning)).out, /"policy":"calibrated:/);
  const text = await readFile(at("eared.json"), "utf8");
  await writeFile(at("eared.json"), text.replace(/"sha256": "[0-9a-f]{4}/, '"sha256": "0000'));
  await assert.rejects(learn(leaning), /was fitted with another ear than .*ear\.json; fit it again/);
});

test("The whole way in one command, stopped by its budget and by a signal, gone on with, and honest where nothing is learned", async () => {
  const sizes = ["--samples", "10", "--test-samples", "4", "--rollouts", "4", "--no-ear"];
  const all = ["all", task, ...sizes, "--out", at("lesson")];
  const files = async () => (await readdir(at("lesson"))).toSorted();
  const stop = new AbortController();
  const halted = learn([...all, "--budget", "300"], {
    signal: stop.signal,
    onErr: (text) => text.includes("2 of 5") && stop.abort(),
  });
  await assert.rejects(halted, { name: "AbortError" });
  assert.deepEqual(await files(), ["lesson.json", "train.jsonl"]);
  const few = (await readFile(at("lesson/train.jsonl"), "utf8")).split("\n").length;

  const whole = await learn(all);
  assert.match(whole.out, /cuts above log-odds[\s\S]*\nadvice: /);
  assert.ok((await readFile(at("lesson/train.jsonl"), "utf8")).split("\n").length > few);
  for (const name of ["dev.jsonl", "weights.json", "results.jsonl", "report.md", "report.jsonl"])
    assert.ok((await files()).includes(name), name);
  const again = await learn(all);
  assert.equal(again.err.match(/done before/g)?.length, 5);
  assert.equal(again.out, "");
  await assert.rejects(learn([...all, "--chunk", "8"]), /lesson.json: was begun with chunk 16, now 8; use it again/);

  const blind = [...all.slice(0, -1), at("blind"), "--features", "none"];
  const { out } = await learn(blind);
  assert.match(out, /not learned: features: the labels have none/);
  assert.match(out, /\nadvice: /);
  await assert.rejects(learn([...all, "--budget", "much"]), /--budget: must be tokens as in 200000/);
});

test("A lesson is not begun beside what others have put in its folder, and takes nothing of theirs for its own", async () => {
  const others = at("others");
  await mkdir(others);
  await writeFile(join(others, "train.jsonl"), "mine\n");
  await assert.rejects(
    learn(["all", task, "--samples", "1", "--no-ear", "--out", others]),
    /--out \S+others: holds "train\.jsonl", which is not of this lesson; name a new or an empty folder/,
  );
  assert.deepEqual(await readdir(others), ["train.jsonl"]);
});

test("An ear is served, and a policy of another process asks it", async () => {
  const stop = new AbortController();
  let serving: Promise<unknown> = Promise.resolve();
  const url = await new Promise<string>((resolve, reject) => {
    const onOut = (text: string) => resolve(text.trim());
    serving = learn(["serve-ear", at("ear.json")], { signal: stop.signal, onOut }).catch(reject);
  });
  const body = JSON.stringify({ about: "What is the fee?", text: "The fee is" });
  const response = await fetch(`${url}/decide`, { method: "POST", body });
  assert.equal(typeof ((await response.json()) as { logOdds: number }).logOdds, "number");
  const report = await learn(["report", task, "--policy", `ear:${url}`, "--samples", "1", "--json"]);
  assert.match(report.out, /"policy":"ear:http/);
  stop.abort();
  await serving;
  await assert.rejects(learn(["serve-ear", at("ear.json"), "--host", "0.0.0.0"]), /--host: .* add --require-key/);
  await assert.rejects(learn(["report", task, "--policy", `ear:${url}`]), /cannot be reached/);
});

test("Speakers that are asked to be brief, and everybody listening, are compared with the same policies", async () => {
  const sizes = ["--samples", "1", "--max-tokens", "8", "--chunk", "4"];
  const both = ["report", "pictionary", "--model", `llama:${at("base.gguf")}`, "--policy", "never,after:1", ...sizes];
  await learn([...both, "--stacked", "--symmetric", "--save", at("both")]);
  const text = await readFile(at("both/report.md"), "utf8");
  for (const row of [
    /^\| concise \| concise \|/m,
    /^\| concise \| after:1\+concise \|/m,
    /^\| everybody \| after:1 \|/m,
  ])
    assert.match(text, row);
});

test("A team that streams is sampled, and its points become weights that count steps", async () => {
  const lines = Array.from({ length: 4 }, (_, index) => JSON.stringify({ prompt: `Sum ${index}`, answer: index }));
  await writeFile(at("sums.jsonl"), lines.join("\n"));
  const model = "simulated:accuracy=0.95/0.95/0.1,stepTokens=8,decode=200,delta=0.1,epsilon=0.2";
  const sampled = ["stream", at("sums.jsonl"), "--model", model, "--agents", "2", "--steps", "4", "--rollouts", "4"];
  const { err } = await learn([...sampled, "--out", at("stream.jsonl")]);
  assert.match(err, /^duplex: \d+ decision points in .*, \d+ of them new; \d+ tokens generated\n$/);
  assert.match((await learn([...sampled, "--out", at("stream.jsonl")])).err, /, 0 of them new/);
  const { out } = await learn(["label", at("stream.jsonl"), "--confidence", "0.3"]);
  assert.match(out, /^\d+ decision points of 4 samples/);
  await assert.rejects(
    learn([...sampled, "--speaker", "nobody", "--out", at("s2.jsonl")]),
    /--speaker: nobody hears like that; there are \w+ -> \w+/,
  );
  await writeFile(at("bad.jsonl"), '{"prompt":""}');
  await assert.rejects(learn(["stream", at("bad.jsonl"), "--out", at("s3.jsonl")]), /bad.jsonl:1: prompt/);
});

test("Wrong use is named by its flag or file", async () => {
  await assert.rejects(
    learn(["sample", task, "--features", "luck", "--out", at("x.jsonl")]),
    /--features: there is no "luck"/,
  );
  await assert.rejects(learn(["label", at("none.jsonl")]), /none.jsonl: cannot be read/);
  await assert.rejects(
    learn(["fit", at("train.jsonl"), "--dev", at("train.jsonl"), "--out", at("w.json")]),
    /is in both/,
  );
  await assert.rejects(learn(["report", task, "--policy", "ear:nowhere.json"]), /nowhere.json: cannot be read/);
  const seeded = [
    "sample",
    task,
    "--samples",
    "12",
    "--rollouts",
    "4",
    "--features",
    "none",
    "--out",
    at("train.jsonl"),
  ];
  await assert.rejects(learn(seeded), /was made with features "margin,entropy,stability", now "none"/);
});
