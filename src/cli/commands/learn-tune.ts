import { join } from "node:path";
import { Command, Option } from "commander";
import { ConfigError } from "../../base/errors.ts";
import {
  cancelTuning,
  earAsks,
  findPython,
  label,
  readPoints,
  roomFor,
  setUp,
  stopping,
  tune,
  tuneByApi,
} from "../../learn/index.ts";
import type { EarAsk, Label, Recipe } from "../../learn/index.ts";
import { cacheFolder, locate } from "../../models/store/index.ts";
import { count, number, seconds } from "../flags.ts";
import type { Io } from "../io.ts";
import { printable } from "../printable.ts";
import { adapterLines, apiLines, jobProgress, trainingProgress } from "./learn-tune-show.ts";

type Flags = {
  readonly base: string;
  readonly out: string;
  readonly dev?: string;
  readonly rule: "conservative" | "stopping";
  readonly confidence?: number;
  readonly worth?: number;
  readonly ask?: EarAsk;
  readonly question?: string;
  readonly words: readonly [string, string];
  readonly balance?: true;
  readonly maxLoss: number;
  readonly lookCost: number;
  readonly seed: number;
  readonly json?: true;
  readonly python?: string;
  readonly setup?: true;
  readonly torchIndex?: string;
  readonly weights?: string;
  readonly device: "auto" | "cpu" | "cuda";
  readonly threads: number;
  readonly context: number;
  readonly epochs?: number;
  readonly steps?: number;
  readonly rate: number;
  readonly rank: number;
  readonly batch: number;
  readonly layers?: readonly [number, number];
  readonly targets?: readonly string[];
  readonly aim: number;
  readonly minutes?: number;
  readonly suffix?: string;
  readonly timeout?: number;
  readonly poll: number;
  readonly checks: number;
  readonly cancel?: true;
};

function twoWords(text: string): readonly [string, string] {
  const [yes = "", no = "", ...more] = text.split(",").map((word) => word.trim());
  if (yes !== "" && no !== "" && yes !== no && more.length === 0) return [yes, no];
  throw new ConfigError(
    "--words",
    `must be two different words with a comma, as in Yes,No; not ${JSON.stringify(text)}`,
  );
}

function layerRange(text: string): readonly [number, number] {
  const [, from, to] = /^(\d+)-(\d+)$/.exec(text.trim()) ?? [];
  if (from !== undefined && to !== undefined && Number(from) < Number(to)) return [Number(from), Number(to)];
  throw new ConfigError(
    "--layers",
    `must be like 12-24: from one, counted from 0, up to but without the other; not ${JSON.stringify(text)}`,
  );
}

const examples = `
Examples:
  duplex learn tune train.jsonl --dev dev.jsonl --base smollm2-135m --out tuned --setup
  duplex learn tune train.jsonl --base openai:gpt-4.1-nano-2025-04-14 --out tuned-api
  duplex learn report report:facts=7 --policy never,finetuned:tuned/adapter.json,oracle

Given again, the same command goes on where it was ended.`;

const withLabels = (command: Command): Command =>
  command
    .argument("<points>", "decision points of duplex learn sample")
    .requiredOption("--base <model>", "a local model by name, a GGUF file, or openai:MODEL, openai:MODEL@URL")
    .requiredOption("--out <folder>", "where the tuning lives, and its result")
    .option("--dev <points>", "hold these out and choose the threshold on them (default: a fifth of the samples)")
    .addOption(
      new Option("--rule <name>", "conservative: cost falls and success does not; stopping: nothing later is better")
        .choices(["conservative", "stopping"])
        .default("conservative"),
    )
    .option("--confidence <p>", "leave out points below (default 0.8)", number("--confidence", { least: 0 }))
    .option("--worth <tokens>", "tokens that one success is worth", number("--worth", { least: 0 }))
    .addOption(
      new Option(
        "--ask <how>",
        "apart: about what was heard and the question it is for; within: behind its own messages (default: apart where the points tell the question)",
      ).choices(earAsks),
    )
    .option("--question <text>", "what the listener is asked after what was heard")
    .option("--words <yes,no>", "what it says", twoWords, ["Yes", "No"])
    .option("--balance", "leave out labels of the larger class until both are equally many")
    .option("--max-loss <share>", "success that may be lost", number("--max-loss", { least: 0, most: 1 }), 0.01)
    .option("--look-cost <tokens>", "what one decision costs", number("--look-cost", { least: 0 }), 1)
    .option(
      "--epochs <n>",
      "times each message is trained on (default 2; behind an API what it takes)",
      number("--epochs", { above: 0 }),
    )
    .option("--seed <n>", "of the training", number("--seed", { whole: true, least: 0 }), 1)
    .option("--json", "print the result as JSON");

/** `duplex learn tune`: a listener fine-tuned on labels, on this machine or through an API. */
export const tuneCommand = (io: Io): Command =>
  withLabels(
    new Command("tune").description(
      "a listener fine-tuned on labels: a LoRA adapter for a local model, or through an API",
    ),
  )
    .optionsGroup("Local models:")
    .option("--python <path>", "the Python that trains (default: the one set up, else python3)")
    .option("--setup", "set up Python's packages in the cache folder first, where they are missing")
    .option(
      "--torch-index <url>",
      "where PyTorch comes from: its own index of builds without graphics cards is a tenth of the size",
    )
    .option(
      "--weights <place>",
      "a folder or hub name with the base's own weights, in place of the file's quantized ones",
    )
    .addOption(new Option("--device <name>", "where it is trained").choices(["auto", "cpu", "cuda"]).default("auto"))
    .option("--threads <n>", "of training and check", count("--threads"), 1)
    .option("--context <tokens>", "longest prompt", count("--context"), 2048)
    .option("--steps <n>", "in place of --epochs", count("--steps"))
    .option("--rate <n>", "the largest learning rate; it falls to 0", number("--rate", { above: 0 }), 4e-4)
    .option("--rank <n>", "of the adapter", count("--rank"), 8)
    .option("--batch <n>", "messages a step", count("--batch"), 4)
    .option("--layers <from-to>", "layers that are adapted (default: four, two thirds up)", layerRange)
    .option("--targets <names>", "modules that are adapted (default: all)", (text) =>
      text.split(",").map((name) => name.trim()),
    )
    .option(
      "--aim <n>",
      "messages that show the adapter where to look and are not trained on, at most half; 0: none",
      number("--aim", { least: 0, whole: true }),
      200,
    )
    .option("--minutes <n>", "end the training after so long", number("--minutes", { above: 0 }))
    .optionsGroup("Behind an API:")
    .option("--suffix <text>", "part of the tuned model's name")
    .option(
      "--timeout <seconds>",
      "how long the job is waited for; it goes on (default: to its end)",
      seconds("--timeout"),
    )
    .option("--poll <seconds>", "between two looks at the job", seconds("--poll"), 10)
    .option(
      "--checks <n>",
      "hearings the tuned model is asked about, to choose the threshold",
      number("--checks", { least: 0, whole: true }),
      200,
    )
    .option("--cancel", "end the job of this folder")
    .addHelpText("after", examples)
    .action((points: string, flags: Flags) =>
      flags.base.startsWith("openai:") ? behindApi(io, points, flags) : here(io, points, flags),
    );

async function labelsIn(path: string, { rule, confidence, worth }: Flags): Promise<Label[]> {
  const points = await readPoints(path);
  return rule === "stopping" ? stopping(points, { worth }) : label(points, { confidence, worth });
}

async function common(points: string, flags: Flags) {
  const labels = await labelsIn(points, flags);
  const dev = flags.dev === undefined ? undefined : await labelsIn(flags.dev, flags);
  const { out, ask, question, words, balance, maxLoss, lookCost, worth, seed } = flags;
  const [first] = labels;
  const provenance = { task: first?.point.task, rule: flags.rule, sampling: first?.point.provenance };
  return { labels, settings: { out, dev, ask, question, words, balance, maxLoss, lookCost, worth, seed, provenance } };
}

/** The Python that trains; set up first where that is wished. */
async function pythonFor(io: Io, { python, setup, torchIndex }: Flags): Promise<string> {
  const { env, signal, stderr } = io;
  const folder = join(cacheFolder(env), "python");
  const found = await findPython({ python, folder, env, signal });
  if (found.missing.length === 0) return found.command;
  const size = `${(roomFor(torchIndex) / 1e9).toFixed(1)} GB`;
  if (setup !== true)
    throw new ConfigError(
      "--python",
      `${found.command} (${found.version}) lacks ${found.missing.join(", ")}; --setup puts them into ${folder} (about ${size})`,
    );
  const smaller =
    torchIndex === undefined
      ? "; --torch-index with an index of builds without graphics cards takes a fourth of it"
      : "";
  stderr.write(
    `duplex: setting up Python's packages in ${printable(folder)}: about ${size}, several minutes${smaller}\n`,
  );
  const progress = trainingProgress(io);
  try {
    const ready = await setUp(found.command, { folder, torchIndex, env, signal, onLine: progress.line });
    return ready.command;
  } finally {
    progress.end();
  }
}

const baseName = (base: string): string => base.replace(/^llama:/, "");

async function here(io: Io, points: string, flags: Flags): Promise<void> {
  if (flags.cancel === true)
    throw new ConfigError("--cancel", "ends jobs behind an API only; a training here ends with Ctrl-C");
  const { labels, settings } = await common(points, flags);
  const base = await locate(baseName(flags.base));
  const { rank, rate, epochs, steps, batch, layers, targets, aim, weights, threads, device, minutes } = flags;
  const recipe: Recipe = { rank, rate, epochs, steps, batch, layers, targets, aim };
  const python = await pythonFor(io, flags);
  const progress = trainingProgress(io);
  try {
    const result = await tune(labels, {
      ...settings,
      base,
      baseName: base === baseName(flags.base) ? undefined : baseName(flags.base),
      weights,
      python,
      env: io.env,
      recipe,
      threads,
      contextTokens: flags.context,
      device,
      seconds: minutes === undefined ? undefined : minutes * 60,
      onEvent: progress.event,
      onCheck: progress.check,
      signal: io.signal,
    });
    progress.end();
    if (flags.json === true) io.stdout.write(`${JSON.stringify(result)}\n`);
    else io.stdout.write(`${adapterLines(result).join("\n")}\nwritten to ${printable(result.path)}\n`);
  } finally {
    progress.end();
  }
}

const defaultURL = "https://api.openai.com/v1";

/** Model, address and key of openai:MODEL or openai:MODEL@URL. */
function placeOf({ base }: Flags, { env }: Io) {
  const rest = base.slice("openai:".length);
  const at = rest.search(/@https?:/);
  const [model, baseURL] = at < 0 ? [rest, defaultURL] : [rest.slice(0, at), rest.slice(at + 1)];
  if (model === "") throw new ConfigError("--base", "needs the model's name: openai:MODEL or openai:MODEL@URL");
  // A key for OpenAI is nobody else's.
  const apiKey = env["DUPLEX_API_KEY"] || (baseURL === defaultURL ? env["OPENAI_API_KEY"] : undefined) || undefined;
  if (apiKey === undefined && baseURL === defaultURL)
    throw new ConfigError("--base", `openai:${model} needs a key; set OPENAI_API_KEY or DUPLEX_API_KEY`);
  return { model, baseURL, apiKey };
}

async function behindApi(io: Io, points: string, flags: Flags): Promise<void> {
  const place = placeOf(flags, io);
  const { out, suffix, epochs, timeout, poll, checks, cancel } = flags;
  if (cancel === true) {
    const job = await cancelTuning({ ...place, out, signal: io.signal });
    io.stdout.write(`job ${printable(job.id)} is ${printable(job.status)}\n`);
    return;
  }
  const { labels, settings } = await common(points, flags);
  const progress = jobProgress(io);
  try {
    const how = { suffix, epochs, timeoutSeconds: timeout, pollSeconds: poll, checks, signal: io.signal };
    const result = await tuneByApi(labels, {
      ...settings,
      ...place,
      ...how,
      onJob: progress.job,
      onCheck: progress.check,
    });
    progress.end();
    if (flags.json === true) io.stdout.write(`${JSON.stringify(result)}\n`);
    else io.stdout.write(`${apiLines(result).join("\n")}\nwritten to ${printable(result.path)}\n`);
  } catch (error) {
    progress.end();
    if (io.signal.aborted)
      io.stderr.write(
        "duplex: a job that was begun goes on; the same command waits for it, with --cancel it is ended\n",
      );
    throw error;
  }
}
