import type { Model } from "./types.ts";

/** What is done in another way: how it speaks, and, where the model shows probabilities at all, how it chooses. */
export type Doing = { readonly stream: Model["stream"]; readonly choose?: NonNullable<Model["choose"]> | undefined };

/** A model that is another one but for what it is given to do. What the other cannot do it cannot do either. */
export function wrapped(model: Model, { stream, choose = model.choose?.bind(model) }: Doing): Model {
  return {
    id: model.id,
    ...(model.continues === undefined ? {} : { continues: model.continues }),
    ...(model.simulated === undefined ? {} : { simulated: model.simulated }),
    ...(model.choose === undefined || choose === undefined ? {} : { choose }),
    stream,
  };
}
