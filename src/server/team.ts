import type { Model, Topology } from "../core/types.ts";
import { whole } from "../core/splitters.ts";
import { single } from "../runtime/protocols.ts";
import type { RunOptions } from "../runtime/run.ts";

/** A team that is served as if it were one model. */
export type Team = {
  readonly topology: Topology;
  /** Protocol, splitter, joins and the like; see `RunOptions`. */
  readonly options?: Omit<RunOptions, "signal" | "id"> | undefined;
  /** For lists of models. */
  readonly description?: string | undefined;
  /**
   * What a client gets as the answer. `steps`, the default: all that the last agent says, as it says it. `last`: its last
   * step alone, once the run is over. In a dialogue it is always the last message.
   */
  readonly answer?: "steps" | "last" | undefined;
  /** Sends what the other agents say as reasoning text, each step headed by its speaker. A request may ask for it too. */
  readonly reasoning?: boolean | undefined;
};

/** A model by itself as a team of one. */
export const alone = (id: string, model: Model): Team => ({
  topology: { agents: [{ id, instructions: "You are a helpful assistant.", model }], edges: [] },
  options: { protocol: single, splitter: whole() },
});
