import { dirname, relative, resolve } from "node:path";
import { Command, Option } from "commander";
import { ConfigError } from "../../base/errors.ts";
import { splits, taskNames } from "../../eval/index.ts";
import { featureNames } from "../../policies/index.ts";
import type { Weights } from "../../policies/index.ts";
import {
  balanceOf,
  checkApart,
  earAsks,
  earDigest,
  fit,
  fitEar,
  formatPoint,
  label,
  parsePoints,
  readPoints,
  stopping,
} from "../../learn/index.ts";
import type { DecisionPoint, EarAsk, Label } from "../../learn/index.ts";
import { parsePrice } from "../../models/prices.ts";
import { locate } from "../../models/store/index.ts";
import type { Price } from "../../core/usage.ts";
import { count, number } from "../flags.ts";
import type { Io } from "../io.ts";
import { printable } from "../printable.ts";
import { statusOn } from "../status.ts";
import { answersOption } from "./eval-cast.ts";
import { allCommand } from "./learn-all.ts";
import { reportCommand } from "./learn-report.ts";
import { serveEarCommand } from "./learn-serve.ts";
import { actSample } from "./learn-sample.ts";
import { streamCommand } from "./learn-stream.ts";
import { earLines, fitLines, labelLines, worthLines, writeJson } from "./learn-show.ts";
import { tuneCommand } from "./learn-tune.ts";

const words = (text: string): readonly string[] => text.split(",").map((word) => word.trim());

/** `duplex learn`: where cutting a speaker pays, from rollouts to a policy and the proof that it pays. */
export const learnCommand = (io: Io): Command =>
  new Command("learn")
    .description("learn when to interrupt: rollouts, labels, weights, ears, and a report on samples held out")
    .addCommand(sampleCommand(io))
    .addCommand(streamCommand(io))
    .addCommand(labelCommand(io))
    .addCommand(fitCommand(io))
    .addCommand(earCommand(io))
    .addCommand(tuneCommand(io))
    .addCommand(reportCommand(io))
    .addCommand(allCommand(io))
    .addCommand(serveEarCommand(io))
    .addHelpText(
      "after",
      `
Examples:
  duplex learn all report:facts=7 --model llama:qwen2.5-coder-0.5b --out lesson
  duplex learn sample report:facts=7 --split train --samples 60 --nodes 4 --out train.jsonl
  duplex learn label train.jsonl
  duplex learn fit train.jsonl --dev dev.jsonl --out weights.json
  duplex learn ear train.jsonl --base smollm2-135m --out ear.json
  duplex learn report report:facts=7 --policy never,after:3,calibrated:weights.json,ear:ear.json,oracle`,
    );

const sampleCommand = (io: Io): Command =>
  new Command("sample")
    .description("branch at each chunk into cutting there and hearing on, and roll both out")
    .argument("<task>", `${taskNames.join(", ")}, with options as in report:facts=15, or a .jsonl file of samples`)
    .requiredOption("--out <file>", "decision points, a line each; the same command goes on from there")
    .option("--model <spec>", "the model of both sides", "simulated")
    .option("--speaker <spec>", "the speakers' model, or template (default: a template where the task has one)")
    .option("--listener <spec>", "the listeners' model")
    .addOption(new Option("--split <name>", "which samples").choices(splits).default("train"))
    .option("--samples <n>", "different samples", count("--samples"), 20)
    .option("--seed <n>", "of samples and rollouts", number("--seed", { whole: true }), 1)
    .option("--chunk <tokens>", "tokens between two decisions", count("--chunk"), 16)
    .option("--nodes <n>", "most nodes of a conversation, drawn by chance (default: all)", count("--nodes"))
    .option("--rollouts <n>", "most rollouts of each action at a node", count("--rollouts"), 10)
    .option(
      "--depth <n>",
      "cuts below each other that are gone on with",
      number("--depth", { least: 0, whole: true }),
      0,
    )
    .option("--branches <n>", "nodes of a conversation that are gone on below", count("--branches"), 3)
    .option("--chance <p>", "how likely listeners cut after a chunk in rollouts", number("--chance", { least: 0 }), 0.2)
    .addOption(
      new Option("--scheme <name>", "adaptive: common chance, as many rollouts as it takes; paper: a fixed number")
        .choices(["adaptive", "paper"])
        .default("adaptive"),
    )
    .option("--features <names>", `measured at each node: ${featureNames.join(", ")}, or none`, words)
    .option("--temperature <t>", "of all models", number("--temperature", { least: 0 }), 0)
    .option("--max-tokens <n>", "longest message of a model", count("--max-tokens"), 256)
    .addOption(answersOption())
    .option("--concurrency <n>", "samples at once (default: 4 behind an API, else 1)", count("--concurrency"))
    .option("--budget-tokens <n>", "begin nothing more after so many generated tokens", count("--budget-tokens"))
    .option("--budget-cost <amount>", "begin nothing more after so much money", number("--budget-cost", { above: 0 }))
    .option("--price <prices>", "per million tokens: input=2.5,cached=0.25,output=10", parsePrice)
    .option("--uncertain <weights>", "of --nodes, half are those where these weights are least sure")
    .option("--hard", "of --nodes, half are those around the place where what is needed is out")
    .option("--ear <file>", "measure the log-odds of this ear at each node")
    .action(async (task: string, flags) => void (await actSample(io, task, flags)));

type Rule = {
  readonly rule: "conservative" | "stopping";
  readonly confidence?: number;
  readonly worth?: number;
};

const withRule = (command: Command): Command =>
  command
    .addOption(
      new Option("--rule <name>", "conservative: cost falls and success does not; stopping: nothing later is better")
        .choices(["conservative", "stopping"])
        .default("conservative"),
    )
    .option("--confidence <p>", "leave out points below (default 0.8)", number("--confidence", { least: 0 }))
    .option("--worth <tokens>", "tokens that one success is worth", number("--worth", { least: 0 }));

const labelled = (points: readonly DecisionPoint[], { rule, confidence, worth }: Rule): Label[] =>
  rule === "stopping" ? stopping(points, { worth }) : label(points, { confidence, worth });

const more = (path: string, before: readonly string[] = []): readonly string[] => [...before, path];

/** Points of several files, as if they were in one. */
async function allPoints(paths: readonly string[]): Promise<readonly DecisionPoint[]> {
  const files = await Promise.all(paths.map((path) => readPoints(path)));
  const [only] = files;
  if (files.length === 1 && only !== undefined) return only;
  // What is in two files, or in two splits, is told.
  return parsePoints(files.flat().map(formatPoint).join("\n"), paths.join(" and "));
}

type Pricing = { readonly price?: Price };

/** An advantage in money, where a price was given: of tokens that are generated. */
const inMoney = ({ advantage }: Label, { price }: Pricing) => {
  if (price === undefined) return {};
  const worth = (tokens: number) => (tokens * price.output) / 1e6;
  const { mean, low, high } = advantage;
  return { money: { currency: price.currency, mean: worth(mean), low: worth(low), high: worth(high) } };
};

const labelCommand = (io: Io): Command =>
  withRule(
    new Command("label")
      .description("what decision points teach: class balance, and what is undecided")
      .argument("<points...>"),
  )
    .option("--price <prices>", "tell the advantage in money too: input=2.5,output=10 per million tokens", parsePrice)
    .option("--json", "print a line of JSON for each point")
    .action(async (paths: readonly string[], flags: Rule & Pricing & { readonly json?: true }) => {
      const labels = labelled(await allPoints(paths), flags);
      if (flags.json === true) {
        for (const each of labels) {
          const { point, ...rest } = each;
          const { sample, path: way, speaker, turn, chunk } = point;
          io.stdout.write(
            `${JSON.stringify({ sample, path: way, speaker, turn, chunk, ...rest, ...inMoney(each, flags) })}\n`,
          );
        }
      } else io.stdout.write(`${[...labelLines(balanceOf(labels)), ...worthLines(labels, flags.price)].join("\n")}\n`);
    });

type Fitting = Rule & {
  readonly dev?: readonly string[];
  readonly maxLoss: number;
  readonly lookCost?: number;
  readonly out: string;
};

const withFit = (command: Command): Command =>
  withRule(command)
    .requiredOption("--out <file>", "where the result goes, as JSON")
    .option(
      "--dev <points>",
      "choose the threshold on these; may be given more than once (default: on those fitted, held out by sample)",
      more,
    )
    .option("--max-loss <share>", "success that may be lost", number("--max-loss", { least: 0, most: 1 }), 0.01)
    .option(
      "--look-cost <tokens>",
      "what one decision costs (default: 1; of an ear 0)",
      number("--look-cost", { least: 0 }),
    );

async function dataOf(paths: readonly string[], flags: Fitting) {
  const labels = labelled(await allPoints(paths), flags);
  const dev = flags.dev === undefined ? undefined : await allPoints(flags.dev);
  if (dev !== undefined)
    checkApart(
      labels.map(({ point }) => point),
      dev,
      `--dev ${flags.dev?.join(" ") ?? ""}`,
    );
  const [first] = labels;
  const provenance = { task: first?.point.task, rule: flags.rule, sampling: first?.point.provenance };
  return { labels, dev, provenance };
}

/** Weights that lean on an ear say which, and where it lies as seen from them. */
async function withEar(weights: Weights, ear: string | undefined, out: string): Promise<Weights> {
  if (!weights.features.includes("ear")) return weights;
  if (ear === undefined)
    throw new ConfigError(
      "--ear",
      "is missing: the points have the feature ear; name the ear, or leave it out of --features",
    );
  const sha256 = await earDigest(ear);
  const { sampling } = weights.provenance as { readonly sampling?: { readonly ear?: unknown } };
  if (sampling?.ear !== undefined && sampling.ear !== sha256)
    throw new ConfigError(`--ear ${ear}`, "is not the ear that the points were measured with");
  return { ...weights, ear: { file: relative(dirname(resolve(out)), resolve(ear)), sha256 } };
}

const fitCommand = (io: Io): Command =>
  withFit(
    new Command("fit")
      .description("weights for the policy calibrated:FILE, and their threshold")
      .argument("<points...>"),
  )
    .option("--features <names>", "of those measured (default: all)", words)
    .option("--ear <file>", "the ear that the feature ear was measured with; the weights name it")
    .action(
      async (
        paths: readonly string[],
        flags: Fitting & { readonly features?: readonly (typeof featureNames)[number][]; readonly ear?: string },
      ) => {
        const { labels, dev, provenance } = await dataOf(paths, flags);
        const { features, maxLoss, lookCost, worth, ear } = flags;
        const fitted = fit(labels, { dev, features, maxLoss, lookCost, worth, provenance });
        await writeJson(flags.out, await withEar(fitted.weights, ear, flags.out));
        io.stdout.write(`${fitLines(fitted).join("\n")}\nwritten to ${printable(flags.out)}\n`);
      },
    );

type EarFlags = Fitting & {
  readonly base: string;
  readonly layers?: readonly number[];
  readonly ask?: EarAsk;
  readonly question?: string;
  readonly head?: string;
  readonly states?: string;
  readonly threads: number;
};

const earCommand = (io: Io): Command =>
  withFit(
    new Command("ear")
      .description("half a small local model and a linear head that listen for any model")
      .argument("<points...>"),
  )
    .option("--base <model>", "a local model by name, or a GGUF file", "smollm2-135m")
    .option("--layers <list>", "layers to try (default: a third, half, two thirds of the way up)", (text) =>
      words(text).map(count("--layers")),
    )
    .addOption(
      new Option(
        "--ask <how>",
        "apart: about what was heard and the question it is for; within: behind the listener's messages (default: apart where the points tell the question)",
      ).choices(earAsks),
    )
    .option("--question <text>", "what the ear is asked after what was heard")
    .option("--head <file>", "keep the head alone as well, small enough to be shared; ear:FILE reads it too")
    .option("--states <file>", "keep what the base makes of each hearing; the same command goes on from there")
    .option("--threads <n>", "of the base model", count("--threads"), 1)
    .action(async (paths: readonly string[], flags: EarFlags) => {
      const { labels, dev, provenance } = await dataOf(paths, flags);
      const { base, out } = flags;
      const status = statusOn(io);
      const fitted = await fitEar(labels, {
        ...flags,
        dev,
        provenance,
        model: await locate(base),
        signal: io.signal,
        onProgress: ({ layer, done, all }) => status.show(`layer ${layer}: ${done} of ${all} hearings read`),
      }).finally(() => status.clear());
      io.stdout.write(`${earLines(fitted).join("\n")}\nwritten to ${printable(out)}\n`);
    });
