import { createReadStream } from "node:fs";
import { writeFile } from "node:fs/promises";
import { Command } from "commander";
import { ConfigError } from "../../base/errors.ts";
import { readTrace } from "../../core/trace.ts";
import type { RunEvent } from "../../core/types.ts";
import { formatProfile, leastBudget, probe, profileLine, profileOf } from "../../eval/measure/index.ts";
import type { Estimate, Grading, Profile } from "../../eval/measure/index.ts";
import { count, number } from "../flags.ts";
import type { Io } from "../io.ts";
import { lookOf } from "../look.ts";
import { openModels } from "../open.ts";
import { printable } from "../printable.ts";
import { reasonOf } from "../reason.ts";
import { statusOn } from "../status.ts";
import { renderTable } from "../table.ts";

type Flags = {
  readonly model?: string;
  readonly budgetTokens?: number;
  readonly judge?: string;
  readonly quality: boolean;
  readonly steps: number;
  readonly seed: number;
  readonly output?: string;
  readonly json?: true;
};

/** `duplex measure`: what a model's speeds, prompts, contexts and steps are like, from traces or by asking it. */
export function measureCommand(io: Io): Command {
  return new Command("measure")
    .description("measure a model, from traces of its runs or by asking it, for `duplex plan`")
    .argument("[traces...]", "traces of runs of one model: JSONL, as `duplex run --trace` writes them")
    .option("--model <spec>", "ask this model instead: simulated, openai:NAME@URL, llama:NAME …")
    .option("--budget-tokens <n>", "tokens that asking may take, read and said together", budgetTokens)
    .option("--steps <n>", "steps of a message when asking", count("--steps"), 4)
    .option("--judge <spec>", "a model that judges steps, in place of adding up sums")
    .option("--no-quality", "do not measure how right steps are")
    .option("--seed <n>", "the same seed asks the same", number("--seed", { whole: true }), 0)
    .option("-o, --output <file>", "write the profile to a file, for duplex plan --profile")
    .option("--json", "print the profile as a line of JSON")
    .addHelpText(
      "after",
      `
Asking spends the budget, in tokens you pay for: about 40 % on speeds, 25 % on runs of two agents, the rest on how right
steps are. Quality needs some 50000 tokens for intervals that tell anything. Traces tell all but quality.

Examples:
  duplex measure run.jsonl more.jsonl -o profile.json
  duplex measure --model openai:gpt-4.1-mini --budget-tokens 200000 -o profile.json
  duplex measure --model simulated:ttft=5,decode=4000,accuracy=0.8 --budget-tokens 20000`,
    )
    .action((traces: readonly string[], flags: Flags) => measure(io, traces, flags));
}

const budgetTokens = number("--budget-tokens", { least: leastBudget, whole: true });

async function measure(io: Io, traces: readonly string[], flags: Flags): Promise<void> {
  if (flags.model !== undefined && traces.length > 0)
    throw new ConfigError("--model", "give traces or a model to ask, not both");
  if (flags.model === undefined && traces.length === 0)
    throw new ConfigError("traces", "give at least one trace, or a model to ask with --model and --budget-tokens");
  const profile = flags.model === undefined ? await fromTraces(io, traces) : await asked(io, flags.model, flags);
  if (flags.output !== undefined) await write(flags.output, profile);
  if (flags.json === true) io.stdout.write(`${profileLine(profile)}\n`);
  else show(io, profile);
  if (flags.output !== undefined && flags.json !== true) io.stdout.write(`\nprofile: ${printable(flags.output)}\n`);
}

async function write(path: string, profile: Profile): Promise<void> {
  try {
    await writeFile(path, formatProfile(profile));
  } catch (error) {
    throw new ConfigError("--output", `${printable(path)}: ${reasonOf(error)}`, { cause: error });
  }
}

async function fromTraces(io: Io, files: readonly string[]): Promise<Profile> {
  const runs: (readonly RunEvent[])[] = [];
  for (const file of files) runs.push(...(await runsIn(io, file)));
  return profileOf(runs);
}

async function runsIn(io: Io, file: string): Promise<readonly (readonly RunEvent[])[]> {
  const place = printable(file);
  const source = createReadStream(file, { encoding: "utf8", signal: io.signal });
  const { runs, torn, problem } = await readTrace(source).catch((error: unknown) => {
    io.signal.throwIfAborted();
    throw new ConfigError(place, `cannot be read: ${reasonOf(error)}`, { cause: error });
  });
  if (problem !== undefined) throw new ConfigError(place, printable(problem.message), { cause: problem });
  for (const error of torn) io.stderr.write(`${place}: ${error.message}\n`);
  if (runs.length === 0) throw new ConfigError(place, "there is no run in this file");
  return runs;
}

async function asked(io: Io, spec: string, flags: Flags): Promise<Profile> {
  const { budgetTokens: budget, steps, seed, judge, quality } = flags;
  if (budget === undefined)
    throw new ConfigError("--budget-tokens", `say how many tokens asking may take, at least ${leastBudget}`);
  if (judge !== undefined && !quality) throw new ConfigError("--judge", "there is nothing to judge with --no-quality");
  const flagOf = (one: string) => (one === spec ? "--model" : "--judge");
  const models = await openModels([spec, ...(judge === undefined ? [] : [judge])], io, flagOf);
  const status = statusOn(io);
  const grading: Grading = judge === undefined ? {} : { judge: models.get(judge) };
  try {
    return await probe(models.get(spec), {
      budget,
      steps,
      seed,
      quality: quality ? grading : false,
      signal: io.signal,
      onProgress: ({ phase, tokens }) => status.show(`${phase}: ${tokens} of ${budget} tokens`),
    });
  } finally {
    status.clear();
    await models.close();
  }
}

const columns = [
  { title: "measure" },
  { title: "value", numeric: true },
  { title: "95 % from", numeric: true, drop: 1 },
  { title: "to", numeric: true, drop: 1 },
  { title: "unit" },
];

const rounded = (value: number): string =>
  Number.isFinite(value) ? String(Number(value.toPrecision(3))) : "unbounded";

type Row = readonly [name: string, estimate: Estimate | null | undefined, unit: string];

const rowOf = ([name, estimate, unit]: Row): string[] =>
  estimate === null || estimate === undefined
    ? [name, "?", "", "", unit]
    : [name, rounded(estimate.value), rounded(estimate.low), rounded(estimate.high), unit];

function rowsOf({ speeds, tokens, ratios, rho, quality }: Profile): Row[] {
  const lengths: Row[] = [
    ["prompt", tokens?.prompt, "tokens"],
    ["listener's prompt", tokens?.listenerPrompt, "tokens"],
    ["steps", tokens?.steps, "a message"],
    ["step", tokens?.step, "tokens"],
    ["step of a listener, serial", tokens?.reply.serial, "tokens"],
    ["step of a listener, stream", tokens?.reply.stream, "tokens"],
  ];
  const contexts = Object.entries(ratios).flatMap(([protocol, { alpha, beta, rPo }]): Row[] => [
    [`alpha, ${protocol}`, alpha, "uncached per said"],
    [`beta, ${protocol}`, beta, "cached per said"],
    [`r_po, ${protocol}`, rPo, "steps a prompt"],
  ]);
  const right = (quality?.profile ?? []).map((estimate, step): Row => [`p_${step + 1}`, estimate, "probability"]);
  return [
    ["time to first token", speeds.timeToFirstTokenMs, "ms"],
    ["prefill", speeds.prefill, "tokens/s"],
    ["cache read", speeds.cacheRead, "tokens/s"],
    ["decode", speeds.decode, "tokens/s"],
    ...(tokens === null ? [] : lengths),
    ...contexts,
    ["rho", rho, "stream over serial"],
    ...right,
    ...(quality === null
      ? []
      : ([
          ["delta", quality.delta, "per right step"],
          ["epsilon", quality.epsilon, "per wrong step"],
        ] satisfies Row[])),
    ...(quality?.judge.agreement == null
      ? []
      : [["judge's agreement", quality.judge.agreement, "share"] satisfies Row]),
  ];
}

function show(io: Io, profile: Profile): void {
  const { model, simulated, from, notes, cache, quality } = profile;
  const source = from.source === "probe" ? "asked" : `${from.runs} run${from.runs === 1 ? "" : "s"}`;
  const spent = `${from.calls} calls, ${from.inputTokens} tokens read, ${from.outputTokens} said`;
  const lines = [
    `${printable(model)}${simulated ? " (simulated)" : ""}: ${source}, ${spent}`,
    "",
    ...renderTable(columns, rowsOf(profile).map(rowOf), lookOf(io)),
    "",
    `cached for an agent's next call: ${cache ?? "?"}`,
    ...(quality === null ? [] : [`steps judged: ${quality.judged} (${printable(quality.judge.name)})`]),
    ...notes.map((note) => `note: ${printable(note)}`),
  ];
  io.stdout.write(`${lines.join("\n")}\n`);
}
