import { ConfigError } from "../base/errors.ts";
import { byDelimiter } from "./splitters.ts";
import { edgesOf, topology as checkedTopology, topologyNames } from "./topology.ts";
import type { TopologyName } from "./topology.ts";
import type { Model, Step, Topology } from "./types.ts";

/** What the instructions of a ready-made role say. */
export type RoleOptions = {
  readonly agents: number;
  /** How many steps the solver is asked for; `auto` leaves it to the model. */
  readonly steps?: number | "auto" | undefined;
  /** What ends a step; null where a splitter needs none. */
  readonly delimiter?: string | null | undefined;
};

/** Who an agent is and what it is told. */
export type Role = { readonly id: string; readonly instructions: string };

const isPositive = (value: unknown) => Number.isSafeInteger(value) && (value as number) > 0;

function checkOptions(topology: string, { agents, steps = "auto", delimiter }: RoleOptions): void {
  if (!(topologyNames as readonly string[]).includes(topology))
    throw new ConfigError("topology", `unknown ${JSON.stringify(topology)}; there are ${topologyNames.join(", ")}`);
  if (!isPositive(agents)) throw new ConfigError("agents", `must be a whole number of at least 1, not ${agents}`);
  if (topology === "single" && agents !== 1)
    throw new ConfigError(
      "agents",
      `must be 1 in the topology single, not ${agents}; a chain, tree or graph takes more`,
    );
  if (steps !== "auto" && !isPositive(steps))
    throw new ConfigError("steps", `must be "auto" or a whole number of at least 1, not ${steps}`);
  // Called for its check.
  if (delimiter !== null) byDelimiter({ delimiter });
}

/** Names by position; whoever hears several speakers is a synthesizer instead. */
const fewNames = ["solver", "reviewer", "checker", "editor"] as const;

function idsOf(topology: TopologyName, count: number): readonly string[] {
  const positions = Array.from({ length: count }, (_, index) => String(index));
  const heard = positions.map(() => 0);
  for (const [, listener] of edgesOf(topology, positions)) heard[Number(listener)]! += 1;
  let reviewers = 0;
  return positions.map((_, index) => {
    if (index === 0) return "solver";
    if (heard[index]! > 1) return "synthesizer";
    return count > fewNames.length ? `reviewer-${++reviewers}` : (fewNames[index] as string);
  });
}

function listed(ids: readonly string[]): string {
  if (ids.length > 4) return `${ids.length} agents, ${ids[0]} to ${ids.at(-1)}`;
  return ids.length < 2 ? ids.join("") : `${ids.slice(0, -1).join(", ")} and ${ids.at(-1)}`;
}

/** Shown and not only told: small models keep a form that they have seen. */
const form = (delimiter: string) =>
  `After every step write ${delimiter} alone on a line, like this:\nStep 1: ...\n${delimiter}\nStep 2: ...\n${delimiter}`;

function solver(id: string, steps: number | "auto", close: string): string {
  const size =
    steps === "auto" ? "step by step" : steps === 1 ? "in 1 step" : `in exactly ${steps} steps of about equal size`;
  return (
    `You are ${id}. Solve the task ${size}. Keep each step short: only the reasoning that matters. ` +
    `The last step states the final answer; say nothing after it. ${close}`
  ).trim();
}

function reviewer(id: string, parents: readonly string[], close: string): string {
  return (
    `You are ${id}. You hear ${listed(parents)} solve the task, one or more steps at a time. ` +
    'Check each step that you have just heard. If it is wrong, write "Correction:", say what was wrong and put it right; ' +
    "if it is right, repeat it in brief. Pass on the most accurate version. Where a step states the final answer, state the one " +
    `you found right. Answer with exactly as many steps as you have just heard, in their order. ${close}`
  ).trim();
}

function synthesizer(id: string, parents: readonly string[], close: string): string {
  return (
    `You are ${id}. You hear ${listed(parents)} solve the task, one or more steps at a time. ` +
    "Merge what they say under the same step number into one step: compare, keep what is right, and where one of them is " +
    'wrong write "Correction:" and put it right. Where a step states the final answer, state the one you found right. ' +
    `Answer with exactly one step for each step number that you have just heard, in order. ${close}`
  ).trim();
}

/**
 * Ids and instructions of a team: a solver, reviewers who correct, and a synthesizer wherever several are heard. The words are the
 * same whether steps arrive one by one or all at once, so that protocols differ in transport only.
 * Throws ConfigError for an unknown topology or a bad number or delimiter.
 */
export function rolePrompts(topology: TopologyName, options: RoleOptions): readonly Role[] {
  checkOptions(topology, options);
  const { agents, steps = "auto", delimiter = "END_STEP" } = options;
  const ids = idsOf(topology, agents);
  const edges = edgesOf(topology, ids);
  const close = delimiter === null ? "" : form(delimiter.trim());
  return ids.map((id) => {
    const parents = edges.flatMap(([speaker, listener]) => (listener === id ? [speaker] : []));
    if (parents.length === 0) return { id, instructions: solver(id, steps, close) };
    return { id, instructions: parents.length === 1 ? reviewer(id, parents, close) : synthesizer(id, parents, close) };
  });
}

/** What a ready-made team is made of. */
export type TeamOptions = RoleOptions & {
  readonly topology: TopologyName;
  /** One model for all, or the model of the agent at an index from 0. */
  readonly model: Model | ((index: number) => Model);
};

/** A team with role prompts, ready to run. Throws ConfigError as `rolePrompts` does. */
export function teamOf({ topology, model, ...options }: TeamOptions): Topology {
  const agents = rolePrompts(topology, options).map((role, index) => ({
    ...role,
    model: typeof model === "function" ? model(index) : model,
  }));
  return checkedTopology(
    agents,
    edgesOf(
      topology,
      agents.map(({ id }) => id),
    ),
  );
}

/** The user message that brings heard steps, with speakers and step numbers from 1; the first one brings the task too. */
export function heardMessage(steps: readonly Step[], { task }: { readonly task?: string | undefined } = {}): string {
  const heard = steps.map(({ agent, index, text }) => `Step ${index + 1} by ${agent}:\n${text}`);
  const said = heard.length > 0 ? heard : ["The agents you listen to said nothing. Work on the task by yourself."];
  return [...(task === undefined ? [] : [`Task:\n${task}`]), ...said].join("\n\n");
}
