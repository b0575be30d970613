// Tree sampling: at a node of a conversation, cut there and hear on, roll both out, and go on below the cut.

import { ConfigError } from "../base/errors.ts";
import { Log } from "../base/log.ts";
import { scope, together } from "../base/scope.ts";
import { subseed } from "../base/random.ts";
import type { Hearing } from "../core/policy.ts";
import type { Model } from "../core/types.ts";
import type { Price } from "../core/usage.ts";
import type { Casting, Sample, Task } from "../eval/index.ts";
import { loadVocabulary } from "../eval/recited.ts";
import type { FeatureName, Measured } from "../policies/index.ts";
import { emptyMemory } from "./remember.ts";
import { Slots } from "./slots.ts";
import { nothingSpent } from "./spent.ts";
import type { Spent } from "./spent.ts";
import { grow } from "./tree.ts";
import type { SampledPoint } from "./tree.ts";

/** Which conversations are branched, where, and how often. */
export type Sampling = {
  readonly task: Task;
  readonly samples: readonly Sample[];
  readonly speaker: Model | Casting;
  readonly listener: Model | Casting;
  /** Default 1. */
  readonly seed?: number | undefined;
  /** Tokens between two decisions; default 16. */
  readonly chunk?: number | undefined;
  readonly temperature?: number | undefined;
  readonly maxTokens?: number | undefined;
  /** For casts that are all simulated: time jumps. Default false. */
  readonly virtual?: boolean | undefined;
  /** At most so many nodes of a conversation, drawn by chance; default all. */
  readonly nodes?: number | undefined;
  /**
   * How far from its threshold a policy is at a node's features. Of `nodes`, half are then those where it is least sure, and
   * the others are drawn by chance, so that what it is wrongly sure of is found too.
   */
  readonly doubt?: ((features: Readonly<Record<string, number>>) => number) | undefined;
  /** Most rollouts of an action at a node; default 10. */
  readonly rollouts?: number | undefined;
  /** How many cuts below each other are gone on with, at most; default 0. */
  readonly depth?: number | undefined;
  /** How many nodes of a conversation are gone on below; default 3. */
  readonly branches?: number | undefined;
  /** How likely listeners cut after each chunk in rollouts; default 0.2. */
  readonly chance?: number | undefined;
  /**
   * `adaptive`: both actions meet the same chance, and rollouts end when the label is sure. `paper`: as many rollouts of each
   * action as stated, each with a chance of its own (arXiv 2604.06452).
   */
  readonly scheme?: "adaptive" | "paper" | undefined;
  /** Of a label, at which adaptive rollouts end; default 0.9. */
  readonly confidence?: number | undefined;
  /** Nothing in the models is left to chance: where rollouts do not draw either, one is enough. Default false. */
  readonly deterministic?: boolean | undefined;
  /** What is measured at each node; the hearing also has the `sample`. */
  readonly measure?:
    | {
        readonly features: readonly FeatureName[];
        readonly of: (hearing: Hearing, signal: AbortSignal) => Promise<Measured>;
      }
    | undefined;
  /**
   * Of `nodes`, half are those around the place where what is needed is out, for tasks that know it: what is begun and not out
   * yet is hardest to tell. Default false.
   */
  readonly hard?: boolean | undefined;
  /** Conversations at once, also about one sample; default 1. */
  readonly concurrency?: number | undefined;
  /** Begin no further node after so many generated tokens. */
  readonly budget?: number | undefined;
  /** Begin no further node after so much money, by `priceOf`. */
  readonly budgetAmount?: number | undefined;
  /** What a model takes, by its id. */
  readonly priceOf?: ((model: string) => Price | undefined) | undefined;
  /** What was spent of the budget before. */
  readonly spentBefore?: Pick<Spent, "generated" | "amount"> | undefined;
  /** Keys of points there are already. */
  readonly done?: ReadonlySet<string> | undefined;
  readonly provenance?: Readonly<Record<string, unknown>> | undefined;
  readonly signal?: AbortSignal | undefined;
};

/** A point with what it took, and what all sampling has taken so far. */
export type Sampled = SampledPoint & { readonly spent: Readonly<Spent> };

/** How sampling ended: with all there was to do, or with the budget spent. */
export type SamplingEnd = { readonly spent: Readonly<Spent>; readonly whole: boolean };

function check(sampling: Sampling): void {
  for (const name of ["chunk", "nodes", "rollouts", "branches", "concurrency", "budget"] as const) {
    const value = sampling[name];
    if (value !== undefined && !(Number.isSafeInteger(value) && value > 0))
      throw new ConfigError(name, `must be a whole number of at least 1; was ${value}`);
  }
  const { depth = 0, chance = 0.2, samples, scheme = "adaptive" } = sampling;
  if (!Number.isSafeInteger(depth) || depth < 0) throw new ConfigError("depth", `must be 0 or more; was ${depth}`);
  if (!(chance >= 0 && chance <= 1)) throw new ConfigError("chance", `must be from 0 to 1; was ${chance}`);
  if (scheme !== "adaptive" && scheme !== "paper")
    throw new ConfigError("scheme", `"${String(scheme)}" is neither adaptive nor paper`);
  if (samples.length === 0) throw new ConfigError("samples", "there are none");
  checkDoubt(sampling);
}

function checkDoubt({ doubt, measure }: Sampling): void {
  if (doubt !== undefined && measure === undefined)
    throw new ConfigError("doubt", "goes by what is measured at nodes, and nothing is; give measure");
}

/** Whether nothing more shall be begun. */
function isSpent({ budget = Infinity, budgetAmount = Infinity, spentBefore }: Sampling, spent: Spent): boolean {
  const { generated = 0, amount = 0 } = spentBefore ?? {};
  return generated + spent.generated >= budget || amount + spent.amount >= budgetAmount;
}

/**
 * Decision points, each as it is finished; the same seed gives the same ones, whatever was done before. Throws a
 * `ConfigError` for settings out of range, the failure of a model, and the signal's reason.
 */
export async function* sample(sampling: Sampling): AsyncGenerator<Sampled, SamplingEnd, undefined> {
  check(sampling);
  if (sampling.virtual === true) await loadVocabulary();
  const { task, speaker, listener, chunk = 16, temperature = 0, maxTokens = 256, virtual = false } = sampling;
  const setting = { task, speaker, listener, chunk, temperature, maxTokens, virtual, pace: "lockstep" as const };
  const own = scope(sampling.signal);
  const results = new Log<SampledPoint>();
  const spent = nothingSpent();
  const queue = [...sampling.samples];
  const { concurrency = 1, priceOf } = sampling;
  const slots = new Slots(concurrency);
  const enough = () => isSpent(sampling, spent);
  const worker = async (signal: AbortSignal) => {
    for (let next = queue.shift(); next !== undefined && !enough(); next = queue.shift()) {
      const seed = subseed(sampling.seed ?? 1, next.id);
      const stage = { setting, sample: next, seed, memory: emptyMemory(), priceOf, spent: [spent], signal };
      await grow({ sampling, stage, slots, enough, put: (made) => results.append(made), fulls: new Map() }, []);
    }
  };
  const workers = Array.from({ length: concurrency }, () => worker);
  const working = together(workers, own.signal).finally(() => results.close());
  // Thrown below, once what is finished is out.
  working.catch(() => {});
  try {
    for await (const made of results) yield { ...made, spent: { ...spent } };
    await working;
    return { spent, whole: !enough() };
  } finally {
    own.abort(new DOMException("nobody reads the points any more", "AbortError"));
    own.release();
    await working.catch(() => {});
  }
}
