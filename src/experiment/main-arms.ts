// The main comparison of StreamMA (arXiv 2606.05158): benchmarks × topologies × protocols, with the control that isolates timing.

import type { TopologyName } from "../core/topology.ts";
import { mainSections } from "./main-report.ts";
import { assemble, isAlone, toldOf } from "./report.ts";
import type { Basis, Part, Setup } from "./setup.ts";
import type { TeamArm } from "./team.ts";
import { teamCells } from "./teams.ts";
import type { Seat } from "./teams.ts";

/** Which teams meet under which protocols. */
export type MainOptions = {
  readonly topologies: readonly TopologyName[];
  readonly protocols: readonly TeamArm["protocol"][];
};

/** The topologies and protocols of the paper, and `segmented`. */
export const mainDefaults: MainOptions = {
  topologies: ["chain", "tree", "graph"],
  protocols: ["single", "serial", "segmented", "stream"],
};

/** `main`: one agent alone is an arm of its own, once for all topologies. */
export function mainExperiment(basis: Basis, { topologies, protocols }: MainOptions): Setup {
  const { agents, steps } = basis;
  const alone: TeamArm[] = protocols.includes("single")
    ? [{ id: "single", topology: "single", agents: 1, steps, protocol: "single" }]
    : [];
  const teams = topologies.flatMap((topology) =>
    protocols
      .filter((protocol) => protocol !== "single")
      .map((protocol): TeamArm => ({ id: `${topology} ${protocol}`, topology, agents, steps, protocol })),
  );
  const seats: Seat[] = basis.exams.flatMap((exam) => [...alone, ...teams].map((arm) => ({ arm, exam })));
  const told = toldOf(basis, { name: "main", title: "Benchmarks × topologies × protocols", alone: isAlone(basis) });
  const sections: Part["sections"] = (samples) => mainSections(samples, { seats, vote: basis.vote });
  return assemble(told, [{ ...teamCells(seats, basis), sections }]);
}
