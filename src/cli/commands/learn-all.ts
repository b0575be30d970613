// The whole way from a task and a model to a policy and its proof, in one command.

import { rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { Command } from "commander";
import { ConfigError } from "../../base/errors.ts";
import type { Price } from "../../core/usage.ts";
import { taskNames } from "../../eval/index.ts";
import { balanceOf, checkApart, fit, fitEar, label, readPoints } from "../../learn/index.ts";
import type { Label } from "../../learn/index.ts";
import { parsePrice } from "../../models/prices.ts";
import { locate } from "../../models/store/index.ts";
import { count, number } from "../flags.ts";
import type { Io } from "../io.ts";
import { statusOn } from "../status.ts";
import { answersOption } from "./eval-cast.ts";
import type { CastFlags } from "./eval-cast.ts";
import { actReport } from "./learn-report.ts";
import { actSample } from "./learn-sample.ts";
import { earLines, fitLines, labelLines, writeJson } from "./learn-show.ts";
import { lessonSteps, openLesson } from "./learn-state.ts";
import type { LessonState, LessonStep, StepDone } from "./learn-state.ts";

type Budget = { readonly tokens?: number | undefined; readonly amount?: number | undefined };

type Flags = Omit<CastFlags, "pace"> & {
  readonly out: string;
  readonly samples: number;
  readonly testSamples: number;
  readonly seed: number;
  readonly chunk: number;
  readonly nodes?: number;
  readonly rollouts: number;
  readonly features?: readonly string[];
  readonly maxTokens: number;
  readonly maxLoss: number;
  readonly base: string;
  readonly ear: boolean;
  readonly budget: Budget;
  readonly price?: Price;
};

/** `200000` tokens, or `2.5usd`. */
function budgetOf(text: string): Budget {
  const [, value = "", unit] = /^(\d+(?:\.\d+)?)\s*([a-z]{3})?$/i.exec(text.trim()) ?? [];
  if (value === "")
    throw new ConfigError("--budget", `must be tokens as in 200000, or money as in 2.5usd, not "${text}"`);
  return unit === undefined
    ? { tokens: count("--budget")(value) }
    : { amount: number("--budget", { above: 0 })(value) };
}

/** `duplex learn all TASK`. */
export const allCommand = (io: Io): Command =>
  new Command("all")
    .description("sample, label, fit, make an ear and report, in order; stopped anywhere, the same command goes on")
    .argument("<task>", `${taskNames.join(", ")}, with options as in report:facts=15, or a .jsonl file of samples`)
    .requiredOption("--out <folder>", "where everything goes")
    .option("--model <spec>", "the model of both sides", "simulated")
    .option("--speaker <spec>", "the speakers' model, or template (default: a template where the task has one)")
    .option("--listener <spec>", "the listeners' model")
    .option("--samples <n>", "to learn from; half as many more choose the threshold", count("--samples"), 60)
    .option("--test-samples <n>", "to report on", count("--test-samples"), 60)
    .option("--seed <n>", "of samples and rollouts", number("--seed", { whole: true }), 1)
    .option("--chunk <tokens>", "tokens between two decisions", count("--chunk"), 16)
    .option("--nodes <n>", "most nodes of a conversation, drawn by chance (default: all)", count("--nodes"))
    .option("--rollouts <n>", "most rollouts of each action at a node", count("--rollouts"), 10)
    .option("--features <names>", "measured at each node, or none (for listeners without probabilities)", (text) =>
      text.split(",").map((word) => word.trim()),
    )
    .option("--max-tokens <n>", "longest message of a model", count("--max-tokens"), 256)
    .addOption(answersOption())
    .option("--max-loss <share>", "success that may be lost", number("--max-loss", { least: 0, most: 1 }), 0.01)
    .option("--base <model>", "of the ear: a local model by name, or a GGUF file", "smollm2-135m")
    .option("--no-ear", "make no ear")
    .option(
      "--budget <amount>",
      "generated tokens as in 200000, or money as in 2.5usd: 3/5 to learn from, 1/5 for the threshold, the rest for the report",
      budgetOf,
      {},
    )
    .option("--price <prices>", "per million tokens: input=2.5,cached=0.25,output=10", parsePrice)
    .action((task: string, flags: Flags) => actAll(io, task, flags));

type Lesson = {
  readonly io: Io;
  readonly task: string;
  readonly flags: Flags;
  readonly state: LessonState;
  readonly at: (name: string) => string;
};

const settingsOf = (task: string, flags: Flags) => ({
  task,
  model: flags.model,
  speaker: flags.speaker ?? null,
  listener: flags.listener ?? null,
  samples: flags.samples,
  seed: flags.seed,
  chunk: flags.chunk,
  nodes: flags.nodes ?? null,
  rollouts: flags.rollouts,
  features: flags.features?.join() ?? null,
  maxTokens: flags.maxTokens,
  answers: flags.answers ?? "say",
  maxLoss: flags.maxLoss,
  base: flags.ear ? flags.base : null,
});

async function actAll(io: Io, task: string, flags: Flags): Promise<void> {
  const state = await openLesson(flags.out, settingsOf(task, flags));
  const lesson: Lesson = { io, task, flags, state, at: (name) => join(flags.out, name) };
  await step(lesson, "train", () => points(lesson, "train"));
  await step(lesson, "dev", () => points(lesson, "dev"));
  await step(lesson, "fit", () => weights(lesson));
  await step(lesson, "ear", () => earOf(lesson));
  await step(lesson, "report", () => report(lesson));
}

const told: Readonly<Record<LessonStep, string>> = {
  train: "rollouts to learn from",
  dev: "rollouts to choose the threshold on",
  fit: "labels and weights",
  ear: "an ear",
  report: "the report on samples held out",
};

/** What a step may have spent when it ends, of everything. */
const shareOf: { readonly [Step in LessonStep]?: number } = { train: 0.6, dev: 0.8 };

const limitOf = ({ tokens, amount }: Budget): number | undefined => tokens ?? amount;

/** Does a step unless it is done. One that its budget ended is gone on with under a larger one. */
async function step(
  lesson: Lesson,
  name: LessonStep,
  work: () => Promise<Omit<StepDone, "budget"> & { readonly whole?: boolean }>,
) {
  const { io, state, flags } = lesson;
  const place = `${lessonSteps.indexOf(name) + 1} of ${lessonSteps.length}, ${told[name]}`;
  const budget = limitOf(flags.budget) ?? Infinity;
  const before = state.done(name);
  const isDone = before !== undefined && (before.budget === undefined || budget <= before.budget);
  io.stderr.write(`duplex: ${place}${isDone ? ": done before" : ""}\n`);
  io.signal.throwIfAborted();
  if (isDone) return;
  const { said, whole = true } = await work();
  if (said.length > 0) io.stdout.write(`${said.join("\n")}\n`);
  await state.finish(name, whole ? { said } : { said, budget });
}

/** What sampling and the report have in common. */
const talkOf = ({ model, speaker, listener, answers, seed, chunk, maxTokens, price }: Flags) => ({
  model,
  speaker,
  listener,
  answers,
  seed,
  chunk,
  maxTokens,
  price,
});

async function points({ io, task, flags, at }: Lesson, split: "train" | "dev") {
  const { samples, budget, nodes, rollouts, features } = flags;
  const share = shareOf[split] ?? 1;
  // What was learned from before counts against the same budget.
  const before = split === "dev" ? await spentOn(at("train.jsonl")) : { generated: 0, amount: 0 };
  const left = (all: number | undefined, spent: number) => (all === undefined ? undefined : share * all - spent);
  const tokens = left(budget.tokens, before.generated);
  const amount = left(budget.amount, before.amount);
  const { whole } = await actSample(io, task, {
    ...talkOf(flags),
    nodes,
    features,
    rollouts,
    split,
    out: at(`${split}.jsonl`),
    samples: split === "train" ? samples : Math.max(1, Math.ceil(samples / 2)),
    depth: 0,
    branches: 3,
    chance: 0.2,
    scheme: "adaptive",
    temperature: 0,
    budgetTokens: tokens === undefined ? undefined : Math.max(1, Math.floor(tokens)),
    budgetCost: amount === undefined ? undefined : Math.max(1e-9, amount),
  });
  return { said: [], whole };
}

async function spentOn(path: string): Promise<{ generated: number; amount: number }> {
  const all = await readPoints(path);
  return {
    generated: all.reduce((sum, { took }) => sum + (took?.generated ?? 0), 0),
    amount: all.reduce((sum, { took }) => sum + (took?.amount ?? 0), 0),
  };
}

async function dataOf({ at, task }: Lesson) {
  const labels: Label[] = label(await readPoints(at("train.jsonl")));
  const dev = await readPoints(at("dev.jsonl"));
  checkApart(
    labels.map(({ point }) => point),
    dev,
    at("dev.jsonl"),
  );
  return { labels, dev, provenance: { task, rule: "conservative", sampling: labels[0]?.point.provenance } };
}

/** What cannot be learned is no failure of the lesson: the report says what remains. */
async function unlessNothing(work: () => Promise<string[]>, without: () => Promise<void>): Promise<string[]> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    await without();
    return [`not learned: ${error.message}`];
  }
}

async function weights(lesson: Lesson): Promise<StepDone> {
  const { labels, dev, provenance } = await dataOf(lesson);
  const path = lesson.at("weights.json");
  const lines = await unlessNothing(
    async () => {
      const fitted = fit(labels, { dev, maxLoss: lesson.flags.maxLoss, provenance });
      await writeJson(path, fitted.weights);
      return fitLines(fitted);
    },
    () => rm(path, { force: true }),
  );
  return { said: [...labelLines(balanceOf(labels)), ...lines] };
}

async function earOf(lesson: Lesson): Promise<StepDone> {
  const { flags, io, at } = lesson;
  if (!flags.ear) return { said: [] };
  const status = statusOn(io);
  const lines = await unlessNothing(
    async () => {
      const { labels, dev, provenance } = await dataOf(lesson);
      const fitted = await fitEar(labels, {
        model: await locate(flags.base),
        base: flags.base,
        out: at("ear.json"),
        head: at("head.json"),
        states: at("states.txt"),
        dev,
        maxLoss: flags.maxLoss,
        provenance,
        signal: io.signal,
        onProgress: ({ layer, done, all }) => status.show(`layer ${layer}: ${done} of ${all} hearings read`),
      });
      return earLines(fitted);
    },
    () => rm(at("ear.json"), { force: true }),
  ).finally(() => status.clear());
  return { said: lines };
}

const isThere = (path: string): Promise<boolean> => stat(path).then(Boolean, () => false);

/** The paper's arms, with what was learned; those that need a model's probabilities where it showed some. */
async function policiesOf({ flags, at }: Lesson): Promise<string[]> {
  const shows = (await readPoints(at("train.jsonl"))).some(({ features = {} }) => "top1" in features);
  const templated = flags.speaker === undefined || /^(template|simulated)/.test(flags.speaker);
  return [
    "never",
    ...(templated ? [] : ["concise"]),
    "prompted",
    "random:0.2",
    "after:3",
    ...(shows ? ["yesno", "own:0.8"] : []),
    ...((await isThere(at("weights.json"))) ? [`calibrated:${at("weights.json")}`] : []),
    ...((await isThere(at("ear.json"))) ? [`ear:${at("ear.json")}`] : []),
    "oracle",
  ];
}

async function report(lesson: Lesson): Promise<StepDone & { readonly whole: boolean }> {
  const { io, task, flags, at } = lesson;
  const { maxLoss, budget } = flags;
  const spent = [await spentOn(at("train.jsonl")), await spentOn(at("dev.jsonl"))];
  const left = (all: number | undefined, name: "generated" | "amount") =>
    all === undefined ? undefined : Math.max(1e-9, all - spent.reduce((sum, each) => sum + each[name], 0));
  const { ended } = await actReport(io, task, {
    ...talkOf(flags),
    maxLoss,
    policy: await policiesOf(lesson),
    samples: flags.testSamples,
    split: "test",
    pace: "lockstep",
    points: at("dev.jsonl"),
    out: at("results.jsonl"),
    save: flags.out,
    budgetGenerated: left(budget.tokens, "generated"),
    budgetCost: left(budget.amount, "amount"),
  });
  return { said: [], whole: ended === "done" };
}
