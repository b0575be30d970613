// One conversation's tree: its nodes, what both actions come to at each, and the trees below its cuts.

import { together } from "../base/scope.ts";
import { subseed } from "../base/random.ts";
import type { Hearing } from "../core/policy.ts";
import type { Message } from "../core/types.ts";
import { heardEnough } from "../eval/index.ts";
import type { Sample } from "../eval/index.ts";
import { shuffled } from "../eval/split.ts";
import { heardOfMessage } from "../policies/ask.ts";
import { probabilityOfGain } from "./label.ts";
import { keyOf, pointsVersion } from "./points.ts";
import type { DecisionPoint, Outcome, Roll } from "./points.ts";
import { rollOut, spotText } from "./rollout.ts";
import type { Rolled, Script, Spot, Stage } from "./rollout.ts";
import type { Sampling } from "./sample.ts";
import type { Slots } from "./slots.ts";
import { nothingSpent, spend } from "./spent.ts";
import type { Spent } from "./spent.ts";

/** A point, and what its rollouts took. */
export type SampledPoint = { readonly point: DecisionPoint; readonly took: Readonly<Spent> };

export type Tree = {
  readonly sampling: Sampling;
  readonly stage: Omit<Stage, "onHearing">;
  readonly put: (made: SampledPoint) => void;
  readonly slots: Slots;
  /** Whether nothing more shall be begun. */
  readonly enough: () => boolean;
  /** Rollouts that hear a message to its end are those of all its nodes. */
  readonly fulls: Map<string, Promise<Rolled>>;
};

/** A node of a conversation before its actions were tried. */
type Node = Spot & {
  readonly tokens: number;
  readonly text: string;
  readonly about?: string;
  readonly messages: readonly Message[];
  readonly features?: Readonly<Record<string, number>>;
};

/** One conversation in which nobody cuts beyond `path`: its nodes. */
async function nodesOf({ sampling, stage }: Tree, path: readonly string[]): Promise<Node[]> {
  const { measure, done, doubt } = sampling;
  const nodes: Node[] = [];
  const onHearing = (hearing: Hearing, signal: AbortSignal): void | Promise<void> => {
    const { listener, speaker, turn, chunks, tokens } = hearing;
    const text = heardOfMessage(hearing);
    const { question, about: needed = question } = stage.sample.answer;
    const about = needed === undefined ? {} : { about: needed };
    const node = { listener, speaker, turn, chunk: chunks, tokens, text, ...about, messages: hearing.messages() };
    const known = done?.has(keyOf({ ...node, sample: stage.sample.id, path: path.join("/") })) === true;
    // Where nodes are chosen by what is measured, those there are already must be measured again to be chosen again.
    if (measure === undefined || (known && doubt === undefined)) {
      nodes.push(node);
      return;
    }
    // Some measures go by what the conversation is about.
    const informed = { ...hearing, ...about, sample: stage.sample };
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

type Turn = { readonly action: "cut" | "full"; readonly round: number };

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
  const known = fulls.get(message) ?? rollOut(stage, script);
  fulls.set(message, known);
  return known;
}

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

/** How near a node is to where what is needed is out; those just before it are the hardest to tell from those just after. */
function nearness(all: readonly Node[], sample: Sample): (node: Node) => number {
  const knows = ({ speaker, text }: Node) => heardEnough([{ agent: speaker, text }], sample) === true;
  const first = all.findIndex(knows);
  return (node) => (first < 0 ? 0 : Math.abs(all.indexOf(node) + 0.5 - first));
}

/** The nodes that are tried, in the order of the conversation. */
function chosenOf(all: readonly Node[], { sampling, stage }: Tree, path: string): Node[] {
  const { nodes: most = Infinity, doubt, hard } = sampling;
  const drawn = shuffled(all, spotText, subseed(stage.seed, path));
  const near = hard === true ? nearness(all, stage.sample) : undefined;
  const rank =
    doubt === undefined
      ? near
      : ({ features }: Node) => (features === undefined ? Infinity : Math.abs(doubt(features)));
  const ranked = rank === undefined || most >= all.length ? [] : drawn.toSorted((a, b) => rank(a) - rank(b));
  const first = new Set([...new Set([...ranked.slice(0, Math.ceil(most / 2)), ...drawn])].slice(0, most));
  return all.filter((node) => first.has(node));
}

/** Tries the nodes of a conversation, and goes on below some of them. */
export async function grow(tree: Tree, path: readonly string[]): Promise<void> {
  const { sampling, stage, slots, enough } = tree;
  const { depth = 0, branches = 3, done } = sampling;
  // What finding the nodes took is the first one's.
  const before = nothingSpent();
  const counting = { ...tree, stage: { ...stage, spent: [...stage.spent, before] } };
  const all = await slots.run(() => nodesOf(counting, path));
  const chosen = chosenOf(all, tree, path.join("/"));
  const place = { sample: stage.sample.id, path: path.join("/") };
  const left = chosen.filter((node) => done?.has(keyOf({ ...node, ...place })) !== true);
  const work = left.map((node, index) => async (signal: AbortSignal) => {
    await slots.run(async () => {
      signal.throwIfAborted();
      if (enough()) return;
      const took = nothingSpent();
      const own = { ...tree, stage: { ...stage, signal, spent: [...stage.spent, took] } };
      const point = await pointOf(own, path, node);
      if (index === 0) spend([took], before);
      tree.put({ point, took });
    });
  });
  await together(work, stage.signal);
  if (path.length >= depth) return;
  const below = shuffled(chosen, spotText, subseed(stage.seed, `below ${path.join("/")}`)).slice(0, branches);
  for (const node of below) if (!enough()) await grow(tree, [...path, spotText(node)]);
}
