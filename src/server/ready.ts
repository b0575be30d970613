// Teams that need no config.

import { teamOf } from "../core/prompts.ts";
import type { TopologyName } from "../core/topology.ts";
import type { Model, Topology } from "../core/types.ts";
import { dialogue } from "../runtime/dialogue.ts";
import type { Team } from "./team.ts";

const critic =
  "You are critic. Another agent solves the task and speaks with you about it. Say in a few sentences what is wrong or " +
  "missing, and what you would answer. Where you agree, say so and state the final answer.";
const proposer =
  "You are proposer. Solve the task in a few sentences and state your answer. When critic has spoken, correct yourself where " +
  "critic is right, and state the final answer again.";

/** A proposer and a critic, for a dialogue. */
export const talkers = (model: Model): Topology => ({
  agents: [
    { id: "proposer", instructions: proposer, model },
    { id: "critic", instructions: critic, model },
  ],
  edges: [],
});

/** `solo`, `chain`, `tree`, `graph` and `dialogue`, all on one model. */
export function readyTeams(model: Model): Readonly<Record<string, Team>> {
  const shaped = (topology: TopologyName, agents: number, description: string): Team => ({
    topology: teamOf({ topology, agents, model }),
    description,
  });
  return {
    solo: { ...shaped("single", 1, "one agent alone"), options: { protocol: "single" } },
    chain: shaped("chain", 2, "a solver, and a reviewer who hears each step as it is said"),
    tree: shaped("tree", 4, "a solver, two reviewers side by side, and a synthesizer who hears both"),
    graph: shaped("graph", 4, "four agents in a row, of which the third hears the first as well"),
    dialogue: {
      topology: talkers(model),
      // Whoever proposes has the last word.
      options: { protocol: dialogue({ rounds: 2, stop: (said) => said.length >= 3 }) },
      description: "a proposer and a critic who speak in turn; the last message is the answer",
    },
  };
}
