import { entry } from "./fold.ts";
import type { Edge } from "./types.ts";

/**
 * The greatest sum of weights along a path of a directed acyclic graph, 0 for no agents. Edges of unknown ends are passed
 * over, and so is whatever only a cycle reaches. Linear in agents and edges.
 */
export function heaviestPath(weights: ReadonlyMap<string, number>, edges: Iterable<Edge>): number {
  const listeners = new Map<string, string[]>();
  const parents = new Map<string, number>();
  for (const [speaker, listener] of edges) {
    if (!weights.has(speaker) || !weights.has(listener)) continue;
    entry(listeners, speaker, () => []).push(listener);
    parents.set(listener, (parents.get(listener) ?? 0) + 1);
  }
  const before = new Map<string, number>();
  const ready = [...weights.keys()].filter((id) => !parents.has(id));
  let heaviest = 0;
  for (let id = ready.pop(); id !== undefined; id = ready.pop()) {
    const path = (before.get(id) ?? 0) + (weights.get(id) ?? 0);
    heaviest = Math.max(heaviest, path);
    for (const listener of listeners.get(id) ?? []) {
      before.set(listener, Math.max(before.get(listener) ?? 0, path));
      const left = (parents.get(listener) ?? 0) - 1;
      parents.set(listener, left);
      if (left === 0) ready.push(listener);
    }
  }
  return heaviest;
}
