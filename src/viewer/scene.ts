// A run as the viewer needs it: the core's timeline, and what was said and taken by when. Runs in Node and in a browser.

import { entry } from "../core/fold.ts";
import type { Fold } from "../core/fold.ts";
import { timelineFold } from "../core/timeline.ts";
import type { Timeline } from "../core/timeline.ts";
import type { DecisionEvent, Heard, RunEvent, TurnEnd, Usage } from "../core/types.ts";
import { add, none } from "../core/usage.ts";

/** Something that stands in an agent's text, and when it came to stand there. */
export type Item =
  | { readonly type: "turn"; readonly at: number; readonly heard: readonly Heard[]; readonly resumes: boolean }
  /** What was said up to a step's end; `index` is absent while the step is not complete. Chunks `from` up to `to`. */
  | {
      readonly type: "said";
      readonly at: number;
      readonly from: number;
      to: number;
      index: number | undefined;
      cut: boolean;
      /** The text of a step of which no chunk was seen. */
      alone: string;
    }
  | { readonly type: "cut"; readonly at: number; readonly by: string; readonly reason: string | undefined }
  | { readonly type: "leave"; readonly at: number; readonly by: string }
  | { readonly type: "end"; readonly at: number; readonly reason: TurnEnd["reason"]; readonly overrunTokens: number }
  | { readonly type: "failure"; readonly at: number; readonly message: string };

export type SaidItem = Extract<Item, { type: "said" }>;

/** What was taken by a time. */
export type Growth = { readonly at: number; readonly usage: Usage };

/** What one agent said, decided and took; lists grow in place, in the order of time. */
export type Lane = {
  readonly agent: string;
  readonly chunkAt: number[];
  readonly chunkText: string[];
  /** Tokens said up to and with each chunk; four characters are one where the model did not tell. */
  readonly chunkSum: number[];
  readonly items: Item[];
  /** What this agent, listening, thought of cutting in. */
  readonly decisions: DecisionEvent[];
  readonly growth: Growth[];
};

/** A run to draw. */
export type Scene = {
  readonly timeline: Timeline;
  /** As the agents of the timeline. */
  readonly lanes: readonly Lane[];
  /** Overrun tokens by time, over all agents. */
  readonly overrun: readonly { readonly at: number; readonly tokens: number }[];
  readonly events: number;
};

const newLane = (agent: string): Lane => ({
  agent,
  chunkAt: [],
  chunkText: [],
  chunkSum: [],
  items: [],
  decisions: [],
  growth: [],
});

/** A run's scene, an event at a time. */
export function sceneFold(): Fold<Scene> {
  const timeline = timelineFold();
  const lanes = new Map<string, Lane>();
  const overrun: { at: number; tokens: number }[] = [];
  const laneOf = (agent: string) => entry(lanes, agent, () => newLane(agent));
  let events = 0;
  return {
    add(event) {
      events++;
      timeline.add(event);
      if (event.type === "turn-end" && event.overrunTokens !== undefined)
        overrun.push({ at: event.at, tokens: (overrun.at(-1)?.tokens ?? 0) + event.overrunTokens });
      if (event.type === "decision") decide(laneOf(event.by), event);
      else if ("agent" in event) say(laneOf(event.agent), event);
    },
    result() {
      const time = timeline.result();
      return { timeline: time, lanes: time.agents.map(({ agent }) => laneOf(agent)), overrun, events };
    },
  };
}

function decide(lane: Lane, event: DecisionEvent): void {
  lane.decisions.push(event);
  if (event.usage !== undefined) grow(lane, event.at, event.usage);
}

function grow({ growth }: Lane, at: number, usage: Usage): void {
  growth.push({ at, usage: add(growth.at(-1)?.usage ?? none, usage) });
}

type Spoken = Exclude<RunEvent, { readonly type: "run-start" | "run-end" | "decision" }>;

function say(lane: Lane, event: Spoken): void {
  const { items } = lane;
  const { at } = event;
  if (event.type === "chunk") sayChunk(lane, event.at, event);
  else if (event.type === "step") {
    const open = unfinished(items) ?? opened(lane, at, event.text);
    open.index = event.index;
    open.cut = event.cut === true;
  } else if (event.type === "turn-start")
    items.push({ type: "turn", at, heard: event.heard, resumes: event.resumes !== undefined });
  else if (event.type === "interrupt") items.push({ type: "cut", at, by: event.by, reason: event.reason });
  else if (event.type === "leave") items.push({ type: "leave", at, by: event.listener });
  else if (event.type === "turn-end") {
    grow(lane, at, event.usage);
    items.push({ type: "end", at, reason: event.reason, overrunTokens: event.overrunTokens ?? 0 });
  } else if (event.type === "agent-end" && event.error !== undefined)
    items.push({ type: "failure", at, message: `${event.error.name}: ${event.error.message}` });
}

function sayChunk(lane: Lane, at: number, { text, tokens }: { text: string; tokens?: number | undefined }): void {
  const open = unfinished(lane.items) ?? opened(lane, at, "");
  lane.chunkAt.push(at);
  lane.chunkText.push(text);
  lane.chunkSum.push((lane.chunkSum.at(-1) ?? 0) + (tokens ?? Math.max(1, text.length / 4)));
  open.to = lane.chunkAt.length;
}

function opened({ items, chunkAt }: Lane, at: number, alone: string): SaidItem {
  const from = chunkAt.length;
  const made: SaidItem = { type: "said", at, from, to: from, index: undefined, cut: false, alone };
  items.push(made);
  return made;
}

function unfinished(items: readonly Item[]): SaidItem | undefined {
  // A listener that leaves stands between the chunks of one step.
  for (let index = items.length - 1; index >= 0; index--) {
    const item = items[index];
    if (item?.type === "leave") continue;
    return item?.type === "said" && item.index === undefined ? item : undefined;
  }
  return undefined;
}
