// What `run` and `compare` share: the options that say who works together, and how.

import { readFile } from "node:fs/promises";
import type { Command } from "commander";
import { Option } from "commander";
import { ConfigError } from "../base/errors.ts";
import type { Policy } from "../core/policy.ts";
import { teamOf } from "../core/prompts.ts";
import { delimiterOf, splitterForms, splitterNamed } from "../core/splitters.ts";
import { policyForms, policyNamed } from "../policies/index.ts";
import { topologyNames } from "../core/topology.ts";
import type { TopologyName } from "../core/topology.ts";
import { parseTopology } from "../core/topology-file.ts";
import type { Hear, Join, Splitter, Topology } from "../core/types.ts";
import type { Price } from "../core/usage.ts";
import { parsePrice, priceOf } from "../models/prices.ts";
import { modelForms } from "../models/spec.ts";
import type { RunOptions } from "../runtime/run.ts";
import type { Io } from "./io.ts";
import { talkers } from "../server/ready.ts";
import { agentCount, atFlag, count, number, seconds, steps } from "./flags.ts";
import { openModels } from "./open.ts";
import type { Opened } from "./open.ts";
import { openPolicies } from "./policies.ts";
import { reasonOf } from "./reason.ts";

/** The options as commander gives them. */
export type TeamFlags = {
  readonly file?: string;
  readonly model?: string;
  readonly topology: string;
  readonly agents?: number;
  readonly steps: number | "auto";
  readonly join?: Join;
  readonly hear?: Hear;
  readonly splitter?: string;
  readonly onFailure?: "failFast" | "collect";
  readonly maxTokens?: number;
  readonly temperature?: number;
  readonly seed?: number;
  readonly timeout?: number;
  readonly idle?: number;
  readonly price?: string;
  readonly policy?: string;
  readonly chunk?: number | "step";
  readonly cut?: "all" | "any" | "leave";
  /** Of `run`: a dialogue is one between agents without edges. */
  readonly protocol?: string;
};

/** The model used where nothing else is said. */
export const defaultModel = "llama:qwen2.5-coder-0.5b";

/** A small model that loses its thread goes on until its context is full, which takes minutes. */
const localTokens = 512;

const chunk = (text: string): number | "step" => (text === "step" ? text : count("--chunk")(text));

/** Gives a policy to everybody. */
const listening = ({ agents, edges }: Topology, policy: Policy | undefined): Topology =>
  policy === undefined ? { agents, edges } : { agents: agents.map((agent) => ({ ...agent, policy })), edges };

type Listener = { readonly policy: Policy | undefined; readonly close: () => Promise<void> };

/** The policy that the flags name, with what it needs opened. Rejects with a ConfigError for a policy there is not. */
async function openPolicy({ policy: spec, seed, model }: TeamFlags): Promise<Listener> {
  if (spec === undefined) return { policy: undefined, close: async () => {} };
  const { close, ...opened } = await openPolicies([spec], { model: model ?? defaultModel });
  try {
    return { policy: policyNamed(spec, { ...opened, seed, place: "--policy" }), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Adds the options to a command. */
export function teamOptions(command: Command): Command {
  return command
    .option("--file <file>", "read the task from a file")
    .option("--model <spec>", `${modelForms} (default: DUPLEX_MODEL, else ${defaultModel})`)
    .option("--topology <shape>", `who hears whom: ${topologyNames.join(", ")} or a file.json`, "chain")
    .option("--agents <n>", "how many agents (default: 2 in a chain, 4 in other shapes)", agentCount)
    .option("--steps <n>", "steps the first agent is asked for, or auto", steps("--steps"), "auto")
    .addOption(new Option("--join <how>", "how several speakers are joined").choices(["aligned", "arrival"]))
    .addOption(
      new Option("--hear <how>", "one call for each step, or for all that are waiting").choices(["each", "waiting"]),
    )
    .option("--policy <policy>", `when listeners leave or cut a speaker: ${policyForms.join(", ")}`)
    .option("--chunk <tokens>", "tokens between two decisions of a policy, or step (default: 16)", chunk)
    .addOption(
      new Option(
        "--cut <how>",
        "a raised hand: its listener leaves and the last one cuts, the first cuts, or nobody does",
      ).choices(["all", "any", "leave"]),
    )
    .option("--splitter <form>", `what a step is: ${splitterForms}`)
    .addOption(new Option("--on-failure <how>", "whether a failed agent ends the run").choices(["failFast", "collect"]))
    .option(
      "--max-tokens <n>",
      `most tokens a call may generate (default: ${localTokens} for llama: models)`,
      count("--max-tokens"),
    )
    .option("--temperature <t>", "0: always the likeliest word", number("--temperature", { least: 0 }))
    .option("--seed <n>", "same seed, same draws (where the model can)", number("--seed", { least: 0, whole: true }))
    .option("--timeout <s>", "seconds a run may take", seconds("--timeout"))
    .option("--idle <s>", "seconds a model may be silent (default: 120)", seconds("--idle"))
    .option("--price <price>", "input=2.5,cached=0.25,output=10,currency=USD per million tokens");
}

/** A team ready to run. Close it at the end. */
export type Team = {
  readonly topology: Topology;
  readonly options: RunOptions;
  /** What a model takes, by its id; undefined where nobody knows. */
  readonly priceOf: (model: string) => Price | undefined;
  readonly close: () => Promise<void>;
};

/** Opens the models and sets up the agents. Throws ConfigError for what is wrong with the options, ModelError for a model. */
export async function openTeam(flags: TeamFlags, io: Io): Promise<Team> {
  const { splitter, join, hear, onFailure, temperature, seed, idle, cut } = flags;
  const price = flags.price === undefined ? undefined : parsePrice(flags.price);
  const split = splitter === undefined ? undefined : splitterAt(splitter);
  const { specs, named, build } = await planOf(flags, io);
  const maxTokens =
    flags.maxTokens ?? ([...specs, ...named].some((spec) => spec.startsWith("llama:")) ? localTokens : undefined);
  const listener = await openPolicy(flags);
  const opened = await openAll({ specs, named, file: flags.topology }, io).catch(async (error: unknown) => {
    await listener.close();
    throw error;
  });
  const close = async () => {
    await opened.close();
    await listener.close();
  };
  try {
    const topology = listening(build(opened), listener.policy);
    const idleMs = idle === undefined ? undefined : idle * 1000;
    const given = {
      splitter: split,
      join,
      hear,
      onFailure,
      maxTokens,
      temperature,
      seed,
      idleMs,
      cut,
      chunk: flags.chunk,
    };
    return {
      topology,
      options: Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
      priceOf: (id) => price ?? priceOf(opened.specOf(id) ?? id),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** What is wrong after the colon, as in `sentence:LOCALE`, is wrong at the flag too. */
function splitterAt(spec: string): Splitter {
  try {
    return atFlag("splitter", () => splitterNamed(spec));
  } catch (error) {
    if (!(error instanceof ConfigError) || error.path === "--splitter") throw error;
    throw new ConfigError("--splitter", error.message, { cause: error.cause });
  }
}

type Planned = {
  /** The models that flags and environment name. */
  readonly specs: readonly string[];
  /** Those that the topology file names. */
  readonly named: readonly string[];
  readonly build: (opened: Opened) => Topology;
};

/** Opens all models; one that the topology file names is wrong there. */
async function openAll(
  { specs, named, file }: Pick<Planned, "specs" | "named"> & { readonly file: string },
  io: Io,
): Promise<Opened> {
  const first = await openModels(specs, io);
  const rest = named.filter((spec) => !specs.includes(spec));
  if (rest.length === 0) return first;
  try {
    const second = await openModels(rest, io, () => `${file}: model`);
    return {
      get: (spec) => (specs.includes(spec) ? first : second).get(spec),
      specOf: (id) => first.specOf(id) ?? second.specOf(id),
      close: async () => {
        await second.close();
        await first.close();
      },
    };
  } catch (error) {
    await first.close();
    throw error;
  }
}

async function planOf(flags: TeamFlags, io: Io): Promise<Planned> {
  const main = flags.model ?? (io.env["DUPLEX_MODEL"] || defaultModel);
  const name = topologyNames.find((each) => each === flags.topology);
  if (name !== undefined && flags.protocol === "dialogue") return pairOf(flags, main);
  if (name !== undefined) {
    const agents = flags.agents ?? usual(name);
    const build = ({ get }: Opened) => teamOf({ topology: name, agents, model: get(main), ...roles(flags) });
    // Wrong numbers are told before a model is opened, which may take a while.
    teamOf({ topology: name, agents, model: { id: main, stream: noWords }, ...roles(flags) });
    return { specs: [main], named: [], build };
  }
  if (!/[\\/.]/.test(flags.topology))
    throw new ConfigError(
      "--topology",
      `there is no "${flags.topology}"; there are ${topologyNames.join(", ")}, or give a file.json`,
    );
  if (flags.agents !== undefined) throw new ConfigError("--agents", "is told by the topology file; leave it out");
  const value = await readJson(flags.topology);
  const inFile = <T>(make: () => T): T => within(flags.topology, make);
  inFile(() => parseTopology(value, { model: (spec) => ({ id: spec ?? main, stream: noWords }) }));
  const { specs, every } = namesIn(value);
  const build = ({ get }: Opened) => inFile(() => parseTopology(value, { model: (spec) => get(spec ?? main) }));
  return { specs: every ? [] : [main], named: [...specs], build };
}

/** Two agents in dialogue. */
function pairOf({ topology, agents }: TeamFlags, main: string): Planned {
  const file = "or give a file.json with the agents";
  if (topology !== "chain") throw new ConfigError("--topology", `a dialogue has no shape; leave it out, ${file}`);
  if (agents !== undefined && agents !== 2)
    throw new ConfigError("--agents", `ready-made are 2 for a dialogue; leave it out, ${file}`);
  return { specs: [main], named: [], build: ({ get }) => talkers(get(main)) };
}

async function* noWords(): AsyncGenerator<never, void, undefined> {}

const usual = (name: TopologyName): number => (name === "single" ? 1 : name === "chain" ? 2 : 4);

const roles = ({ steps: asked, splitter }: TeamFlags) => ({ steps: asked, delimiter: delimiterOf(splitter) });

async function readJson(path: string): Promise<unknown> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    throw new ConfigError("--topology", `${path} cannot be read: ${reasonOf(error)}`, { cause: error });
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ConfigError("--topology", `${path} is not JSON: ${reasonOf(error)}`, { cause: error });
  }
}

/** The models that the agents of a topology file name, and whether each agent names one. The file has been checked. */
function namesIn(value: unknown): { readonly specs: ReadonlySet<string>; readonly every: boolean } {
  const fields = value as Readonly<Record<string, unknown>>;
  const listed = fields["agents"];
  const agents = Array.isArray(listed) ? (listed as unknown[]) : Object.values(fields);
  const specs = agents.map((agent) => (agent as { readonly model?: string }).model);
  return {
    specs: new Set(specs.filter((spec) => spec !== undefined)),
    every: specs.every((spec) => spec !== undefined),
  };
}

/** Names the file before the place in it. */
function within<T>(file: string, make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new ConfigError(file, error.message, { cause: error });
  }
}
