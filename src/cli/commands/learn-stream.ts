// Decision points of a team that streams: cut a speaker after one of its steps, or hear all of them?

import { readFile } from "node:fs/promises";
import { Command, Option } from "commander";
import { z } from "zod";
import type { Clock } from "../../base/clock.ts";
import { ConfigError } from "../../base/errors.ts";
import type { Topology } from "../../core/types.ts";
import { splits } from "../../eval/index.ts";
import type { Split } from "../../eval/index.ts";
import { mentions } from "../../eval/tasks/match.ts";
import { duplexVersion, openPoints, sampleStream } from "../../learn/index.ts";
import type { Assignment, PointsFile, StreamSampling } from "../../learn/index.ts";
import { stepMarks } from "../../models/simulated-steps.ts";
import { parseModel } from "../../models/spec.ts";
import { count, number } from "../flags.ts";
import type { Io } from "../io.ts";
import { printable } from "../printable.ts";
import { reasonOf } from "../reason.ts";
import { statusOn } from "../status.ts";
import { defaultModel, openTeam } from "../team.ts";

type Flags = {
  readonly out: string;
  readonly model?: string;
  readonly topology: string;
  readonly agents?: number;
  readonly steps: number | "auto";
  readonly speaker?: string;
  readonly listener?: string;
  readonly split: Split;
  readonly seed: number;
  readonly rollouts: number;
  readonly temperature: number;
  readonly maxTokens?: number;
  readonly budgetTokens?: number;
};

/** `duplex learn stream FILE`. */
export const streamCommand = (io: Io): Command =>
  new Command("stream")
    .description("where to cut a speaker of a team that streams: after one of its steps, or not at all")
    .argument("<tasks>", 'a .jsonl file of {"prompt": …, "answer": …}, with an "id" if you like')
    .requiredOption("--out <file>", "decision points, a line each; the same command goes on from there")
    .option("--model <spec>", `of all agents (default: DUPLEX_MODEL, else ${defaultModel})`)
    .option("--topology <shape>", "who hears whom: a shape's name or a file.json", "chain")
    .option("--agents <n>", "how many agents", count("--agents"))
    .option(
      "--steps <n>",
      "steps the first agent is asked for, or auto",
      (text) => (text === "auto" ? "auto" : count("--steps")(text)),
      "auto",
    )
    .option("--speaker <agent>", "who is cut (default: the first who is heard)")
    .option("--listener <agent>", "who cuts (default: the first who hears the speaker)")
    .addOption(new Option("--split <name>", "what these tasks are for").choices(splits).default("train"))
    .option("--seed <n>", "of rollouts", number("--seed", { whole: true }), 1)
    .option("--rollouts <n>", "most rollouts of each action at a step", count("--rollouts"), 10)
    .option("--temperature <t>", "of all models", number("--temperature", { least: 0 }), 0.7)
    .option("--max-tokens <n>", "most tokens a call may generate", count("--max-tokens"))
    .option("--budget-tokens <n>", "begin nothing more after so many generated tokens", count("--budget-tokens"))
    .addHelpText(
      "after",
      `
An answer is right if its last line names the task's. \`duplex learn fit\` makes weights of the points (features chunks and tokens),
for \`duplex run --protocol stream --chunk step --policy calibrated:FILE\`.

Example:
  duplex learn stream sums.jsonl --model llama:qwen2.5-coder-0.5b --agents 2 --steps 6 --out stream.jsonl`,
    )
    .action((path: string, flags: Flags) => act(io, path, flags));

const line = z.object({
  prompt: z.string().min(1),
  answer: z.union([z.string().min(1), z.number()]),
  id: z.string().optional(),
});

const lastLine = (text: string): string =>
  text
    .trim()
    .split("\n")
    .findLast((each) => each.trim() !== "" && each.trim() !== "END_STEP") ?? "";

async function assignmentsOf(path: string, split: Split, simulated: boolean): Promise<Assignment[]> {
  const text = await readFile(path, "utf8").catch((cause: unknown) => {
    throw new ConfigError(path, `cannot be read: ${reasonOf(cause)}`, { cause });
  });
  const rows = text
    .split("\n")
    .flatMap((row, index) => (row.trim() === "" ? [] : [{ row, at: `${path}:${index + 1}` }]));
  if (rows.length === 0) throw new ConfigError(path, "has no tasks");
  return rows.map(({ row, at }, index): Assignment => {
    const { success, data, error } = line.safeParse(jsonOf(row, at));
    if (!success)
      throw new ConfigError(at, `${error.issues[0]?.path.join(".") ?? ""}: ${error.issues[0]?.message ?? ""}`);
    const { id = `${split} ${index + 1}`, prompt, answer } = data;
    // Simulated words are sums, whatever is asked.
    const judge = simulated
      ? (said: string) => stepMarks(said).at(-1)?.right === true
      : (said: string) => mentions(lastLine(said), String(answer));
    return { id, split, prompt, judge };
  });
}

function jsonOf(row: string, at: string): unknown {
  try {
    return JSON.parse(row);
  } catch (cause) {
    throw new ConfigError(at, "is not a line of JSON", { cause });
  }
}

/** The same team with simulated models of a run's own: their chance is the run's, and time jumps. */
async function reseeded(
  io: Io,
  { agents, edges }: Topology,
  { spec, seed, clock }: { spec: string; seed: number; clock: Clock },
) {
  const made = agents.map(async (agent, index) => {
    const own = `${spec}${spec.includes(":") ? "," : ":"}seed=${(seed + index) % 2 ** 31}`;
    return { ...agent, model: await parseModel(own, { env: io.env, clock }) };
  });
  return { agents: await Promise.all(made), edges };
}

async function act(io: Io, path: string, flags: Flags): Promise<void> {
  const spec = flags.model ?? (io.env["DUPLEX_MODEL"] || defaultModel);
  const simulated = /^simulated(?::|$)/.test(spec);
  const assignments = await assignmentsOf(path, flags.split, simulated);
  const { topology, agents, steps, temperature, maxTokens, seed, rollouts, split } = flags;
  const team = await openTeam(
    { model: spec, topology, steps, temperature, ...(agents && { agents }), ...(maxTokens && { maxTokens }) },
    io,
  );
  try {
    const [speaker, listener] = edgeOf(team.topology, flags);
    const provenance = {
      duplex: duplexVersion(),
      model: spec,
      topology,
      agents: agents ?? null,
      steps,
      temperature,
      seed,
      rollouts,
    };
    const file = await openPoints(flags.out, provenance);
    const { maxTokens: most } = team.options;
    const sampling: StreamSampling = {
      task: `stream ${topology}`,
      assignments,
      team: ({ seed: own, clock }) =>
        simulated ? reseeded(io, team.topology, { spec, seed: own, clock }) : team.topology,
      speaker,
      listener,
      seed,
      rollouts,
      virtual: simulated,
      options: { temperature, maxTokens: most },
      budget: flags.budgetTokens === undefined ? undefined : Math.max(1, flags.budgetTokens - file.took.generated),
      done: file.keys,
      provenance,
      signal: io.signal,
    };
    try {
      await write(io, sampling, { file, out: flags.out, split });
    } finally {
      await file.close();
    }
  } finally {
    await team.close();
  }
}

/** Who is cut and who cuts. Throws a ConfigError that names the flag. */
function edgeOf({ edges }: Topology, { speaker, listener }: Flags): readonly [string, string] {
  const found = edges.find(([from, to]) => (speaker ?? from) === from && (listener ?? to) === to);
  if (found !== undefined) return found;
  const known = edges.map(([from, to]) => `${from} -> ${to}`).join(", ");
  throw new ConfigError("--speaker", `nobody hears like that; there are ${known === "" ? "no edges" : known}`);
}

type Writing = { readonly file: PointsFile; readonly out: string; readonly split: Split };

async function write(io: Io, given: StreamSampling, { file, out }: Writing): Promise<void> {
  const status = statusOn(io);
  let [added, spent, told] = [0, 0, 0];
  const sampling = { ...given, onSpent: (tokens: number) => void (spent += tokens) };
  try {
    for await (const point of sampleStream(sampling)) {
      await file.add({ ...point, took: { generated: spent - told, amount: 0 } });
      told = spent;
      added++;
      status.show(`${point.sample}, step ${point.chunk}: ${added} points, ${spent} tokens`);
    }
  } finally {
    status.clear();
    io.stderr.write(
      `duplex: ${file.done.length + added} decision points in ${printable(out)}, ${added} of them new; ${spent} tokens generated\n`,
    );
  }
}
