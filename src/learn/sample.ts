// Tree sampling: at a node of a conversation, cut there and hear on, roll both out, and go on below the cut.

import { ConfigError } from "../base/errors.ts";
import { Log } from "../base/log.ts";
import { scope, together } from "../base/scope.ts";
import { subseed } from "../base/random.ts";
import type { Hearing } from "../core/policy.ts";
import type { Message, Model } from "../core/types.ts";
import type { Casting, Sample, Task } from "../eval/index.ts";
import { loadVocabulary } from "../eval/recited.ts";
import { shuffled } from "../eval/split.ts";
import type { FeatureName, Measured } from "../policies/index.ts";
import { probabilityOfGain } from "./label.ts";
import { keyOf, pointsVersion } from "./points.ts";
import type { DecisionPoint, Outcome, Roll } from "./points.ts";
import type { Memory, Spent } from "./remember.ts";
import { rollOut, spotText } from "./rollout.ts";
import type { Rolled, Script, Spot, Stage } from "./rollout.ts";

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
  /** Samples in flight; default 1. */
  readonly concurrency?: number | undefined;
  /** Begin no further node after so many generated tokens. */
  readonly budget?: number | undefined;
  /** Keys of points there are already. */
  readonly done?: ReadonlySet<string> | undefined;
  readonly provenance?: Readonly<Record<string, unknown>> | undefined;
  readonly signal?: AbortSignal | undefined;
};

/** A point, and what all sampling has taken so far. */
export type Sampled = { readonly point: DecisionPoint; readonly spent: Readonly<Spent> };

/** A node of a conversation before its actions were tried. */
type Node = Spot & {
  readonly tokens: number;
  readonly text: string;
  readonly messages: readonly Message[];
  readonly features?: Readonly<Record<string, number>>;
};

type Tree = {
  readonly sampling: Sampling;
  readonly stage: Omit<Stage, "onHearing">;
  readonly put: (point: DecisionPoint) => void;
  /** Rollouts that hear a message to its end are those of all its nodes. */
  readonly fulls: Map<string, Rolled>;
};

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
}

/** One conversation in which nobody cuts beyond `path`: its nodes. */
async function nodesOf({ sampling, stage }: Tree, path: readonly string[]): Promise<Node[]> {
  const { measure, done } = sampling;
  const nodes: Node[] = [];
  const onHearing = (hearing: Hearing, signal: AbortSignal): void | Promise<void> => {
    const { listener, speaker, turn, chunks, tokens, text } = hearing;
    const node = { listener, speaker, turn, chunk: chunks, tokens, text, messages: hearing.messages() };
    const known = done?.has(keyOf({ ...node, sample: stage.sample.id, path: path.join("/") })) === true;
    if (measure === undefined || known) {
      nodes.push(node);
      return;
    }
    // Some measures go by what the conversation is about.
    const informed = { ...hearing, sample: stage.sample };
    return measure.of(informed, signal).then(({ values }) => {
      const named = measure.features.map((name, index): [string, number] => [name, values?.[index] ?? 0]);
      nodes.push(values === undefined ? node : { ...node, features: Object.fromEntries(named) });
    });
  };
  await rollOut({ ...stage, onHearing }, { cuts: path, seed: stage.seed, chance: 0 });
  return nodes;
}

const outcomeOf = (rolls: readonly Roll[], exact: boolean): Outcome => {
  const sum = (index: 0 | 1) => rolls.reduce((total, roll) => total + roll[index], 0) / rolls.length;
  return { success: sum(0), cost: sum(1), rollouts: rolls.length, ...(exact ? {} : { rolls }) };
};

/** One rollout of an action at a node. */
async function act(tree: Tree, place: { readonly path: readonly string[]; readonly node: Node }, turn: Turn) {
  const { sampling, stage, fulls } = tree;
  const { path, node } = place;
  const { action, round } = turn;
  const paper = sampling.scheme === "paper";
  const label = paper ? `${path.join("/")} ${spotText(node)} ${action} ${round}` : `rollout ${round}`;
  const { chance = 0.2 } = sampling;
  const script: Script = { cuts: path, node: { at: node, action }, seed: subseed(stage.seed, label), chance };
  if (action === "cut" || paper) return rollOut(stage, script);
  const message = [...path, node.listener, node.speaker, node.turn, round].join(" ");
  const known = fulls.get(message) ?? (await rollOut(stage, script));
  fulls.set(message, known);
  return known;
}

type Turn = { readonly action: "cut" | "full"; readonly round: number };

async function pointOf(tree: Tree, path: readonly string[], node: Node): Promise<DecisionPoint> {
  const { sampling, stage } = tree;
  const { rollouts = 10, scheme = "adaptive", confidence = 0.9, deterministic = false } = sampling;
  const cut: Roll[] = [];
  const full: Roll[] = [];
  let exact = false;
  for (let round = 0; round < rollouts && !exact; round++) {
    const one = await act(tree, { path, node }, { action: "cut", round });
    const other = await act(tree, { path, node }, { action: "full", round });
    cut.push(one.roll);
    full.push(other.roll);
    exact = deterministic && !one.chancy && !other.chancy;
    const gain = probabilityOfGain(cut, full);
    if (scheme === "adaptive" && round > 0 && Math.max(gain, 1 - gain) >= confidence) break;
  }
  return {
    version: pointsVersion,
    task: sampling.task.name,
    sample: stage.sample.id,
    split: stage.sample.split,
    ...node,
    path: path.join("/"),
    cut: outcomeOf(cut, exact),
    full: outcomeOf(full, exact),
    ...(exact ? { exact } : {}),
    provenance: sampling.provenance ?? {},
  };
}

async function grow(tree: Tree, path: readonly string[]): Promise<void> {
  const { sampling, stage } = tree;
  const { nodes: most = Infinity, depth = 0, branches = 3, done, budget = Infinity } = sampling;
  const all = await nodesOf(tree, path);
  const drawn = new Set(shuffled(all, spotText, subseed(stage.seed, path.join("/"))).slice(0, most));
  const chosen = all.filter((node) => drawn.has(node));
  const place = { sample: stage.sample.id, path: path.join("/") };
  for (const node of chosen) {
    stage.signal?.throwIfAborted();
    if (stage.spent.generated >= budget) return;
    if (done?.has(keyOf({ ...node, ...place })) !== true) tree.put(await pointOf(tree, path, node));
  }
  if (path.length >= depth) return;
  const below = shuffled(chosen, spotText, subseed(stage.seed, `below ${path.join("/")}`)).slice(0, branches);
  for (const node of below) await grow(tree, [...path, spotText(node)]);
}

/**
 * Decision points, each as it is finished; the same seed gives the same ones, whatever was done before. Throws a
 * `ConfigError` for settings out of range, the failure of a model, and the signal's reason.
 */
export async function* sample(sampling: Sampling): AsyncGenerator<Sampled, void, undefined> {
  check(sampling);
  if (sampling.virtual === true) await loadVocabulary();
  const { task, speaker, listener, chunk = 16, temperature = 0, maxTokens = 256, virtual = false } = sampling;
  const setting = { task, speaker, listener, chunk, temperature, maxTokens, virtual, pace: "lockstep" as const };
  const own = scope(sampling.signal);
  const results = new Log<DecisionPoint>();
  const spent: Spent = { generated: 0, replayed: 0 };
  const queue = [...sampling.samples];
  const worker = async (signal: AbortSignal) => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      if (spent.generated >= (sampling.budget ?? Infinity)) return;
      const seed = subseed(sampling.seed ?? 1, next.id);
      const memory: Memory = new Map();
      const stage = { setting, sample: next, seed, memory, spent, signal };
      await grow({ sampling, stage, put: (point) => results.append(point), fulls: new Map() }, []);
    }
  };
  const workers = Array.from({ length: sampling.concurrency ?? 1 }, () => worker);
  const working = together(workers, own.signal).finally(() => results.close());
  // Thrown below, once what is finished is out.
  working.catch(() => {});
  try {
    for await (const point of results) yield { point, spent: { ...spent } };
    await working;
  } finally {
    own.abort(new DOMException("nobody reads the points any more", "AbortError"));
    own.release();
    await working.catch(() => {});
  }
}
