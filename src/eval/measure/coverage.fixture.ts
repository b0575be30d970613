// How often intervals hold what is known.

import assert from "node:assert/strict";
import type { Estimate } from "./profile.ts";

/** What values are exact to, in relation to their size: rounding of times and tokens. */
const rounding = 1e-6;

/** Counts, by name, how many of the estimates hold the truth. */
export class Coverage {
  readonly #counts = new Map<string, { held: number; all: number }>();

  add(name: string, estimate: Estimate | null | undefined, truth: number): void {
    const count = this.#counts.get(name) ?? { held: 0, all: 0 };
    this.#counts.set(name, count);
    count.all++;
    if (estimate === null || estimate === undefined) return;
    const slack = rounding * Math.abs(truth);
    if (estimate.low - slack <= truth && truth <= estimate.high + slack) count.held++;
  }

  /** Each name was seen so often, and its truth held in at least such a share. */
  check({ share, seen }: { share: number; seen: number }): void {
    for (const [name, { held, all }] of this.#counts) {
      assert.ok(all >= seen, `${name}: only ${all} settings`);
      assert.ok(held / all >= share, `${name}: ${held} of ${all} intervals hold the truth`);
    }
  }

  toString(): string {
    return Array.from(this.#counts, ([name, { held, all }]) => `${name} ${((100 * held) / all).toFixed(1)} %`).join(
      ", ",
    );
  }
}
