// A listener tuned on labels: training in Python, an adapter that llama.cpp loads, and the proof that both say the same.

import { appendFile, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { ConfigError } from "../../base/errors.ts";
import type { Label } from "../label.ts";
import { baseOf } from "./base.ts";
import type { Base } from "./base.ts";
import { askingOf, leadFor, pointsOf, trlLine } from "./examples.ts";
import type { Asked, Asking, Example } from "./examples.ts";
import { writeWhole } from "./gguf-file.ts";
import { agreementOf, judge } from "./judge.ts";
import type { Agreement } from "./judge.ts";
import { convertAdapter } from "./peft.ts";
import { openAdapter } from "./policy.ts";
import { openPrompts } from "./prompts.ts";
import { samplesIn, specOf } from "./recipe.ts";
import type { Running } from "./recipe.ts";
import { claim, dataOf, identityOf, saidOf, verdictOf } from "./settle.ts";
import type { Data, DataOptions, RuleChoice, Verdict } from "./settle.ts";
import { train, trainerScript } from "./trainer.ts";
import type { Trained, TrainerEvent, TrainerSpec, TrainOptions } from "./trainer.ts";
import { tunedSchema } from "./tuned-file.ts";
import type { AdapterModel, TunedFile } from "./tuned-file.ts";

/** What is tuned, on which labels, and how. */
export type TuneOptions = Omit<DataOptions, "seed"> &
  RuleChoice &
  Running &
  Asked & {
    /** The base's GGUF file, and how it is called. */
    readonly base: string;
    readonly baseName?: string | undefined;
    /** The folder of this tuning. */
    readonly out: string;
    readonly python: string;
    /** Default: the trainer that comes with Duplex. */
    readonly script?: string | undefined;
    readonly env?: TrainOptions["env"] | undefined;
    /** Longest prompt; default 2048 tokens. */
    readonly contextTokens?: number | undefined;
    /** Largest difference of a probability between trainer and llama.cpp, and largest mean; default 0.3 and 0.08. */
    readonly bound?: readonly [largest: number, mean: number] | undefined;
    readonly provenance?: Readonly<Record<string, unknown>> | undefined;
    readonly onEvent?: ((event: TrainerEvent) => void) | undefined;
    readonly onCheck?: ((done: number, all: number) => void) | undefined;
    readonly signal?: AbortSignal | undefined;
    readonly graceMs?: number | undefined;
  };

/** A tuned adapter, and how it did on what it was not trained on. */
export type TunedAdapter = {
  readonly file: TunedFile;
  readonly path: string;
  readonly agreement: Agreement;
  readonly verdict: Verdict;
  readonly trained: Omit<Trained, "probabilities">;
};

type Place = { readonly base: Base; readonly asking: Asking; readonly data: Data; readonly options: TuneOptions };

/** Writes what the trainer reads; its settings, as a file. */
async function prepare({ base, asking, data, options }: Place): Promise<{ path: string; spec: TrainerSpec }> {
  const { contextTokens = 2048 } = options;
  const out = resolve(options.out);
  const prompts = await openPrompts(base, { words: asking.words, contextTokens });
  try {
    const write = async (name: string, examples: readonly Example[]) => {
      const lines = examples.map((example) => trlLine(example, prompts.of(example.prompt)));
      await writeWhole(join(out, name), `${lines.join("\n")}\n`);
      return join(out, name);
    };
    const spec: TrainerSpec = {
      ...specOf(base, data, options),
      train: await write("train.jsonl", data.train),
      held: await write("held.jsonl", data.held),
      checkpoints: join(out, "checkpoints"),
      adapter: join(out, "peft"),
      yes: prompts.yes,
      no: prompts.no,
    };
    const path = join(out, "trainer.json");
    await writeWhole(path, `${JSON.stringify(spec, undefined, 2)}\n`);
    return { path, spec };
  } finally {
    await prompts.close();
  }
}

/** Trains, unless that was finished before; how it went is kept line by line. */
async function trained(spec: string, options: TuneOptions): Promise<Trained> {
  const {
    out,
    python,
    script = await trainerScript(),
    env = process.env,
    signal,
    graceMs,
    onEvent,
    threads = 1,
  } = options;
  const finished = join(out, "trained.json");
  const before = await readFile(finished, "utf8").catch(() => undefined);
  if (before !== undefined) return JSON.parse(before) as Trained;
  let writing = Promise.resolve();
  const note = (event: TrainerEvent) => {
    onEvent?.(event);
    if (event.event === "step" || event.event === "held")
      writing = writing.then(() => appendFile(join(out, "curve.jsonl"), `${JSON.stringify(event)}\n`));
    // A full disk is told by the trainer's own failure; the curve is not worth the training.
    writing.catch(() => {});
  };
  const online = options.weights !== undefined;
  const result = await train({ python, script, spec, env, online, threads, signal, graceMs, onEvent: note });
  await writing.catch(() => {});
  await writeWhole(finished, `${JSON.stringify(result)}\n`);
  return result;
}

/** Opens the finished adapter and asks it what the trainer asked. Rejects with a ConfigError where they do not agree. */
async function check(model: AdapterModel, { asking, data, options }: Place, result: Trained) {
  const { out, bound = [0.3, 0.08], threads, signal, onCheck, contextTokens = 2048 } = options;
  const opened = await openAdapter(model, out, { base: options.base, contexts: 1, contextTokens, threads });
  try {
    const points = data.judged.map(({ point }) => point);
    const judged = await judge({ model: opened, asking }, points, { signal, onProgress: onCheck });
    const at = new Map(points.map((point, index) => [point, judged[index]!]));
    const agreement = agreementOf(
      data.held.map(({ point }) => at.get(point)!),
      result.probabilities,
    );
    if (!(agreement.largest <= bound[0] && agreement.mean <= bound[1]))
      throw new ConfigError(
        join(out, model.gguf),
        `llama.cpp's probabilities differ from the trainer's by up to ${agreement.largest.toFixed(3)}, ${agreement.mean.toFixed(3)} in the mean; do not use it`,
      );
    return { agreement, verdict: verdictOf(data.judged, judged, options) };
  } finally {
    await opened.close?.();
  }
}

/** Everything that must be the same for a tuning to be gone on with. */
function identity(labels: readonly Label[], { base, asking, options }: Omit<Place, "data">) {
  const { seed = 1, weights = null, recipe = {} } = options;
  const common = identityOf(labels, asking, { ...options, seed });
  return { kind: "adapter", base: base.digest, ...common, weights, recipe: JSON.stringify(recipe) };
}

/** Makes the trained adapter one for llama.cpp. */
async function converted(folder: string, { base, options }: Place): Promise<AdapterModel> {
  const { out, base: path, baseName } = options;
  const gguf = "adapter.gguf";
  const notes = { "duplex.base.digest": base.digest };
  const { bytes } = await convertAdapter(folder, { base: path, out: join(out, gguf), notes });
  const { architecture, digest } = base;
  return { kind: "adapter", gguf, bytes, base: baseName ?? resolve(path), architecture, digest };
}

type Finished = Omit<TunedAdapter, "file" | "path"> & { readonly model: AdapterModel; readonly spec: TrainerSpec };

function fileOf(
  { asking, data, options }: Place,
  { model, spec, agreement, verdict, trained: result }: Finished,
): TunedFile {
  const { rank, rate, batch, from, to, targets, seed } = spec;
  const { rule } = verdict;
  return {
    schema: tunedSchema,
    model,
    ask: asking.ask,
    question: asking.question,
    words: [asking.words[0], asking.words[1]],
    lead: asking.lead,
    threshold: rule.pays ? rule.threshold : null,
    over: rule.over,
    provenance: {
      ...options.provenance,
      examples: data.train.length,
      samples: samplesIn(data.train),
      positive: data.train.filter(({ label }) => label === 1).length,
      recipe: { steps: result.step, rank, rate, batch, layers: [from, to], targets, seed },
      trainerAuc: result.auc,
      agreement,
      ...saidOf(verdict),
    },
  };
}

/**
 * Tunes a listener and writes `adapter.gguf` and `adapter.json` into the folder; the same call goes on where one was ended.
 * Rejects with a ConfigError for labels and settings that cannot be trained with, for a training that diverged, and for an
 * adapter that says something else under llama.cpp; with a ModelError when the training fails.
 */
export async function tune(labels: readonly Label[], options: TuneOptions): Promise<TunedAdapter> {
  const { out, dev, seed = 1, signal } = options;
  const base = await baseOf(options.base);
  const asking = askingOf(pointsOf(labels, dev), options, leadFor(base.template));
  const data = dataOf(labels, asking, { ...options, seed });
  const place: Place = { base, asking, data, options };
  await claim(out, identity(labels, place));
  const { path: specPath, spec } = await prepare(place);
  const { probabilities, ...result } = await trained(specPath, options);
  signal?.throwIfAborted();
  const model = await converted(spec.adapter, place);
  const { agreement, verdict } = await check(model, place, { ...result, probabilities });
  const file = fileOf(place, { model, spec, agreement, verdict, trained: result });
  const path = join(out, "adapter.json");
  await writeWhole(path, `${JSON.stringify(file, undefined, 2)}\n`);
  return { file, path, agreement, verdict, trained: result };
}
