// How a listener is trained: what may be chosen, and what follows from the base and the labels.

import { resolve } from "node:path";
import { ConfigError } from "../../base/errors.ts";
import type { Base } from "./base.ts";
import type { Example } from "./examples.ts";
import { modules } from "./peft.ts";
import type { Data } from "./settle.ts";
import type { TrainerSpec } from "./trainer.ts";

/** How it is trained; what is left out follows from the base. */
export type Recipe = {
  readonly rank?: number | undefined;
  readonly rate?: number | undefined;
  /** Times each message is trained on; default 2. `steps` in its place counts batches. */
  readonly epochs?: number | undefined;
  readonly steps?: number | undefined;
  /** Messages a step; default 4. */
  readonly batch?: number | undefined;
  /** Layers that are adapted, counted from 0, the second not included; default: four, two thirds of the way up. */
  readonly layers?: readonly [from: number, to: number] | undefined;
  readonly targets?: readonly string[] | undefined;
  /** Messages that show where the labels are, before training, and are not trained on; default 200, at most half of them; 0: none. */
  readonly aim?: number | undefined;
  readonly mass?: number | undefined;
};

/** The recipe without anything left out but how long. */
const usual = {
  rank: 8,
  rate: 4e-4,
  epochs: 2,
  batch: 4,
  aim: 200,
  mass: 0.1,
  targets: Object.keys(modules),
};

/** Where and how the training runs; `seconds` of wall time. */
export type Running = {
  /** A folder or a hub's name with the base's weights, in place of those in the GGUF file. */
  readonly weights?: string | undefined;
  readonly recipe?: Recipe | undefined;
  readonly seed?: number | undefined;
  /** Default 1. */
  readonly threads?: number | undefined;
  readonly device?: TrainerSpec["device"] | undefined;
  /** Training ends after so long, whatever its steps. */
  readonly seconds?: number | undefined;
};

/** How many different samples examples come from. */
export const samplesIn = (examples: readonly Example[]): number => new Set(examples.map(({ group }) => group)).size;

/** What is given, over what is usual. */
function filled(recipe: Recipe): typeof usual & Recipe {
  const given = Object.entries(recipe).filter(([, value]) => value !== undefined);
  return { ...usual, ...(Object.fromEntries(given) as Partial<typeof usual>) };
}

/** Where small models know, and have some layers left to say it. */
function usualLayers(count: number): readonly [number, number] {
  const from = Math.floor((2 * count) / 3);
  return [from, Math.min(count, from + 4)];
}

function checkedLayers(layers: readonly [number, number], count: number): readonly [number, number] {
  const [from, to] = layers;
  if (Number.isInteger(from) && Number.isInteger(to) && 0 <= from && from < to && to <= count) return layers;
  throw new ConfigError("--layers", `must be two numbers from 0 to ${count}, the second larger; was ${from}-${to}`);
}

/** What follows from recipe and labels. Throws a ConfigError for settings out of range. */
export function specOf(base: Base, { train, held }: Pick<Data, "train" | "held">, running: Running) {
  const { recipe = {}, seed = 1, threads = 1, device = "auto", weights = null, seconds = null } = running;
  const { rank, rate, epochs, batch, aim, mass, targets, layers = usualLayers(base.layers) } = filled(recipe);
  const [from, to] = checkedLayers(layers, base.layers);
  const odd = targets.find((name) => !Object.hasOwn(modules, name));
  if (odd !== undefined) throw new ConfigError("--targets", `"${odd}" is none of ${Object.keys(modules).join(", ")}`);
  const messages = samplesIn(train);
  const aimMessages = Math.min(aim, Math.floor(messages / 2));
  const steps = recipe.steps ?? Math.max(1, Math.ceil((epochs * (messages - aimMessages)) / batch));
  return {
    base: resolve(base.path),
    weights,
    rank,
    alpha: 2 * rank,
    rate,
    steps,
    batch,
    rowsPerMessage: train.length / messages,
    from,
    to,
    targets,
    mass,
    aimMessages,
    seed,
    threads,
    device,
    every: Math.max(1, Math.ceil(steps / 4)),
    heldMessages: Math.min(40, samplesIn(held)),
    saveSeconds: 60,
    seconds,
    keepBytes: 2e9,
  } satisfies Omit<TrainerSpec, "train" | "held" | "checkpoints" | "adapter" | "yes" | "no">;
}
