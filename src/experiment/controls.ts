// What the papers could not say: the comparisons that tell timing, calls, contexts, joins and policies apart.

import { afterChunks } from "../policies/index.ts";
import { controlSections } from "./controls-report.ts";
import type { Control } from "./controls-report.ts";
import { talkSections } from "./interruption.ts";
import { assemble, isAlone, onlyExam, toldOf } from "./report.ts";
import type { Sample } from "./sample.ts";
import type { Basis, Setup } from "./setup.ts";
import { talkCells } from "./talks.ts";
import type { TalksOptions } from "./talks.ts";
import type { TeamArm } from "./team.ts";
import { teamCells } from "./teams.ts";
import type { Seat } from "./teams.ts";

/** When the control cuts, and the conversations beside it. */
export type ControlsOptions = {
  /** The listener leaves its speaker after so many steps; default: half of them. */
  readonly cutAfter: number;
  /** Conversations in which a policy pays for its own decisions. */
  readonly talks?: TalksOptions | undefined;
};

/** `controls`: chains and joins on one benchmark, and conversations where there are any. */
export function controlsExperiment(basis: Basis, { cutAfter, talks }: ControlsOptions): Setup {
  const exam = onlyExam(basis, "controls");
  const { agents, steps } = basis;
  const seat = (id: string, arm: Omit<TeamArm, "id" | "agents" | "steps"> & { readonly agents?: number }): Seat => ({
    exam,
    arm: { agents, steps, ...arm, id },
  });
  const policy = afterChunks(cutAfter);
  const of = {
    single: seat("single", { topology: "single", agents: 1, protocol: "single" }),
    serial: seat("chain serial", { topology: "chain", protocol: "serial" }),
    segmented: seat("chain segmented", { topology: "chain", protocol: "segmented" }),
    stream: seat("chain stream each", { topology: "chain", protocol: "stream" }),
    waiting: seat("chain stream waiting", { topology: "chain", protocol: "stream", hear: "waiting" }),
    serialCut: seat(`chain serial cut ${cutAfter}`, { topology: "chain", protocol: "serial", policy }),
    streamCut: seat(`chain stream cut ${cutAfter}`, { topology: "chain", protocol: "stream", policy }),
    tree: seat("tree stream aligned", { topology: "tree", protocol: "stream", join: "aligned" }),
    treeArrival: seat("tree stream arrival", { topology: "tree", protocol: "stream", join: "arrival" }),
    graph: seat("graph stream aligned", { topology: "graph", protocol: "stream", join: "aligned" }),
    graphArrival: seat("graph stream arrival", { topology: "graph", protocol: "stream", join: "arrival" }),
  };
  const controls = controlsOf(of, cutAfter);
  const told = toldOf(basis, { name: "controls", title: "What the papers could not say", alone: isAlone(basis) });
  const seats = Object.values(of);
  const team = {
    ...teamCells(seats, basis),
    sections: (samples: readonly Sample[]) => controlSections(samples, { controls, seats, vote: basis.vote }),
  };
  if (talks === undefined) return assemble(told, [team]);
  const talk = { ...talkCells(talks), sections: (samples: readonly Sample[]) => talkSections(samples, talks.scenes) };
  return assemble({ ...told, identity: { ...told.identity, talks: true } }, [team, talk]);
}

type Seats = Readonly<
  Record<
    | "single"
    | "serial"
    | "segmented"
    | "stream"
    | "waiting"
    | "serialCut"
    | "streamCut"
    | "tree"
    | "treeArrival"
    | "graph"
    | "graphArrival",
    Seat
  >
>;

function controlsOf(of: Seats, cutAfter: number): Control[] {
  return [
    {
      title: "Stream against segmented: what timing alone brings",
      text: "The same calls and the same prompts; a listener of segmented starts only after its speaker has ended. Where words do not depend on time, correctness is the same, and the time is what differs.",
      base: of.segmented,
      others: [of.stream],
    },
    {
      title: "Stream against serial: what a user gains",
      text: "Measured: wall time of serial runs over that of stream runs on the same items. Self-referenced, as published: a stream run's own call times laid end to end, over its wall time. The difference is what the calls a step cost.",
      base: of.serial,
      others: [of.single, of.segmented, of.stream],
      selfReferenced: true,
    },
    {
      title: "Each against waiting",
      text: "A call for each step heard (the paper's), or one for all that wait: fewer first tokens to wait for and fewer contexts to read again, but a listener hears later steps together.",
      base: of.stream,
      others: [of.waiting],
    },
    {
      title: "Aligned against arrival joins, tree",
      text: "Where an agent hears several: a call for each step index over all of them, or a call for each step as it comes (the paper's), so that calls multiply and their order depends on latency.",
      base: of.treeArrival,
      others: [of.tree],
    },
    {
      title: "Aligned against arrival joins, graph",
      text: "The same for a chain with a shortcut.",
      base: of.graphArrival,
      others: [of.graph],
    },
    {
      title: "Cutting the tail against diluting it",
      text: `Stream lets late, worse steps weigh less; a listener that leaves after ${cutAfter} steps does not hear them at all, and says only so many itself. All against serial, which hears everything at once.`,
      base: of.serial,
      others: [of.stream, of.serialCut, of.streamCut],
    },
  ];
}
