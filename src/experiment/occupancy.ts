// How busy a model is kept: a bound on its calls, and how much of it was in use.

import type { Clock } from "../base/clock.ts";
import type { Model, ModelPart, ModelRequest } from "../core/types.ts";
import { wrapped } from "../core/wrapped.ts";
import { gate } from "../models/gate.ts";
import { limited } from "../models/limited.ts";

/** A bound on calls at once that several models may share. */
export type Bound = {
  readonly allowed: number;
  /** The model behind the bound: calls past it wait, and say so with `wait` parts. */
  readonly admit: (model: Model) => Model;
  /** The share of the allowed calls that were at work, from the first call until now; 0 before it. */
  readonly busy: () => number;
};

/** A bound of `allowed` calls at once, measured on `clock`. */
export function bound(allowed: number, clock: Clock): Bound {
  const door = gate({ concurrency: allowed, clock });
  let [inside, since, used] = [0, 0, 0];
  let from: number | undefined;
  const turn = (by: 1 | 0 | -1) => {
    const now = clock.now();
    from ??= now;
    used += inside * (now - since);
    since = now;
    inside += by;
  };
  const counted = async function* (model: Model, request: ModelRequest): AsyncGenerator<ModelPart, void, undefined> {
    turn(1);
    try {
      yield* model.stream(request);
    } finally {
      turn(-1);
    }
  };
  const watched = (model: Model): Model =>
    wrapped(model, {
      stream: (request) => counted(model, request),
      choose: async (request, options) => {
        turn(1);
        try {
          return await model.choose!(request, options);
        } finally {
          turn(-1);
        }
      },
    });
  return {
    allowed,
    admit: (model) => limited(watched(model), { gate: door, retries: 0, clock }),
    busy: () => {
      if (from === undefined) return 0;
      turn(0);
      const all = since - from;
      return all === 0 ? 0 : used / (all * allowed);
    },
  };
}
