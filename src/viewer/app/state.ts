// What the page shows, and where in it the reader is.

import type { RunEvent, RunStart } from "../../core/types.ts";
import type { Price } from "../../core/usage.ts";
import type { Findings } from "../../eval/findings.ts";
import type { PageData, ResultLine, ViewTrace } from "../data.ts";
import { sceneFold } from "../scene.ts";
import type { Scene } from "../scene.ts";
import { cell } from "./cells.ts";
import type { Cell } from "./cells.ts";

/** What a person can do to a run that goes on, to one of its agents; each tells what came of it, and nothing where all went well. */
export type Hand = {
  /** Cuts the agent. */
  readonly raise: (agent: string) => Promise<string>;
  /** Gives the floor back to an agent that a person has cut. */
  readonly giveBack: (agent: string) => Promise<string>;
};

/** One run on the page; `grew` changes with its events. */
export type RunView = {
  readonly name: string;
  readonly problem: string | undefined;
  readonly scene: () => Scene;
  readonly add: (events: Iterable<RunEvent>) => void;
  readonly grew: Cell<number>;
  /** Set where the run is followed. */
  readonly hand?: Hand | undefined;
};

export type Range = { readonly from: number; readonly to: number };

export type State = {
  readonly title: string;
  readonly runs: Cell<readonly RunView[]>;
  /** Those of `runs` that are drawn, by their place. */
  readonly shown: Cell<readonly number[]>;
  /** Whose words are read, by its place in `runs`. */
  readonly read: Cell<number | undefined>;
  /** Milliseconds since the run began: the cursor. */
  readonly time: Cell<number>;
  /** What the axis spans when nothing is enlarged. */
  readonly wall: Cell<number>;
  readonly range: Cell<Range>;
  readonly playing: Cell<boolean>;
  readonly speed: Cell<number>;
  /** The cursor keeps to the end of a run that goes on. */
  readonly following: Cell<boolean>;
  readonly agent: Cell<string | undefined>;
  readonly message: Cell<string>;
  readonly prices: Readonly<Record<string, Price>>;
  readonly results: Cell<readonly ResultLine[]>;
  readonly findings: Cell<readonly Findings[]>;
};

export function newState({ title, prices }: Pick<PageData, "title" | "prices">): State {
  return {
    title,
    runs: cell<readonly RunView[]>([]),
    shown: cell<readonly number[]>([]),
    read: cell<number | undefined>(undefined),
    time: cell(0),
    wall: cell(1),
    range: cell<Range>({ from: 0, to: 1 }),
    playing: cell(false),
    speed: cell(1),
    following: cell(false),
    agent: cell<string | undefined>(undefined),
    message: cell(""),
    prices,
    results: cell<readonly ResultLine[]>([]),
    findings: cell<readonly Findings[]>([]),
  };
}

/** A run and its scene; the scene is made anew only when events have come. */
export function runView({ name, events, problem }: ViewTrace, hand?: Hand): RunView {
  const fold = sceneFold();
  const grew = cell(0);
  for (const event of events) fold.add(event);
  let scene: Scene | undefined;
  return {
    name,
    problem,
    scene: () => (scene ??= fold.result()),
    add(more) {
      for (const event of more) fold.add(event);
      scene = undefined;
      grew.set(grew.get() + 1);
    },
    grew,
    hand,
  };
}

/** What a run is called: by its protocol, where it has no name of its own. */
export const titleOf = (run: RunView): string => run.name || (startOf(run)?.protocol ?? "run");

export const startOf = (run: RunView): RunStart | undefined => run.scene().timeline.start;

/** Shows these runs: both of two; of more, the serial and the streamed one that came last; else the last. */
export function open(state: State, runs: readonly RunView[]): void {
  state.runs.set(runs);
  state.read.set(undefined);
  show(state, firstShown(runs));
  state.time.set(state.wall.get());
}

function firstShown(runs: readonly RunView[]): readonly number[] {
  if (runs.length <= 2) return runs.map((_, index) => index);
  const last = (protocol: string) => runs.findLastIndex((run) => startOf(run)?.protocol === protocol);
  const pair = [last("serial"), last("stream")];
  return pair.every((index) => index >= 0) ? pair : [runs.length - 1];
}

/** Draws these runs on an axis as long as the longest of them. */
export function show(state: State, shown: readonly number[]): void {
  state.shown.set(shown);
  const runs = state.runs.get();
  const wall = Math.max(1, ...shown.map((index) => runs[index]?.scene().timeline.wallMs ?? 0));
  state.wall.set(wall);
  state.range.set({ from: 0, to: wall });
  state.time.set(Math.min(state.time.get(), wall));
}

/** The runs that are drawn. */
export const shownRuns = (state: State): readonly RunView[] =>
  state.shown.get().flatMap((index) => state.runs.get()[index] ?? []);

/** Puts the cursor somewhere, and the enlarged part of the axis with it. */
export function goTo(state: State, at: number): void {
  const time = Math.max(0, Math.min(state.wall.get(), at));
  const { from, to } = state.range.get();
  const span = to - from;
  if (time < from) state.range.set({ from: Math.max(0, time - span * 0.2), to: Math.max(0, time - span * 0.2) + span });
  else if (time > to) {
    const end = Math.min(state.wall.get(), time + span * 0.2);
    state.range.set({ from: end - span, to: end });
  }
  state.time.set(time);
}

/** Enlarges the axis around a moment; a factor below 1 shows less time, larger. */
export function zoom(state: State, at: number, factor: number): void {
  const wall = state.wall.get();
  const { from, to } = state.range.get();
  const span = Math.max(Math.min(wall, 5), Math.min(wall, (to - from) * factor));
  const start = Math.max(0, Math.min(wall - span, at - ((at - from) / (to - from)) * span));
  state.range.set({ from: start, to: start + span });
}

/** Moves the enlarged part. */
export function pan(state: State, by: number): void {
  const { from, to } = state.range.get();
  const start = Math.max(0, Math.min(state.wall.get() - (to - from), from + by));
  state.range.set({ from: start, to: start + (to - from) });
}

/** Picks an agent out, or lets go of the one that was. */
export const choose = (state: State, agent: string): void =>
  state.agent.set(state.agent.get() === agent ? undefined : agent);
