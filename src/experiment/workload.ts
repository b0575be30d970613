// What a run will take, before it is made: counted from who hears how much of whom.

import { rolePrompts } from "../core/prompts.ts";
import { edgesOf } from "../core/topology.ts";
import type { Workload } from "./setup.ts";
import type { TeamArm } from "./team.ts";

/** How long a text is in tokens, roughly: for an estimate only. */
export const roughTokens = (text: string): number => Math.ceil(text.length / 4);

/** Where the model chooses, so many steps are expected. */
const usualSteps = 4;

type Size = {
  /** The task as it is asked. */
  readonly prompt: string;
  /** Output tokens of a step. */
  readonly stepTokens: number;
};

/**
 * Calls and tokens of one run. Steps multiply where `arrival` joins; `waiting` is counted as `each`, and all input as uncached: both
 * are upper bounds.
 */
export function workloadOf(arm: TeamArm, { prompt, stepTokens }: Size): Workload {
  const { topology, agents, protocol, join } = arm;
  const steps = arm.steps === "auto" ? usualSteps : arm.steps;
  const roles = rolePrompts(topology, { agents, steps: arm.steps });
  const edges = edgesOf(
    topology,
    roles.map(({ id }) => id),
  );
  const said = new Map<string, number>();
  let [calls, inputTokens, outputTokens] = [0, 0, 0];
  // Roles come speakers first in every named topology.
  for (const { id, instructions } of protocol === "single" ? roles.slice(0, 1) : roles) {
    const heard = edges.flatMap(([speaker, listener]) => (listener === id ? [said.get(speaker) ?? 0] : []));
    const all = heard.reduce((sum, one) => sum + one, 0);
    const rows =
      heard.length === 0 || protocol === "single"
        ? steps
        : join === "arrival" && protocol === "stream"
          ? all
          : Math.max(...heard);
    const whole = heard.length === 0 || protocol === "single" || protocol === "serial";
    const start = roughTokens(instructions) + roughTokens(prompt);
    const perRow = (all * stepTokens) / rows + stepTokens;
    calls += whole ? 1 : rows;
    inputTokens += whole
      ? start + (protocol === "single" ? 0 : all * stepTokens)
      : rows * start + (perRow * rows * (rows + 1)) / 2;
    outputTokens += rows * stepTokens;
    said.set(id, rows);
  }
  return { runs: 1, calls, inputTokens: Math.round(inputTokens), outputTokens };
}
