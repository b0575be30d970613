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
