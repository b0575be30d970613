import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { hearing } from "../../policies/hearing.fixture.ts";
import { openTuned } from "./policy.ts";
import { cancelTuning, tuneByApi } from "./tune-api.ts";
import type { ApiTuneOptions } from "./tune-api.ts";
import { labelsOf } from "./tune.fixture.ts";
import { quickClock, tuningServer } from "./tuning-server.fixture.ts";
import type { Behavior } from "./tuning-server.fixture.ts";

async function bench(t: TestContext, behavior: Behavior = {}) {
  const server = await tuningServer(behavior);
  const out = await mkdtemp(join(tmpdir(), "duplex-tune-api-"));
  const clock = quickClock();
  t.after(async () => {
    await server.close();
    await rm(out, { recursive: true });
  });
  const options: ApiTuneOptions = {
    model: "small",
    baseURL: server.baseURL,
    apiKey: "sk-secret-key",
    out,
    clock,
    question: "Yes?",
  };
  return { server, out, clock, options };
}

const labels = labelsOf(20);

test("Examples are uploaded, a job is made and waited for, and its model becomes a policy with a threshold", async (t) => {
  const { server, options, clock, out } = await bench(t, {
    states: ["validating_files", "queued", "running", "running", "succeeded"],
  });
  const seen: string[] = [];
  const onJob: ApiTuneOptions["onJob"] = ({ status }, said) => seen.push(`${status} ${said}`);
  const { file, path, verdict } = await tuneByApi(labels, { ...options, onJob, suffix: "duplex", epochs: 2 });
  assert.deepEqual(file.model, { kind: "api", name: "ft:small:duplex", baseURL: server.baseURL });
  assert.equal(verdict?.auc, 1);
  assert.ok(file.threshold !== null && Math.abs(file.threshold) < 4);
  assert.deepEqual(server.bodies, [
    {
      model: "small",
      training_file: "file-1",
      validation_file: "file-2",
      seed: 1,
      suffix: "duplex",
      method: { type: "supervised", supervised: { hyperparameters: { n_epochs: 2 } } },
    },
  ]);
  const [line = ""] = (await readFile(join(out, "train.jsonl"), "utf8")).split("\n");
  assert.ok(server.files.get("file-1")?.includes(line) && JSON.parse(line).messages.length === 2);
  assert.deepEqual([...server.keys], ["Bearer sk-secret-key"]);
  assert.ok(seen.length >= 4 && seen.at(-1)?.startsWith("succeeded"));
  assert.ok(clock.waits.every((ms) => ms === 10_000));
  assert.ok(!(await readFile(path, "utf8")).includes("sk-secret"));
  const opened = await openTuned(path, { env: { DUPLEX_API_KEY: "sk-secret-key" } });
  const look = (text: string) => opened.look(hearing({ messages: () => [{ role: "user", content: text }] }));
  assert.ok((await look(" the answer Yes")).logOdds! > (await look(" the")).logOdds!);
  await opened.close();
});

test("A job that was begun is found again, whatever was lost, and no other one is made", async (t) => {
  const { server, options } = await bench(t, { losesJob: true });
  await assert.rejects(tuneByApi(labels, { ...options, retries: 0 }), /no connection/);
  server.behavior = {};
  const { job } = await tuneByApi(labels, options);
  assert.deepEqual([job.id, server.jobs.size, server.files.size], ["ftjob-1", 1, 2]);
  await tuneByApi(labels, options);
  assert.deepEqual([server.jobs.size, server.files.size], [1, 2]);
});

test("A server that is busy is asked again when it says", async (t) => {
  const { options, clock } = await bench(t, { busy: { times: 2, status: 429, headers: { "retry-after": "7" } } });
  await tuneByApi(labels, { ...options, checks: 0 });
  assert.deepEqual(clock.waits.slice(0, 2), [7000, 7000]);
});

const failures: readonly (readonly [what: string, behavior: Behavior, message: RegExp])[] = [
  [
    "fails",
    { states: ["running", "failed"], error: { code: "bad", message: "not enough examples" } },
    /job ftjob-1 failed: not enough examples; to train again, choose another folder/,
  ],
  ["is cancelled", { states: ["running", "cancelled"] }, /job ftjob-1 was cancelled; to train again/],
  [
    "never ends",
    { states: ["running"] },
    /job ftjob-1 is running after 60 s; it goes on: give the same command again to wait for it, or --cancel/,
  ],
  ["is lost with its server", { states: ["running"], diesAfter: 3 }, /small at http:.*no connection/],
  ["is not allowed", { busy: { times: 99, status: 401 } }, /answered 401 \(slow down\); check the API key/],
];

for (const [what, behavior, message] of failures)
  test(`A job that ${what} ends in one line that says so`, async (t) => {
    const { options } = await bench(t, behavior);
    const error = await tuneByApi(labels, { ...options, timeoutSeconds: 60 }).catch((e: unknown) => e as Error);
    assert.match((error as Error).message, message);
    assert.ok(!(error as Error).message.includes("sk-secret"));
  });

test("A server that died midway is gone on with", async (t) => {
  const { server, options } = await bench(t, { states: ["running"], diesAfter: 2 });
  await assert.rejects(tuneByApi(labels, options), /no connection/);
  server.behavior = { states: ["succeeded"] };
  assert.equal((await tuneByApi(labels, options)).job.id, "ftjob-1");
});

test("Called off, the job goes on; it is cancelled when that is asked for", async (t) => {
  const { server, options } = await bench(t, { states: ["running"] });
  await assert.rejects(cancelTuning(options), /holds no job that could be cancelled/);
  const stop = new AbortController();
  const onJob = () => stop.abort(new DOMException("enough", "AbortError"));
  await assert.rejects(tuneByApi(labels, { ...options, signal: stop.signal, onJob }), /enough/);
  assert.equal(server.jobs.get("ftjob-1")?.cancelled, false);
  assert.equal((await cancelTuning(options)).status, "cancelled");
  await assert.rejects(tuneByApi(labels, options), /was cancelled/);
});

test("Labels that cannot be trained with, and a folder of another tuning, are refused before anything is sent", async (t) => {
  const { server, options } = await bench(t);
  await assert.rejects(
    tuneByApi(
      labels.filter((each) => each.label === 1),
      options,
    ),
    /labels: all 20 are positive/,
  );
  assert.equal(server.files.size, 0);
  await tuneByApi(labels, options);
  await assert.rejects(
    tuneByApi(labels, { ...options, epochs: 9 }),
    /holds a tuning of other settings \(epochs null, now 9\)/,
  );
});
