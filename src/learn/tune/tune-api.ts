// A listener tuned by whoever serves it: upload, job, result; whatever ends us, the job goes on and is found again.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { systemClock } from "../../base/clock.ts";
import type { Clock } from "../../base/clock.ts";
import { ConfigError, ModelError } from "../../base/errors.ts";
import type { Model } from "../../core/types.ts";
import { openai } from "../../models/openai.ts";
import { limited } from "../../models/limited.ts";
import { gateFor } from "../../models/gate.ts";
import type { Label } from "../label.ts";
import { reasonOf, tuningApi } from "./api.ts";
import type { Api, ApiOptions, Job } from "./api.ts";
import { askingOf, openaiLine, pointsOf } from "./examples.ts";
import type { Asked, Asking, Example } from "./examples.ts";
import { writeWhole } from "./gguf-file.ts";
import { judge } from "./judge.ts";
import { claim, dataOf, identityOf, saidOf, verdictOf } from "./settle.ts";
import type { Data, DataOptions, RuleChoice, Verdict } from "./settle.ts";
import { tunedSchema } from "./tuned-file.ts";
import type { TunedFile } from "./tuned-file.ts";

/** What a fine-tuning API tunes, and on which labels. */
export type ApiTuneOptions = Omit<DataOptions, "seed"> &
  RuleChoice &
  ApiOptions &
  Asked & {
    /** The model to be tuned, as the server calls it. */
    readonly model: string;
    /** The folder of this tuning. */
    readonly out: string;
    readonly seed?: number | undefined;
    readonly epochs?: number | undefined;
    /** Part of the tuned model's name. */
    readonly suffix?: string | undefined;
    /** Between two looks at the job; default 10. */
    readonly pollSeconds?: number | undefined;
    /** How long a job is waited for; default: without end. */
    readonly timeoutSeconds?: number | undefined;
    /** Most held-out hearings the tuned model is asked about, for the threshold; 0: none, and the threshold is 0. Default 200. */
    readonly checks?: number | undefined;
    readonly provenance?: Readonly<Record<string, unknown>> | undefined;
    readonly onJob?: ((job: Job, said: string | undefined) => void) | undefined;
    readonly onCheck?: ((done: number, all: number) => void) | undefined;
  };

/** A model tuned by an API, and how it did on what it was not trained on. */
export type TunedByApi = {
  readonly file: TunedFile;
  readonly path: string;
  readonly job: Job;
  /** Undefined where nothing was asked. */
  readonly verdict: Verdict | undefined;
};

/** What is known of a job on disk, as far as it came. */
type Progress = { readonly training?: string; readonly validation?: string; readonly job?: string };

const progressIn = (folder: string): string => join(folder, "job.json");

async function readProgress(folder: string): Promise<Progress> {
  const text = await readFile(progressIn(folder), "utf8").catch(() => "{}");
  try {
    return JSON.parse(text) as Progress;
  } catch (cause) {
    throw new ConfigError(progressIn(folder), "is damaged; remove it, and see at the provider whether a job runs", {
      cause,
    });
  }
}

const content = (examples: readonly Example[]): string => `${examples.map(openaiLine).join("\n")}\n`;

/** The job of this folder: the one begun before, or a new one. */
async function jobOf(api: Api, data: Data, options: ApiTuneOptions): Promise<Job> {
  const { out, model, seed = 1, epochs, suffix } = options;
  let known = await readProgress(out);
  const keep = async (more: Progress) => {
    known = { ...known, ...more };
    await writeWhole(progressIn(out), `${JSON.stringify(known)}\n`);
  };
  if (known.job !== undefined) return api.get(known.job);
  for (const [key, name, examples] of [
    ["training", "train.jsonl", data.train],
    ["validation", "held.jsonl", data.held],
  ] as const) {
    const lines = content(examples);
    await writeWhole(join(out, name), lines);
    if (known[key] === undefined) await keep({ [key]: await api.upload(name, lines) });
    // The last call may have ended between asking for a job and hearing its name.
    else if (key === "training") {
      const begun = await api.find(known[key]);
      if (begun !== undefined) await keep({ job: begun.id });
    }
  }
  if (known.job !== undefined) return api.get(known.job);
  const [trainingFile, validationFile] = [known.training ?? "", known.validation ?? ""];
  const job = await api.create({ model, trainingFile, validationFile, seed, epochs, suffix });
  await keep({ job: job.id });
  return job;
}

const over: readonly string[] = ["succeeded", "failed", "cancelled"];

type Waiting = Pick<ApiTuneOptions, "out" | "model" | "pollSeconds" | "timeoutSeconds" | "signal" | "onJob"> & {
  readonly clock: Clock;
};

/** Looks at the job until it is over. */
async function finished(api: Api, begun: Job, waiting: Waiting): Promise<Job> {
  const { pollSeconds = 10, timeoutSeconds = Infinity, signal, onJob, clock, model } = waiting;
  const start = clock.now();
  for (let job = begun; ; job = await api.get(begun.id)) {
    // What it says is for people; that it cannot be had ends nothing.
    const said = await api.said(begun.id).catch(() => undefined);
    signal?.throwIfAborted();
    onJob?.(job, said);
    if (over.includes(job.status)) return job;
    if (clock.now() - start >= timeoutSeconds * 1000)
      throw new ModelError(
        `job ${job.id} is ${job.status} after ${timeoutSeconds} s; it goes on: give the same command again to wait for it, or --cancel to end it`,
        { model },
      );
    await clock.sleep(pollSeconds * 1000, signal);
    signal?.throwIfAborted();
  }
}

/** The name of the tuned model. Throws for a job that has none. */
function resultOf(job: Job, model: string): string {
  const again = "to train again, choose another folder";
  if (job.status === "failed") throw new ModelError(`job ${job.id} failed: ${reasonOf(job)}; ${again}`, { model });
  if (job.status === "cancelled") throw new ModelError(`job ${job.id} was cancelled; ${again}`, { model });
  if (typeof job.fine_tuned_model === "string" && job.fine_tuned_model !== "") return job.fine_tuned_model;
  throw new ModelError(`job ${job.id} succeeded and names no model`, { model });
}

function modelOf(name: string, { baseURL, apiKey, fetch, clock }: ApiTuneOptions): Model {
  const gate = gateFor([baseURL, name, apiKey ?? ""].join("\n"), { clock });
  return limited(openai({ baseURL, model: name, apiKey, fetch, clock }), { gate, clock });
}

/** Whole messages of the held-out points, in their order, as many as fit. */
function checked(data: Data, checks: number): readonly Label[] {
  const groups = new Set<string>();
  let count = 0;
  for (const { point } of data.judged) {
    const group = `${point.task} ${point.sample}`;
    if (!groups.has(group) && count >= checks) break;
    groups.add(group);
    count++;
  }
  return data.judged.filter(({ point }) => groups.has(`${point.task} ${point.sample}`));
}

function identity(labels: readonly Label[], asking: Asking, options: ApiTuneOptions) {
  const { model, baseURL, seed = 1, epochs = null } = options;
  return { kind: "api", base: model, baseURL, ...identityOf(labels, asking, { ...options, seed }), epochs };
}

/** What the tuned model says to held-out hearings; undefined where it is not to be asked. */
async function asked(name: string, { data, asking }: { data: Data; asking: Asking }, options: ApiTuneOptions) {
  const { checks = 200, signal, onCheck } = options;
  if (checks === 0) return undefined;
  const held = checked(data, checks);
  const points = held.map(({ point }) => point);
  const how = { signal, concurrency: 4, onProgress: onCheck };
  return verdictOf(held, await judge({ model: modelOf(name, options), asking }, points, how), options);
}

/** Log-odds above which it cuts; null: never. Where it was not asked there is nothing better than 0. */
function thresholdOf(verdict: Verdict | undefined): number | null {
  if (verdict === undefined) return 0;
  return verdict.rule.pays ? verdict.rule.threshold : null;
}

/**
 * Tunes a model through an API and writes `policy.json` into the folder; the same call goes on with a job that was begun.
 * Rejects with a ConfigError for labels that cannot be trained with, a ModelError for a job that fails, is cancelled, or takes
 * too long, and with the signal's reason: the job goes on then.
 */
export async function tuneByApi(labels: readonly Label[], options: ApiTuneOptions): Promise<TunedByApi> {
  const { out, model, baseURL, dev, seed = 1, clock = systemClock } = options;
  const asking = askingOf(pointsOf(labels, dev), options, "");
  const data = dataOf(labels, asking, { ...options, seed });
  await claim(out, identity(labels, asking, options));
  const api = tuningApi(options, model);
  const job = await finished(api, await jobOf(api, data, options), { ...options, clock });
  const name = resultOf(job, model);
  const verdict = await asked(name, { data, asking }, options);
  const file: TunedFile = {
    schema: tunedSchema,
    model: { kind: "api", name, baseURL },
    ask: asking.ask,
    question: asking.question,
    words: [asking.words[0], asking.words[1]],
    lead: asking.lead,
    threshold: thresholdOf(verdict),
    over: verdict?.rule.over ?? 1,
    provenance: {
      ...options.provenance,
      base: model,
      job: job.id,
      examples: data.train.length,
      positive: data.train.filter(({ label }) => label === 1).length,
      trainedTokens: job.trained_tokens ?? null,
      ...(verdict === undefined ? {} : saidOf(verdict)),
    },
  };
  const path = join(out, "policy.json");
  await writeWhole(path, `${JSON.stringify(file, undefined, 2)}\n`);
  return { file, path, job, verdict };
}

/** Ends the job of a folder. Rejects with a ConfigError where none was begun. */
export async function cancelTuning({
  out,
  model,
  ...options
}: ApiOptions & { out: string; model: string }): Promise<Job> {
  const { job } = await readProgress(out);
  if (job === undefined) throw new ConfigError(out, "holds no job that could be cancelled");
  return tuningApi(options, model).cancel(job);
}
