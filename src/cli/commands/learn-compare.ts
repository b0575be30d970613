// Policies compared on samples held out, in one setting; what was heard is kept, so that mishaps can be read.

import type { Hearing, Policy } from "../../core/policy.ts";
import type { Price } from "../../core/usage.ts";
import { armsNamed, compare, evaluate, openJournal } from "../../eval/index.ts";
import type { Arm, Budget, Ended, Sample, Split, Task } from "../../eval/index.ts";
import type { Compared, KeptResult } from "../../learn/index.ts";
import { priceOf } from "../../models/prices.ts";
import type { Io } from "../io.ts";
import { computes, openPolicies } from "../policies.ts";
import { openCast } from "./eval-cast.ts";
import type { Cast, CastFlags } from "./eval-cast.ts";
import { progressOf } from "./eval-progress.ts";

/** One setting to compare policies in. */
export type Setting = CastFlags & {
  readonly task: Task;
  readonly samples: readonly Sample[];
  readonly policies: readonly string[];
  readonly split: Split;
  readonly seed: number;
  readonly chunk: number;
  readonly maxTokens: number;
  /** Each result is kept there as it is finished. */
  readonly out?: string | undefined;
  readonly budget?: Budget | undefined;
  /** Begin nothing more after so many generated tokens. */
  readonly budgetGenerated?: number | undefined;
  readonly price?: Price | undefined;
  /** All roles listen. */
  readonly symmetric?: boolean | undefined;
};

export type Done = Compared & { readonly names: Cast["names"]; readonly ended: Ended };

/** What was heard at the first raised hand, by conversation. */
type Heard = Map<string, string>;

function listening(policy: Policy, keep: (text: string) => void): Policy {
  const { decide } = policy;
  if (decide === undefined) return policy;
  return {
    ...policy,
    decide: async (hearing: Hearing, signal) => {
      const decision = await decide(hearing, signal);
      if (decision.advantage > 0) keep(hearing.text);
      return decision;
    },
  };
}

function recorded({ name, policy }: Arm, heard: Heard): Arm {
  if (policy === "oracle") return { name, policy };
  return {
    name,
    policy: (conversation) => {
      const key = `${conversation.sample.id} ${name}`;
      const made = typeof policy === "function" ? policy(conversation) : policy;
      return listening(made, (text) => {
        if (!heard.has(key)) heard.set(key, text);
      });
    },
  };
}

/** The same samples with everybody listening, and who plays whom: the models that played a role before. */
function symmetric(setting: Setting, cast: Cast): { readonly samples: readonly Sample[]; readonly cast: Cast } {
  const listens = new Map(
    setting.samples.flatMap(({ id, roles }) => roles.map((role) => [`${id} ${role.id}`, role.listens])),
  );
  const sides: Cast["listener"] = (seat) => {
    const side = listens.get(`${seat.sample.id} ${seat.role.id}`) === true ? cast.listener : cast.speaker;
    return typeof side === "function" ? side(seat) : side;
  };
  const samples = setting.samples.map((sample) => ({
    ...sample,
    roles: sample.roles.map((role) => ({ ...role, listens: true })),
  }));
  return { samples, cast: { ...cast, listener: sides } };
}

/** Plays a setting to its end, or until its budget is spent; what is in its file is not played again. */
export async function compareIn(io: Io, given: Setting): Promise<Done> {
  const { policies, task } = given;
  const whom = { model: given.listener ?? given.model, task: task.name, chunk: given.chunk, stderr: io.stderr };
  const { close, ...opened } = await openPolicies(policies, whom);
  try {
    const lead = given.samples[0]?.answer.marker;
    const arms = armsNamed(policies, { ...opened, lead, place: "--policy" });
    const made = await openCast(given, given.samples, io);
    try {
      // What computes for real takes time, also where everything else is made up.
      const timed = computes(policies) ? { ...made, virtual: false } : made;
      const { samples, cast } =
        given.symmetric === true ? symmetric(given, timed) : { samples: given.samples, cast: timed };
      const setting = { ...given, samples };
      const { results, ended } = await play(io, { setting, arms, cast });
      const reports = compare(results, { task: task.name, policies: arms.map(({ name }) => name), seed: given.seed });
      return { samples, results, reports, names: cast.names, ended };
    } finally {
      await made.opened.close();
    }
  } finally {
    await close();
  }
}

type Playing = { readonly setting: Setting; readonly arms: readonly Arm[]; readonly cast: Cast };

function identityOf({ task, split, seed, chunk, maxTokens, answers, symmetric: all }: Setting, cast: Cast) {
  const { speaker, listener } = cast.names;
  const { pace, virtual } = cast;
  const identity = { task: task.name, split, seed, chunk, maxTokens, speaker, listener, pace, virtual };
  return {
    ...identity,
    ...(answers === "choose" ? { answers } : {}),
    ...(all === true ? { symmetric: true } : {}),
  };
}

async function play(io: Io, { setting, arms, cast }: Playing) {
  const { samples, out, seed, chunk, maxTokens, task, budget, price } = setting;
  const identity = identityOf(setting, cast);
  const journal = out === undefined ? undefined : await openJournal(out, { identity, samples, place: `--out ${out}` });
  const known = new Set(samples.map(({ id }) => id));
  const wanted = new Set(arms.map(({ name }) => name));
  const done = (journal?.done ?? []).filter(({ sample, policy }) => known.has(sample) && wanted.has(policy));
  const results: KeptResult[] = [...done];
  const heard: Heard = new Map();
  const progress = progressOf(io, { all: samples.length * arms.length, before: done.length });
  const { speaker, listener, pace, virtual, remote, opened } = cast;
  const playing = evaluate({
    task,
    samples,
    arms: arms.map((arm) => recorded(arm, heard)),
    speaker,
    listener,
    seed,
    chunk,
    maxTokens,
    pace,
    virtual,
    done,
    budget,
    priceOf: (id) => (id === "template" ? undefined : (price ?? priceOf(opened.specOf(id) ?? id))),
    concurrency: remote ? 4 : 1,
    signal: io.signal,
  });
  let generated = done.reduce((sum, { spent }) => sum + spent.outputTokens, 0);
  try {
    for (;;) {
      if (generated >= (setting.budgetGenerated ?? Infinity)) return { results, ended: "budget" as const };
      const next = await playing.next();
      if (next.done === true) return { results, ended: next.value };
      generated += next.value.spent.outputTokens;
      const text = heard.get(`${next.value.sample} ${next.value.policy}`);
      const kept: KeptResult = text === undefined ? next.value : { ...next.value, heard: text };
      await journal?.add(kept);
      results.push(kept);
      progress.add(kept);
    }
  } finally {
    await playing.return("done");
    progress.end();
    await journal?.close();
  }
}
