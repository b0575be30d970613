// A listener tuned on labels: training in Python, an adapter that llama.cpp loads, and the proof that both say the same.

import { appendFile, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { ConfigError, explain } from "../../base/errors.ts";
import type { Label } from "../label.ts";
import { earQuestion } from "../ear.ts";
import { baseOf } from "./base.ts";
import type { Base } from "./base.ts";
import { leadFor, trlLine } from "./examples.ts";
import type { Asked, Asking, Example } from "./examples.ts";
import { writeWhole } from "./gguf-file.ts";
import { agreementOf, judge } from "./judge.ts";
import type { Agreement } from "./judge.ts";
import { convertAdapter, modules } from "./peft.ts";
import { openAdapter } from "./policy.ts";
import { openPrompts } from "./prompts.ts";
import { claim, dataOf, labelsDigest, saidOf, verdictOf } from "./settle.ts";
import type { Data, DataOptions, RuleChoice, Verdict } from "./settle.ts";
import { train, trainerScript } from "./trainer.ts";
import type { Trained, TrainerEvent, TrainerSpec, TrainOptions } from "./trainer.ts";
import { tunedSchema } from "./tuned-file.ts";
import type { AdapterModel, TunedFile } from "./tuned-file.ts";

/** How it is trained; what is left out follows from the base. */
export type Recipe = {
  readonly rank?: number | undefined;
  readonly rate?: number | undefined;
  /** Times each message is trained on; default 2. `steps` in its place counts batches. */
  readonly epochs?: number | undefined;
  readonly steps?: number | undefined;
  /** Messages a step; default 4. */
  readonly batch?: number | undefined;
  /** Layers that are adapted, counted from 0, the second not included; default: the upper half. */
  readonly layers?: readonly [from: number, to: number] | undefined;
  readonly targets?: readonly string[] | undefined;
  /** Messages that show where the labels are, before training; default 200, 0: none. */
  readonly aim?: number | undefined;
  readonly mass?: number | undefined;
};

export type TuneOptions = Omit<DataOptions, "seed"> &
  RuleChoice &
  Asked & {
    /** The base's GGUF file, and how it is called. */
    readonly base: string;
    readonly baseName?: string | undefined;
    /** A folder or a hub's name with the base's weights, in place of those in the GGUF file. */
    readonly weights?: string | undefined;
    /** The folder of this tuning. */
    readonly out: string;
    readonly python: string;
    /** Default: the trainer that comes with Duplex. */
    readonly script?: string | undefined;
    readonly env?: TrainOptions["env"] | undefined;
    readonly recipe?: Recipe | undefined;
    readonly seed?: number | undefined;
    readonly threads?: number | undefined;
    readonly device?: TrainerSpec["device"] | undefined;
    /** Longest prompt; default 2048 tokens. */
    readonly contextTokens?: number | undefined;
    /** Training ends after so long, whatever its steps. */
    readonly seconds?: number | undefined;
    /** Largest difference of a probability between trainer and llama.cpp, and largest mean; default 0.25 and 0.05. */
    readonly bound?: readonly [largest: number, mean: number] | undefined;
    readonly provenance?: Readonly<Record<string, unknown>> | undefined;
    readonly onEvent?: ((event: TrainerEvent) => void) | undefined;
    readonly onCheck?: ((done: number, all: number) => void) | undefined;
    readonly signal?: AbortSignal | undefined;
    readonly graceMs?: number | undefined;
  };

export type TunedAdapter = {
  readonly file: TunedFile;
  readonly path: string;
  readonly agreement: Agreement;
  readonly verdict: Verdict;
  readonly trained: Omit<Trained, "probabilities">;
};

const messagesIn = (examples: readonly Example[]) => new Set(examples.map(({ group }) => group)).size;

/** The settings of a training. Throws a ConfigError for those out of range. */
export function specOf(base: Base, { train: examples, held }: Pick<Data, "train" | "held">, options: TuneOptions) {
  const { recipe = {}, seed = 1, threads = 1, device = "auto", weights = null, seconds = null } = options;
  const { rank = 8, rate = 2e-3, epochs = 2, batch = 4, aim = 200, mass = 0.1 } = recipe;
  const { targets = Object.keys(modules), layers = [Math.floor(base.layers / 2), base.layers] } = recipe;
  const [from, to] = layers;
  if (!(Number.isInteger(from) && Number.isInteger(to) && 0 <= from && from < to && to <= base.layers))
    throw new ConfigError(
      "--layers",
      `must be two numbers from 0 to ${base.layers}, the second larger; was ${from}-${to}`,
    );
  const odd = targets.find((name) => !Object.hasOwn(modules, name));
  if (odd !== undefined) throw new ConfigError("--targets", `"${odd}" is none of ${Object.keys(modules).join(", ")}`);
  const messages = messagesIn(examples);
  const steps = recipe.steps ?? Math.max(1, Math.ceil((epochs * messages) / batch));
  return {
    base: resolve(base.path),
    weights,
    rank,
    alpha: 2 * rank,
    rate,
    steps,
    batch,
    rowsPerMessage: examples.length / messages,
    from,
    to,
    targets,
    mass,
    aimMessages: Math.min(aim, messages),
    seed,
    threads,
    device,
    every: Math.max(1, Math.min(20, Math.ceil(steps / 10))),
    heldMessages: Math.min(60, messagesIn(held)),
    saveSeconds: 60,
    seconds,
    keepBytes: 2e9,
  } satisfies Omit<TrainerSpec, "train" | "held" | "checkpoints" | "adapter" | "yes" | "no">;
}

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
  const { out, bound = [0.25, 0.05], threads, signal, onCheck, contextTokens = 2048 } = options;
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

/**
 * Tunes a listener and writes `adapter.gguf` and `adapter.json` into the folder; the same call goes on where one was ended.
 * Rejects with a ConfigError for labels and settings that cannot be trained with, for a training that diverged, and for an
 * adapter that says something else under llama.cpp; with a ModelError when the training fails.
 */
export async function tune(labels: readonly Label[], options: TuneOptions): Promise<TunedAdapter> {
  const {
    out,
    words = ["Yes", "No"],
    question = earQuestion,
    seed = 1,
    provenance = {},
    recipe = {},
    weights,
  } = options;
  const base = await baseOf(options.base);
  const asking: Asking = { question, words, lead: leadFor(base.template) };
  const data = dataOf(labels, asking, { ...options, seed });
  const identity = {
    kind: "adapter",
    base: base.digest,
    labels: labelsDigest(labels),
    dev: options.dev === undefined ? null : labelsDigest(options.dev),
    question,
    words: words.join(),
    seed,
    balance: options.balance ?? false,
    weights: weights ?? null,
    recipe: JSON.stringify(recipe),
  };
  await claim(out, identity);
  const place: Place = { base, asking, data, options };
  const { path: specPath, spec } = await prepare(place);
  const { probabilities, ...result } = await trained(specPath, options);
  options.signal?.throwIfAborted();
  const notes = { "duplex.base.digest": base.digest };
  const gguf = join(out, "adapter.gguf");
  const { bytes } = await convertAdapter(spec.adapter, { base: options.base, out: gguf, notes }).catch(
    (error: unknown) => {
      if (error instanceof ConfigError) throw error;
      throw new ConfigError(spec.adapter, `cannot be converted: ${explain(error)}`, { cause: error });
    },
  );
  const model: AdapterModel = {
    kind: "adapter",
    gguf: "adapter.gguf",
    bytes,
    base: options.baseName ?? resolve(options.base),
    architecture: base.architecture,
    digest: base.digest,
  };
  const { agreement, verdict } = await check(model, place, { ...result, probabilities });
  const file: TunedFile = {
    schema: tunedSchema,
    model,
    ...asking,
    words: [words[0], words[1]],
    threshold: verdict.rule.pays ? verdict.rule.threshold : null,
    inRow: verdict.rule.inRow,
    provenance: {
      ...provenance,
      examples: data.train.length,
      samples: messagesIn(data.train),
      positive: data.train.filter(({ label }) => label === 1).length,
      steps: result.step,
      recipe: {
        rank: spec.rank,
        rate: spec.rate,
        batch: spec.batch,
        layers: [spec.from, spec.to],
        targets: spec.targets,
        seed,
      },
      trainerAuc: result.auc,
      agreement,
      ...saidOf(verdict),
    },
  };
  const path = join(out, "adapter.json");
  await writeWhole(path, `${JSON.stringify(file, undefined, 2)}\n`);
  return { file, path, agreement, verdict, trained: result };
}
