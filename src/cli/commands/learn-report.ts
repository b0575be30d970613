import { readFileSync } from "node:fs";
import { Command, Option } from "commander";
import { ConfigError } from "../../base/errors.ts";
import { armForms, armsNamed, compare, evaluate, loadTask, openJournal, splits, taskNames } from "../../eval/index.ts";
import type { Arm, PolicyReport, Result, Sample, Split } from "../../eval/index.ts";
import { advise, openEar } from "../../learn/index.ts";
import { count, number } from "../flags.ts";
import type { Io } from "../io.ts";
import { lookOf } from "../look.ts";
import { reasonOf } from "../reason.ts";
import { openCast } from "./eval-cast.ts";
import type { Cast, CastFlags } from "./eval-cast.ts";
import { progressOf } from "./eval-progress.ts";
import { renderReport } from "./eval-table.ts";

type Flags = CastFlags & {
  readonly policy: string;
  readonly samples: number;
  readonly seed: number;
  readonly split: Split;
  readonly chunk: number;
  readonly maxTokens: number;
  readonly maxLoss: number;
  readonly out?: string;
  readonly json?: true;
};

/** `duplex learn report TASK`. */
export const reportCommand = (io: Io): Command =>
  new Command("report")
    .description("learned policies beside the usual ones on samples held out, with the limit and an advice")
    .argument("<task>", `${taskNames.join(", ")}, with options, or a .jsonl file of samples`)
    .option("--policy <names>", `${armForms.join(", ")}, ear:FILE`, "never,after:3,random:0.2,own:0.8,oracle")
    .option("--model <spec>", "the model of both sides", "simulated")
    .option("--speaker <spec>", "the speakers' model, or template (default: a template where the task has one)")
    .option("--listener <spec>", "the listeners' model")
    .option("--samples <n>", "different samples", count("--samples"), 20)
    .option("--seed <n>", "of samples and conversations", number("--seed", { whole: true }), 1)
    .addOption(new Option("--split <name>", "which samples").choices(splits).default("test"))
    .option("--chunk <tokens>", "tokens between two decisions", count("--chunk"), 16)
    .option("--max-tokens <n>", "longest message of a model", count("--max-tokens"), 256)
    .option("--pace <pace>", "lockstep, live, or a template's tokens a second", "lockstep")
    .option(
      "--max-loss <share>",
      "success that an advised policy may lose",
      number("--max-loss", { least: 0, most: 1 }),
      0.01,
    )
    .option("--out <file>", "keep each result as it is finished, and go on from there")
    .option("--json", "print a line of JSON for each policy")
    .action((task: string, flags: Flags) => act(io, task, flags));

type Arms = { readonly arms: readonly Arm[]; readonly close: () => Promise<void> };

function readWeights(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new ConfigError(`--policy ${file}`, `cannot be read: ${reasonOf(error)}`, { cause: error });
  }
}

/** Policies by name; ears are opened. */
async function armsOf(names: readonly string[], lead: string | undefined): Promise<Arms> {
  const wanted = names.includes("never") ? names : ["never", ...names];
  const ears = wanted.filter((name) => name.startsWith("ear:"));
  const others = armsNamed(
    wanted.filter((name) => !ears.includes(name)),
    { lead, place: "--policy", weights: readWeights },
  );
  const opened: Awaited<ReturnType<typeof openEar>>[] = [];
  const close = async () => {
    for (const each of opened) await each.close();
  };
  try {
    const made = new Map(others.map((arm) => [arm.name, arm]));
    for (const name of ears) {
      if (made.has(name)) throw new ConfigError("--policy", `"${name}" is there twice`);
      const found = await openEar(name.slice("ear:".length));
      opened.push(found);
      made.set(name, { name, policy: found.policy });
    }
    return { arms: wanted.flatMap((name) => made.get(name) ?? []), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function act(io: Io, spec: string, flags: Flags): Promise<void> {
  const task = await loadTask(spec);
  const samples = task.samples({ split: flags.split, size: flags.samples, seed: flags.seed });
  const names = flags.policy.split(",").map((name) => name.trim());
  const { arms, close } = await armsOf(names, samples[0]?.answer.marker);
  try {
    // An ear computes for real, also where everything else is made up: time must pass.
    const real = arms.some(({ name }) => name.startsWith("ear:"));
    const opened = await openCast(flags, samples, io);
    const cast = real ? { ...opened, virtual: false } : opened;
    try {
      const results = await play(io, { task, samples, arms, cast, flags });
      show(io, compare(results, { task: task.name, policies: arms.map(({ name }) => name), seed: flags.seed }), {
        cast,
        flags,
      });
    } finally {
      await cast.opened.close();
    }
  } finally {
    await close();
  }
}

type Plan = {
  readonly task: Awaited<ReturnType<typeof loadTask>>;
  readonly samples: readonly Sample[];
  readonly arms: readonly Arm[];
  readonly cast: Cast;
  readonly flags: Flags;
};

async function play(io: Io, { task, samples, arms, cast, flags }: Plan): Promise<Result[]> {
  const { seed, chunk, maxTokens, split } = flags;
  const { speaker, listener, pace, virtual, remote, names } = cast;
  const identity = {
    task: task.name,
    split,
    seed,
    chunk,
    maxTokens,
    speaker: names.speaker,
    listener: names.listener,
    pace,
    virtual,
  };
  const journal =
    flags.out === undefined
      ? undefined
      : await openJournal(flags.out, { identity, samples, place: `--out ${flags.out}` });
  const known = new Set(samples.map(({ id }) => id));
  const wanted = new Set(arms.map(({ name }) => name));
  const done = (journal?.done ?? []).filter(({ sample, policy }) => known.has(sample) && wanted.has(policy));
  const results = [...done];
  const progress = progressOf(io, { all: samples.length * arms.length, before: done.length });
  const how = {
    task,
    samples,
    arms,
    speaker,
    listener,
    seed,
    chunk,
    maxTokens,
    pace,
    virtual,
    done,
    signal: io.signal,
  };
  try {
    for await (const result of evaluate({ ...how, concurrency: remote ? 4 : 1 })) {
      await journal?.add(result);
      results.push(result);
      progress.add(result);
    }
  } finally {
    progress.end();
    await journal?.close();
  }
  return results;
}

function show(io: Io, reports: readonly PolicyReport[], { cast, flags }: Pick<Plan, "cast" | "flags">): void {
  const { maxLoss, split, samples, seed } = flags;
  const { policy, why } = advise(reports, { maxLoss });
  if (flags.json === true) {
    for (const report of reports) io.stdout.write(`${JSON.stringify(report)}\n`);
    io.stdout.write(`${JSON.stringify({ advice: policy, why })}\n`);
    return;
  }
  const about = `${reports[0]?.task}: ${reports[0]?.samples ?? 0} of ${samples} samples of ${split}, seed ${seed}. Speaker ${cast.names.speaker}, listener ${cast.names.listener}.`;
  io.stdout.write(renderReport(about, reports, lookOf(io)));
  const regret = reports.filter(({ ofOracle }) => ofOracle !== null);
  if (regret.length > 0) io.stdout.write("\nof the saving of the best cut in hindsight\n");
  for (const { policy: name, ofOracle } of regret) io.stdout.write(`${name}  ${Math.round(100 * (ofOracle ?? 0))} %\n`);
  io.stdout.write(`\nadvice: ${policy}: ${why}\n`);
}
