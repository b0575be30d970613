// How things stand in a run at one moment.

import type { TimelineAgent, TimelineTurn } from "../core/timeline.ts";
import type { Usage } from "../core/types.ts";
import { add, cost, none, sumCosts } from "../core/usage.ts";
import type { Cost, Price } from "../core/usage.ts";
import type { Growth, Scene } from "./scene.ts";

/** How many of `count` entries, in the order of time, are not after `at`. */
export function countUpTo(count: number, timeOf: (index: number) => number, at: number): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (timeOf(middle) <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** How many of these times, in order, are not after `at`. */
export const timesUpTo = (times: readonly number[], at: number): number =>
  countUpTo(times.length, (index) => times[index] ?? 0, at);

/** How many of these, in the order of time, are not after `at`. */
export const upTo = (list: readonly { readonly at: number }[], at: number): number =>
  countUpTo(list.length, (index) => list[index]?.at ?? 0, at);

/** The turn that began last. */
export function turnAt({ turns }: TimelineAgent, at: number): TimelineTurn | undefined {
  return turns[countUpTo(turns.length, (index) => turns[index]?.start ?? 0, at) - 1];
}

/** What an agent is doing. */
export type Doing = "silent" | "held back" | "thinking" | "speaking" | "listening" | "cut" | "ended";

/** What an agent is doing at a moment. A turn is held back before it works, and thinks before it speaks. */
export function doingAt(agent: TimelineAgent, at: number): Doing {
  const turn = turnAt(agent, at);
  if (agent.end !== undefined && agent.end.at <= at) return agent.end.reason === "interrupted" ? "cut" : "ended";
  if (turn === undefined) return "silent";
  if (turn.end !== undefined && turn.end <= at) return "listening";
  if (at < turn.start + turn.waitedMs) return "held back";
  return turn.firstChunk === undefined || at < turn.firstChunk ? "thinking" : "speaking";
}

const grown = (growth: readonly Growth[], at: number): Usage => growth[upTo(growth, at) - 1]?.usage ?? none;

/** What a run has taken by a moment. */
export type Taken = { readonly usage: Usage; readonly overrunTokens: number; readonly cost: Cost | undefined };

/** Usage of the turns that have ended and the decisions that were made; money only where every model's price is known. */
export function takenAt(scene: Scene, at: number, prices: Readonly<Record<string, Price>>): Taken {
  let usage = none;
  const costs: Cost[] = [];
  let known = true;
  for (const [index, { model }] of scene.timeline.agents.entries()) {
    const own = grown(scene.lanes[index]?.growth ?? [], at);
    usage = add(usage, own);
    const price = Object.hasOwn(prices, model) ? prices[model] : undefined;
    if (price === undefined) known = false;
    else costs.push(cost(own, price));
  }
  const overrunTokens = scene.overrun[upTo(scene.overrun, at) - 1]?.tokens ?? 0;
  return { usage, overrunTokens, cost: known ? sumCosts(costs) : undefined };
}

/** What was taken, growing: money where every price is known, else tokens read and made. */
export type Grown = {
  readonly unit: "tokens" | "cost";
  readonly points: readonly { readonly at: number; readonly amount: number }[];
};

const grownOf = new WeakMap<Scene, Grown>();

/** A point for each turn that ended and each decision that took something, over all agents. */
export function growthOf(scene: Scene, prices: Readonly<Record<string, Price>>): Grown {
  const known = grownOf.get(scene);
  if (known !== undefined) return known;
  const { agents } = scene.timeline;
  const priced = agents.length > 0 && agents.every(({ model }) => Object.hasOwn(prices, model));
  const worth = ({ inputTokens, outputTokens, ...rest }: Usage, price: Price | undefined): number =>
    priced && price !== undefined
      ? cost({ inputTokens, outputTokens, ...rest }, price).amount
      : inputTokens + outputTokens;
  const steps = scene.lanes.flatMap(({ growth }, index) => {
    const price = prices[agents[index]?.model ?? ""];
    let before = 0;
    return growth.map(({ at, usage }) => {
      const amount = worth(usage, price);
      const step = { at, amount: amount - before };
      before = amount;
      return step;
    });
  });
  let total = 0;
  const points = steps.toSorted((a, b) => a.at - b.at).map(({ at, amount }) => ({ at, amount: (total += amount) }));
  const made: Grown = { unit: priced ? "cost" : "tokens", points };
  grownOf.set(scene, made);
  return made;
}
