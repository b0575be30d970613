// How long prompts and steps are, what contexts cost, and what streaming does to the length of answers: from traces.

import { timeline } from "../../core/timeline.ts";
import type { Timeline, TimelineTurn } from "../../core/timeline.ts";
import type { RunEvent } from "../../core/types.ts";
import { mean } from "../../base/stats.ts";
import type { Estimate, MeasuredRatios, MeasuredTokens, Profile } from "./profile.ts";
import { clamped, jackknife } from "./regression.ts";

type Turn = TimelineTurn & {
  /** Steps said in it. */
  readonly said: number;
  /** Output tokens of the steps heard in it, at their speakers' mean for the turn they were said in. */
  readonly heardTokens: number;
  readonly previous: TimelineTurn | undefined;
};

/** A run as it is measured: turns that ended by themselves and said steps. */
export type Told = {
  readonly protocol: string;
  /** The task and the team, to pair runs by. */
  readonly pair: string;
  readonly sources: readonly Turn[];
  readonly listeners: readonly Turn[];
};

const whole = ({ end, reason }: TimelineTurn): boolean =>
  end !== undefined && (reason === "stop" || reason === "length");

/** A run's turns, by whether they heard somebody; undefined without its start. */
export function toldOf(events: Iterable<RunEvent>): Told | undefined {
  const times = timeline(events);
  const { start } = times;
  if (start === undefined) return undefined;
  const turns = turnsOf(times);
  const streams = start.protocol === "stream" && start.hear === "waiting";
  return {
    protocol: streams ? "stream waiting" : start.protocol,
    pair: JSON.stringify([start.task, start.edges, start.agents.map(({ model }) => model)]),
    sources: turns.filter(({ heard, previous }) => heard.length === 0 && previous === undefined),
    listeners: turns.filter(({ heard }) => heard.length > 0),
  };
}

function turnsOf({ agents }: Timeline): Turn[] {
  const tokens = new Map<string, readonly number[]>();
  const counted = agents.map(({ agent, turns, steps }) => {
    const said = new Map<number, number>();
    for (const { turn } of steps) said.set(turn, (said.get(turn) ?? 0) + 1);
    const output = new Map(turns.map(({ turn, usage }) => [turn, usage.outputTokens / (said.get(turn) ?? 1)]));
    tokens.set(
      agent,
      steps.map(({ turn }) => output.get(turn) ?? 0),
    );
    return { turns, said };
  });
  return counted.flatMap(({ turns, said }) =>
    turns.flatMap((turn, index) => {
      const count = said.get(turn.turn) ?? 0;
      if (!whole(turn) || count === 0) return [];
      const heardTokens = turn.heard.reduce((sum, step) => sum + (tokens.get(step.speaker)?.[step.index] ?? 0), 0);
      return [{ ...turn, said: count, heardTokens, previous: turns[index - 1] }];
    }),
  );
}

const sum = <T>(items: readonly T[], of: (item: T) => number): number => items.reduce((all, item) => all + of(item), 0);
const over = (a: number, b: number): number | null => (b > 0 ? a / b : null);
/** The ratio of the first sum to the second. */
const ratio = ([a = 0, b = 0]: readonly number[]): number | null => over(a, b);

const turnsIn = ({ sources, listeners }: Told): readonly Turn[] => [...sources, ...listeners];
const outputOf = (told: Told): number => sum(turnsIn(told), ({ usage }) => usage.outputTokens);
const low = (estimate: Estimate | null, least = 0) => (estimate === null ? null : clamped(estimate, least));

/** α, β and r_po of runs under one protocol, pooled. */
function ratiosOf(runs: readonly Told[]): MeasuredRatios {
  const per = (of: (turn: Turn) => number) =>
    jackknife(
      runs.map((told) => [sum(turnsIn(told), of), outputOf(told)]),
      ratio,
    );
  const rPo = jackknife(
    runs.map((told) => [
      sum(told.sources, ({ usage }) => usage.inputTokens),
      told.sources.length,
      sum(turnsIn(told), ({ said }) => said),
      outputOf(told),
    ]),
    ([input = 0, sources = 0, steps = 0, output = 0]) => over(input * steps, sources * output),
  );
  const alpha = low(per(({ usage }) => usage.inputTokens - usage.cachedTokens));
  const beta = low(per(({ usage }) => usage.cachedTokens));
  return { runs: runs.length, alpha, beta, rPo: low(rPo) };
}

/** The ratios of each protocol. */
export function ratiosByProtocol(runs: readonly Told[]): Profile["ratios"] {
  const names = [...new Set(runs.map(({ protocol }) => protocol))];
  return Object.fromEntries(names.map((name) => [name, ratiosOf(runs.filter(({ protocol }) => protocol === name))]));
}

/** ρ: output of `stream` over output of `serial`, over the tasks and teams that were run under both. */
export function rhoOf(runs: readonly Told[]): Estimate | null {
  const outputs = new Map<string, { serial: number[]; stream: number[] }>();
  for (const told of runs) {
    const pair = outputs.get(told.pair) ?? { serial: [], stream: [] };
    outputs.set(told.pair, pair);
    if (told.protocol === "serial") pair.serial.push(outputOf(told));
    else if (told.protocol.startsWith("stream")) pair.stream.push(outputOf(told));
  }
  const both = [...outputs.values()].filter(({ serial, stream }) => serial.length > 0 && stream.length > 0);
  return low(
    jackknife(
      both.map(({ serial, stream }) => [mean(stream), mean(serial)]),
      ratio,
    ),
  );
}

/** What later calls of an agent find cached: by the majority of them. */
export function cacheOf(runs: readonly Told[]): Profile["cache"] {
  const votes = { off: 0, request: 0, conversation: 0 };
  for (const { usage, previous } of runs.flatMap(({ listeners }) => listeners)) {
    if (previous === undefined) continue;
    const { inputTokens, outputTokens } = previous.usage;
    if (usage.cachedTokens < inputTokens / 2) votes.off++;
    else if (usage.cachedTokens < inputTokens + outputTokens / 2) votes.request++;
    else votes.conversation++;
  }
  const [best] = (Object.entries(votes) as [keyof typeof votes, number][]).toSorted((a, b) => b[1] - a[1]);
  return best === undefined || best[1] === 0 ? null : best[0];
}

/** The mean of what all runs' turns give, over runs. */
const meanOf = (runs: readonly Told[], of: (told: Told) => readonly number[]): Estimate | null =>
  jackknife(
    runs.map((told) => {
      const values = of(told);
      return [sum(values, (value) => value), values.length];
    }),
    ratio,
  );

/** Output tokens for each step of these turns, over runs. */
const perStep = (runs: readonly Told[], of: (told: Told) => readonly Turn[]): Estimate | null =>
  low(
    jackknife(
      runs.map((told) => [sum(of(told), ({ usage }) => usage.outputTokens), sum(of(told), ({ said }) => said)]),
      ratio,
    ),
  );

/** Lengths of prompts and steps; null where nobody heard anybody, or nobody was heard. */
export function tokensOf(runs: readonly Told[]): MeasuredTokens | null {
  const heard = meanOf(runs, ({ listeners }) => listeners.flatMap(overheadOf)) ?? { value: 0, low: 0, high: 0 };
  const beside = ({ usage, heardTokens, heard: steps }: Turn) =>
    usage.inputTokens - heardTokens - heard.value * steps.length;
  const first = (turns: readonly Turn[]) => turns.filter(({ previous }) => previous === undefined);
  const prompt = low(meanOf(runs, ({ sources }) => sources.map(({ usage }) => usage.inputTokens)));
  const listenerPrompt = low(meanOf(runs, ({ listeners }) => first(listeners).map(beside)));
  const steps = low(
    meanOf(runs, ({ sources }) => sources.map(({ said }) => said)),
    1,
  );
  const step = perStep(runs, ({ sources }) => sources);
  if (prompt === null || listenerPrompt === null || steps === null || step === null) return null;
  const reply = (names: readonly string[]) =>
    perStep(
      runs.filter(({ protocol }) => names.includes(protocol)),
      ({ listeners }) => listeners,
    );
  const replies = { serial: reply(["serial"]), stream: reply(["stream", "stream waiting", "segmented"]) };
  return { prompt, listenerPrompt, steps, step, reply: replies, heard };
}

/** What each step heard in a later call weighs beside its tokens: what the context has grown by that nobody said. */
function overheadOf({ usage, previous, heard, heardTokens }: Turn): number[] {
  if (previous === undefined || !whole(previous) || heard.length === 0) return [];
  const grown = usage.inputTokens - previous.usage.inputTokens - previous.usage.outputTokens;
  return [(grown - heardTokens) / heard.length];
}
