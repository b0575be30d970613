import { Command, Option } from "commander";
import { ConfigError } from "../../base/errors.ts";
import type { Price } from "../../core/usage.ts";
import { armForms, loadTask, splits, taskNames } from "../../eval/index.ts";
import type { PolicyReport, Split } from "../../eval/index.ts";
import { advise } from "../../learn/index.ts";
import type { Lesson, Variation } from "../../learn/index.ts";
import { parsePrice } from "../../models/prices.ts";
import { makeFolder } from "../../models/store/folder.ts";
import { count, number } from "../flags.ts";
import type { Io } from "../io.ts";
import { lookOf } from "../look.ts";
import { printable } from "../printable.ts";
import { answersOption } from "./eval-cast.ts";
import type { CastFlags } from "./eval-cast.ts";
import { renderReport } from "./eval-table.ts";
import { compareIn } from "./learn-compare.ts";
import type { Done, Setting } from "./learn-compare.ts";
import { heldOf, writeLesson } from "./learn-lesson.ts";

export type ReportFlags = CastFlags & {
  readonly policy: readonly string[];
  readonly samples: number;
  readonly seed: number;
  readonly split: Split;
  readonly chunk: number;
  readonly maxTokens: number;
  readonly maxLoss: number;
  readonly points?: string;
  readonly alsoTask?: readonly string[];
  readonly alsoSpeaker?: readonly string[];
  readonly alsoChunk?: readonly string[];
  readonly stacked?: true;
  readonly symmetric?: true;
  readonly budgetTokens?: number;
  readonly budgetCost?: number | undefined;
  /** Generated tokens alone. */
  readonly budgetGenerated?: number | undefined;
  readonly price?: Price | undefined;
  readonly out?: string;
  readonly save?: string;
  readonly json?: true;
};

const usual = ["never", "after:3", "random:0.2", "own:0.8", "oracle"];

/** Names of a list with commas, those inside the slashes of a pattern left alone. */
export function policyList(text: string, before: readonly string[] = []): readonly string[] {
  const parts = [""];
  for (const [piece] of text.matchAll(/pattern:\/(?:\\.|[^\\/])*\/?|[\s\S]/g)) {
    if (piece === ",") parts.push("");
    else parts.push(`${parts.pop() ?? ""}${piece}`);
  }
  return [...before, ...parts.map((part) => part.trim())];
}

const more = (text: string, before: readonly string[] = []): readonly string[] => [...before, text.trim()];

/** `duplex learn report TASK`. */
export const reportCommand = (io: Io): Command =>
  withVariations(
    new Command("report")
      .description(
        "learned policies beside the usual ones on samples held out, with the limit, an advice and what went wrong",
      )
      .argument("<task>", `${taskNames.join(", ")}, with options, or a .jsonl file of samples`)
      .option("--policy <names>", `${armForms.join(", ")} (default: ${usual.join(",")})`, policyList)
      .option("--model <spec>", "the model of both sides", "simulated")
      .option("--speaker <spec>", "the speakers' model, or template (default: a template where the task has one)")
      .option("--listener <spec>", "the listeners' model")
      .option("--samples <n>", "different samples", count("--samples"), 20)
      .option("--seed <n>", "of samples and conversations", number("--seed", { whole: true }), 1)
      .addOption(new Option("--split <name>", "which samples").choices(splits).default("test"))
      .option("--chunk <tokens>", "tokens between two decisions", count("--chunk"), 16)
      .option("--max-tokens <n>", "longest message of a model", count("--max-tokens"), 256)
      .addOption(answersOption())
      .option("--pace <pace>", "lockstep, live, or a template's tokens a second", "lockstep")
      .option(
        "--max-loss <share>",
        "success that an advised policy may lose",
        number("--max-loss", { least: 0, most: 1 }),
        0.01,
      ),
  )
    .option(
      "--budget-tokens <n>",
      "begin nothing more after so many tokens, read and generated",
      count("--budget-tokens"),
    )
    .option("--budget-cost <amount>", "begin nothing more after so much money", number("--budget-cost", { above: 0 }))
    .option("--price <prices>", "per million tokens: input=2.5,cached=0.25,output=10", parsePrice)
    .option("--out <file>", "keep each result as it is finished, and go on from there")
    .option("--save <folder>", "write the report as report.md, report.html with plots, and report.jsonl")
    .option("--json", "print a line of JSON for each policy")
    .action(async (task: string, flags: Omit<ReportFlags, "policy"> & { readonly policy?: readonly string[] }) => {
      await actReport(io, task, { ...flags, policy: flags.policy ?? usual });
    });

const withVariations = (command: Command): Command =>
  command
    .option("--points <file>", "labelled places held out, for reliability and the worth of cuts")
    .option("--also-task <task>", "the same policies on another task; may be given more than once", more)
    .option("--also-speaker <spec>", "the same policies on another speaker; may be given more than once", more)
    .option("--also-chunk <tokens>", "the same with another chunk size; may be given more than once", more)
    .option("--stacked", "the same with speakers that are asked to be brief")
    .option("--symmetric", "the same with all roles listening");

/** The main comparison and, one after the other, those that differ from it in one thing. */
export async function actReport(io: Io, spec: string, flags: ReportFlags): Promise<Done> {
  if (flags.save !== undefined) await folderAt(flags.save);
  const task = await loadTask(spec);
  const policies = flags.policy.includes("never") ? flags.policy : ["never", ...flags.policy];
  const samples = task.samples({ split: flags.split, size: flags.samples, seed: flags.seed });
  const { budgetTokens, budgetCost, budgetGenerated, ...rest } = flags;
  const setting: Setting = {
    ...rest,
    task,
    samples,
    policies,
    symmetric: false,
    budget: { tokens: budgetTokens, amount: budgetCost },
    budgetGenerated,
  };
  const varied = await variations(setting, flags);
  const held = await heldOf(flags.points, policies);
  const main = await compareIn(io, setting);
  const others: NonNullable<Lesson["others"]>[number][] = [];
  if (main.ended === "done")
    for (const { by, name, setting: other } of varied) others.push({ by, name, ...(await compareIn(io, other)) });
  show(io, main, flags);
  if (main.ended === "budget") io.stderr.write("duplex: the budget is spent; the report is of what was finished\n");
  if (flags.save !== undefined) {
    const lesson = { task: task.name, flags, main, others, held };
    await writeLesson(io, flags.save, lesson);
    if (flags.json !== true) io.stdout.write(`report written to ${printable(flags.save)}\n`);
  }
  return main;
}

async function folderAt(path: string): Promise<void> {
  await makeFolder(path).catch((cause: unknown) => {
    throw new ConfigError(`--save ${path}`, "is no folder that can be written to", { cause });
  });
}

type Varied = { readonly by: Variation; readonly name: string; readonly setting: Setting };

/** Where a variation keeps its results: beside those of the main comparison. */
const beside = (out: string | undefined, name: string): string | undefined =>
  out?.replace(/(\.[^./\\]*)?$/, (end) => `.${name.replaceAll(/[^\w.-]+/g, "-")}${end}`);

async function variations(main: Setting, flags: ReportFlags): Promise<Varied[]> {
  const vary = (by: Variation, name: string, change: Partial<Setting>): Varied => ({
    by,
    name,
    setting: { ...main, ...change, out: beside(main.out, `${by}-${name}`) },
  });
  const tasks: Varied[] = [];
  for (const name of flags.alsoTask ?? []) {
    const task = await loadTask(name);
    tasks.push(
      vary("task", name, {
        task,
        samples: task.samples({ split: flags.split, size: flags.samples, seed: flags.seed }),
      }),
    );
  }
  const withoutOracle = main.policies.filter((name) => name !== "oracle");
  if (flags.stacked === true || flags.symmetric === true)
    checkSpeaks(main, flags.stacked === true ? "--stacked" : "--symmetric");
  return [
    ...tasks,
    ...(flags.alsoSpeaker ?? []).map((speaker) => vary("speaker", speaker, { speaker })),
    ...(flags.alsoChunk ?? []).map((size) => vary("chunk", size, { chunk: count("--also-chunk")(size) })),
    ...(flags.stacked === true
      ? [vary("concise", "concise", { policies: [...new Set(withoutOracle.flatMap(stack))] })]
      : []),
    ...(flags.symmetric === true ? [vary("symmetric", "everybody", { symmetric: true, policies: withoutOracle })] : []),
  ];
}

/** A policy with brevity asked of the speakers; `never` stays, for what all are compared with. */
const stack = (policy: string): string[] =>
  policy === "never" ? ["never", "concise"] : policy.includes("concise") ? [policy] : [`${policy}+concise`];

function checkSpeaks({ speaker, model, samples }: Setting, flag: string): void {
  const templated = samples.every(({ roles }) => roles.every(({ listens, says }) => listens || says !== undefined));
  const spec = speaker ?? (templated ? "template" : model);
  if (spec !== "template" && !/^simulated(?::|$)/.test(spec)) return;
  throw new ConfigError(flag, `asks something of the speakers, and ${spec} cannot do it; give --speaker a model`);
}

function show(io: Io, { reports, names }: Done, flags: ReportFlags): void {
  const { maxLoss, split, samples, seed } = flags;
  const { policy, why } = advise(reports, { maxLoss });
  if (flags.json === true) {
    for (const report of reports) io.stdout.write(`${JSON.stringify(report)}\n`);
    io.stdout.write(`${JSON.stringify({ advice: policy, why })}\n`);
    return;
  }
  const about = `${reports[0]?.task}: ${reports[0]?.samples ?? 0} of ${samples} samples of ${split}, seed ${seed}. Speaker ${names.speaker}, listener ${names.listener}.`;
  io.stdout.write(renderReport(about, reports, lookOf(io)));
  const regret = reports.filter(({ ofOracle }: PolicyReport) => ofOracle !== null);
  if (regret.length > 0) io.stdout.write("\nof the saving of the best cut in hindsight\n");
  for (const { policy: name, ofOracle } of regret) io.stdout.write(`${name}  ${Math.round(100 * (ofOracle ?? 0))} %\n`);
  io.stdout.write(`\nadvice: ${policy}: ${why}\n`);
}
