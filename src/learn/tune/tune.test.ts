import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { tinyGguf } from "../../testing/gguf.ts";
import { hearing } from "../../policies/hearing.fixture.ts";
import { writePeft } from "./peft.fixture.ts";
import { convertAdapter } from "./peft.ts";
import { openTuned } from "./policy.ts";
import type { TrainerEvent } from "./trainer.ts";
import { readTuned } from "./tuned-file.ts";
import { tune } from "./tune.ts";
import { bench as makeBench, labelsOf } from "./tune.fixture.ts";

async function bench(t: TestContext) {
  const made = await makeBench();
  t.after(made.close);
  return made;
}

test("What was trained is an adapter that says under llama.cpp what the trainer saw, and a policy", async (t) => {
  const { options, folder } = await bench(t);
  const events: TrainerEvent[] = [];
  const { file, path, agreement, verdict } = await tune(labelsOf(10), options("", { onEvent: (e) => events.push(e) }));
  assert.ok(agreement.largest < 1e-3, String(agreement.largest));
  assert.equal(agreement.points, 4);
  assert.equal(verdict.points, 4);
  assert.deepEqual(
    events.filter(({ event }) => event === "step").map((event) => "step" in event && event.step),
    [1, 2, 3, 4, 5, 6],
  );
  assert.deepEqual(await readTuned(path), file);
  const opened = await openTuned(path, { threshold: -20 });
  const decide = async () => opened.policy.decide?.(hearing({ text: " the" }), new AbortController().signal);
  await decide();
  // Where it was found that the mean of two looks is better than one, the first does not cut.
  const second = await decide();
  assert.ok(second !== undefined && second.advantage > 0 && second.usage?.calls === 1);
  await opened.close();
  const [line = ""] = (await readFile(join(folder, "out", "train.jsonl"), "utf8")).split("\n");
  const { prompt, completion, tokens } = JSON.parse(line) as Record<string, unknown[]>;
  assert.ok(JSON.stringify(prompt).includes("Yes?") && tokens!.length > 10);
  assert.ok(["Yes", "No"].includes((completion as [{ content: string }])[0].content));
});

test("A finished training is not done again, and another one needs another folder", async (t) => {
  const { options } = await bench(t);
  await tune(labelsOf(10), options());
  const events: TrainerEvent[] = [];
  await tune(labelsOf(10), options("diverge", { onEvent: (event) => events.push(event) }));
  assert.deepEqual(events, []);
  await assert.rejects(
    tune(labelsOf(10), options("", { question: "No?" })),
    /tuning of other settings \(question "Yes\?", now "No\?"\)/,
  );
  await assert.rejects(tune(labelsOf(12), options()), /tuning of other settings \(labels /);
});

test("Killed and started again, a training goes on after its last step", async (t) => {
  const { options } = await bench(t);
  const { env, ...plain } = options();
  const script = fileURLToPath(new URL("./killed.fixture.js", import.meta.url));
  const child = spawn(process.execPath, [script, JSON.stringify(plain)], {
    env: { ...env, TRAINER: "pause" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  createInterface(child.stdout).on("line", (line) => {
    if (line === "3") child.kill("SIGKILL");
  });
  const signal = await new Promise((resolve) => child.on("close", (_, by) => resolve(by)));
  assert.equal(signal, "SIGKILL");
  const steps: number[] = [];
  await tune(
    labelsOf(10),
    options("", { onEvent: (event) => void (event.event === "step" && steps.push(event.step)) }),
  );
  assert.deepEqual(steps, [4, 5, 6]);
});

test("Called off, a training keeps what it has and the same call goes on", async (t) => {
  const { options } = await bench(t);
  const stop = new AbortController();
  const events: string[] = [];
  const onEvent = (event: TrainerEvent) => {
    events.push(event.event);
    if (event.event === "step" && event.step === 3) stop.abort(new DOMException("enough", "AbortError"));
  };
  await assert.rejects(tune(labelsOf(10), options("pause", { onEvent, signal: stop.signal })), /enough/);
  assert.equal(events.at(-1), "stopped");
  assert.equal((await tune(labelsOf(10), options())).trained.step, 6);
});

const failures: readonly (readonly [how: string, message: RegExp])[] = [
  ["diverge", /--rate: the training diverged at step 3 \(loss is not a number\) and was stopped; take a lower rate/],
  ["full", /--out: there is no space left on the disk/],
  ["memory", /ran out of memory .*smaller --base or --batch/],
  ["noise", /said something else than JSON: Downloading…/],
  ["strange", /said what is not understood: step: /],
  ["silent", /the training failed: ImportError: no libgomp/],
  [
    "wrong",
    /llama\.cpp's probabilities differ from the trainer's by up to 0\.5\d*, 0\.5\d* in the mean; do not use it/,
  ],
];

test("A training that goes wrong says so in one line", async (t) => {
  const { options } = await bench(t);
  for (const [how, message] of failures) await assert.rejects(tune(labelsOf(10), options(how)), message, how);
});

test("What cannot be trained with is refused before anything runs", async (t) => {
  const { options, folder } = await bench(t);
  const refused = (labels: ReturnType<typeof labelsOf>, over: Parameters<typeof options>[1], message: RegExp) =>
    assert.rejects(tune(labels, options("", over)), message);
  const labels = labelsOf(10);
  const positive = labels.filter((each) => each.label === 1);
  await refused(positive, {}, /labels: all 10 are positive; there is nothing to tell apart, sample more/);
  await refused([], {}, /labels: there are no decided labels/);
  await refused(labelsOf(1), {}, /labels: come from one sample only/);
  await refused(labels, { dev: labelsOf(2, { split: "dev" }) }, /--dev: sample "s0" of report is in both/);
  await refused(
    labels,
    { dev: labelsOf(2, { prefix: "d" }).filter((each) => each.label === 0) },
    /--dev: all 2 are negative/,
  );
  await refused(labels, { words: ["Yes", "Maybe"] }, /words: "Maybe" is not one token of base\.gguf/);
  await refused(
    labels,
    { out: join(folder, "b"), recipe: { layers: [1, 9] } },
    /--layers: must be two numbers from 0 to 2/,
  );
  await refused(
    labels,
    { out: join(folder, "c"), recipe: { targets: ["lm_head"] } },
    /--targets: "lm_head" is none of/,
  );
  await refused(labels, { out: join(folder, "d"), python: join(folder, "none") }, /--python: .*none cannot be started/);
  await writeFile(join(folder, "file"), "");
  await refused(labels, { out: join(folder, "file", "x") }, /cannot be made/);
});

test("An adapter is refused with another base, and with another adapter's file", async (t) => {
  const { options, folder } = await bench(t);
  const { path } = await tune(labelsOf(10), options());
  const other = join(folder, "other.gguf");
  await writeFile(other, tinyGguf({ seed: 9 }));
  await assert.rejects(
    openTuned(path, { base: other }),
    /is not the base that .*adapter\.gguf was tuned on .*nonsense/,
  );
  await writePeft(join(folder, "peft"), { seed: 8 });
  await convertAdapter(join(folder, "peft"), { base: other, out: join(folder, "out", "adapter.gguf") });
  await assert.rejects(openTuned(path), /adapter\.gguf: is not the adapter that the \.json beside it was written with/);
  await assert.rejects(openTuned(join(folder, "out", "adapter.gguf")), /is the adapter; give the \.json beside it/);
  await writeFile(path, '{"schema":"duplex.tuned/1","model":{"kind":"adapter"}}');
  await assert.rejects(openTuned(path), /adapter\.json model\.gguf: is no tuned listener/);
});
