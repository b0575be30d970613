// Who hears whom, put in an order in which every speaker comes before its listeners.

import { ConfigError } from "../base/errors.ts";
import type { Edge } from "../core/types.ts";

/** A directed acyclic graph of agents as positions in `ids`. */
export type Graph = {
  readonly ids: readonly string[];
  /** For each agent, the edges (positions in the given list) on which it listens. */
  readonly heard: readonly (readonly number[])[];
  /** For each agent, its speakers, in the order of the edges. */
  readonly parents: readonly (readonly number[])[];
  /** Speakers before listeners; otherwise the given order. */
  readonly order: readonly number[];
  /** The agent whose last step is the answer: the last, in the given order, that nobody hears. */
  readonly answering: number;
};

/** Arranges agents and edges; throws a ConfigError that names what is unknown, doubled or circular. */
export function arrange(ids: readonly string[], edges: readonly Edge[]): Graph {
  if (ids.length === 0) throw new ConfigError("agents", "must name at least one agent, got none");
  const position = new Map(ids.map((id, index) => [id, index]));
  if (position.size < ids.length) {
    const doubled = ids.findIndex((id, index) => ids.indexOf(id) !== index);
    throw new ConfigError(`agents[${doubled}]`, `the id "${ids[doubled]}" is used twice; give each agent its own`);
  }
  const heard: number[][] = ids.map(() => []);
  const parents: number[][] = ids.map(() => []);
  const spoken = ids.map(() => false);
  for (const [index, [speaker, listener]] of edges.entries()) {
    const from = locate(position, speaker, `edges[${index}]`);
    const to = locate(position, listener, `edges[${index}]`);
    if (from === to) throw new ConfigError(`edges[${index}]`, `${speaker} hears itself; remove the edge`);
    if (parents[to]!.includes(from))
      throw new ConfigError(`edges[${index}]`, `${speaker} → ${listener} is there twice`);
    heard[to]!.push(index);
    parents[to]!.push(from);
    spoken[from] = true;
  }
  return { ids, heard, parents, order: sort(ids, parents), answering: spoken.lastIndexOf(false) };
}

/** The number of agents on the longest path: A of a chain of A agents. Depth stands for A in the formulas of a DAG. */
export function depth({ parents, order }: Graph): number {
  const levels: number[] = [];
  for (const agent of order) levels[agent] = 1 + Math.max(0, ...parents[agent]!.map((parent) => levels[parent]!));
  return Math.max(...levels);
}

function locate(position: ReadonlyMap<string, number>, id: string, path: string): number {
  const index = position.get(id);
  if (index === undefined)
    throw new ConfigError(path, `no agent has the id "${id}"; known: ${[...position.keys()].join(", ")}`);
  return index;
}

function sort(ids: readonly string[], parents: readonly (readonly number[])[]): number[] {
  const order: number[] = [];
  const waiting = parents.map((list) => list.length);
  const children: number[][] = ids.map(() => []);
  for (const [agent, list] of parents.entries()) for (const parent of list) children[parent]!.push(agent);
  let ready = [...ids.keys()].filter((agent) => waiting[agent] === 0);
  while (ready.length > 0) {
    order.push(...ready);
    const freed = ready.flatMap((agent) => children[agent]!.filter((child) => --waiting[child]! === 0));
    ready = freed.toSorted((a, b) => a - b);
  }
  if (order.length === ids.length) return order;
  const circular = ids.filter((_, agent) => !order.includes(agent));
  throw new ConfigError("edges", `agents hear each other in a circle, in or behind: ${circular.join(", ")}`);
}
