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

/** α, β and r_po of runs under one protocol, pooled. */
function ratiosOf(runs: readonly Told[]): MeasuredRatios {
  const turns = (told: readonly Told[]) => told.flatMap(({ sources, listeners }) => [...sources, ...listeners]);
  const output = (told: readonly Told[]) => sum(turns(told), ({ usage }) => usage.outputTokens);
  const alpha = jackknife(runs, (told) =>
    over(
      sum(turns(told), ({ usage }) => usage.inputTokens - usage.cachedTokens),
      output(told),
    ),
  );
  const beta = jackknife(runs, (told) =>
    over(
      sum(turns(told), ({ usage }) => usage.cachedTokens),
      output(told),
    ),
  );
  const rPo = jackknife(runs, (told) => {
    const sources = told.flatMap((one) => one.sources);
    const steps = sum(turns(told), ({ said }) => said);
    return over(sum(sources, ({ usage }) => usage.inputTokens) * steps, sources.length * output(told));
  });
  const low = (ratio: Estimate | null) => (ratio === null ? null : clamped(ratio));
  return { runs: runs.length, alpha: low(alpha), beta: low(beta), rPo: low(rPo) };
}

/** The ratios of each protocol. */
export function ratiosByProtocol(runs: readonly Told[]): Profile["ratios"] {
  const names = [...new Set(runs.map(({ protocol }) => protocol))];
  return Object.fromEntries(names.map((name) => [name, ratiosOf(runs.filter(({ protocol }) => protocol === name))]));
}

const outputOf = ({ sources, listeners }: Told): number =>
  sum([...sources, ...listeners], ({ usage }) => usage.outputTokens);

/** ρ: output of `stream` over output of `serial`, over the tasks and teams that were run under both. */
export function rhoOf(runs: readonly Told[]): Estimate | null {
  const under = (name: string) => byPair(runs.filter(({ protocol }) => protocol.startsWith(name)));
  const [serial, stream] = [under("serial"), under("stream")];
  const pairs = [...new Set(runs.map(({ pair }) => pair))].flatMap((pair) => {
    const [before, after] = [serial.get(pair), stream.get(pair)];
    return before === undefined || after === undefined
      ? []
      : [{ serial: mean(before.map(outputOf)), stream: mean(after.map(outputOf)) }];
  });
  const rho = jackknife(pairs, (some) =>
    over(
      sum(some, (pair) => pair.stream),
      sum(some, (pair) => pair.serial),
    ),
  );
  return rho === null ? null : clamped(rho);
}

function byPair(runs: readonly Told[]): Map<string, Told[]> {
  const found = new Map<string, Told[]>();
  for (const told of runs) found.set(told.pair, [...(found.get(told.pair) ?? []), told]);
  return found;
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

/** Lengths of prompts and steps; null where nobody heard anybody, or nobody was heard. */
export function tokensOf(runs: readonly Told[]): MeasuredTokens | null {
  const from = (name: "sources" | "listeners", some: readonly Told[]) => some.flatMap((told) => told[name]);
  const average = (some: readonly number[]) => (some.length === 0 ? null : mean(some));
  const heard = jackknife(runs, (some) => average(from("listeners", some).flatMap(overheadOf)));
  const beside = heard?.value ?? 0;
  const firstOnly = (turns: readonly Turn[]) => turns.filter(({ previous }) => previous === undefined);
  const listenerPrompt = jackknife(runs, (some) =>
    average(
      firstOnly(from("listeners", some)).map(
        (turn) => turn.usage.inputTokens - turn.heardTokens - beside * turn.heard.length,
      ),
    ),
  );
  const prompt = jackknife(runs, (some) => average(from("sources", some).map(({ usage }) => usage.inputTokens)));
  const steps = jackknife(runs, (some) => average(from("sources", some).map(({ said }) => said)));
  const perStep = (name: "sources" | "listeners", some: readonly Told[]) =>
    jackknife(some, (told) =>
      over(
        sum(from(name, told), ({ usage }) => usage.outputTokens),
        sum(from(name, told), ({ said }) => said),
      ),
    );
  const step = perStep("sources", runs);
  if (prompt === null || listenerPrompt === null || steps === null || step === null) return null;
  const reply = (names: readonly string[]) => {
    const found = perStep(
      "listeners",
      runs.filter(({ protocol }) => names.includes(protocol)),
    );
    return found === null ? null : clamped(found);
  };
  return {
    prompt: clamped(prompt),
    listenerPrompt: clamped(listenerPrompt),
    steps: clamped(steps, 1),
    step: clamped(step),
    reply: { serial: reply(["serial"]), stream: reply(["stream", "stream waiting", "segmented"]) },
    heard: heard ?? { value: 0, low: 0, high: 0 },
  };
}

/** What each step heard in a later call weighs beside its tokens: what the context has grown by that nobody said. */
function overheadOf({ usage, previous, heard, heardTokens }: Turn): number[] {
  if (previous === undefined || !whole(previous) || heard.length === 0) return [];
  const grown = usage.inputTokens - previous.usage.inputTokens - previous.usage.outputTokens;
  return [(grown - heardTokens) / heard.length];
}
