import { entry, fold } from "./fold.ts";
import type { Fold } from "./fold.ts";
import { add, none } from "./usage.ts";
import type { AgentEnd, Edge, EventOf, RunEnd, RunEvent, RunStart, TurnEnd, Usage } from "./types.ts";

/** A step new to a turn; `saidAt` is when its speaker had finished it, absent where the trace does not have that. */
export type HeardStep = { readonly speaker: string; readonly index: number; readonly saidAt: number | undefined };

/** A listener's turn that took a step up, and when that turn began. */
export type PickUp = { readonly listener: string; readonly turn: number; readonly at: number };

/** A step, when it was complete in milliseconds since the run began, and where it was picked up. */
export type TimelineStep = {
  readonly index: number;
  readonly turn: number;
  readonly at: number;
  readonly pickedUp: readonly PickUp[];
};

/** A turn in time, all in milliseconds since the run began. */
export type TimelineTurn = {
  readonly turn: number;
  readonly start: number;
  /** Absent where nothing was said. */
  readonly firstChunk: number | undefined;
  /** Absent while the turn has not ended; its reason is absent with it, and its usage nothing. */
  readonly end: number | undefined;
  readonly reason: TurnEnd["reason"] | undefined;
  /** How long its request was held back. */
  readonly waitedMs: number;
  /** How long it took less the waiting; a turn without an end is counted up to the last event. */
  readonly workedMs: number;
  readonly chunks: number;
  readonly usage: Usage;
  readonly overrunTokens: number;
  /** The steps picked up at `start`. */
  readonly heard: readonly HeardStep[];
};

/** One agent in time. */
export type TimelineAgent = {
  readonly agent: string;
  readonly model: string;
  readonly turns: readonly TimelineTurn[];
  readonly steps: readonly TimelineStep[];
  readonly interrupts: readonly EventOf<"interrupt">[];
  readonly end: AgentEnd | undefined;
  readonly waitedMs: number;
  readonly workedMs: number;
};

/** Who spoke when, and where each step was picked up. */
export type Timeline = {
  /** Absent where the trace has lost its beginning. */
  readonly start: RunStart | undefined;
  /** Absent where the run has not ended. */
  readonly end: RunEnd | undefined;
  /** In the order of the run-start. */
  readonly agents: readonly TimelineAgent[];
  readonly edges: readonly Edge[];
  /** From the start to the run-end, or to the last event there is. */
  readonly wallMs: number;
};

/** Who spoke when, as a fold over a run's events. */
export const timeline = (events: Iterable<RunEvent>): Timeline => fold(events, timelineFold());

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
type TurnRow = Mutable<Omit<TimelineTurn, "workedMs">> & { heard: HeardStep[] };
type StepRow = TimelineStep & { pickedUp: PickUp[] };
type AgentRow = {
  readonly agent: string;
  model: string;
  readonly turns: Map<number, TurnRow>;
  /** The turn of the last event: chunks come in thousands to a turn. */
  last: TurnRow | undefined;
  readonly steps: Map<number, StepRow>;
  readonly interrupts: EventOf<"interrupt">[];
  end: AgentEnd | undefined;
};

/** `timeline`, an event at a time. */
export function timelineFold(): Fold<Timeline> {
  const agents = new Map<string, AgentRow>();
  let start: RunStart | undefined;
  let end: RunEnd | undefined;
  let wallMs = 0;
  const rowOf = (agent: string): AgentRow => entry(agents, agent, () => newAgent(agent));
  const inAgent = (event: RunEvent) => {
    if (event.type === "chunk") sayChunk(turnOf(rowOf(event.agent), event), event.at);
    else if (event.type === "step") sayStep(rowOf(event.agent), event);
    else if (event.type === "turn-start") hear(event, rowOf);
    else if (event.type === "turn-end") endTurn(turnOf(rowOf(event.agent), event), event);
    else if (event.type === "interrupt") rowOf(event.agent).interrupts.push(event);
    else if (event.type === "agent-end") rowOf(event.agent).end = event;
  };
  return {
    add(event) {
      if (event.at > wallMs) wallMs = event.at;
      if (event.type === "run-start") {
        start = event;
        for (const { id, model } of event.agents) rowOf(id).model = model;
      } else if (event.type === "run-end") end = event;
      else inAgent(event);
    },
    result: () => ({
      start,
      end,
      agents: Array.from(agents.values(), (row) => finished(row, wallMs)),
      edges: start?.edges ?? [],
      wallMs: end?.at ?? wallMs,
    }),
  };
}

const newAgent = (agent: string): AgentRow => ({
  agent,
  model: "",
  turns: new Map(),
  last: undefined,
  steps: new Map(),
  interrupts: [],
  end: undefined,
});

function turnOf(agent: AgentRow, { turn, at }: { readonly turn: number; readonly at: number }): TurnRow {
  if (agent.last?.turn === turn) return agent.last;
  agent.last = entry(agent.turns, turn, () => ({
    turn,
    start: at,
    firstChunk: undefined,
    end: undefined,
    reason: undefined,
    waitedMs: 0,
    chunks: 0,
    usage: none,
    overrunTokens: 0,
    heard: [],
  }));
  return agent.last;
}

function sayChunk(turn: TurnRow, at: number): void {
  turn.firstChunk ??= at;
  turn.chunks++;
}

function sayStep(agent: AgentRow, { index, turn, at }: EventOf<"step">): void {
  agent.steps.set(index, { index, turn, at, pickedUp: [] });
}

function hear(event: EventOf<"turn-start">, rowOf: (agent: string) => AgentRow): void {
  const { agent, turn, at, heard } = event;
  const row = turnOf(rowOf(agent), event);
  for (const [speaker, index] of heard) {
    const step = rowOf(speaker).steps.get(index);
    step?.pickedUp.push({ listener: agent, turn, at });
    row.heard.push({ speaker, index, saidAt: step?.at });
  }
}

function endTurn(turn: TurnRow, { at, reason, usage, waitedMs, overrunTokens }: TurnEnd): void {
  turn.end = at;
  turn.reason = reason;
  turn.usage = add(turn.usage, usage);
  turn.waitedMs += waitedMs ?? 0;
  turn.overrunTokens += overrunTokens ?? 0;
}

function finished({ agent, model, turns, steps, interrupts, end }: AgentRow, now: number): TimelineAgent {
  let waitedMs = 0;
  let workedMs = 0;
  const rows = Array.from(turns.values(), (turn): TimelineTurn => {
    const worked = Math.max(0, (turn.end ?? now) - turn.start - turn.waitedMs);
    waitedMs += turn.waitedMs;
    workedMs += worked;
    return { ...turn, workedMs: worked, heard: [...turn.heard] };
  });
  const said = Array.from(steps.values(), (step): TimelineStep => ({ ...step, pickedUp: [...step.pickedUp] }));
  return { agent, model, turns: rows, steps: said, interrupts: [...interrupts], end, waitedMs, workedMs };
}
