// A config: read from a file, checked, and made into teams.

import { readFile } from "node:fs/promises";
import { extname, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { ConfigError, explain } from "../base/errors.ts";
import type { Policy } from "../core/policy.ts";
import { teamOf } from "../core/prompts.ts";
import { delimiterOf, splitterNamed } from "../core/splitters.ts";
import { parseTopology } from "../core/topology-file.ts";
import type { Agent, Model, Topology } from "../core/types.ts";
import { specError } from "../models/spec.ts";
import type { OpenModel } from "../models/spec.ts";
import { policyNamed } from "../policies/index.ts";
import type { OpenedPolicies, OpenPolicies } from "../policies/index.ts";
import { dialogue } from "../runtime/dialogue.ts";
import { run } from "../runtime/run.ts";
import type { RunOptions } from "../runtime/run.ts";
import { configSchema } from "./config-schema.ts";
import type { Config, TeamConfig } from "./config-schema.ts";
import { faultIn } from "./fault.ts";
import { talkers } from "./ready.ts";
import type { HandlerOptions } from "./service.ts";
import type { Team } from "./team.ts";

/** Checks a config. Throws a ConfigError that names the first place that is wrong, as in `teams.review.protocol`. */
export function checkConfig(value: unknown): Config {
  const { success, data, error } = configSchema.safeParse(value);
  if (success) return data;
  const { path, message } = faultIn(error, value);
  throw new ConfigError(path === "" ? "config" : path, message);
}

async function valueOf(file: string): Promise<unknown> {
  const path = resolve(file);
  if (extname(path) !== ".json") {
    const module = (await import(pathToFileURL(path).href)) as { readonly default?: unknown };
    if (module.default === undefined) throw new Error("it has no default export");
    return module.default;
  }
  return JSON.parse(await readFile(path, "utf8"));
}

function reasonOf(file: string, error: unknown): string {
  // JSON errors quote the file, where there may be secrets.
  if (error instanceof SyntaxError && file.endsWith(".json")) return "it is not JSON";
  const { code } = error as NodeJS.ErrnoException;
  if (code === "ENOENT") return "there is no such file";
  if (code !== "ERR_UNKNOWN_FILE_EXTENSION") return explain(error);
  return "this Node cannot import it; TypeScript needs Node 22.18 or later, or write JSON or JavaScript (.mjs)";
}

/** Reads a config of JSON, or the default export of a module (TypeScript where Node can). Throws a ConfigError. */
export async function readConfig(file: string): Promise<Config> {
  let value: unknown;
  try {
    value = await valueOf(file);
  } catch (error) {
    throw new ConfigError(file, `cannot be read: ${reasonOf(file, error)}`);
  }
  try {
    return checkConfig(value);
  } catch (error) {
    throw error instanceof ConfigError ? new ConfigError(file, error.message) : error;
  }
}

/** Opens a model by its spec. */
export type OpenSpec = (spec: string) => Promise<OpenModel>;

/** What a config comes to; close it at the end. */
export type Opened = Pick<HandlerOptions, "teams" | "models" | "limits" | "origins"> & {
  readonly close: () => Promise<void>;
};

/** Puts the place before what is wrong. */
function at<T>(place: string, make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new ConfigError(place, error.message, { cause: error });
  }
}

const rethrow = (error: unknown): never => {
  throw error;
};

type Models = ReadonlyMap<string | Model, Model>;

/** The models a config mentions: those it names, and those its teams give by spec. */
function mentioned({ models = {}, teams = {} }: Config): ReadonlyMap<string, string> {
  const specs = new Map<string, string>();
  const add = (given: unknown, place: string) => {
    if (typeof given === "string" && !Object.hasOwn(models, given) && !specs.has(given)) specs.set(given, place);
  };
  for (const [name, given] of Object.entries(models)) if (typeof given === "string") specs.set(given, `models.${name}`);
  for (const [name, { model, topology }] of Object.entries(teams)) {
    add(model, `teams.${name}.model`);
    if (typeof topology !== "object") continue;
    const list = topology["agents"];
    const agents = Array.isArray(list) ? (list as unknown[]) : Object.values(topology);
    for (const agent of agents) add((agent as { readonly model?: unknown } | null)?.model, `teams.${name}.topology`);
  }
  return specs;
}

function topologyOf(config: TeamConfig, models: Models): Topology {
  const { topology = "chain", agents, model, steps, splitter, protocol } = config;
  const get = (name: string | Model | undefined): Model => {
    const given = name ?? model;
    if (given === undefined) throw new ConfigError("model", "is missing; name a model for the team or for each agent");
    return typeof given === "string" ? (models.get(given) as Model) : given;
  };
  if (protocol === "dialogue" && config.topology === undefined && agents === undefined) return talkers(get(undefined));
  if (typeof topology === "string") {
    const count = agents ?? (topology === "single" ? 1 : topology === "chain" ? 2 : 4);
    return teamOf({ topology, agents: count, model: get(undefined), steps, delimiter: delimiterOf(splitter) });
  }
  if (agents !== undefined) throw new ConfigError("agents", "are told by the topology; leave it out");
  const list = topology["agents"];
  const made = Array.isArray(list) && list.some((agent) => typeof (agent as Agent | null)?.model === "object");
  return made ? (topology as unknown as Topology) : at("topology", () => parseTopology(topology, { model: get }));
}

const isOne = (value: object): value is Policy =>
  typeof (value as { readonly name?: unknown }).name === "string" && "decide" in value;

/** The policies of a team that are written as text. */
function textsOf({ policy }: TeamConfig): readonly string[] {
  if (policy === undefined) return [];
  const all = typeof policy === "string" || isOne(policy) ? [policy] : Object.values(policy);
  return all.filter((one) => typeof one === "string");
}

/** Gives listeners their policies: one for all that hear somebody, or by agent. */
function withPolicies(
  { agents, edges }: Topology,
  { policy, protocol }: TeamConfig,
  policies: Partial<OpenedPolicies>,
): Topology {
  if (policy === undefined) return { agents, edges };
  const one = typeof policy === "string" || isOne(policy) ? policy : undefined;
  const byAgent = one === undefined ? (policy as Readonly<Record<string, string | Policy>>) : {};
  const unknown = Object.keys(byAgent).find((id) => !agents.some((agent) => agent.id === id));
  if (unknown !== undefined)
    throw new ConfigError(
      `policy.${unknown}`,
      `there is no such agent; there are ${agents.map(({ id }) => id).join(", ")}`,
    );
  const hears = new Set(edges.map(([, listener]) => listener));
  const given = agents.map((agent) => {
    const found =
      one === undefined ? byAgent[agent.id] : protocol === "dialogue" || hears.has(agent.id) ? one : undefined;
    if (found === undefined) return agent;
    const place = one === undefined ? `policy.${agent.id}` : "policy";
    return { ...agent, policy: typeof found === "string" ? policyNamed(found, { ...policies, place }) : found };
  });
  return { agents: given, edges };
}

const passed = [
  "join",
  "hear",
  "chunk",
  "cut",
  "onFailure",
  "onInterruptUsage",
  "maxTokens",
  "temperature",
  "seed",
  "idleMs",
  "decisionMs",
] as const;

function optionsOf(config: TeamConfig): NonNullable<Team["options"]> {
  const { protocol, rounds, audience, splitter } = config;
  if (protocol !== "dialogue" && (rounds !== undefined || audience !== undefined))
    throw new ConfigError(rounds === undefined ? "audience" : "rounds", 'is for the protocol "dialogue" only');
  const talk = { ...(rounds === undefined ? {} : { rounds }), ...(audience === undefined ? {} : { audience }) };
  const given: RunOptions = {
    protocol: protocol === "dialogue" ? dialogue(talk) : protocol,
    ...(splitter === undefined ? {} : { splitter: splitterNamed(splitter) }),
  };
  const others = passed.flatMap((name) => (config[name] === undefined ? [] : [[name, config[name]] as const]));
  return { ...given, ...Object.fromEntries(others) };
}

/** A team as a config describes it. Throws a ConfigError that names the place within the team. */
function teamFrom(config: TeamConfig, models: Models, policies: Partial<OpenedPolicies>): Team {
  const topology = withPolicies(topologyOf(config, models), config, policies);
  const options = optionsOf(config);
  // What cannot be played is found now and not at the first request; nothing begins until it is read.
  run(topology, "a task", options);
  const { description, answer, reasoning } = config;
  return { topology, options, description, answer, reasoning };
}

/**
 * Opens the models of a config, and by `openPolicies` what its policies need, and makes its teams. Rejects with a ConfigError
 * or ModelError; nothing stays open then.
 */
export async function openConfig(config: Config, open: OpenSpec, openPolicies?: OpenPolicies): Promise<Opened> {
  const opened = new Map<string, OpenModel>();
  const policies: OpenedPolicies[] = [];
  const close = async () => {
    for (const each of policies.splice(0)) await each.close();
    for (const model of opened.values()) await model.close?.();
    opened.clear();
  };
  const policiesOf = async (team: TeamConfig): Promise<Partial<OpenedPolicies>> => {
    const texts = textsOf(team);
    if (openPolicies === undefined || texts.length === 0) return {};
    const model = typeof team.model === "string" ? team.model : undefined;
    const found = await openPolicies(texts, { place: "policy", model });
    policies.push(found);
    return found;
  };
  try {
    for (const [spec, place] of mentioned(config)) {
      const model = await open(spec).catch((error: unknown) => {
        throw specError(error, place);
      });
      opened.set(spec, model);
    }
    const named = Object.entries(config.models ?? {}).map(
      ([name, given]) => [name, typeof given === "string" ? (opened.get(given) as Model) : given] as const,
    );
    const models = new Map<string | Model, Model>([...opened, ...named]);
    const teams: [string, Team][] = [];
    for (const [name, team] of Object.entries(config.teams ?? {})) {
      const found = await policiesOf(team).catch((error: unknown) => at(`teams.${name}`, () => rethrow(error)));
      teams.push([name, at(`teams.${name}`, () => teamFrom(team, models, found))]);
    }
    const { limits, origins } = config;
    return { teams: Object.fromEntries(teams), models: Object.fromEntries(named), limits, origins, close };
  } catch (error) {
    await close();
    throw error;
  }
}
