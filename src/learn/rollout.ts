// One conversation with its first cuts prescribed, and what came of it.

import { random, subseed } from "../base/random.ts";
import type { Hearing, Policy } from "../core/policy.ts";
import type { Model } from "../core/types.ts";
import { accountOf } from "../eval/account.ts";
import { cast } from "../eval/cast.ts";
import type { Casting } from "../eval/cast.ts";
import { converse } from "../eval/conversation.ts";
import type { Setting } from "../eval/conversation.ts";
import { transcriptOf } from "../eval/floor.ts";
import type { Sample } from "../eval/index.ts";
import type { Roll } from "./points.ts";
import { remembering } from "./remember.ts";
import type { Memory } from "./remember.ts";
import type { Spent } from "./spent.ts";
import type { Price } from "../core/usage.ts";

/** A place where a listener can cut. */
export type Spot = Pick<Hearing, "listener" | "speaker" | "turn"> & { readonly chunk: number };

/** A place as text. */
export const spotText = ({ listener, speaker, turn, chunk }: Spot): string =>
  [listener, speaker, turn, chunk].join(".");

/** What is prescribed: cuts, then at a node to cut or to hear the message to its end; then cuts by chance. */
export type Script = {
  readonly cuts: readonly string[];
  /** Absent: nobody cuts any more. */
  readonly node?: { readonly at: Spot; readonly action: "cut" | "full" } | undefined;
  /** Of all that happens behind the node. */
  readonly seed: number;
  /** How likely a listener cuts after each chunk behind the node. */
  readonly chance: number;
};

export type Stage = {
  readonly setting: Setting;
  readonly sample: Sample;
  /** Of all that happens before the node. */
  readonly seed: number;
  readonly memory: Memory;
  readonly spent: readonly Spent[];
  readonly priceOf?: ((model: string) => Price | undefined) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called at each chunk behind the last prescribed cut, where there is no node. */
  readonly onHearing?: ((hearing: Hearing, signal: AbortSignal) => void | Promise<void>) | undefined;
};

export type Rolled = {
  readonly roll: Roll;
  /** Whether chance had a say behind the node. */
  readonly chancy: boolean;
};

type State = {
  left: Set<string>;
  behind: boolean;
  chancy: boolean;
  /** The turns of the node's message: with the floor given back it goes on in further ones. */
  readonly turns: Set<number>;
};

/**
 * Whether this is the node's message, to its listener. Hearing on is hearing it to its end; if a cut could be followed by a later
 * one of the same message, cutting too early would be credited with it.
 */
function sameMessage(a: Spot, { listener, speaker, turn, resumes }: Hearing, turns: Set<number>): boolean {
  if (a.speaker !== speaker) return false;
  if (resumes !== undefined && turns.has(resumes.turn)) turns.add(turn);
  return a.listener === listener && turns.has(turn);
}

function scripted(script: Script, state: State, { onHearing }: Stage): Policy {
  const { node, seed, chance } = script;
  const decide = (hearing: Hearing, signal: AbortSignal) => {
    const spot = spotText({ ...hearing, chunk: hearing.chunks });
    if (state.left.delete(spot)) return { advantage: 1 };
    if (state.left.size > 0) return { advantage: 0 };
    if (node === undefined) {
      const measured = onHearing?.(hearing, signal);
      return measured === undefined ? { advantage: 0 } : measured.then(() => ({ advantage: 0 }));
    }
    if (spot === spotText(node.at)) {
      state.behind = true;
      return { advantage: node.action === "cut" ? 1 : 0 };
    }
    if (!state.behind || sameMessage(node.at, hearing, state.turns) || chance === 0) return { advantage: 0 };
    state.chancy = true;
    return { advantage: random(subseed(seed, spot))() < chance ? 1 : 0 };
  };
  return { name: "scripted", decide };
}

/** Seats whose models remember; before the node all conversations are one, behind it each has a seed of its own. */
function remembered(who: Model | Casting, stage: Stage, { state, seed }: { state: State; seed: number }): Casting {
  return (seat) => {
    const before = cast(who, { ...seat, seed: stage.seed });
    // Where nothing is left to chance all rollouts say the same, and once is enough.
    const own = stage.setting.temperature > 0 || before.simulated === true ? seed : stage.seed;
    const behind = own === stage.seed ? before : cast(who, { ...seat, seed: own });
    // All conversations about a sample share what a local model has read: each goes on from the last one's prefix.
    const session = `${stage.sample.id}/${seat.role.id}`;
    const { memory, spent, priceOf } = stage;
    const options = { memory, spent, priceOf, session };
    const early = remembering(before, { ...options, key: () => `${session} ${stage.seed}` });
    const late = remembering(behind, { ...options, key: () => `${session} ${own}` });
    const seedBehind = (given: number | undefined) => (own === stage.seed ? own : subseed(own, String(given)));
    return {
      ...early,
      stream: (request) =>
        state.behind
          ? late.stream({ ...request, seed: seedBehind(request.seed) })
          : early.stream({ ...request, seed: stage.seed }),
    };
  };
}

/** Plays a script. Rejects with the failure of a model, and with the signal's reason. */
export async function rollOut(stage: Stage, script: Script): Promise<Rolled> {
  const { sample, signal } = stage;
  const state: State = { left: new Set(script.cuts), behind: false, chancy: false, turns: new Set() };
  if (script.node !== undefined) state.turns.add(script.node.at.turn);
  const how = { state, seed: script.seed };
  const setting: Setting = {
    ...stage.setting,
    speaker: remembered(stage.setting.speaker, stage, how),
    listener: remembered(stage.setting.listener, stage, how),
  };
  const policy = scripted(script, state, stage);
  const { events, said, failure } = await converse(setting, { sample, seed: stage.seed, policy, signal });
  if (failure !== undefined) throw failure.error;
  const verdict = setting.task.judge(transcriptOf(said, sample), sample);
  const { cost } = accountOf(events, { sample, said, verdict });
  return { roll: [verdict.success, cost.total], chancy: state.chancy };
}
