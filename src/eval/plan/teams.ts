// All sizes of a shape at once: what teams of agents take, and how right they are, under one manner of hearing.

import { listener, speaker, stepListener } from "./voices.ts";
import type { Load, Manner, Voice } from "./voices.ts";

/** The shapes a plan knows; a tree is one speaker, equals in the middle, and one that hears those. */
export type Shape = "single" | "chain" | "tree" | "graph";

/** An agent, how many of the team are like it, and whom it hears. */
type Member = { readonly voice: Voice; readonly times: number; readonly speakers: readonly Heard[] };
type Heard = { readonly member: Member; readonly times: number };

/** Milliseconds from start to end, calls and tokens. */
export type Taken = {
  readonly ms: number;
  readonly calls: number;
  readonly inputTokens: number;
  readonly cachedTokens: number;
  readonly outputTokens: number;
};

/** A team of so many agents: the one that answers, and what all take together. */
export type Team = { readonly agents: number; readonly answering: Member; readonly taken: Taken };

export type Making = { readonly load: Load; readonly manner: Manner; readonly steps: number };

const nothing: Taken = { ms: 0, calls: 0, inputTokens: 0, cachedTokens: 0, outputTokens: 0 };

/** Whoever is added last ends last, since it hears all the others. */
const adding = (taken: Taken, { voice, times }: Member): Taken => ({
  ms: voice.endMs,
  calls: taken.calls + times * voice.calls,
  inputTokens: taken.inputTokens + times * voice.inputTokens,
  cachedTokens: taken.cachedTokens + times * voice.cachedTokens,
  outputTokens: taken.outputTokens + times * voice.outputTokens,
});

/** How many steps are heard of a message. */
const rowsOf = ({ manner, steps }: Making): number =>
  manner.protocol === "serial" ? Math.min(manner.after ?? steps, steps) : steps;

const source = ({ load }: Making, steps: number): Member => ({
  voice: speaker(load, steps),
  times: 1,
  speakers: [],
});

/** One that hears; the one that answers is not cut, and says all its steps. */
function hearing(making: Making, speakers: readonly Heard[], { answers = false, times = 1 } = {}): Member {
  const { load, manner, steps } = making;
  const heard = speakers.map(({ member, times: many }) => ({ voice: member.voice, times: many }));
  const rows = rowsOf(making);
  const voice =
    manner.protocol === "serial" || manner.protocol === "single"
      ? listener(load, heard, { rows, steps: answers ? steps : rows })
      : stepListener(load, heard, manner.protocol === "segmented" ? "after" : manner.hear);
  return { voice, times, speakers };
}

/**
 * The teams of a shape for each of `sizes`, under one manner; what they share is made once. A tree of fewer than three
 * agents is a chain, and one agent is one agent under every manner, as in the topologies by name.
 */
export function teams(shape: Shape, sizes: readonly number[], making: Making): readonly Team[] {
  const one = source(making, making.steps);
  const alone: Team = { agents: 1, answering: one, taken: adding(nothing, one) };
  if (making.manner.protocol === "single" || shape === "single") return sizes.map((agents) => ({ ...alone, agents }));
  const several = shape === "tree" ? treeOf(making) : chainOf(making, shape, Math.max(...sizes));
  return sizes.map((agents) => (agents === 1 ? alone : several(agents)));
}

function chainOf(making: Making, shape: Shape, most: number): (agents: number) => Team {
  const members: Member[] = [source(making, rowsOf(making))];
  const heardBy = (position: number): Heard[] => [
    { member: members[position - 1]!, times: 1 },
    ...(shape === "graph" && position === 2 ? [{ member: members[0]!, times: 1 }] : []),
  ];
  const taken = [nothing, adding(nothing, members[0]!)];
  for (let position = 1; position < most; position++) {
    members.push(hearing(making, heardBy(position)));
    taken.push(adding(taken[position]!, members[position]!));
  }
  const cut = rowsOf(making) < making.steps;
  return (agents) => {
    const answering = cut ? hearing(making, heardBy(agents - 1), { answers: true }) : members[agents - 1]!;
    return { agents, answering, taken: adding(taken[agents - 1]!, answering) };
  };
}

function treeOf(making: Making): (agents: number) => Team {
  const root = source(making, rowsOf(making));
  const inner = hearing(making, [{ member: root, times: 1 }]);
  return (agents) => {
    const times = agents - 2;
    const before = adding(nothing, root);
    const heard = times === 0 ? { member: root, times: 1 } : { member: inner, times };
    const answering = hearing(making, [heard], { answers: true });
    return { agents, answering, taken: adding(times === 0 ? before : adding(before, { ...inner, times }), answering) };
  };
}

/** p_j of a speaker that hears nobody, and what each right and wrong step heard does (theorem 1 of arXiv 2606.05158). */
export type Skill = { readonly profile: ArrayLike<number>; readonly delta: number; readonly epsilon: number };

/** What is known of a voice: its steps' mean correctness, and what hearing its first j steps adds to a step, at index j. */
export type Known = { readonly mean: number; readonly all: number; readonly sums: readonly number[] | undefined };

/** The mean correctness of the answering agent's steps; `memo` holds what teams share, for one skill. */
export const correctness = (team: Team, skill: Skill, memo: Map<Voice, Known>): number =>
  know(team.answering, skill, memo).mean;

function know(member: Member, skill: Skill, memo: Map<Voice, Known>): Known {
  const { voice, speakers } = member;
  const found = memo.get(voice);
  if (found !== undefined) return found;
  const told = speakers.map((heard) => ({ times: heard.times, known: know(heard.member, skill, memo) }));
  // Whoever hears whole messages hears all the steps that its speakers say.
  let before = 0;
  if (voice.heardThrough === undefined) for (const { times, known } of told) before += times * known.all;
  const sums = voice.said === undefined ? undefined : [0];
  let [mean, all] = [0, 0];
  for (let step = 0; step < voice.steps; step++) {
    let right = skill.profile[step]! + before;
    if (voice.heardThrough !== undefined)
      for (const { times, known } of told) right += times * known.sums![voice.heardThrough[step]!]!;
    right = right < 0 ? 0 : right > 1 ? 1 : right;
    mean += right;
    all += right * skill.delta - (1 - right) * skill.epsilon;
    sums?.push(all);
  }
  const known = { mean: mean / voice.steps, all, sums };
  memo.set(voice, known);
  return known;
}
