// Models of which everything is known, and profiles of them as measuring would leave them.

import type { Random } from "../../base/random.ts";
import { integer, normal, pick, random } from "../../base/random.ts";
import type { Price } from "../../core/usage.ts";
import { edgesOf } from "../../core/topology.ts";
import { chain, totals } from "../../theory/index.ts";
import type { Totals } from "../../theory/index.ts";
import type { Estimate, Profile } from "../measure/profile.ts";
import type { Candidate } from "./candidates.ts";

export const price: Price = { currency: "USD", input: 5, cached: 0.5, output: 25 };

/** What a model really is like. */
export type Truth = {
  readonly firstMs: number;
  readonly prefill: number;
  readonly cacheRead: number;
  readonly decode: number;
  readonly cache: "off" | "request" | "conversation";
  readonly prompt: number;
  readonly listenerPrompt: number;
  readonly steps: number;
  readonly step: number;
  readonly reply: { readonly serial: number; readonly stream: number };
  readonly heard: number;
  readonly quality: { readonly profile: readonly number[]; readonly delta: number; readonly epsilon: number };
};

export function truthOf(seed: number): Truth {
  const next = random(seed);
  const between = (low: number, high: number) => low * (high / low) ** next();
  const step = integer(next, 8, 200);
  const prefill = between(500, 20_000);
  return {
    firstMs: between(5, 2000),
    prefill,
    cacheRead: prefill * between(1, 50),
    decode: between(10, 300),
    cache: pick(next, ["off", "request", "conversation"]),
    prompt: integer(next, 20, 3000),
    listenerPrompt: integer(next, 20, 3000),
    steps: integer(next, 2, 12),
    step,
    reply: { serial: Math.max(1, step * between(0.6, 1.5)), stream: Math.max(1, step * between(0.6, 1.5)) },
    heard: integer(next, 0, 8),
    quality: { profile: Array.from({ length: 8 }, () => next()), delta: 0.05 * next(), epsilon: 0.05 * next() },
  };
}

const exactly = (value: number): Estimate => ({ value, low: value, high: value });

/** A value as it comes out of measuring with so much relative error, and its interval. */
const about = (next: Random, value: number, error: number): Estimate => {
  const found = value * Math.max(0.1, 1 + error * normal(next));
  const half = 1.96 * error * found;
  return { value: found, low: Math.max(found / 20, found - half), high: found + half };
};

/** A profile of a truth, measured with a relative error. */
export function profileFor(truth: Truth, { seed, error }: { seed: number; error: number }): Profile {
  const next = random(seed);
  const near = (value: number) => about(next, value, error);
  const chance = (value: number): Estimate => {
    const { value: found, low, high } = near(value);
    return { value: Math.min(1, found), low: Math.min(1, low), high: Math.min(1, high) };
  };
  const { profile, delta, epsilon } = truth.quality;
  return {
    kind: "duplex-profile",
    version: 1,
    model: "made up",
    simulated: true,
    from: { source: "traces", runs: 8, calls: 64, inputTokens: 1, outputTokens: 1 },
    speeds: {
      timeToFirstTokenMs: near(truth.firstMs),
      prefill: near(truth.prefill),
      cacheRead: near(truth.cacheRead),
      decode: near(truth.decode),
    },
    cache: truth.cache,
    tokens: {
      prompt: exactly(truth.prompt),
      listenerPrompt: exactly(truth.listenerPrompt),
      steps: exactly(truth.steps),
      step: near(truth.step),
      reply: { serial: near(truth.reply.serial), stream: near(truth.reply.stream) },
      heard: exactly(truth.heard),
    },
    ratios: {},
    rho: null,
    quality: {
      profile: profile.map(chance),
      base: chance(0.5),
      delta: chance(delta),
      epsilon: chance(epsilon),
      judge: { name: "exact", agreement: null },
      judged: 100,
    },
    notes: [],
  };
}

/** What a candidate really takes: the theory's schedule, which the runtime keeps to the millisecond and the token. */
export function really(truth: Truth, { topology, agents, steps, protocol, hear }: Candidate): Totals {
  const scale = truth.steps / steps;
  const ids = chain(agents).agents.map(({ id }) => id);
  const reply = (protocol === "serial" ? truth.reply.serial : truth.reply.stream) * scale;
  const tokens = (count: number) => Array.from({ length: steps }, () => count);
  return totals({
    agents: ids.map((id, index) => ({
      id,
      promptTokens: index === 0 ? truth.prompt : truth.listenerPrompt,
      stepTokens: tokens(index === 0 ? truth.step * scale : reply),
    })),
    edges: edgesOf(topology, ids),
    protocol,
    ...(hear === undefined ? {} : { hear }),
    steps,
    tokens: { prompt: 0, step: truth.heard + 1, heard: truth.heard },
    speeds: {
      timeToFirstTokenMs: truth.firstMs,
      prefill: truth.prefill,
      cacheRead: truth.cacheRead,
      decode: truth.decode,
    },
    cache: truth.cache,
  });
}
