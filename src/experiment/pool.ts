// All benchmarks of a comparison taken as one.

import type { Exam } from "./grading.ts";
import type { Sample } from "./sample.ts";
import type { Arms } from "./statistics.ts";
import { seatName } from "./teams.ts";
import type { Seat } from "./teams.ts";

/** How all benchmarks together are called. */
export const allName = "all";

type Pooled = { readonly seats: readonly Seat[]; readonly arms: Arms };

/** The seats and samples with a benchmark more: all items of all of them. Unchanged where there is only one. */
export function pooled({ seats, arms }: Pooled): Pooled {
  const exams = [...new Set(seats.map(({ exam }) => exam))];
  const [first] = exams;
  if (first === undefined || exams.length < 2) return { seats, arms };
  const all: Exam = { benchmark: { ...first.benchmark, name: allName }, items: [] };
  const added = seats.filter(({ exam }) => exam === first).map(({ arm }): Seat => ({ arm, exam: all }));
  const gather = (side: ReadonlyMap<string, readonly Sample[]>) => {
    const sides = new Map(side);
    for (const { arm } of added) {
      const parts = exams.map((exam) => ({
        name: exam.benchmark.name,
        samples: side.get(seatName({ arm, exam })) ?? [],
      }));
      // Items of two benchmarks may have the same id.
      const samples = parts.flatMap(({ name, samples: own }) =>
        own.map((sample) => ({ ...sample, item: `${name} ${sample.item}` })),
      );
      if (samples.length > 0) sides.set(seatName({ arm, exam: all }), samples);
    }
    return sides;
  };
  return { seats: [...seats, ...added], arms: { scored: gather(arms.scored), failed: gather(arms.failed) } };
}
