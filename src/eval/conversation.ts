// One conversation about one sample: who takes part, when it ends, what was said.

import { systemClock } from "../base/clock.ts";
import type { Clock } from "../base/clock.ts";
import type { Policy } from "../core/policy.ts";
import type { Agent, Model, RunEvent } from "../core/types.ts";
import { dialogue } from "../runtime/dialogue.ts";
import type { Utterance as Said } from "../runtime/dialogue.ts";
import { run } from "../runtime/run.ts";
import { VirtualClock } from "../testing/clock.ts";
import { cast } from "./cast.ts";
import type { Casting } from "./cast.ts";
import { floorsBack, mostFloorsBack, transcriptOf } from "./floor.ts";
import { lockstep } from "./lockstep.ts";
import { reminded } from "./reminded.ts";
import type { Sample, Task, Utterance } from "./task.ts";

/** How conversations go, the same for all that are compared. */
export type Setting = {
  readonly task: Task;
  /** Plays the roles that do not listen. */
  readonly speaker: Model | Casting;
  /** Plays the roles that listen. */
  readonly listener: Model | Casting;
  /** Tokens between two decisions. */
  readonly chunk: number;
  readonly temperature: number;
  /** Most tokens of one message of a model. */
  readonly maxTokens: number;
  /** `lockstep`: a speaker waits until its listeners have decided. `live`: it goes on meanwhile. */
  readonly pace: "lockstep" | "live";
  /** Time jumps instead of passing: for models that are all simulated. */
  readonly virtual: boolean;
};

/** What is heard so far, the message in progress included. */
export type Heard = { readonly transcript: readonly Utterance[]; readonly speaker: string; readonly chunks: number };

/** Decides from the truth: whether the listener should cut in now. */
export type Hindsight = (heard: Heard) => boolean;

export type Plan = {
  readonly sample: Sample;
  readonly seed: number;
  readonly policy: Policy | Hindsight;
  readonly signal?: AbortSignal | undefined;
};

/** What became of a conversation; the failure where it did not end by itself. */
export type Held = {
  readonly events: readonly RunEvent[];
  readonly said: readonly Said[];
  readonly failure?: { readonly error: unknown };
};

function knowing(decide: Hindsight, said: () => readonly Said[], sample: Sample): Policy {
  return {
    name: "oracle",
    decide: ({ speaker, text, chunks }) => {
      const before = said();
      // Once a cut was of no use, hearing the rest is the best that is left.
      if (before.at(-1)?.cutBy !== undefined || floorsBack(before, sample).length > 0) return { advantage: 0 };
      const transcript = [...transcriptOf(before, sample), { agent: speaker, text }];
      return { advantage: decide({ transcript, speaker, chunks }) ? 1 : 0 };
    },
  };
}

type Cast = { readonly agents: readonly Agent[]; readonly listeners: readonly string[] };

function castOf(setting: Setting, { sample, seed }: Plan, { policy, clock }: { policy: Policy; clock: Clock }): Cast {
  const tie = setting.pace === "lockstep" ? lockstep(clock) : undefined;
  const listeners = sample.roles.filter(({ listens }) => listens).map(({ id }) => id);
  const agents = sample.roles.map((role): Agent => {
    const { id, instructions, listens } = role;
    const played = cast(listens ? setting.listener : setting.speaker, { sample, role, clock, seed });
    const own = reminded(played, role.reminder);
    // A listener that nobody else listens to has nobody to wait for.
    const model = listens && listeners.length === 1 ? own : (tie?.speaker(own) ?? own);
    return listens ? { id, instructions, model, policy: tie?.listener(policy) ?? policy } : { id, instructions, model };
  });
  return { agents, listeners };
}

/** Holds a conversation to its end. Rejects with the signal's reason when it fires, and with a `ConfigError`. */
export async function converse(setting: Setting, plan: Plan): Promise<Held> {
  if (!setting.virtual) return hold(setting, plan, systemClock);
  const clock = new VirtualClock();
  return clock.run(hold(setting, plan, clock));
}

async function hold(setting: Setting, plan: Plan, clock: Clock): Promise<Held> {
  const { sample, seed, signal } = plan;
  const { task, chunk, temperature, maxTokens } = setting;
  let said: readonly Said[] = [];
  const policy = typeof plan.policy === "function" ? knowing(plan.policy, () => said, sample) : plan.policy;
  const { agents, listeners } = castOf(setting, plan, { policy, clock });
  const { rounds } = sample;
  const isOver = (): boolean => {
    const back = floorsBack(said, sample);
    if (task.judge(transcriptOf(said, sample), sample).over) return true;
    // A message that goes on and the reply in its middle are no turns of their own.
    return said.length - 2 * back.length >= rounds * agents.length;
  };
  const protocol = dialogue({
    rounds: rounds + 2 * mostFloorsBack,
    listeners,
    stop: (now) => {
      said = [...now];
      return isOver();
    },
    floorBack: () => floorsBack(said, sample).at(-1) === said.length - 1,
  });
  const options = {
    protocol,
    chunk,
    temperature,
    maxTokens,
    clock,
    seed,
    signal,
    decisionMs: 120_000,
    idleMs: 300_000,
  };
  const events: RunEvent[] = [];
  try {
    for await (const event of run({ agents, edges: [] }, sample.prompt, options)) events.push(event);
    return { events, said };
  } catch (error) {
    if (signal?.aborted === true || events.length === 0) throw error;
    return { events, said, failure: { error } };
  }
}
