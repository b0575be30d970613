// Experiments made of teams: every arm on every item, as often as is asked.

import { ConfigError } from "../base/errors.ts";
import { contentOf } from "./grading.ts";
import type { Exam } from "./grading.ts";
import type { Cell } from "./sample.ts";
import type { Basis, Part } from "./setup.ts";
import { playTeam } from "./team.ts";
import type { TeamArm } from "./team.ts";
import { workloadOf } from "./workload.ts";

/** An arm on the items of an exam. */
export type Seat = { readonly arm: TeamArm; readonly exam: Exam };

/** How samples call an arm on a benchmark. */
export const seatName = ({ arm, exam }: Seat): string => `${exam.benchmark.name} ${arm.id}`;

/** Cells of these seats: an item with all its arms at a time, each arm first in its turn, so that what is finished can be compared. */
function cellsOf(seats: readonly Seat[], runs: number): Cell[] {
  const exams = [...new Set(seats.map(({ exam }) => exam))];
  const cells: Cell[] = [];
  for (let repeat = 0; repeat < runs; repeat++)
    for (const exam of exams) {
      const own = seats.filter((seat) => seat.exam === exam);
      for (const [index, item] of exam.items.entries()) {
        const of = contentOf(item);
        const first = (index + repeat) % own.length;
        for (const seat of [...own.slice(first), ...own.slice(0, first)])
          cells.push({ arm: seatName(seat), item: item.id, of, repeat });
      }
    }
  return cells;
}

/** Throws a `ConfigError` for items or arms that cannot be told apart. */
function check(seats: readonly Seat[]): void {
  const names = seats.map(seatName);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new ConfigError("arms", `"${twice}" is there twice`);
  for (const { benchmark, items } of new Set(seats.map(({ exam }) => exam))) {
    if (items.length === 0) throw new ConfigError(`benchmark ${benchmark.name}`, "has no items");
    const ids = new Set<string>();
    for (const { id } of items) {
      if (ids.has(id)) throw new ConfigError(`benchmark ${benchmark.name}`, `two items have the id "${id}"`);
      ids.add(id);
    }
  }
}

/** Cells, playing and expected workload of teams. */
export function teamCells(
  seats: readonly Seat[],
  basis: Basis,
  runs = basis.repeats * basis.vote,
): Pick<Part, "cells" | "play" | "workload"> {
  check(seats);
  const byName = new Map(seats.map((seat) => [seatName(seat), seat]));
  const items = new Map(
    seats.map(({ exam }) => [exam.benchmark.name, new Map(exam.items.map((item) => [item.id, item]))]),
  );
  const placeOf = (cell: Cell) => {
    const seat = byName.get(cell.arm);
    const item = seat === undefined ? undefined : items.get(seat.exam.benchmark.name)?.get(cell.item);
    if (seat === undefined || item === undefined) throw new ConfigError("cell", `there is no ${cell.arm} ${cell.item}`);
    return { ...seat, item };
  };
  const { voice, seed, temperature, maxTokens } = basis;
  const manner = { voice, seed, temperature, maxTokens };
  const expected = new Map<string, ReturnType<typeof workloadOf>>();
  return {
    cells: cellsOf(seats, runs),
    play: (cell, signal) => playTeam({ ...placeOf(cell), cell, manner, signal }),
    workload: (cell) => {
      const { arm, item } = placeOf(cell);
      const key = `${cell.arm} ${item.prompt.length}`;
      const known = expected.get(key) ?? workloadOf(arm, { prompt: item.prompt, stepTokens: basis.stepTokens });
      expected.set(key, known);
      return known;
    },
  };
}
