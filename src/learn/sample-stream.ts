// Decision points of agents that stream to each other: cut the speaker after one of its steps, or hear all of them?

import type { Clock } from "../base/clock.ts";
import { systemClock } from "../base/clock.ts";
import { ConfigError } from "../base/errors.ts";
import { subseed } from "../base/random.ts";
import type { Hearing, Policy } from "../core/policy.ts";
import { answer } from "../core/transcript.ts";
import type { RunEvent, Splitter, Topology } from "../core/types.ts";
import { usageOf } from "../core/usage.ts";
import type { Split } from "../eval/index.ts";
import { run } from "../runtime/run.ts";
import type { RunOptions } from "../runtime/run.ts";
import { VirtualClock } from "../testing/clock.ts";
import { probabilityOfGain } from "./label.ts";
import { keyOf, pointsVersion } from "./points.ts";
import type { DecisionPoint, Outcome, Roll } from "./points.ts";

/** Something for a team to work on, and whether its answer is right. */
export type Assignment = {
  readonly id: string;
  readonly split: Split;
  readonly prompt: string;
  readonly judge: (answer: string) => boolean;
};

/** Which runs of a team are branched, and how they are judged. */
export type StreamSampling = {
  readonly task: string;
  readonly assignments: readonly Assignment[];
  /** The team for one run; the same seed gives the same chance. */
  readonly team: (run: { readonly seed: number; readonly clock: Clock }) => Topology | Promise<Topology>;
  /** Who is cut, and who cuts. */
  readonly speaker: string;
  readonly listener: string;
  /** Default 1. */
  readonly seed?: number | undefined;
  /** Most rollouts of an action; default 10. */
  readonly rollouts?: number | undefined;
  /** Of a label, at which rollouts end; default 0.9. */
  readonly confidence?: number | undefined;
  /** How the speaker's message is cut into steps; by its delimiter by default. */
  readonly splitter?: Splitter | undefined;
  /** For teams that are all simulated: time jumps. Default false. */
  readonly virtual?: boolean | undefined;
  /** How teams run, beside what sampling itself sets. */
  readonly options?: Omit<RunOptions, "protocol" | "chunk" | "clock" | "seed" | "signal" | "splitter"> | undefined;
  /** Keys of points there are already. */
  readonly done?: ReadonlySet<string> | undefined;
  /** Begin no further step after so many generated tokens. */
  readonly budget?: number | undefined;
  /** Called with the generated tokens of each run. */
  readonly onSpent?: ((tokens: number) => void) | undefined;
  readonly provenance?: Readonly<Record<string, unknown>> | undefined;
  readonly signal?: AbortSignal | undefined;
};

type Playing = { readonly sampling: StreamSampling; readonly assignment: Assignment };

/** One run under a policy of the listener's. */
async function play({ sampling, assignment }: Playing, seed: number, policy: Policy): Promise<Roll> {
  const { splitter, listener, signal, virtual = false } = sampling;
  const virtualClock = virtual ? new VirtualClock() : undefined;
  const clock = virtualClock ?? systemClock;
  const team = await sampling.team({ seed, clock });
  const agents = team.agents.map((agent) => (agent.id === listener ? { ...agent, policy } : agent));
  const events: RunEvent[] = [];
  const work = async () => {
    const cutter = splitter === undefined ? {} : { splitter };
    const own = { protocol: "stream", chunk: "step" as const, clock, seed, signal, ...cutter };
    const options = { ...sampling.options, ...own };
    for await (const event of run({ ...team, agents }, assignment.prompt, options)) events.push(event);
  };
  await (virtualClock === undefined ? work() : virtualClock.run(work()));
  const { outputTokens } = usageOf(events).total;
  sampling.onSpent?.(outputTokens);
  return [assignment.judge(answer(events)) ? 1 : 0, outputTokens];
}

const outcomeOf = (rolls: readonly Roll[]): Outcome => ({
  success: rolls.reduce((sum, [success]) => sum + success, 0) / rolls.length,
  cost: rolls.reduce((sum, [, cost]) => sum + cost, 0) / rolls.length,
  rollouts: rolls.length,
  rolls,
});

/** What the listener hears when nobody cuts: a hearing a step. */
async function hearingsOf(playing: Playing, seed: number): Promise<Hearing[]> {
  const { speaker } = playing.sampling;
  const heard: Hearing[] = [];
  const decide = (hearing: Hearing) => {
    if (hearing.speaker === speaker) heard.push({ ...hearing, messages: () => messages });
    const messages = hearing.messages();
    return { advantage: 0 };
  };
  await play(playing, seed, { name: "recorder", decide });
  return heard;
}

const cutting = ({ speaker, turn, chunks }: Hearing): Policy => ({
  name: "scripted",
  decide: (now) => ({ advantage: now.speaker === speaker && now.turn === turn && now.chunks === chunks ? 1 : 0 }),
});

async function pointOf(playing: Playing, hearing: Hearing, fullOf: (round: number) => Promise<Roll>) {
  const { sampling, assignment } = playing;
  const { rollouts = 10, confidence = 0.9, seed = 1, provenance = {} } = sampling;
  const cut: Roll[] = [];
  const full: Roll[] = [];
  for (let round = 0; round < rollouts; round++) {
    sampling.signal?.throwIfAborted();
    cut.push(await play(playing, seedOf(seed, assignment, round), cutting(hearing)));
    full.push(await fullOf(round));
    const gain = probabilityOfGain(cut, full);
    if (round > 0 && Math.max(gain, 1 - gain) >= confidence) break;
  }
  const { listener, speaker, turn, chunks, tokens, text } = hearing;
  const point: DecisionPoint = {
    version: pointsVersion,
    task: sampling.task,
    sample: assignment.id,
    split: assignment.split,
    listener,
    speaker,
    turn,
    chunk: chunks,
    tokens,
    path: "",
    text,
    messages: hearing.messages(),
    features: { chunks, tokens },
    cut: outcomeOf(cut),
    full: outcomeOf(full),
    provenance,
  };
  return point;
}

const seedOf = (seed: number, { id }: Assignment, round: number): number => subseed(seed, `${id} rollout ${round}`);

/**
 * A decision point after each step of the speaker, with the features `chunks` (steps heard) and `tokens`; both actions of a
 * rollout meet the same chance, and hearing all is played once for all steps. Throws a ConfigError for an edge that is none.
 */
export async function* sampleStream(given: StreamSampling): AsyncGenerator<DecisionPoint, void, undefined> {
  let spent = 0;
  const onSpent = (tokens: number) => {
    spent += tokens;
    given.onSpent?.(tokens);
  };
  const sampling = { ...given, onSpent };
  const { seed = 1, speaker, listener, budget = Infinity, done } = sampling;
  const { edges } = await sampling.team({ seed, clock: systemClock });
  if (!edges.some(([from, to]) => from === speaker && to === listener))
    throw new ConfigError("listener", `"${listener}" does not hear "${speaker}"`);
  for (const assignment of sampling.assignments) {
    if (spent >= budget) return;
    const playing = { sampling, assignment };
    const fulls = new Map<number, Roll>();
    const fullOf = async (round: number): Promise<Roll> => {
      const known = fulls.get(round) ?? (await play(playing, seedOf(seed, assignment, round), { name: "never" }));
      fulls.set(round, known);
      return known;
    };
    for (const hearing of await hearingsOf(playing, seedOf(seed, assignment, 0))) {
      const place = { sample: assignment.id, path: "", listener, speaker, turn: hearing.turn, chunk: hearing.chunks };
      if (done?.has(keyOf(place)) === true) continue;
      if (spent >= budget) return;
      yield await pointOf(playing, hearing, fullOf);
    }
  }
}
