import { normal, random } from "../base/random.ts";
import type { DecisionPoint, Outcome } from "./points.ts";
import { pointsVersion } from "./points.ts";

export const exactly = (success: number, cost: number): Outcome => ({ success, cost, rollouts: 1 });

export const point = (given: Partial<DecisionPoint> = {}): DecisionPoint => ({
  version: pointsVersion,
  task: "report",
  sample: "a",
  split: "train",
  listener: "reader",
  speaker: "reporter",
  turn: 0,
  chunk: 1,
  tokens: 16,
  path: "",
  text: "The board meets at",
  messages: [{ role: "user", content: "reporter: The board meets at" }],
  features: { margin: 0.5, chunks: 1, tokens: 16 },
  cut: exactly(1, 40),
  full: exactly(1, 120),
  exact: true,
  provenance: { seed: 1 },
  ...given,
});

/**
 * Messages of ten chunks of 16 tokens; from a chunk of its own on each listener knows, and `margin` shows it with noise.
 * `never`: cutting always fails.
 */
export function messages(count: number, { seed = 1, noise = 0.1, never = false, prefix = "s" } = {}): DecisionPoint[] {
  const next = random(seed);
  return Array.from({ length: count }, (_, sample) => {
    const knows = 1 + Math.floor(next() * 9);
    return Array.from({ length: 10 }, (_chunk, index) => {
      const chunk = index + 1;
      const known = chunk >= knows;
      return point({
        sample: `${prefix}${sample}`,
        chunk,
        tokens: 16 * chunk,
        features: { margin: (known ? 0.9 : 0.3) + noise * normal(next), chunks: chunk, tokens: 16 * chunk },
        cut: exactly(known && !never ? 1 : 0, 16 * chunk + 4),
        full: exactly(1, 180),
      });
    });
  }).flat();
}
