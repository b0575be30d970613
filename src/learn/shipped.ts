// What was learned and comes with the package, for `calibrated` and `ear` without a file.

import { ConfigError } from "../base/errors.ts";
import type { Weights } from "../policies/index.ts";
import { cachedEar } from "./head.ts";
import type { GrowOptions } from "./head.ts";
import { heads } from "./shipped/ears.ts";
import { weights } from "./shipped/weights.ts";

/** Weights for a listener's model on a family of tasks: the name before a task's options, such as `report`. */
export type ShippedWeights = { readonly model: string; readonly family: string; readonly weights: Weights };

/** The name in a model's spec: `llama:NAME` and `NAME` are the same. */
const nameOf = (model: string): string => model.replace(/^llama:/, "").replace(/[?,].*$/, "");

/**
 * The weights that come with the package for a listener's model, those of the task's family where there are some; without a
 * model the first. Undefined where nothing was learned for it.
 */
export function shippedWeights(model?: string, task?: string): Weights | undefined {
  const own = model === undefined ? weights : weights.filter((each) => each.model === nameOf(model));
  const family = task?.split(":", 1)[0];
  return (own.find((each) => each.family === family) ?? own[0])?.weights;
}

/** What comes with the package: which models' listeners, on which tasks, and which ears. */
export const shipped = {
  weights: weights.map(({ model, family }) => ({ model, family })),
  ears: heads.map(({ ear: { base, layers, of } }) => ({ base, layers, of })),
};

/**
 * The ear that comes with the package: its base is fetched and cut on first use. Gives the path of its JSON, for `ear` and
 * `openEar`. `base`: the base model's name; default: the first. Rejects with a ConfigError where there is none.
 */
export async function shippedEar(base?: string, options: GrowOptions = {}): Promise<string> {
  const head = base === undefined ? heads[0] : heads.find(({ ear }) => ear.base === nameOf(base));
  if (head !== undefined) return cachedEar(head, options);
  const known = heads.map(({ ear }) => ear.base).join(", ");
  throw new ConfigError(
    "ear",
    known === ""
      ? "no ear comes with this version; make one with `duplex learn ear`, and write ear:FILE"
      : `no ear on ${base ?? ""} comes with this version; there are some on ${known}`,
  );
}
