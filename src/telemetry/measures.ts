// What is counted of runs.

import type { Attributes, Meter } from "@opentelemetry/api";
import type { Usage } from "../core/types.ts";
import { cost } from "../core/usage.ts";
import type { Price } from "../core/usage.ts";
import { genAi } from "./names.ts";

// Both as the conventions ask for.
const tokenBounds = [1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864];
const secondBounds = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];

/** What became of a raised hand; see `docs/telemetry.md`. */
export type HandOutcome = "saved" | "wrong" | "late" | "unjudged";

/** The instruments, made once. */
export function instruments(meter: Meter) {
  const seconds = (name: string, description: string) =>
    meter.createHistogram(name, { description, unit: "s", advice: { explicitBucketBoundaries: secondBounds } });
  const counter = (name: string, description: string, unit: string) => meter.createCounter(name, { description, unit });
  return {
    tokens: meter.createHistogram("gen_ai.client.token.usage", {
      description: "Tokens that a call read and generated.",
      unit: "{token}",
      advice: { explicitBucketBoundaries: tokenBounds },
    }),
    duration: seconds("gen_ai.client.operation.duration", "How long a call took."),
    firstChunk: seconds("gen_ai.client.operation.time_to_first_chunk", "From a call's start to its first text."),
    runDuration: seconds("gen_ai.workflow.duration", "How long a run took."),
    runFirstChunk: seconds("duplex.run.time_to_first_chunk", "From a run's start to the first text of any agent."),
    cached: counter("duplex.tokens.cached", "Tokens read from a cache; they are input tokens too.", "{token}"),
    overrun: counter("duplex.tokens.overrun", "Tokens generated past a cut, which nobody heard.", "{token}"),
    cost: counter("duplex.cost", "What tokens cost by the price list.", "{currency}"),
    interrupts: counter("duplex.interrupts", "Hands raised, by what became of them.", "{interrupt}"),
    saved: counter(
      "duplex.interrupts.saved_tokens",
      "Tokens that cut turns did not generate, by the mean of the agent's turns that were not cut.",
      "{token}",
    ),
  };
}

export type Instruments = ReturnType<typeof instruments>;

/** Counts what a call took; `about` are the attributes of the call. */
export function countUsage(
  { tokens, cached, cost: spent }: Instruments,
  { inputTokens, cachedTokens, outputTokens, ...rest }: Usage,
  { about, price }: { readonly about: Attributes; readonly price: Price | undefined },
): void {
  tokens.record(inputTokens, { ...about, [genAi.tokenType]: "input" });
  tokens.record(outputTokens, { ...about, [genAi.tokenType]: "output" });
  if (cachedTokens > 0) cached.add(cachedTokens, about);
  if (price === undefined) return;
  const { amount, currency } = cost({ inputTokens, cachedTokens, outputTokens, ...rest }, price);
  if (amount > 0) spent.add(amount, { ...about, "duplex.currency": currency });
}

// An agent's turns must have been seen so often before their mean means anything.
const enough = 5;
const most = 1000;

/** How much agents say when nobody cuts them: the mean output of their turns that ended by themselves. */
export class Habits {
  readonly #turns = new Map<string, { count: number; tokens: number }>();

  learn(agent: string, outputTokens: number): void {
    const found = this.#turns.get(agent);
    if (found !== undefined) {
      found.count++;
      found.tokens += outputTokens;
    } else if (this.#turns.size < most) this.#turns.set(agent, { count: 1, tokens: outputTokens });
  }

  /** How many tokens fewer a cut turn had than is usual; undefined while too little was seen. */
  saved(agent: string, outputTokens: number): number | undefined {
    const found = this.#turns.get(agent);
    if (found === undefined || found.count < enough) return undefined;
    return Math.max(0, Math.round(found.tokens / found.count - outputTokens));
  }
}
