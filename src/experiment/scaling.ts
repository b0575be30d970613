// How accuracy and time scale with agents and steps, as in StreamMA (arXiv 2606.05158), with serial runs to measure speed-up against.

import type { Figure, Section, Table } from "../eval/findings.ts";
import { pipelineLimit } from "../theory/speed.ts";
import { scalingAccuracy, scalingSource, scalingSpeedUp } from "./published.ts";
import { assemble, isAlone, onlyExam, sourceLine, toldOf } from "./report.ts";
import type { Sample } from "./sample.ts";
import type { Basis, Part, Setup } from "./setup.ts";
import { amount, percent, pointOf, points, pOf, pValue } from "./show.ts";
import { accuracyOf, armsOf, differenceOf, figure, holm, meanOf, ratioOf, right } from "./statistics.ts";
import type { Estimate } from "./statistics.ts";
import { seatName, teamCells } from "./teams.ts";
import type { Seat } from "./teams.ts";
import { voted } from "./vote.ts";

/** The grid of agents and steps; `auto` leaves the number of steps to the model. */
export type ScalingOptions = { readonly agents: readonly number[]; readonly steps: readonly (number | "auto")[] };

/** A grid of seven by seven: the paper's, from one agent and one step on. */
export const scalingDefaults: ScalingOptions = {
  agents: [1, 2, 4, 8, 16, 32, 64],
  steps: [1, 2, 4, 8, 16, 32, 64],
};

type Place = { readonly agents: number; readonly steps: number | "auto" };
type Node = Place & { readonly serial: Seat; readonly stream: Seat };

/** `scaling`: chains of A agents that say S steps, each under serial and under stream; on one benchmark. */
export function scalingExperiment(basis: Basis, options: ScalingOptions): Setup {
  const exam = onlyExam(basis, "scaling");
  const nodes = options.agents.flatMap((agents) =>
    options.steps.map((steps): Node => {
      const seat = (protocol: "serial" | "stream"): Seat => ({
        exam,
        arm: { id: `A=${agents} S=${steps} ${protocol}`, topology: "chain", agents, steps, protocol },
      });
      return { agents, steps, serial: seat("serial"), stream: seat("stream") };
    }),
  );
  const seats = nodes.flatMap(({ serial, stream }) => [serial, stream]);
  const sections: Part["sections"] = (samples) => sectionsOf(samples, { nodes, options, vote: basis.vote });
  const told = toldOf(basis, { name: "scaling", title: "Agents × steps", alone: nodes.some(isAlone) });
  return assemble(told, [{ ...teamCells(seats, basis), sections }]);
}

type Grid = { readonly nodes: readonly Node[]; readonly options: ScalingOptions; readonly vote: number };

/** A row for each number of agents, a column for each number of steps. */
function gridOf(title: string, { nodes, options }: Grid, cell: (node: Node) => string | number | null): Table {
  const rows = options.agents.map((agents) => [
    `A = ${agents}`,
    ...options.steps.map((steps) => {
      const node = nodes.find((one) => one.agents === agents && one.steps === steps);
      return node === undefined ? null : cell(node);
    }),
  ]);
  return { title, columns: ["", ...options.steps.map((steps) => `S = ${steps}`)], rows };
}

function sectionsOf(samples: readonly Sample[], grid: Grid): Section[] {
  const arms = armsOf(voted(samples, grid.vote));
  const of = (seat: Seat) => arms.scored.get(seatName(seat)) ?? [];
  return [accuracy(grid, of), speed(grid, of)];
}

/** Ours and a published number in one cell. */
const beside = (ours: string | null, published: number | undefined): string | null =>
  published === undefined ? ours : `${ours ?? "–"}; ${published}`;

type Of = (seat: Seat) => readonly Sample[];

function accuracy(grid: Grid, of: Of): Section {
  const { nodes, options } = grid;
  const figureOf: Figure = {
    kind: "line",
    title: "Right answers under stream",
    x: { label: "steps S", log: true },
    y: { label: "right answers, %" },
    series: [
      ...options.agents.map((agents) => ({
        name: `A = ${agents}`,
        points: nodes
          .filter((node) => node.agents === agents)
          .flatMap(({ steps, stream }) => pointOf(steps, accuracyOf(of(stream)), 100)),
      })),
      ...publishedLines(grid, ({ agents, steps }) => scalingAccuracy(agents, steps)),
    ],
  };
  return {
    title: "Accuracy",
    text: [sourceLine(scalingSource)],
    tables: [
      gridOf("Right answers under stream, % [95 %]; published after the semicolon", grid, ({ stream, ...place }) =>
        beside(percent(accuracyOf(of(stream))), scalingAccuracy(place.agents, place.steps)),
      ),
      gridOf("Right answers under serial, % [95 %]", grid, ({ serial }) => percent(accuracyOf(of(serial)))),
      differences(grid, of),
    ],
    figures: [figureOf],
  };
}

function publishedLines({ options }: Grid, value: (place: Place) => number | undefined) {
  return options.agents.flatMap((agents) => {
    const found = options.steps.flatMap((steps) => {
      const y = value({ agents, steps });
      return y === undefined ? [] : [{ x: steps, y }];
    });
    return found.length === 0 ? [] : [{ name: `A = ${agents}`, points: found, published: true }];
  });
}

/** Whether more steps help at each size: the most steps against the fewest. */
function differences({ nodes, options }: Grid, of: Of): Table {
  const least = options.steps[0];
  const rows = options.agents.flatMap((agents) => {
    const own = nodes.filter((node) => node.agents === agents);
    const first = own.find(({ steps }) => steps === least);
    const last = own.at(-1);
    if (first === undefined || last === undefined || first === last) return [];
    return [{ agents, last, difference: differenceOf(of(last.stream), of(first.stream), right) }];
  });
  const corrected = holm(rows.map(({ difference }) => difference?.p ?? 1));
  return {
    title: "Do more steps help? Paired, under stream",
    columns: ["agents", "difference", "points [95 %]", "p", "p, Holm"],
    rows: rows.map(({ agents, last, difference }, index) => [
      `A = ${agents}`,
      `S = ${last.steps} − S = ${least}`,
      points(difference),
      pOf(difference),
      pValue(corrected[index]),
    ]),
  };
}

const boundOf = ({ agents, steps }: Place): number | undefined =>
  steps === "auto" ? undefined : pipelineLimit({ agents, steps });

function speed(grid: Grid, of: Of): Section {
  const { nodes, options } = grid;
  const known = new Map<Node, Estimate | null>(
    nodes.map((node) => [node, ratioOf(of(node.serial), of(node.stream), figure("ms"))]),
  );
  const share = (node: Node): string | null => {
    const [speedUp, limit] = [known.get(node), boundOf(node)];
    return speedUp === null || speedUp === undefined || limit === undefined
      ? null
      : `${((100 * speedUp.value) / limit).toFixed(0)} %`;
  };
  const line: Figure = {
    kind: "line",
    title: "Speed-up of stream",
    x: { label: "steps S", log: true },
    y: { label: "speed-up", log: true },
    series: [
      ...options.agents.map((agents) => ({
        name: `A = ${agents}, over serial`,
        points: nodes
          .filter((node) => node.agents === agents)
          .flatMap((node) => pointOf(node.steps, known.get(node) ?? null)),
      })),
      ...publishedLines(grid, ({ agents, steps }) => (steps === "auto" ? undefined : scalingSpeedUp(agents, steps))),
    ],
  };
  const text =
    "Over serial: wall time of the serial runs over that of the stream runs, on the same items. Self-referenced, as published: the time " +
    "the stream run's own calls would have taken one agent after another, over its wall time. Bound: A·S/(S+A−1). A chain of one streams nothing.";
  return {
    title: "Speed-up",
    text: [text],
    tables: [
      gridOf("Speed-up over serial [95 %]", grid, (node) => amount(known.get(node) ?? null)),
      gridOf("Share of the bound", grid, share),
      gridOf("Self-referenced speed-up [95 %]; published after the semicolon", grid, ({ stream, agents, steps }) =>
        beside(
          amount(meanOf(of(stream), figure("selfReferenced"))),
          steps === "auto" ? undefined : scalingSpeedUp(agents, steps),
        ),
      ),
    ],
    figures: [line],
  };
}
