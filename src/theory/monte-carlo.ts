// The step model played with dice: every step right or wrong, every effect applied, nothing averaged beforehand.

import type { Random } from "../base/random.ts";
import { whole } from "./check.ts";
import type { Hearing, Network } from "./network.ts";
import { heardBy, networkGraph } from "./network.ts";

/** A mean over runs and its standard error. */
export type Estimate = { readonly mean: number; readonly standardError: number };

/** What the dice said. */
export type Simulated = {
  /** For each hearing: the share of the answering agent's steps that are right. */
  readonly correctness: readonly Estimate[];
  /** For each two hearings (first before second): first − second, from the same dice, so less noisy than the two apart. */
  readonly differences: readonly (Estimate & { readonly first: number; readonly second: number })[];
};

/** How often the dice are thrown, and under which hearings. */
export type SimulateOptions = {
  /** How often the network is played. */
  readonly runs: number;
  readonly random: Random;
  readonly hearings: readonly Hearing[];
};

/** What a listener's step hears on one edge. */
type Ear = { readonly speaker: number; readonly delta: number; readonly epsilon: number; readonly heard: Int32Array };
/** One agent under one hearing; `right[j]` counts the right ones among its first j steps. */
type Player = { readonly base: Float64Array; readonly ears: readonly Ear[]; readonly right: Int32Array };

/** Plays `network` under each hearing with common random numbers; time grows with runs × hearings × steps × edges. */
export function simulateCorrectness(network: Network, { runs, random, hearings }: SimulateOptions): Simulated {
  whole("runs", runs, 2);
  const { order, answering } = networkGraph(network);
  const arms = hearings.map((hearing) => playersOf(network, hearing));
  const dice = network.agents.map(({ profile }) => new Float64Array(profile.length));
  const steps = network.agents[answering]!.profile.length;
  const sums = tallies(arms.length);
  const scores = new Float64Array(arms.length);
  for (let run = 0; run < runs; run++) {
    for (const die of dice) for (let step = 0; step < die.length; step++) die[step] = random();
    for (let arm = 0; arm < arms.length; arm++) {
      const players = arms[arm]!;
      for (const agent of order) play(players, agent, dice[agent]!);
      scores[arm] = players[answering]!.right[steps]! / steps;
    }
    for (const tally of sums) {
      const value = scores[tally.first]! - (tally.second === undefined ? 0 : scores[tally.second]!);
      tally.sum += value;
      tally.squares += value * value;
    }
  }
  const correctness: Estimate[] = [];
  const differences: (Estimate & { first: number; second: number })[] = [];
  for (const { first, second, sum, squares } of sums) {
    const mean = sum / runs;
    const variance = Math.max(0, squares - runs * mean * mean) / (runs - 1);
    const estimate = { mean, standardError: Math.sqrt(variance / runs) };
    if (second === undefined) correctness.push(estimate);
    else differences.push({ first, second, ...estimate });
  }
  return { correctness, differences };
}

function play(players: readonly Player[], agent: number, dice: Float64Array): void {
  const { base, ears, right } = players[agent]!;
  for (let step = 0; step < base.length; step++) {
    let probability = base[step]!;
    for (const { speaker, delta, epsilon, heard } of ears) {
      const through = heard[step]!;
      const good = players[speaker]!.right[through]!;
      probability += delta * good - epsilon * (through - good);
    }
    right[step + 1] = right[step]! + (dice[step]! < probability ? 1 : 0);
  }
}

function playersOf(network: Network, hearing: Hearing): Player[] {
  const steps = new Map(network.agents.map(({ id, profile }) => [id, profile.length]));
  const position = new Map(network.agents.map(({ id }, index) => [id, index]));
  return network.agents.map(({ id, profile }) => {
    const ears = network.edges
      .filter(({ listener }) => listener === id)
      .map(({ speaker, delta, epsilon }) => {
        const said = steps.get(speaker)!;
        const heard = Int32Array.from(profile, (_, step) => heardBy(hearing, { id, step, said }));
        return { speaker: position.get(speaker)!, delta, epsilon, heard };
      });
    return { base: Float64Array.from(profile), ears, right: new Int32Array(profile.length + 1) };
  });
}

type Tally = { readonly first: number; readonly second: number | undefined; sum: number; squares: number };

function tallies(arms: number): Tally[] {
  const all: Tally[] = [];
  for (let first = 0; first < arms; first++) {
    all.push({ first, second: undefined, sum: 0, squares: 0 });
    for (let second = first + 1; second < arms; second++) all.push({ first, second, sum: 0, squares: 0 });
  }
  return all;
}
