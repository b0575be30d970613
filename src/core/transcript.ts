import { entry, fold } from "./fold.ts";
import type { Fold } from "./fold.ts";
import type { AgentEnd, Heard, RunEvent, TurnEnd } from "./types.ts";

/** One turn as it was said. */
export type SaidTurn = {
  readonly turn: number;
  /** The steps that were new to the agent in this turn. */
  readonly heard: readonly Heard[];
  /** All that was said, the end of a turn without a complete step included. */
  readonly text: string;
  readonly steps: readonly string[];
  /** Who cut the turn first, where somebody did while it was said. */
  readonly cut?: { readonly by: string; readonly reason?: string | undefined } | undefined;
  /** Absent while the turn has not ended. */
  readonly reason?: TurnEnd["reason"] | undefined;
};

/** What one agent said. */
export type AgentTranscript = {
  readonly agent: string;
  readonly turns: readonly SaidTurn[];
  /** Absent while the agent has not ended. */
  readonly end?: AgentEnd["reason"] | undefined;
};

/** What each agent said, in the order of the run-start. */
export const transcript = (events: Iterable<RunEvent>): readonly AgentTranscript[] => fold(events, transcriptFold());

type MutableTurn = { -readonly [K in keyof SaidTurn]: SaidTurn[K] } & { steps: string[] };
type MutableAgent = { agent: string; turns: MutableTurn[]; end?: AgentEnd["reason"]; byTurn: Map<number, MutableTurn> };

/** `transcript`, an event at a time. */
export function transcriptFold(): Fold<readonly AgentTranscript[]> {
  const agents = new Map<string, MutableAgent>();
  const agentOf = (agent: string) => entry(agents, agent, () => ({ agent, turns: [], byTurn: new Map() }));
  const turnOf = (id: string, turn: number, heard: readonly Heard[] = []): MutableTurn => {
    const agent = agentOf(id);
    return entry(agent.byTurn, turn, () => {
      const made: MutableTurn = { turn, heard, text: "", steps: [] };
      agent.turns.push(made);
      return made;
    });
  };
  const add = (event: RunEvent) => {
    if (event.type === "chunk") turnOf(event.agent, event.turn).text += event.text;
    else if (event.type === "step") turnOf(event.agent, event.turn).steps.push(event.text);
    else if (event.type === "turn-start") turnOf(event.agent, event.turn, event.heard);
    else if (event.type === "turn-end") turnOf(event.agent, event.turn).reason = event.reason;
    else if (event.type === "agent-end") agentOf(event.agent).end = event.reason;
    else if (event.type === "run-start") for (const { id } of event.agents) agentOf(id);
    if (event.type !== "interrupt" || event.turn === undefined) return;
    const turn = turnOf(event.agent, event.turn);
    if (turn.reason === undefined) turn.cut ??= { by: event.by, ...(event.reason ? { reason: event.reason } : {}) };
  };
  const result = () =>
    Array.from(agents.values(), ({ agent, turns, end }) => ({
      agent,
      turns: turns.map((turn) => ({ ...turn, steps: [...turn.steps] })),
      ...(end === undefined ? {} : { end }),
    }));
  return { add, result };
}

/**
 * The last non-blank step of each sink that said one, in the order of the run-start. A sink is an agent that nobody
 * listens to: it has no listeners, or has routed its speech to none of them.
 */
export const answers = (events: Iterable<RunEvent>): ReadonlyMap<string, string> => fold(events, answersFold());

/** `answers`, an event at a time. */
export function answersFold(): Fold<ReadonlyMap<string, string>> {
  const last = new Map<string, string>();
  const heard = new Set<string>();
  let order: readonly string[] = [];
  return {
    add(event) {
      if (event.type === "step") {
        if (/\S/.test(event.text)) last.set(event.agent, event.text);
      } else if (event.type === "route") {
        if (event.listeners.length === 0) heard.delete(event.agent);
      } else if (event.type === "run-start") {
        order = event.agents.map(({ id }) => id);
        for (const [speaker] of event.edges) heard.add(speaker);
      }
    },
    result() {
      const found = new Map<string, string>();
      for (const id of new Set([...order, ...last.keys()])) {
        const text = last.get(id);
        if (text !== undefined && !heard.has(id)) found.set(id, text);
      }
      return found;
    },
  };
}

/**
 * What a run came to: the answer its protocol decided on; else the last message of a dialogue; else its sink's answer, and
 * where several sinks answered, all of them, each headed by the agent's id.
 */
export function answer(events: Iterable<RunEvent>): string {
  const sinks = answersFold();
  let decided: string | undefined;
  let talk = false;
  let last = "";
  for (const event of events) {
    sinks.add(event);
    if (event.type === "run-start") talk = event.protocol === "dialogue";
    else if (event.type === "run-end") decided = event.answer;
    else if (event.type === "step") last = event.text;
  }
  if (decided !== undefined || talk) return decided ?? last;
  const found = sinks.result();
  if (found.size === 1) return [...found.values()].join("");
  return Array.from(found, ([id, text]) => `${id}:\n${text}`).join("\n\n");
}
