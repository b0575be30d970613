// What a schedule is computed from, checked and laid out for speed.

import { ConfigError } from "../base/errors.ts";
import type { Edge, Hear } from "../core/types.ts";
import { atLeast, positive, speed, whole } from "./check.ts";
import type { Graph } from "./graph.ts";
import { arrange } from "./graph.ts";
import type { Speeds } from "./speed.ts";

/** When listeners hear what speakers say. */
export type Protocol = "single" | "serial" | "segmented" | "stream";

/** What an agent has of its own; anything absent is the plan's. */
export type PlanAgent = {
  readonly id: string;
  /** Only of a source: how many steps it says. A listener says as many as the longest of its speakers. */
  readonly steps?: number;
  /** Instructions and task, tokens. */
  readonly promptTokens?: number;
  /** Output tokens of every step, or of each. */
  readonly stepTokens?: number | readonly number[];
  readonly speeds?: Speeds;
};

/** How contexts grow: input of a call = prompt + steps heard + own steps said, with what surrounds them. */
export type Tokens = {
  /** Instructions and task: the whole input of a first call that has heard nothing. */
  readonly prompt: number;
  /** Output tokens of a step. */
  readonly step: number;
  /** Added to a step where it is heard (a label), or taken off (a delimiter that is not shown). */
  readonly heard?: number;
  /** Added to a step where its own speaker reads it again, or taken off. */
  readonly own?: number;
  /** Added to the context by each call after the first (the frame of an answer and of a new message). */
  readonly turn?: number;
};

/**
 * Which tokens a later call of the same agent finds cached: none, the `request` before it, or the whole `conversation` (the
 * request and what was answered, as in a model that keeps its state).
 */
export type Cache = "off" | "request" | "conversation";

/** A team, a protocol and a cost model: all that a schedule depends on. */
export type Plan = {
  readonly agents: readonly PlanAgent[];
  readonly edges: readonly Edge[];
  readonly protocol: Protocol;
  /** Only for `stream`; `each` where absent. */
  readonly hear?: Hear;
  /** Steps a source says. */
  readonly steps: number;
  readonly tokens: Tokens;
  readonly speeds: Speeds;
  /** `off` where absent. */
  readonly cache?: Cache;
  /** A provider caches only prefixes of at least so many tokens; 0 where absent. */
  readonly cacheMinimum?: number;
};

/** One agent of a plan with everything resolved. */
export type Part = {
  readonly id: string;
  readonly parents: readonly number[];
  readonly steps: number;
  readonly prompt: number;
  /** Output tokens of the first j steps, at index j. */
  readonly output: Float64Array;
  readonly speeds: Speeds;
};

/** A checked plan: parts at the agents' positions, speakers before listeners in `order`. */
export type Layout = { readonly parts: readonly Part[]; readonly order: readonly number[] };

/** Agents `1` … `A` in a row, each heard by the next; `agents` and `edges` of a plan. */
export function chain(agents: number): Pick<Plan, "agents" | "edges"> {
  whole("agents", agents, 1);
  const ids = Array.from({ length: agents }, (_, index) => String(index + 1));
  return { agents: ids.map((id) => ({ id })), edges: ids.slice(1).map((id, index) => [ids[index]!, id]) };
}

/** Checks a plan and resolves what each agent has of its own; throws a ConfigError that names what is wrong. */
export function layOut(plan: Plan): Layout {
  checkPlan(plan);
  const graph = arrange(
    plan.agents.map(({ id }) => id),
    plan.edges,
  );
  const steps = stepsOf(plan, graph);
  if (plan.protocol === "single") {
    const source = graph.parents.findIndex((parents) => parents.length === 0);
    return { parts: [partOf(plan, source, { steps: steps[source]!, parents: [] })], order: [0] };
  }
  const parts = steps.map((count, index) => partOf(plan, index, { steps: count, parents: graph.parents[index]! }));
  return { parts, order: graph.order };
}

function stepsOf(plan: Plan, { order, parents }: Graph): number[] {
  const steps: number[] = [];
  for (const index of order) {
    const own = plan.agents[index]!.steps;
    const heard = parents[index]!;
    if (heard.length > 0 && own !== undefined)
      throw new ConfigError(`agents[${index}].steps`, "is for sources; a listener says as many steps as it hears");
    const path = own === undefined ? "steps" : `agents[${index}].steps`;
    steps[index] = heard.length > 0 ? Math.max(...heard.map((h) => steps[h]!)) : whole(path, own ?? plan.steps, 1);
  }
  return steps;
}

function partOf(plan: Plan, index: number, { steps, parents }: Pick<Part, "steps" | "parents">): Part {
  const agent = plan.agents[index]!;
  const path = `agents[${index}]`;
  const tokens = agent.stepTokens ?? plan.tokens.step;
  if (typeof tokens === "object" && tokens.length !== steps)
    throw new ConfigError(`${path}.stepTokens`, `lists ${tokens.length} steps, but the agent says ${steps}`);
  const output = new Float64Array(steps + 1);
  for (let step = 0; step < steps; step++)
    output[step + 1] =
      output[step]! + positive(`${path}.stepTokens`, typeof tokens === "object" ? tokens[step]! : tokens);
  const prompt = atLeast(`${path}.promptTokens`, agent.promptTokens ?? plan.tokens.prompt, 0);
  if (agent.speeds !== undefined) checkSpeeds(`${path}.speeds`, agent.speeds);
  return { id: agent.id, parents, steps, prompt, output, speeds: agent.speeds ?? plan.speeds };
}

function checkPlan({ protocol, hear, tokens, speeds, cacheMinimum }: Plan): void {
  atLeast("tokens.prompt", tokens.prompt, 0);
  positive("tokens.step", tokens.step);
  for (const name of ["heard", "own", "turn"] as const) atLeast(`tokens.${name}`, tokens[name] ?? 0, -tokens.step);
  atLeast("cacheMinimum", cacheMinimum ?? 0, 0);
  checkSpeeds("speeds", speeds);
  if (hear === "waiting" && protocol !== "stream")
    throw new ConfigError("hear", `"waiting" is for the protocol stream; ${protocol} has nothing that waits`);
}

function checkSpeeds(path: string, speeds: Speeds): void {
  atLeast(`${path}.timeToFirstTokenMs`, speeds.timeToFirstTokenMs, 0);
  for (const name of ["prefill", "cacheRead", "decode"] as const) speed(`${path}.${name}`, speeds[name]);
}
