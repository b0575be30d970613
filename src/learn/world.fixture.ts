import { loadTask, simulatedListeners, template } from "../eval/index.ts";
import { sample } from "./sample.ts";
import type { Sampling } from "./sample.ts";
import { nothingSpent } from "./spent.ts";

export const task = await loadTask("report:facts=5,choices=4");
export const draw = (split: "train" | "dev" | "test", size: number) => task.samples({ split, size, seed: 1 });

export const world = (given: Partial<Sampling> = {}): Sampling => ({
  task,
  samples: draw("train", 4),
  speaker: template(),
  listener: simulatedListeners({ accuracy: 1 }),
  virtual: true,
  ...given,
});

export async function all(sampling: Sampling) {
  const found = [];
  for await (const each of sample(sampling)) found.push(each);
  return { points: found.map(({ point }) => point), spent: found.at(-1)?.spent ?? nothingSpent() };
}
