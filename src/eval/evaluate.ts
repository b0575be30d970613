// Policies compared on the same samples.

import { ConfigError } from "../base/errors.ts";
import { Mailbox } from "../base/mailbox.ts";
import { scope, together } from "../base/scope.ts";
import type { Price } from "../core/usage.ts";
import type { Model } from "../core/types.ts";
import type { Arm, Casting } from "./cast.ts";
import type { Setting } from "./conversation.ts";
import { loadVocabulary } from "./recited.ts";
import { keyOf } from "./result.ts";
import type { Result } from "./result.ts";
import type { Sample, Task } from "./task.ts";
import { trial } from "./trial.ts";

/** When to start nothing more: tokens read and generated, or money; what is in flight is finished. */
export type Budget = { readonly tokens?: number | undefined; readonly amount?: number | undefined };

/** Which conversations are held, by whom, and within which bounds. */
export type Evaluation = {
  readonly task: Task;
  readonly samples: readonly Sample[];
  readonly arms: readonly Arm[];
  /** Plays the roles that do not listen: a model for all, or one for each seat (`template()`). */
  readonly speaker: Model | Casting;
  /** Plays the roles that listen. */
  readonly listener: Model | Casting;
  /** Conversations about each sample under each arm, each with a seed of its own; default 1. */
  readonly repeats?: number | undefined;
  /** Default 1. */
  readonly seed?: number | undefined;
  /** Samples in flight; the arms of one sample are played one after the other. Default 1. */
  readonly concurrency?: number | undefined;
  /** Tokens between two decisions; default 16. */
  readonly chunk?: number | undefined;
  /** How often each role speaks; default: the sample's own. */
  readonly rounds?: number | undefined;
  /** Default 0. */
  readonly temperature?: number | undefined;
  /** Most tokens of a model's message; default 256. */
  readonly maxTokens?: number | undefined;
  /** Whether speakers wait for decisions (`lockstep`, the default) or go on meanwhile (`live`). */
  readonly pace?: Setting["pace"] | undefined;
  /** Jumps through time, for casts that are all simulated and keep to their seat's clock; default false. */
  readonly virtual?: boolean | undefined;
  readonly budget?: Budget | undefined;
  /** The price of the model with this id. */
  readonly priceOf?: ((model: string) => Price | undefined) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Results there are already: not played again, but counted against the budget. */
  readonly done?: readonly Result[] | undefined;
};

/** Why it ended: every cell was played, or the budget is spent. */
export type Ended = "done" | "budget";

// A provider that has failed this often and never worked will not.
const hopeless = 5;

/**
 * One result for each sample, repeat and arm that is not `done`, as it is finished; failed conversations are results too.
 * Throws a `ConfigError` for settings out of range, the signal's reason when it fires (what is in flight is dropped), and
 * the failure when the first five conversations all failed.
 */
export async function* evaluate(evaluation: Evaluation): AsyncGenerator<Result, Ended, undefined> {
  check(evaluation);
  if (evaluation.virtual === true) await loadVocabulary();
  const own = scope(evaluation.signal);
  const results = new Mailbox<Result>();
  const queue = queueOf(evaluation);
  const worker = (signal: AbortSignal) => work(evaluation, { queue, signal, put: (result) => results.put(result) });
  const workers = Array.from({ length: evaluation.concurrency ?? 1 }, () => worker);
  const working = together(workers, own.signal).finally(() => results.close());
  // Thrown below, once the finished results are out.
  working.catch(() => {});
  try {
    for await (const batch of results) yield* batch;
    await working;
    return queue.ended();
  } finally {
    own.abort(new DOMException("nobody reads the results any more", "AbortError"));
    own.release();
    await working.catch(() => {});
  }
}

type Group = { readonly sample: Sample; readonly repeat: number; readonly arms: readonly Arm[] };

type Queue = {
  readonly next: () => Group | undefined;
  /** Throws when nothing has ever worked. */
  readonly finished: (result: Result) => void;
  readonly ended: () => Ended;
};

/** What is left to do, a sample with all its arms at a time, so that what is finished can be compared. */
function queueOf({ samples, arms, repeats = 1, rounds, done = [], budget = {} }: Evaluation): Queue {
  const known = new Set(done.map(keyOf));
  const groups = Array.from({ length: repeats }, (_, repeat) =>
    samples.map((sample, index): Group => {
      // Each arm is the first in its turn, so that what a cache or a processor remembers favors none.
      const first = (index + repeat) % arms.length;
      const left = [...arms.slice(first), ...arms.slice(0, first)].filter(
        ({ name }) => !known.has(keyOf({ sample: sample.id, repeat, policy: name })),
      );
      return { sample: rounds === undefined ? sample : { ...sample, rounds }, repeat, arms: left };
    }),
  )
    .flat()
    .filter((group) => group.arms.length > 0);
  let [place, tokens, amount] = [0, 0, 0];
  let spentAll = false;
  let failed = done.length > 0 ? -Infinity : 0;
  const spend = ({ spent, money }: Result) => {
    tokens += spent.inputTokens + spent.outputTokens;
    amount += money?.amount ?? 0;
  };
  for (const result of done) spend(result);
  return {
    next: () => {
      if (place >= groups.length) return undefined;
      spentAll ||= tokens >= (budget.tokens ?? Infinity) || amount >= (budget.amount ?? Infinity);
      return spentAll ? undefined : groups[place++];
    },
    finished: (result) => {
      spend(result);
      failed = result.failure === undefined ? -Infinity : failed + 1;
      if (failed >= hopeless) throw new Error(`the first ${hopeless} conversations all failed: ${result.detail}`);
    },
    ended: () => (spentAll ? "budget" : "done"),
  };
}

type Work = { readonly queue: Queue; readonly signal: AbortSignal; readonly put: (result: Result) => void };

async function work(evaluation: Evaluation, { queue, signal, put }: Work): Promise<void> {
  const { seed = 1, priceOf } = evaluation;
  const options = { setting: settingOf(evaluation), seed, priceOf, signal };
  for (let group = queue.next(); group !== undefined; group = queue.next()) {
    for (const arm of group.arms) {
      signal.throwIfAborted();
      const result = await trial(options, { sample: group.sample, repeat: group.repeat, arm });
      put(result);
      queue.finished(result);
    }
  }
}

const settingOf = (evaluation: Evaluation): Setting => ({
  task: evaluation.task,
  speaker: evaluation.speaker,
  listener: evaluation.listener,
  chunk: evaluation.chunk ?? 16,
  temperature: evaluation.temperature ?? 0,
  maxTokens: evaluation.maxTokens ?? 256,
  pace: evaluation.pace ?? "lockstep",
  virtual: evaluation.virtual ?? false,
});

const known: { readonly [Name in keyof Required<Evaluation>]: true } = {
  task: true,
  samples: true,
  arms: true,
  speaker: true,
  listener: true,
  repeats: true,
  seed: true,
  concurrency: true,
  chunk: true,
  rounds: true,
  temperature: true,
  maxTokens: true,
  pace: true,
  virtual: true,
  budget: true,
  priceOf: true,
  signal: true,
  done: true,
};

function checkNumbers(evaluation: Evaluation): void {
  const odd = Object.entries(evaluation).find(([name, value]) => value !== undefined && !Object.hasOwn(known, name));
  if (odd !== undefined)
    throw new ConfigError(odd[0], `is no option of an evaluation; there are ${Object.keys(known).join(", ")}`);
  const { seed, temperature } = evaluation;
  if (seed !== undefined && !Number.isSafeInteger(seed))
    throw new ConfigError("seed", `must be a whole number; was ${JSON.stringify(seed)}`);
  if (temperature !== undefined && !(temperature >= 0))
    throw new ConfigError("temperature", `must be at least 0; was ${JSON.stringify(temperature)}`);
}

function check(evaluation: Evaluation): void {
  checkNumbers(evaluation);
  const { samples, arms, pace = "lockstep", ...settings } = evaluation;
  for (const name of ["repeats", "concurrency", "chunk", "rounds", "maxTokens"] as const) {
    const value = settings[name];
    if (value !== undefined && !(Number.isSafeInteger(value) && value > 0))
      throw new ConfigError(name, `must be a whole number of at least 1; was ${value}`);
  }
  if (samples.length === 0) throw new ConfigError("samples", "there are none");
  if (arms.length === 0) throw new ConfigError("arms", "there are none; give at least one policy");
  if (pace !== "lockstep" && pace !== "live")
    throw new ConfigError("pace", `"${String(pace)}" is neither lockstep nor live`);
  const names = arms.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new ConfigError("arms", `"${twice}" is there twice`);
  const deaf = samples.find(({ roles }) => !roles.some(({ listens }) => listens));
  if (deaf !== undefined) throw new ConfigError(`sample ${deaf.id}`, "none of its roles listens, so nobody can cut in");
}
