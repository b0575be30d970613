// Who plays the agents of an experiment, and on what time.

import { systemClock } from "../base/clock.ts";
import type { Clock } from "../base/clock.ts";
import type { Model } from "../core/types.ts";
import type { Price } from "../core/usage.ts";
import type { SimulatedOptions } from "../models/simulated-settings.ts";
import { simulated } from "../models/simulated.ts";
import { VirtualClock } from "../testing/clock.ts";

/** A model under experiment. */
export type Voice = {
  /** Its spec, as the command line names it. */
  readonly name: string;
  readonly simulated: boolean;
  readonly price?: Price | undefined;
  /** The price is a stand-in: nobody charges it. */
  readonly nominal?: boolean | undefined;
  /** One for all runs, or one made for each on a time of its own. */
  readonly model: Model | ((clock: Clock) => Model | Promise<Model>);
};

/** A simulated voice: each run has a model and a virtual time of its own, so that no run knows of another. */
export const simulatedVoice = (options: SimulatedOptions = {}, name = "simulated"): Voice => ({
  name,
  simulated: true,
  model: (clock) => simulated({ ...options, clock }),
});

/** How a model is called in reports, and what it costs. */
export type Named = {
  readonly name?: string;
  readonly price?: Price | undefined;
  readonly nominal?: boolean | undefined;
};

/** A voice of a model that is there; `name` is its spec. */
export const voiceOf = (model: Model, { name = model.id, price, nominal }: Named = {}): Voice => ({
  name,
  simulated: model.simulated === true,
  model,
  price,
  nominal,
});

/** Whether its runs take no time of ours. */
export const isVirtual = ({ model }: Voice): boolean => typeof model === "function";

/** Plays on the voice's own time: virtual where a model is made for each run. */
export async function playOn<T>(
  { model }: Voice,
  play: (seat: { readonly model: Model; readonly clock: Clock }) => Promise<T>,
): Promise<T> {
  if (typeof model !== "function") return play({ model, clock: systemClock });
  const clock = new VirtualClock();
  const made = await model(clock);
  return clock.run(play({ model: made, clock }));
}
