// Theorem 1 for any DAG: the same linear effect on every edge, and its expectation carried from speaker to listener.

import { ConfigError } from "../base/errors.ts";
import { profile as checked, whole } from "./check.ts";
import type { Effect } from "./effect.ts";
import { checkedEffect, stepEffect } from "./effect.ts";
import type { Graph } from "./graph.ts";
import { arrange } from "./graph.ts";

/** Who hears whom, and what a step heard does. */
export type NetworkEdge = Effect & { readonly speaker: string; readonly listener: string };

/** Agents with the correctness of their own steps when they hear nobody, and what a heard step does on each edge. */
export type Network = {
  /** A listener says as many steps as the longest of its speakers (aligned join), so `profile` has that length. */
  readonly agents: readonly { readonly id: string; readonly profile: readonly number[] }[];
  readonly edges: readonly NetworkEdge[];
};

/**
 * How far each step has heard: step s of a listener hears of every speaker nothing (`single`), steps 1..s (`stream`;
 * `segmented` hears the same, only later), everything (`serial`), or, by agent, as many as are listed (from a schedule).
 */
export type Hearing = "single" | "stream" | "segmented" | "serial" | Readonly<Record<string, readonly number[]>>;

/** How often the steps of one agent are right. */
export type Expected = {
  readonly id: string;
  /** The probability that each step is right. */
  readonly profile: readonly number[];
  /** Their mean, the paper's sCorr. */
  readonly mean: number;
  /** Whether no combination of right and wrong steps leaves [0, 1]; else the linear model is cut there and this is approximate. */
  readonly exact: boolean;
};

/**
 * p_s = base_s + Σ_edges Σ_{j ≤ h(s)} μ_j for every agent, speakers first. By linearity it is exact however the upstream
 * steps depend on each other, as long as the sum cannot leave [0, 1]. The model has no self-correction: an agent's own
 * earlier steps count in all protocols alike.
 */
export function expectedCorrectness(network: Network, hearing: Hearing): readonly Expected[] {
  const graph = networkGraph(network);
  const expected: Expected[] = [];
  for (const agent of graph.order) {
    const base = network.agents[agent]!.profile;
    const edges = graph.heard[agent]!.map((edge, k) => ({
      effect: network.edges[edge]!,
      speaker: expected[graph.parents[agent]![k]!]!,
    }));
    const profile = [...base];
    let exact = edges.every(({ speaker }) => speaker.exact);
    for (let step = 0; step < base.length; step++) {
      let [low, high, mean] = [base[step]!, base[step]!, base[step]!];
      for (const { effect, speaker } of edges) {
        const heard = heardBy(hearing, { id: graph.ids[agent]!, step, said: speaker.profile.length });
        low -= effect.epsilon * heard;
        high += effect.delta * heard;
        for (let j = 0; j < heard; j++) mean += stepEffect(speaker.profile[j]!, effect);
      }
      exact &&= low >= -1e-12 && high <= 1 + 1e-12;
      profile[step] = Math.min(1, Math.max(0, mean));
    }
    expected[agent] = { id: graph.ids[agent]!, profile, mean: profile.reduce((a, b) => a + b) / profile.length, exact };
  }
  return expected;
}

/** How many of the `said` steps of a speaker agent `id` has heard when it says step number `step` (from 0). */
export function heardBy(hearing: Hearing, { id, step, said }: { id: string; step: number; said: number }): number {
  if (hearing === "single") return 0;
  if (hearing === "serial") return said;
  if (hearing === "stream" || hearing === "segmented") return Math.min(step + 1, said);
  const heard = hearing[id]?.[step];
  if (heard === undefined) throw new ConfigError(`hearing.${id}[${step}]`, "is missing: each step needs a number");
  return Math.min(whole(`hearing.${id}[${step}]`, heard, 0), said);
}

/** The network's graph; throws a ConfigError for what is out of range or does not fit together. */
export function networkGraph({ agents, edges }: Network): Graph {
  const graph = arrange(
    agents.map(({ id }) => id),
    edges.map(({ speaker, listener }) => [speaker, listener]),
  );
  for (const [index, edge] of edges.entries()) checkedEffect(`edges[${index}]`, edge);
  for (const [index, { profile }] of agents.entries()) {
    checked(`agents[${index}].profile`, profile);
    const said = Math.max(...graph.parents[index]!.map((parent) => agents[parent]!.profile.length));
    if (graph.parents[index]!.length > 0 && profile.length !== said)
      throw new ConfigError(`agents[${index}].profile`, `has ${profile.length} steps, but its speakers say ${said}`);
  }
  return graph;
}
