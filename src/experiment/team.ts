// A team that works on an item under a protocol: one run, graded and measured.

import { systemClock } from "../base/clock.ts";
import type { Clock } from "../base/clock.ts";
import { subseed } from "../base/random.ts";
import { measured } from "../core/measure.ts";
import type { Policy } from "../core/policy.ts";
import { teamOf } from "../core/prompts.ts";
import type { TopologyName } from "../core/topology.ts";
import { transcript } from "../core/transcript.ts";
import type { Hear, Join, Model, RunEvent, Topology } from "../core/types.ts";
import { cost, usageOf } from "../core/usage.ts";
import type { Price } from "../core/usage.ts";
import type { Grade, Item } from "../eval/benchmarks/benchmark.ts";
import { digest } from "../eval/split.ts";
import { run } from "../runtime/run.ts";
import { failureOf } from "./conduct.ts";
import type { Exam } from "./grading.ts";
import { judgeFigures } from "./judging.ts";
import type { Cell, Sample } from "./sample.ts";
import { playOn } from "./voice.ts";
import type { Voice } from "./voice.ts";

/** A team and how it talks. */
export type TeamArm = {
  /** How it is called in samples and reports. */
  readonly id: string;
  readonly topology: TopologyName;
  readonly agents: number;
  readonly steps: number | "auto";
  readonly protocol: "single" | "serial" | "segmented" | "stream";
  readonly hear?: Hear | undefined;
  readonly join?: Join | undefined;
  /** When listeners cut their speakers; it decides after each step. */
  readonly policy?: Policy | undefined;
};

/** How all runs of an experiment go. */
export type Manner = {
  readonly voice: Voice;
  readonly seed: number;
  readonly temperature?: number | undefined;
  readonly maxTokens?: number | undefined;
};

/** All that one run needs. */
export type TeamPlay = {
  readonly arm: TeamArm;
  readonly exam: Exam;
  readonly item: Item;
  readonly cell: Cell;
  readonly manner: Manner;
  readonly signal: AbortSignal;
  /** Changes who plays whom. */
  readonly cast?: ((team: Topology) => Topology) | undefined;
  /** More figures, of what the answering agent has said. */
  readonly inspect?: ((text: string) => Promise<Readonly<Record<string, number>>>) | undefined;
};

/** A run is seeded by its item and repeat alone, so that all arms meet the same chance. */
export const seedOf = (seed: number, { item, repeat }: Pick<Cell, "item" | "repeat">): number =>
  subseed(seed, `${item} ${repeat}`);

function castOf({ topology, agents, steps, policy }: TeamArm, model: Model): Topology {
  const team = teamOf({ topology, agents, steps, model });
  if (policy === undefined) return team;
  const heard = new Set(team.edges.map(([, listener]) => listener));
  return { ...team, agents: team.agents.map((agent) => (heard.has(agent.id) ? { ...agent, policy } : agent)) };
}

/** Plays one cell. Failures of models and graders are samples; rejects when the signal fires and for a `ConfigError`. */
export async function playTeam(play: TeamPlay): Promise<Sample> {
  const { arm, manner, cell, signal } = play;
  const events: RunEvent[] = [];
  const held = await playOn(manner.voice, ({ model, clock }) => {
    const team = castOf(arm, model);
    return hold(play.cast?.(team) ?? team, { play, events, clock });
  });
  const common = {
    ...cell,
    figures: figuresOf(events, manner.voice.price),
    ...factsOf(events, manner.voice),
  };
  if (held !== undefined) return { ...common, failure: failureOf(held.error, signal), detail: "the run failed" };
  const text = spokenBy(events);
  const { figures: judging, ...graded } = await gradeOf(play, text);
  return { ...common, figures: { ...common.figures, ...(await play.inspect?.(text)), ...judging }, ...graded };
}

type Holding = { readonly play: TeamPlay; readonly events: RunEvent[]; readonly clock: Clock };

/** Plays to the end; what went wrong, if anything did. */
async function hold(
  team: Topology,
  { play, events, clock }: Holding,
): Promise<{ readonly error: unknown } | undefined> {
  const { arm, item, cell, manner, signal } = play;
  const { protocol, hear, join, policy } = arm;
  const { temperature, maxTokens, seed } = manner;
  const chosen = {
    protocol,
    temperature,
    maxTokens,
    ...(hear === undefined ? {} : { hear }),
    ...(join === undefined ? {} : { join }),
    ...(policy === undefined ? {} : { chunk: "step" as const }),
  };
  // Virtual time knows no stall, and a timer for it would only be waited out.
  const idleMs = clock === systemClock ? 300_000 : 0;
  try {
    const running = run(team, item.prompt, {
      ...chosen,
      seed: seedOf(seed, cell),
      clock,
      signal,
      idleMs,
      id: `${cell.arm} ${cell.item} ${cell.repeat}`,
    });
    for await (const event of running) events.push(event);
    return undefined;
  } catch (error) {
    return { error };
  }
}

/** All that the answering agent has said: the sink, and of several the last. */
export function spokenBy(events: readonly RunEvent[]): string {
  const start = events.find((event) => event.type === "run-start");
  if (start === undefined) return "";
  const speaking = new Set(start.edges.map(([speaker]) => speaker));
  const answering = start.agents.findLast(({ id }) => !speaking.has(id))?.id;
  const said = transcript(events).find(({ agent }) => agent === answering);
  return said?.turns.map(({ text }) => text.trim()).join("\n") ?? "";
}

/** Equal where the answers are; an answer may be as long as a model likes. */
const shortened = (answer: string): string =>
  answer.length <= 200 ? answer : `${answer.slice(0, 160)}… ${digest(answer)}`;

/** The grade of a text, as a part of a sample; its figures are what a judge took. */
export async function gradeOf({ exam, item, signal }: TeamPlay, text: string): Promise<Partial<Sample>> {
  try {
    const grade = await exam.benchmark.grade(item, text, signal);
    signal.throwIfAborted();
    const judged = judgedOf(grade, exam);
    if (grade.failed === true)
      return { ...judged, failure: { name: "GradeError", message: grade.detail }, detail: grade.detail };
    const answer = exam.benchmark.vote(item, text);
    const kept = answer === undefined ? {} : { answer: shortened(answer) };
    return { ...judged, correct: grade.correct ? 1 : 0, ...kept, detail: grade.detail.slice(0, 300) };
  } catch (error) {
    return { failure: failureOf(error, signal), detail: "grading failed" };
  }
}

function judgedOf({ usage }: Grade, { judge }: Exam): Partial<Sample> {
  if (usage === undefined) return {};
  const estimated = usage.estimated === true ? { estimated: true as const } : {};
  return { figures: judgeFigures(usage, judge?.price), ...estimated };
}

/** What a run's events come to in numbers. */
export function figuresOf(events: readonly RunEvent[], price: Price | undefined): Record<string, number> {
  const all = measured(events);
  const { total, decisions } = usageOf(events);
  const figures: Record<string, number> = {
    ms: all.wallMs,
    apiMs: all.apiMs,
    waitedMs: all.waitedMs,
    calls: total.calls,
    steps: all.steps,
    input: total.inputTokens,
    cached: total.cachedTokens,
    output: total.outputTokens,
    overrun: all.overrunTokens,
    cuts: all.interrupts,
    decisionInput: decisions.inputTokens,
    decisionOutput: decisions.outputTokens,
  };
  if (all.selfReferenced !== null) figures["selfReferenced"] = all.selfReferenced;
  if (all.bound !== null) figures["bound"] = all.bound;
  if (price === undefined) return figures;
  const charged = cost(total, price);
  figures["cost"] = charged.amount;
  figures["costOfOutput"] = charged.parts.output;
  figures["costUncached"] = cost({ ...total, cachedTokens: 0 }, price).amount;
  return figures;
}

/** What must be said of a sample beside its numbers. */
export function factsOf(events: readonly RunEvent[], { simulated, price }: Voice): Partial<Sample> {
  const start = events.find((event) => event.type === "run-start");
  const day = start?.date?.slice(0, 10);
  return {
    ...(price === undefined ? {} : { currency: price.currency }),
    ...(simulated || start?.simulated === true ? { simulated: true as const } : {}),
    ...(usageOf(events).total.estimated === true ? { estimated: true as const } : {}),
    ...(day === undefined ? {} : { day }),
  };
}
