// A model that speaks when it is told to.

import { onAbort } from "../base/signal.ts";
import type { Model, ModelPart, ModelRequest } from "../core/types.ts";

export type HeldModel = Model & {
  /** The requests so far. */
  readonly requests: readonly ModelRequest[];
  /** How many calls were aborted. */
  readonly aborted: () => number;
  /** Lets all calls go on, now and later. */
  readonly release: () => void;
};

/** Says `before`, then waits to be released or aborted, then says `after`. Usage: 10 read, 4 of them cached; a token a word. */
export function held(before: readonly string[], after: readonly string[] = []): HeldModel {
  const requests: ModelRequest[] = [];
  let aborted = 0;
  let released = false;
  let wake: (() => void)[] = [];
  const wait = (signal: AbortSignal | undefined) =>
    new Promise<void>((resolve) => {
      if (released) return resolve();
      const forget = onAbort(signal, resolve);
      wake.push(() => {
        forget();
        resolve();
      });
    });
  async function* stream(request: ModelRequest): AsyncGenerator<ModelPart, void, undefined> {
    requests.push(request);
    let outputTokens = 0;
    const usage = () => ({ calls: 1, inputTokens: 10, cachedTokens: 4, outputTokens });
    for (const [index, text] of [...before, undefined, ...after].entries()) {
      if (index === before.length) await wait(request.signal);
      if (request.signal?.aborted === true) {
        aborted++;
        yield { type: "end", reason: "interrupted", usage: usage() };
        return;
      }
      if (text === undefined) continue;
      outputTokens++;
      yield { type: "text", text, tokens: 1 };
    }
    yield { type: "end", reason: "stop", usage: usage() };
  }
  const release = () => {
    released = true;
    for (const each of wake) each();
    wake = [];
  };
  return { id: "held", stream, requests, aborted: () => aborted, release };
}

/** Waits without a clock, a turn of the event loop at a time, until `good` holds. Throws after many. */
export async function until(good: () => boolean, what = "it"): Promise<void> {
  for (let turn = 0; turn < 20_000; turn++) {
    if (good()) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
  throw new Error(`${what} did not come`);
}
