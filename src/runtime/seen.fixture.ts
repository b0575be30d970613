// What was seen of a world that was played.

import type { RunEvent } from "../core/types.ts";
import type { World } from "./simulation.fixture.ts";

export type Seen = {
  readonly world: World;
  /** What the main reader got. */
  readonly events: readonly RunEvent[];
  /** What a reader got that came after the end. */
  readonly late: readonly RunEvent[];
  readonly left: boolean;
  readonly cancelled: boolean;
  readonly endedAt: number;
  /** What became of the hands, in order. */
  readonly raised: readonly Raised[];
};

/** A hand that was raised, or the floor given back: whether that changed anything, and what was the case. */
export type Raised = {
  readonly type: "interrupt" | "resume";
  readonly agent: string;
  readonly at: number;
  readonly done: boolean;
  readonly again: boolean;
  readonly ended: boolean;
  readonly cancelled: boolean;
};
