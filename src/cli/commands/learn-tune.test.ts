import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { formatPoint } from "../../learn/points.ts";
import { fakeTrainer, labelsOf, program } from "../../learn/tune/tune.fixture.ts";
import { tuningServer } from "../../learn/tune/tuning-server.fixture.ts";
import { tinyGguf } from "../../testing/gguf.ts";
import { openPolicies } from "../policies.ts";
import { learnCommand } from "./learn.ts";

let folder = "";
const at = (name: string) => join(folder, name);

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "duplex-learn-tune-"));
  const lines = labelsOf(20).map(({ point }) => formatPoint(point));
  await writeFile(at("train.jsonl"), `${lines.join("\n")}\n`);
  await writeFile(at("one.jsonl"), `${lines.filter((_, index) => index % 2 === 1).join("\n")}\n`);
  await writeFile(at("base.gguf"), tinyGguf());
});
after(() => rm(folder, { recursive: true }));

type Outside = { readonly env?: Readonly<Record<string, string>>; readonly signal?: AbortSignal };

async function tune(args: readonly string[], { env = {}, signal = new AbortController().signal }: Outside = {}) {
  const written = { out: "", err: "" };
  const stdout = { write: (text: string) => (written.out += text), columns: 100 };
  const stderr = { write: (text: string) => (written.err += text) };
  await learnCommand({ stdout, stderr, env, signal }).parseAsync(["tune", ...args], { from: "user" });
  return written;
}

const refused = (args: readonly string[], message: RegExp, env?: Readonly<Record<string, string>>) =>
  assert.rejects(tune(args, env === undefined ? {} : { env }), message);

test("A local model is tuned, said how far it is, and is a policy of the command line", async () => {
  // The program stands for Python's own question and for the trainer.
  const python = at("python");
  await program(python, fakeTrainer);
  await writeFile(
    python,
    `#!/bin/sh\nif [ "$1" = -c ]; then echo '[[3,12,0],[]]'; else exec '${process.execPath}' '${fakeTrainer}' "$@"; fi\n`,
  );
  const args = [at("train.jsonl"), "--base", at("base.gguf"), "--out", at("tuned"), "--python", python, "--steps", "3"];
  const { out, err } = await tune([...args, "--question", "Yes?"]);
  assert.match(err, /training on the processor\n/);
  assert.match(
    out,
    /^trained 3 steps; the trainer's own AUC held out: 0\.500\ntrainer and llama\.cpp: probabilities differ by 0\.0000/,
  );
  assert.match(out, /AUC of single decisions, held out: [\d.]+ \(8 decisions\)\n/);
  assert.match(out, /written to .*adapter\.json\n$/);
  const opened = await openPolicies([`finetuned:${at("tuned/adapter.json")}`]);
  assert.equal(opened.opened?.({ name: "finetuned", file: at("tuned/adapter.json") })?.name, "finetuned");
  await opened.close();
  await assert.rejects(openPolicies(["finetuned"]), /--policy finetuned: needs the file that duplex learn tune wrote/);
  const again = await tune([...args, "--question", "Yes?", "--json"]);
  assert.equal((JSON.parse(again.out) as { trained: { step: number } }).trained.step, 3);
});

test("A model behind an API is tuned; its job can be looked at and ended", async () => {
  const server = await tuningServer({ states: ["running", "succeeded"] });
  try {
    const args = [
      at("train.jsonl"),
      "--base",
      `openai:small@${server.baseURL}`,
      "--poll",
      "0.01",
      "--question",
      "Yes?",
    ];
    const { out, err } = await tune([...args, "--out", at("api")]);
    assert.match(err, /duplex: job ftjob-1: running, Step \d\/9\n/);
    assert.match(out, /^job ftjob-1 made ft:small:duplex\nAUC of single decisions, held out: 1\.000/);
    assert.equal(
      (JSON.parse(await readFile(at("api/policy.json"), "utf8")) as { schema: string }).schema,
      "duplex.tuned/1",
    );
    server.behavior = { states: ["running"] };
    await refused(
      [...args, "--out", at("api2"), "--timeout", "0.005"],
      /job ftjob-2 is running after 0\.005 s; it goes on/,
    );
    assert.equal((await tune([...args, "--out", at("api2"), "--cancel"])).out, "job ftjob-2 is cancelled\n");
  } finally {
    await server.close();
  }
});

test("What is wrong is named by its flag", async () => {
  const here = [at("train.jsonl"), "--base", at("base.gguf"), "--out", at("wrong")];
  await refused([...here, "--python", at("nowhere")], /--python: .*nowhere: there is no such program/);
  const bare = at("bare");
  await program(bare, "x");
  await writeFile(bare, `#!/bin/sh\necho '[[3,12,0],["torch","trl"]]'\n`);
  await refused(
    [...here, "--python", bare],
    /--python: .*bare \(3\.12\.0\) lacks torch, trl; --setup puts them into .* \(about 6\.5 GB\)/,
  );
  await refused(
    [at("train.jsonl"), "--base", "openai:small@http://127.0.0.1:9/v1", "--out", at("apart"), "--ask", "apart"],
    /--ask: apart needs points that tell the question \(about\), and sample "s0"/,
  );
  await refused([...here, "--words", "Yes"], /--words: must be two different words/);
  await refused([...here, "--layers", "9"], /--layers: must be like 12-24/);
  await refused([...here, "--cancel"], /--cancel: ends jobs behind an API only/);
  await refused(
    [at("train.jsonl"), "--base", "openai:gpt", "--out", at("wrong")],
    /--base: openai:gpt needs a key; set OPENAI_API_KEY/,
  );
  await refused([at("none.jsonl"), "--base", at("base.gguf"), "--out", at("wrong")], /none\.jsonl/);
  await refused(
    [at("one.jsonl"), "--base", "openai:small@http://127.0.0.1:9/v1", "--out", at("one")],
    /labels: all 20 are positive/,
  );
});
