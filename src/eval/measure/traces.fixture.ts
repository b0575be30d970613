// Traces of runs whose schedule is known, without running them.

import type { RunEvent } from "../../core/types.ts";
import { schedule } from "../../theory/index.ts";
import type { Call, Plan } from "../../theory/index.ts";

/** A call's events: its first token, its steps, its end. */
function eventsOf(call: Call, plan: Plan, turn: number): RunEvent[] {
  const { agent, startMs, endMs, first, steps, inputTokens, cachedTokens, outputTokens } = call;
  const speakers = plan.edges.filter(([, listener]) => listener === agent).map(([speaker]) => speaker);
  const heard = speakers.flatMap((speaker) =>
    Array.from({ length: steps }, (_, index) => [speaker, first + index] as const),
  );
  const saying = (outputTokens / plan.speeds.decode) * 1000;
  const firstMs = endMs - saying + 1000 / plan.speeds.decode;
  const said = { agent, seq: 0, turn };
  return [
    { ...said, type: "turn-start", at: startMs, heard },
    { ...said, type: "chunk", at: firstMs, text: "x", tokens: 1 },
    ...Array.from({ length: steps }, (_, index): RunEvent => {
      const at = endMs - saying + (saying * (index + 1)) / steps;
      return { ...said, type: "step", at, index: first + index, text: "x" };
    }),
    {
      ...said,
      type: "turn-end",
      at: endMs,
      reason: "stop",
      usage: { calls: 1, inputTokens, cachedTokens, outputTokens },
    },
  ];
}

/** The trace of a run of one model that keeps to the plan's schedule to the token and the millisecond. */
export function traceOf(plan: Plan, task: string): RunEvent[] {
  const { calls, makespanMs } = schedule(plan);
  const turns = new Map<string, number>();
  const events = calls.flatMap((call) => {
    const turn = turns.get(call.agent) ?? 0;
    turns.set(call.agent, turn + 1);
    return eventsOf(call, plan, turn);
  });
  const ends = plan.agents.map(({ id }): RunEvent => {
    return { type: "agent-end", at: makespanMs, agent: id, seq: 0, reason: "done" };
  });
  return [
    {
      type: "run-start",
      version: 1,
      at: 0,
      run: task,
      protocol: plan.protocol,
      join: "aligned",
      hear: plan.hear ?? "each",
      task,
      agents: plan.agents.map(({ id }) => ({ id, model: "scheduled" })),
      edges: plan.edges,
      simulated: true,
    },
    ...events.toSorted((a, b) => a.at - b.at),
    ...ends,
    { type: "run-end", at: makespanMs, reason: "done" },
  ];
}
