// A small evaluation in virtual time, for tests.

import { armsNamed } from "./arms.ts";
import { evaluate } from "./evaluate.ts";
import type { Evaluation } from "./evaluate.ts";
import { template } from "./recited.ts";
import type { Result } from "./result.ts";
import { simulatedListeners } from "./simulated-listener.ts";
import { report } from "./tasks/report.ts";

const task = report({ facts: 7 });

/** Reports of seven facts, all simulated; overridden as wished. */
export function small(overrides: Partial<Evaluation> = {}): Evaluation {
  return {
    task,
    samples: task.samples({ split: "dev", size: 6, seed: 1 }),
    arms: armsNamed(["never", "after:2", "own:0.5"], { lead: "Answer:" }),
    speaker: template({ tokensPerSecond: 50 }),
    listener: simulatedListeners({ accuracy: 0.9 }),
    virtual: true,
    ...overrides,
  };
}

/** All results of an evaluation. */
export async function all(evaluation: Evaluation): Promise<Result[]> {
  const results: Result[] = [];
  for await (const result of evaluate(evaluation)) results.push(result);
  return results;
}
