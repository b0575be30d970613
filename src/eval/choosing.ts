import { ConfigError } from "../base/errors.ts";
import type { Message, Model, ModelPart, ModelRequest } from "../core/types.ts";
import { wrapped } from "../core/wrapped.ts";
import { countTokens } from "../models/tokens.ts";
import { cast } from "./cast.ts";
import type { Casting, Seat } from "./cast.ts";
import { unlisted } from "./listing.ts";

/** The request up to where the answer's own words begin. */
function upTo(marker: string, messages: readonly Message[], model: Model): readonly Message[] {
  return model.continues === true ? [...messages, { role: "assistant", content: marker }] : messages;
}

function choosingModel(model: Model, { sample }: Seat): Model {
  const { candidates, marker } = sample.answer;
  if (candidates === undefined) return model;
  async function* stream(request: ModelRequest): AsyncGenerator<ModelPart, void, undefined> {
    const { session, signal } = request;
    const messages = upTo(marker, unlisted(request.messages, candidates ?? []), model);
    const choice = await model.choose?.({ messages, session, signal }, candidates ?? []);
    if (choice === undefined)
      throw new ConfigError("listener", `${model.id} shows no probabilities, so it cannot choose`);
    const best = choice.probabilities.indexOf(Math.max(...choice.probabilities));
    const text = `${marker} ${candidates?.[best] ?? ""}`;
    const tokens = await countTokens(text);
    // Looked up rather than generated, but it is what is said.
    const usage = { ...choice.usage, outputTokens: tokens };
    if (signal?.aborted === true)
      return yield { type: "end", reason: "interrupted", usage: { ...usage, outputTokens: 0 } };
    yield { type: "text", text, tokens };
    yield { type: "end", reason: "stop", usage };
  }
  const choose: NonNullable<Model["choose"]> = async (request, options) => {
    const choice = await model.choose?.({ ...request, messages: unlisted(request.messages, candidates) }, options);
    if (choice === undefined) throw new ConfigError("listener", `${model.id} shows no probabilities`);
    return choice;
  };
  return wrapped(model, { stream, choose });
}

/**
 * Casts listeners that answer a closed list with the candidate that is likeliest to them, in place of words of their own:
 * what small models know shows better so. A sample without candidates is answered in words.
 */
export const choosing =
  (who: Model | Casting): Casting =>
  (seat) =>
    choosingModel(cast(who, seat), seat);
