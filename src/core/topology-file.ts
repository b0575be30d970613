import { ConfigError } from "../base/errors.ts";
import { checkAcyclic, checkId, topology } from "./topology.ts";
import type { Agent, Edge, Model, Step, Topology } from "./types.ts";

/** How the text of a topology file is read. */
export type TopologyFileOptions = {
  /** The model of all agents, or one by the name that an agent gives (undefined where it gives none). */
  readonly model: Model | ((name: string | undefined) => Model);
};

type Fields = Readonly<Record<string, unknown>>;

/** A listener named in `next`, and what the speaker's first step must match for it to hear. */
type Next = { readonly to: string; readonly when: RegExp | undefined };

/**
 * A topology from parsed JSON, in one of two forms: the published dictionary
 * `{ "A": { "system_prompt": "...", "next": ["B", { "to": "C", "when": "regular expression" }], "model": "..." } }`, in
 * which only `system_prompt` is required, and `{ "agents": [{ "id", "instructions", "model" }], "edges": [["A", "B"]] }`.
 * An agent with a `when` speaks to those listeners whose `when` its first step matches, and to those that have none.
 * Throws ConfigError that names the place, as in `A.next[1]`.
 */
export function parseTopology(value: unknown, options: TopologyFileOptions): Topology {
  if (!isFields(value))
    throw new ConfigError(
      "topology",
      `must be an object of agents by id, or with "agents" and "edges", not ${kind(value)}`,
    );
  return Array.isArray(value["agents"]) ? fromLists(value, options) : fromDictionary(value, options);
}

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function kind(value: unknown): string {
  if (value === undefined) return "missing";
  if (value === null) return "null";
  return Array.isArray(value) ? "a list" : typeof value === "object" ? "an object" : `a ${typeof value}`;
}

function fieldsAt(path: string, value: unknown, known: readonly string[]): Fields {
  if (!isFields(value)) throw new ConfigError(path, `must be an object with ${known.join(", ")}, not ${kind(value)}`);
  const odd = Object.keys(value).find((key) => !known.includes(key));
  if (odd !== undefined)
    throw new ConfigError(path, `${JSON.stringify(odd)} is not known here; the keys are ${known.join(", ")}`);
  return value;
}

function textAt(path: string, value: unknown): string {
  if (typeof value !== "string") throw new ConfigError(path, `must be a text, not ${kind(value)}`);
  return value;
}

function listAt(path: string, value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new ConfigError(path, `must be a list, not ${kind(value)}`);
  return value;
}

function modelAt(path: string, value: unknown, { model }: TopologyFileOptions): Model {
  const name = value === undefined ? undefined : textAt(path, value);
  if (typeof model !== "function") {
    if (name === undefined) return model;
    throw new ConfigError(path, "names a model, but all agents share the one given to this run; leave it out");
  }
  try {
    return model(name);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new ConfigError(path, error.message, { cause: error });
  }
}

function fromLists(value: Fields, options: TopologyFileOptions): Topology {
  const { agents, edges = [] } = fieldsAt("topology", value, ["agents", "edges"]);
  return topology(
    listAt("agents", agents).map((item, index): Agent => {
      const path = `agents[${index}]`;
      const { id, instructions, model } = fieldsAt(path, item, ["id", "instructions", "model"]);
      checkId(id, `${path}.id`);
      return {
        id,
        instructions: textAt(`${path}.instructions`, instructions),
        model: modelAt(`${path}.model`, model, options),
      };
    }),
    // `topology` checks what an edge holds.
    listAt("edges", edges) as readonly Edge[],
  );
}

function fromDictionary(value: Fields, options: TopologyFileOptions): Topology {
  const ids = Object.keys(value);
  const agents: Agent[] = [];
  const edges: Edge[] = [];
  for (const [id, item] of Object.entries(value)) {
    checkId(id, "topology");
    const path = /^[\w-]+$/.test(id) ? id : `[${JSON.stringify(id)}]`;
    const { system_prompt, next = [], model } = fieldsAt(path, item, ["system_prompt", "next", "model"]);
    const nexts: Next[] = [];
    for (const [index, entry] of listAt(`${path}.next`, next).entries()) {
      const found = nextAt(`${path}.next[${index}]`, entry);
      checkNext(`${path}.next[${index}]`, found, { id, ids, earlier: nexts });
      nexts.push(found);
      edges.push([id, found.to]);
    }
    const agent: Agent = {
      id,
      instructions: textAt(`${path}.system_prompt`, system_prompt),
      model: modelAt(`${path}.model`, model, options),
    };
    agents.push(nexts.some(({ when }) => when !== undefined) ? { ...agent, route: routeBy(nexts) } : agent);
  }
  checkAcyclic({ agents, edges }, "next");
  return topology(agents, edges);
}

function nextAt(path: string, entry: unknown): Next {
  if (typeof entry === "string") return { to: entry, when: undefined };
  const { to, when } = fieldsAt(path, entry, ["to", "when"]);
  const listener = textAt(`${path}.to`, to);
  if (when === undefined) return { to: listener, when };
  const source = textAt(`${path}.when`, when);
  try {
    return { to: listener, when: new RegExp(source) };
  } catch (error) {
    throw new ConfigError(`${path}.when`, `${JSON.stringify(source)} is not a regular expression`, { cause: error });
  }
}

function checkNext(
  path: string,
  { to }: Next,
  { id, ids, earlier }: { readonly id: string; readonly ids: readonly string[]; readonly earlier: readonly Next[] },
): void {
  if (!ids.includes(to))
    throw new ConfigError(path, `there is no agent ${JSON.stringify(to)}; the agents are ${ids.join(", ")}`);
  if (to === id) throw new ConfigError(path, `${JSON.stringify(id)} must not hear itself`);
  if (earlier.some((other) => other.to === to)) throw new ConfigError(path, `${JSON.stringify(to)} was given before`);
}

function routeBy(nexts: readonly Next[]) {
  const conditions = new Map(nexts.map(({ to, when }) => [to, when]));
  return (first: Step, listeners: readonly string[]): readonly string[] =>
    listeners.filter((listener) => conditions.get(listener)?.test(first.text) ?? true);
}
