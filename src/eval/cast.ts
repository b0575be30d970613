import type { Clock } from "../base/clock.ts";
import type { Policy } from "../core/policy.ts";
import type { Model } from "../core/types.ts";
import type { Role, Sample } from "./task.ts";

/** A place to fill: a role of one conversation, its time and its seed. */
export type Seat = { readonly sample: Sample; readonly role: Role; readonly clock: Clock; readonly seed: number };

/** Who plays a role: a model for all, or one for each seat. */
export type Casting = (seat: Seat) => Model;

/** The model for a seat. */
export const cast = (who: Model | Casting, seat: Seat): Model => (typeof who === "function" ? who(seat) : who);

/** What is compared: a policy, or the best cut in hindsight. */
export type Arm = {
  readonly name: string;
  /** A policy for all conversations, one made for each, or `oracle`. */
  readonly policy: Policy | ((conversation: Pick<Seat, "sample" | "seed">) => Policy) | "oracle";
};
