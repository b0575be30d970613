import { ConfigError } from "../base/errors.ts";
import type { Agent, Edge, Topology } from "./types.ts";

/** Agents and who hears whom, checked. Throws ConfigError as `validate` does. */
export function topology(agents: readonly Agent[], edges: readonly Edge[]): Topology {
  const made = { agents, edges };
  validate(made);
  return made;
}

/** The shapes that have names. `diamond` is another name of `tree`. */
export const topologyNames = ["single", "chain", "tree", "diamond", "graph"] as const;
/** The name of a ready-made topology. */
export type TopologyName = (typeof topologyNames)[number];

const chainEdges = (ids: readonly string[]): readonly Edge[] =>
  ids.slice(1).map((id, index) => [ids[index] as string, id]);

function treeEdges(ids: readonly string[]): readonly Edge[] {
  if (ids.length < 3) return chainEdges(ids);
  const [first, ...middle] = ids as [string, ...string[]];
  const last = middle.pop() as string;
  return [...middle.map((id): Edge => [first, id]), ...middle.map((id): Edge => [id, last])];
}

function graphEdges(ids: readonly string[]): readonly Edge[] {
  const [first, , third] = ids;
  return first === undefined || third === undefined ? chainEdges(ids) : [...chainEdges(ids), [first, third]];
}

/** The edges of a named shape over these ids; `single` has none. */
export function edgesOf(name: TopologyName, ids: readonly string[]): readonly Edge[] {
  if (name === "single") return [];
  if (name === "chain") return chainEdges(ids);
  return name === "graph" ? graphEdges(ids) : treeEdges(ids);
}

const shaped =
  (name: TopologyName) =>
  (agents: readonly Agent[]): Topology =>
    topology(
      agents,
      edgesOf(
        name,
        agents.map(({ id }) => id),
      ),
    );

/** Each agent hears the one before it: A -> B -> C. */
export const chain = shaped("chain");

/** The first agent speaks to all in the middle, which work side by side, and the last hears them: A -> {B, C} -> D. */
export const tree = shaped("tree");

/** The same as `tree`, by the name of its form. */
export const diamond = tree;

/** A chain in which the third agent hears the first as well: A -> B -> C -> D and A -> C. */
export const graph = shaped("graph");

/**
 * Throws ConfigError, naming the place (`agents[1]`, `edges[2]`), for: no agents, an id that is empty, has control
 * characters or occurs twice, an edge to an unknown agent, from an agent to itself or given twice, and a cycle.
 */
export function validate({ agents, edges }: Topology): void {
  if (agents.length === 0) throw new ConfigError("agents", "there must be at least one agent");
  const ids = new Set<string>();
  for (const [index, { id }] of agents.entries()) {
    checkId(id, `agents[${index}].id`);
    if (ids.has(id)) throw new ConfigError(`agents[${index}].id`, `${quoted(id)} is the id of an earlier agent too`);
    ids.add(id);
  }
  const seen = new Map<string, Set<string>>();
  for (const [index, edge] of edges.entries()) checkEdge(edge, `edges[${index}]`, { ids, seen });
  checkAcyclic({ agents, edges }, "edges");
}

/** Throws ConfigError at `path`, naming the cycle, where there is one. Ids and edges must be valid. */
export function checkAcyclic(given: Topology, path: string): void {
  const cycle = cycleIn(given);
  if (cycle === undefined) return;
  throw new ConfigError(path, `there is a cycle, ${cycle.join(" -> ")}; agents must not hear themselves`);
}

const quoted = (id: unknown) => JSON.stringify(id) ?? String(id);

/** Throws ConfigError unless `id` can name an agent. */
export function checkId(id: unknown, path: string): asserts id is string {
  if (typeof id !== "string" || id.trim() === "")
    throw new ConfigError(path, `must be a name of at least one character, not ${quoted(id)}`);
  if (/\p{Cc}/u.test(id)) throw new ConfigError(path, `must have no control characters: ${quoted(id)}`);
}

function checkEdge(
  edge: Edge,
  path: string,
  { ids, seen }: { readonly ids: ReadonlySet<string>; readonly seen: Map<string, Set<string>> },
): void {
  if (!Array.isArray(edge) || edge.length !== 2)
    throw new ConfigError(path, "must be a pair [speaker, listener] of agent ids");
  const [speaker, listener] = edge;
  for (const id of edge) {
    if (ids.has(id)) continue;
    throw new ConfigError(path, `there is no agent ${quoted(id)}; the agents are ${[...ids].join(", ")}`);
  }
  if (speaker === listener) throw new ConfigError(path, `${quoted(speaker)} must not hear itself`);
  const heard = seen.get(speaker) ?? new Set();
  if (heard.has(listener)) throw new ConfigError(path, `${speaker} -> ${listener} was given before`);
  seen.set(speaker, heard.add(listener));
}

/** A cycle as the ids along it, the first repeated at the end; undefined where there is none. */
function cycleIn(graphed: Topology): readonly string[] | undefined {
  const sorted = new Set(sort(graphed).map(({ id }) => id));
  // What cannot be sorted lies on a cycle or behind one, so going back along unsorted parents must come round.
  const start = graphed.agents.find(({ id }) => !sorted.has(id));
  if (start === undefined) return undefined;
  const parents = parentsOf(graphed);
  const trail: string[] = [];
  let id = start.id;
  while (!trail.includes(id)) {
    trail.push(id);
    id = parents.get(id)?.find((parent) => !sorted.has(parent)) as string;
  }
  return [id, ...trail.slice(trail.indexOf(id)).toReversed()];
}

const grouped = ({ agents, edges }: Topology, key: 0 | 1): Map<string, string[]> => {
  const groups = new Map<string, string[]>(agents.map(({ id }) => [id, []]));
  for (const edge of edges) groups.get(edge[key])?.push(edge[1 - key] as string);
  return groups;
};

/** Whom each agent hears, in the order of the edges; every agent has an entry. */
export const parentsOf = (given: Topology): ReadonlyMap<string, readonly string[]> => grouped(given, 1);

/** Who hears each agent, in the order of the edges; every agent has an entry. */
export const listenersOf = (given: Topology): ReadonlyMap<string, readonly string[]> => grouped(given, 0);

const without = (given: Topology, groups: ReadonlyMap<string, readonly string[]>): readonly Agent[] =>
  given.agents.filter(({ id }) => groups.get(id)?.length === 0);

/** Agents that hear nobody: they get the task alone. */
export const sources = (given: Topology): readonly Agent[] => without(given, parentsOf(given));

/** Agents that nobody hears: what they say is the answer. */
export const sinks = (given: Topology): readonly Agent[] => without(given, listenersOf(given));

/** Kahn's algorithm; of the agents that may come next always the one that was given first. Leaves out cycles. */
function sort(given: Topology): readonly Agent[] {
  const listeners = listenersOf(given);
  const waiting = new Map([...parentsOf(given)].map(([id, parents]) => [id, parents.length]));
  const order = new Map(given.agents.map(({ id }, index) => [id, index]));
  const ready = sources(given).map(({ id }) => order.get(id) as number);
  const sorted: Agent[] = [];
  for (;;) {
    const next = ready.length === 0 ? undefined : Math.min(...ready);
    if (next === undefined) return sorted;
    ready.splice(ready.indexOf(next), 1);
    const agent = given.agents[next] as Agent;
    sorted.push(agent);
    for (const id of listeners.get(agent.id) ?? []) {
      const left = (waiting.get(id) ?? 0) - 1;
      waiting.set(id, left);
      if (left === 0) ready.push(order.get(id) as number);
    }
  }
}

/** The agents so that each comes after all it hears, otherwise in the order given. The topology must be valid. */
export const ordered = (given: Topology): readonly Agent[] => sort(given);

/** Agents on the longest path: the A of a chain's bound A·S / (S+A-1). The topology must be valid. */
export function depth(given: Topology): number {
  const parents = parentsOf(given);
  const depths = new Map<string, number>();
  let deepest = 0;
  for (const { id } of ordered(given)) {
    const own = 1 + Math.max(0, ...(parents.get(id) ?? []).map((parent) => depths.get(parent) ?? 0));
    depths.set(id, own);
    deepest = Math.max(deepest, own);
  }
  return deepest;
}
