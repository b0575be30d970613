// Conversations with interruption as cells of an experiment: every policy on every sample of every scene.

import { subseed } from "../base/random.ts";
import type { Price } from "../core/usage.ts";
import { cast } from "../eval/cast.ts";
import type { Arm } from "../eval/cast.ts";
import type { Setting } from "../eval/conversation.ts";
import { loadVocabulary } from "../eval/recited.ts";
import { contentOf } from "../eval/result.ts";
import type { Result } from "../eval/result.ts";
import type { Sample as Talk } from "../eval/task.ts";
import { trial } from "../eval/trial.ts";
import { failureOf } from "./conduct.ts";
import type { Cell, Sample } from "./sample.ts";
import type { Part } from "./setup.ts";
import { roughTokens } from "./workload.ts";

/** One way of holding conversations: task, speaker, listener and chunk, with the policies that are compared in it. */
export type Scene = {
  readonly task: string;
  readonly speaker: string;
  readonly listener: string;
  readonly chunk: number;
  /** Everybody may cut in, not only those whom the task has listen. */
  readonly symmetric: boolean;
  readonly setting: Setting;
  readonly samples: readonly Talk[];
  readonly arms: readonly Arm[];
};

/** The scenes that are played, and how often. */
export type TalksOptions = {
  readonly scenes: readonly Scene[];
  readonly seed: number;
  readonly repeats: number;
  /** The price of the model with this id. */
  readonly priceOf?: ((model: string) => Price | undefined) | undefined;
};

/** How samples call a scene. */
export const sceneName = ({ task, speaker, listener, chunk, symmetric }: Scene): string =>
  `${task}${symmetric ? " symmetric" : ""} | ${speaker} | ${listener} | ${chunk}`;

/** How samples call a policy in a scene. */
export const talkName = (scene: Scene, policy: string): string => `${sceneName(scene)} | ${policy}`;

/** The scene once more, in which everybody may cut in; each role is played by whom it was. */
export function symmetricScene(scene: Scene): Scene {
  const { setting, samples } = scene;
  const roles = samples.map(
    ({ id, roles: own }) => [id, own.filter(({ listens }) => listens).map((role) => role.id)] as const,
  );
  const listening = new Map(roles);
  return {
    ...scene,
    symmetric: true,
    samples: samples.map((talk) => ({ ...talk, roles: talk.roles.map((role) => ({ ...role, listens: true })) })),
    setting: {
      ...setting,
      listener: (seat) =>
        cast(listening.get(seat.sample.id)?.includes(seat.role.id) === true ? setting.listener : setting.speaker, seat),
    },
  };
}

/** Cells, playing and expected workload of conversations. */
export function talkCells({ scenes, seed, repeats, priceOf }: TalksOptions): Omit<Part, "sections"> {
  const places = new Map(
    scenes.flatMap((scene) => scene.arms.map((arm) => [talkName(scene, arm.name), { scene, arm }] as const)),
  );
  const cells: Cell[] = [];
  for (let repeat = 0; repeat < repeats; repeat++)
    for (const scene of scenes)
      for (const [index, talk] of scene.samples.entries()) {
        const of = contentOf(talk);
        const first = (index + repeat) % scene.arms.length;
        for (const { name } of [...scene.arms.slice(first), ...scene.arms.slice(0, first)])
          cells.push({ arm: talkName(scene, name), item: talk.id, of, repeat });
      }
  const placeOf = (cell: Cell) => {
    const { scene, arm } = places.get(cell.arm)!;
    return { scene, arm, talk: scene.samples.find(({ id }) => id === cell.item)! };
  };
  return {
    cells,
    play: async (cell, signal) => {
      const { scene, arm, talk } = placeOf(cell);
      // Virtual time waits for timers only.
      if (scene.setting.virtual) await loadVocabulary();
      try {
        const options = { setting: scene.setting, seed: subseed(seed, scene.task), priceOf, signal };
        const result = await trial(options, { sample: talk, repeat: cell.repeat, arm });
        return sampleOf(cell, result, scene.setting.virtual);
      } catch (error) {
        return { ...cell, figures: {}, failure: failureOf(error, signal) };
      }
    },
    workload: (cell) => {
      const { scene, talk } = placeOf(cell);
      return expected(talk, scene);
    },
  };
}

/** A message of a model is expected to be so long. */
const messageTokens = 80;

/** Roughly: everybody speaks once a round and reads everything, and each listener decides after each chunk. */
function expected({ prompt, roles, rounds }: Talk, { chunk }: Scene) {
  const messages = roles.length * Math.min(rounds, 2);
  const listeners = roles.filter(({ listens }) => listens).length;
  const decisions = Math.ceil(messageTokens / chunk) * listeners * Math.min(rounds, 2);
  const read = roughTokens(prompt) + roughTokens(roles.map(({ instructions }) => instructions).join("")) / roles.length;
  const calls = messages + decisions;
  const inputTokens = Math.round(calls * (read + (messages * messageTokens) / 2));
  return { runs: 1, calls, inputTokens, outputTokens: messages * messageTokens + decisions };
}

function sampleOf(cell: Cell, result: Result, virtual: boolean): Sample {
  const { success, answer, detail, failure, simulated, money, usage } = result;
  return {
    ...cell,
    ...(success === undefined ? {} : { correct: success }),
    ...(answer === undefined ? {} : { answer: answer.slice(0, 200) }),
    detail: detail.slice(0, 300),
    figures: figuresOf(result),
    ...(money === undefined ? {} : { currency: money.currency }),
    ...(failure === undefined ? {} : { failure }),
    ...(simulated === true ? { simulated } : {}),
    ...(usage.estimated === true ? { estimated: true as const } : {}),
    ...(virtual ? {} : { day: new Date().toISOString().slice(0, 10) }),
  };
}

function figuresOf({ cost, usage, decisionUsage, decisionMs, cuts, wallMs, money, messages, rounds }: Result) {
  return {
    ms: wallMs,
    calls: usage.calls,
    input: usage.inputTokens,
    cached: usage.cachedTokens,
    output: usage.outputTokens,
    tokens: usage.inputTokens + usage.outputTokens,
    ...cost,
    decisionInput: decisionUsage.inputTokens,
    decisionCached: decisionUsage.cachedTokens,
    decisionCalls: decisionUsage.calls,
    decisionMs,
    cuts: cuts.length,
    wrongCuts: cuts.filter(({ wrong }) => wrong !== undefined).length,
    firstChunkCuts: cuts.filter(({ chunk }) => chunk === 1).length,
    messages,
    rounds,
    ...(money === undefined ? {} : { cost: money.amount }),
  };
}
