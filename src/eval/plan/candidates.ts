// What a plan chooses from.

import { ConfigError } from "../../base/errors.ts";
import type { Keeps } from "./draws.ts";
import type { Shape } from "./teams.ts";
import type { Manner } from "./voices.ts";

/** One way to run a team. */
export type Candidate = {
  readonly topology: Shape;
  readonly agents: number;
  readonly steps: number;
  readonly protocol: "single" | "serial" | "segmented" | "stream";
  /** Only for `stream`. */
  readonly hear?: "each" | "waiting";
  /** Listeners cut their speakers after so many steps; absent: never. */
  readonly cutAfter?: number;
};

/** Choices that are combined with each other. What is absent has a default. */
export type Candidates = {
  readonly topologies?: readonly Shape[] | undefined;
  readonly agents?: readonly number[] | undefined;
  readonly steps?: readonly number[] | undefined;
  readonly protocols?: readonly Candidate["protocol"][] | undefined;
  readonly hear?: readonly ("each" | "waiting")[] | undefined;
  /** After how many steps `serial` listeners cut; those that are no fewer than the steps are left out. Default: quarters. */
  readonly cuts?: readonly number[] | undefined;
  /** What stays the same when the number of steps changes: the length of a `message` (default) or of a `step`. */
  readonly keeps?: Keeps | undefined;
};

export const shapes: readonly Shape[] = ["single", "chain", "tree", "graph"];
export const plannable: readonly Candidate["protocol"][] = ["single", "serial", "segmented", "stream"];
const hearings = ["each", "waiting"] as const;

/** More agents or steps than this are refused: the times would be right, and nobody would run it. */
const most = 1024;

function counts(path: string, values: readonly number[]): readonly number[] {
  if (values.length === 0) throw new ConfigError(path, "must hold at least one number, got none");
  for (const [index, value] of values.entries())
    if (!Number.isSafeInteger(value) || value < 1 || value > most)
      throw new ConfigError(`${path}[${index}]`, `must be a whole number from 1 to ${most}, got ${value}`);
  return [...new Set(values)].toSorted((a, b) => a - b);
}

function oneOf<T extends string>(path: string, values: readonly T[], known: readonly T[]): readonly T[] {
  if (values.length === 0) throw new ConfigError(path, `must name at least one of ${known.join(", ")}`);
  for (const [index, value] of values.entries())
    if (!known.includes(value))
      throw new ConfigError(`${path}[${index}]`, `there is no "${value}"; there are ${known.join(", ")}`);
  return known.filter((name) => values.includes(name));
}

/** A shape, a number of steps and a manner, for several numbers of agents: what is computed in one go. */
export type Group = {
  readonly topology: Shape;
  readonly agents: readonly number[];
  readonly steps: number;
  readonly manner: Manner;
};

/** What a profile tells the choices: how many steps its messages had, and whether correctness is known. */
export type Basis = { readonly steps: number; readonly canJudge: boolean };

/** The choices, checked and with defaults. */
export function groupsOf(given: Candidates, basis: Basis): readonly Group[] {
  const topologies = oneOf("candidates.topologies", given.topologies ?? shapes.slice(1), shapes);
  const choices = choicesOf(given, basis);
  const groups = counts("candidates.steps", given.steps ?? [basis.steps]).flatMap((steps) => {
    const lone: Group = { topology: "single", agents: [1], steps, manner: { protocol: "single" } };
    const alone = choices.agents.includes(1) || topologies.includes("single");
    return [...(alone ? [lone] : []), ...topologies.flatMap((topology) => teamsOf(topology, steps, choices))];
  });
  if (groups.length === 0) throw new ConfigError("candidates", "leave nothing to choose from");
  return groups;
}

function choicesOf(given: Candidates, { canJudge }: Basis): Choices {
  if (!canJudge && given.cuts !== undefined && given.cuts.length > 0)
    throw new ConfigError("candidates.cuts", "need a profile in which the quality of steps is measured");
  // What another agent is worth is not known where nothing is known of correctness; then all teams have two or more.
  const sizes = given.agents ?? (canJudge ? [1, 2, 3, 4, 6, 8] : [2, 3, 4, 6, 8]);
  return {
    agents: counts("candidates.agents", sizes),
    protocols: oneOf("candidates.protocols", given.protocols ?? plannable, plannable),
    hear: oneOf("candidates.hear", given.hear ?? hearings, hearings),
    cuts: canJudge ? given.cuts : [],
    chains: (given.topologies ?? shapes).includes("chain"),
  };
}

/** Teams of two or more; a tree of two is a chain, and a graph has its shortcut from three agents on. */
function teamsOf(topology: Shape, steps: number, choices: Choices): Group[] {
  const least = topology === "chain" || !choices.chains ? 2 : 3;
  const agents = choices.agents.filter((count) => count >= least);
  if (topology === "single" || agents.length === 0) return [];
  return mannersOf(choices, steps).map((manner) => ({ topology, agents, steps, manner }));
}

type Choices = {
  readonly agents: readonly number[];
  readonly protocols: readonly Candidate["protocol"][];
  readonly hear: readonly ("each" | "waiting")[];
  readonly cuts: readonly number[] | undefined;
  readonly chains: boolean;
};

function mannersOf({ protocols, hear, cuts }: Choices, steps: number): Manner[] {
  const quarters = [1, 2, 3].map((part) => Math.ceil((steps * part) / 4));
  const after = (cuts === undefined ? quarters : cuts.length === 0 ? [] : counts("candidates.cuts", cuts)).filter(
    (count) => count < steps,
  );
  const manners: Manner[] = [];
  if (protocols.includes("serial")) {
    manners.push({ protocol: "serial" });
    for (const count of new Set(after)) manners.push({ protocol: "serial", after: count });
  }
  if (protocols.includes("segmented")) manners.push({ protocol: "segmented" });
  if (protocols.includes("stream")) for (const each of hear) manners.push({ protocol: "stream", hear: each });
  return manners;
}

/** The candidate of a group with so many agents. */
export function candidateOf({ topology, steps, manner }: Group, agents: number): Candidate {
  const { protocol } = manner;
  return {
    topology,
    agents,
    steps,
    protocol,
    ...(protocol === "stream" ? { hear: manner.hear } : {}),
    ...(protocol === "serial" && manner.after !== undefined ? { cutAfter: manner.after } : {}),
  };
}

/** A candidate in a few words: `stream (waiting), chain of 4, 8 steps`. */
export function nameOf({ topology, agents, steps, ...how }: Candidate): string {
  const size = `${steps} step${steps === 1 ? "" : "s"}`;
  return topology === "single" ? `one agent, ${size}` : `${mannerOf(how)}, ${topology} of ${agents}, ${size}`;
}

/** Protocol and policy in a few words: `serial, cut after 3`. */
export function mannerOf({ protocol, hear, cutAfter }: Pick<Candidate, "protocol" | "hear" | "cutAfter">): string {
  if (hear === "waiting") return "stream (waiting)";
  return cutAfter === undefined ? protocol : `${protocol}, cut after ${cutAfter}`;
}
