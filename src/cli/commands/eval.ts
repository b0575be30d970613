import { Command, Option } from "commander";
import { ConfigError } from "../../base/errors.ts";
import type { Price } from "../../core/usage.ts";
import {
  armForms,
  armsNamed,
  chooseThreshold,
  compare,
  evaluate,
  loadTask,
  openJournal,
  splits,
  taskNames,
} from "../../eval/index.ts";
import type { Arm, Ended, Evaluation, Journal, PolicyReport, Result, Sample, Split, Task } from "../../eval/index.ts";
import { parsePrice, priceOf } from "../../models/prices.ts";
import { count, number } from "../flags.ts";
import type { Io } from "../io.ts";
import { computes, openPolicies } from "../policies.ts";
import { lookOf } from "../look.ts";
import { printable } from "../printable.ts";
import { answersOption, openCast } from "./eval-cast.ts";
import type { Cast, CastFlags } from "./eval-cast.ts";
import { progressOf } from "./eval-progress.ts";
import { renderReport } from "./eval-table.ts";

type Flags = CastFlags & {
  readonly policy?: readonly string[];
  readonly samples: number;
  readonly repeats: number;
  readonly seed: number;
  readonly split: Split;
  readonly chunk: number;
  readonly rounds?: number;
  readonly concurrency?: number;
  readonly temperature: number;
  readonly maxTokens: number;
  readonly maxLoss?: number;
  readonly budgetTokens?: number;
  readonly budgetCost?: number;
  readonly price?: Price;
  readonly out?: string;
  readonly json?: true;
};

const usual = ["never", "after:3", "random:0.2", "prompted", "own:0.8", "oracle"];

/** Names of a list with commas, those inside the slashes of a pattern left alone; the flag may be given more than once. */
function names(text: string, before: readonly string[] = []): readonly string[] {
  const parts = [""];
  for (const [piece] of text.matchAll(/pattern:\/(?:\\.|[^\\/])*\/?|[\s\S]/g)) {
    if (piece === ",") parts.push("");
    else parts.push(`${parts.pop() ?? ""}${piece}`);
  }
  return [...before, ...parts.map((part) => part.trim())];
}

/** `duplex eval TASK`: policies compared on the same samples. */
export const evalCommand = (io: Io): Command =>
  options(
    new Command("eval")
      .description("compare when listeners cut in, on the same samples: success, cost, time")
      .argument("<task>", `${taskNames.join(", ")}, with options as in report:facts=15, or a .jsonl file of samples`),
  )
    .addHelpText(
      "after",
      `
Policies: ${armForms.join(", ")}; options follow, as in own:0.6:stable=2:every=2.
oracle is the best cut in hindsight; never is always among them. A template says a task's own message, word for word.
once:MODEL is asked for each message once, and says it to every arm from memory: the same words, paid for once, in lockstep.
--pace lockstep: a speaker waits for its listeners' decisions; live: it goes on; a number: a template's tokens a second.
The same command with the same --out goes on where it stopped; samples, repeats and policies may be added.

Examples:
  duplex eval report --model simulated
  duplex eval report --model llama:qwen2.5-coder-0.5b --policy never,after:3,own:0.8,oracle --samples 50 --out report.jsonl
  duplex eval pictionary --model openai:gpt-4.1-mini --policy never,concise,prompted --budget-cost 1 --json`,
    )
    .action((task: string, flags: Flags) => act(io, task, flags));

/** More take minutes to draw before anything is asked; nobody has waited for so many conversations yet. */
const mostSamples = 20_000;
const atMost = (most: number) => ({ least: 1, most, whole: true });

const options = (command: Command): Command =>
  command
    .option("--model <spec>", "the model of both sides", "simulated")
    .option("--speaker <spec>", "the speakers' model, once:MODEL, or template (default: a template, if there is one)")
    .option("--listener <spec>", "the listeners' model")
    .option("--policy <names>", `policies, separated by commas (default: ${usual.join(",")})`, names)
    .option("--samples <n>", "different samples", number("--samples", atMost(mostSamples)), 20)
    .option("--repeats <n>", "conversations about each, with a seed of their own", number("--repeats", atMost(1000)), 1)
    .option("--seed <n>", "of samples and conversations", number("--seed", { whole: true }), 1)
    .addOption(new Option("--split <name>", "which samples").choices(splits).default("dev"))
    .option("--chunk <tokens>", "tokens between two decisions", count("--chunk"), 16)
    .option("--rounds <n>", "how often each role speaks (default: as the task says)", count("--rounds"))
    .option("--concurrency <n>", "samples at once (default: 4 behind an API, else 1)", count("--concurrency"))
    .option("--temperature <t>", "of all models", number("--temperature", { least: 0 }), 0)
    .option("--max-tokens <n>", "longest message of a model", count("--max-tokens"), 256)
    .option("--pace <pace>", "lockstep, live, or a template's tokens a second")
    .addOption(answersOption())
    .option(
      "--max-loss <share>",
      "name the cheapest threshold of own that loses no more success",
      number("--max-loss", { least: 0, most: 1 }),
    )
    .option(
      "--budget-tokens <n>",
      "begin nothing more after so many tokens, read and generated",
      count("--budget-tokens"),
    )
    .option("--budget-cost <amount>", "begin nothing more after so much money", number("--budget-cost", { above: 0 }))
    .option("--price <prices>", "per million tokens: input=2.5,cached=0.25,output=10", parsePrice)
    .option("--out <file>", "keep each result as it is finished, and go on from there")
    .option("--json", "print a line of JSON for each policy");

type Plan = {
  readonly task: Task;
  readonly samples: readonly Sample[];
  readonly arms: readonly Arm[];
  readonly cast: Cast;
  readonly flags: Flags;
};

// A few are there at once.
const many = 2000;

/** The samples; a split that has none is wrong at its flag. */
function drawnFrom(io: Io, task: Task, { split, samples: size, seed }: Flags): readonly Sample[] {
  if (size > many) io.stderr.write(`duplex: drawing ${size} samples of ${printable(task.name)} …\n`);
  try {
    return task.samples({ split, size, seed });
  } catch (error) {
    if (!(error instanceof ConfigError) || !/"(?:train|dev|test)" is empty/.test(error.message)) throw error;
    const others = splits.filter((name) => name !== split).join(" or ");
    throw new ConfigError(`--split ${split}`, `${error.message}; choose ${others}`, { cause: error });
  }
}

async function act(io: Io, spec: string, flags: Flags): Promise<void> {
  const task = await loadTask(spec);
  const samples = drawnFrom(io, task, flags);
  const lead = samples[0]?.answer.marker;
  const wanted = flags.policy ?? usual;
  const whom = { model: flags.listener ?? flags.model, task: task.name, chunk: flags.chunk, stderr: io.stderr };
  const { close, ...opened } = await openPolicies(wanted, whom);
  try {
    const arms = armsNamed(wanted, { ...opened, lead, place: "--policy" });
    const made = await openCast(flags, samples, io);
    const cast = computes(wanted) ? { ...made, virtual: false } : made;
    try {
      checkPolicies(arms, cast);
      checkPrice(flags, cast);
      await perform(io, { task, samples, arms, cast, flags });
    } finally {
      await cast.opened.close();
    }
  } finally {
    await close();
  }
}

function checkPolicies(arms: readonly Arm[], { names: { speaker } }: Cast): void {
  const telling = arms.find(({ policy }) => typeof policy === "object" && policy.speakerNote !== undefined);
  if (telling === undefined || (speaker !== "template" && !/^simulated(?::|$)/.test(speaker))) return;
  throw new ConfigError(
    "--policy",
    `"${telling.name}" asks something of the speaker, and a template cannot do it; give --speaker a model`,
  );
}

function checkPrice({ budgetCost, price }: Flags, { names: { speaker, listener } }: Cast): void {
  const unpriced = [speaker, listener].find((spec) => spec !== "template" && priceOf(spec) === undefined);
  if (budgetCost === undefined || price !== undefined || unpriced === undefined) return;
  throw new ConfigError("--budget-cost", `no price of ${unpriced} is known; give --price`);
}

async function perform(io: Io, plan: Plan): Promise<void> {
  const { flags, samples } = plan;
  const identity = identityOf(plan);
  const place = `--out ${flags.out}`;
  const journal = flags.out === undefined ? undefined : await openJournal(flags.out, { identity, samples, place });
  const wanted = new Set(plan.arms.map(({ name }) => name));
  const known = new Set(samples.map(({ id }) => id));
  const done = (journal?.done ?? []).filter(
    ({ sample, policy, repeat }) => wanted.has(policy) && known.has(sample) && repeat < flags.repeats,
  );
  const results = [...done];
  let stop: { readonly error: unknown } | undefined;
  let ended: Ended = "done";
  try {
    ended = await play(io, plan, { done, journal, results });
  } catch (error) {
    stop = { error };
  } finally {
    await journal?.close();
  }
  show(io, plan, results);
  remark(io, plan, { results, ended: stop === undefined ? ended : "stopped" });
  if (stop !== undefined) throw stop.error;
}

type Playing = { readonly done: readonly Result[]; readonly journal: Journal | undefined; readonly results: Result[] };

async function play(io: Io, plan: Plan, { done, journal, results }: Playing): Promise<Ended> {
  const all = plan.samples.length * plan.arms.length * plan.flags.repeats;
  const progress = progressOf(io, { all, before: done.length });
  const playing = evaluate({ ...settings(plan), done, signal: io.signal });
  try {
    for (;;) {
      const next = await playing.next();
      if (next.done === true) return next.value;
      await journal?.add(next.value);
      results.push(next.value);
      progress.add(next.value);
    }
  } finally {
    await playing.return("done");
    progress.end();
  }
}

function settings({ task, samples, arms, cast, flags }: Plan): Evaluation {
  const { names: _, paceName: __, remote, opened, ...sides } = cast;
  const { repeats, seed, chunk, rounds, temperature, maxTokens, budgetTokens, budgetCost, price } = flags;
  const how = { repeats, seed, chunk, rounds, temperature, maxTokens };
  return {
    task,
    samples,
    arms,
    ...sides,
    ...how,
    concurrency: flags.concurrency ?? (remote ? 4 : 1),
    budget: { tokens: budgetTokens, amount: budgetCost },
    // A template has no price of its own.
    priceOf: (id) => (id === "template" ? undefined : (price ?? priceOf(opened.specOf(id) ?? id))),
  };
}

const identityOf = ({ task, cast, flags }: Plan) => ({
  task: task.name,
  split: flags.split,
  seed: flags.seed,
  speaker: cast.names.speaker,
  listener: cast.names.listener,
  pace: cast.paceName,
  answers: flags.answers ?? "say",
  chunk: flags.chunk,
  rounds: flags.rounds ?? null,
  temperature: flags.temperature,
  maxTokens: flags.maxTokens,
});

function show(io: Io, plan: Plan, results: readonly Result[]): void {
  if (results.length === 0) return;
  const { task, arms, flags } = plan;
  const policies = arms.map(({ name }) => name).filter((name) => results.some(({ policy }) => policy === name));
  const reports = compare(results, { task: task.name, policies, seed: flags.seed });
  if (flags.json === true) for (const report of reports) io.stdout.write(`${JSON.stringify(report)}\n`);
  else io.stdout.write(renderReport(aboutIt(plan, reports), reports, lookOf(io)));
  if (flags.maxLoss === undefined) return;
  const chosen = chooseThreshold(results, { maxLoss: flags.maxLoss });
  const within = `loses at most ${flags.maxLoss} of success on ${flags.split}`;
  const line =
    chosen === undefined ? `no threshold of own ${within}` : `${chosen.policy} is the cheapest that ${within}`;
  (flags.json === true ? io.stderr : io.stdout).write(`${flags.json === true ? "duplex: " : "\n"}${line}\n`);
}

function aboutIt({ task, cast, flags }: Plan, reports: readonly PolicyReport[]): string {
  const simulated = reports.some((report) => report.simulated) ? "; simulated: words and times are made up" : "";
  const size = `${reports[0]?.samples ?? 0} samples of ${flags.split}, ${flags.repeats} each, seed ${flags.seed}`;
  const { speaker, listener } = cast.names;
  return `${task.name}: ${size}. Speaker ${speaker}, listener ${listener}, ${cast.paceName}, a decision every ${flags.chunk} tokens${simulated}.`;
}

type Outcome = { readonly results: readonly Result[]; readonly ended: Ended | "stopped" };

function remark(io: Io, { samples, arms, flags }: Plan, { results, ended }: Outcome): void {
  if (ended === "done") return;
  const all = samples.length * arms.length * flags.repeats;
  const why = ended === "budget" ? "the budget is spent" : "stopped";
  const kept = flags.out === undefined ? "" : `; the same command goes on from ${printable(flags.out)}`;
  io.stderr.write(`duplex: ${why} after ${results.length} of ${all} conversations${kept}\n`);
}
