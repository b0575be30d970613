import { onAbort } from "../base/signal.ts";
import type { Clock } from "../base/clock.ts";
import type { Decision, Policy } from "../core/policy.ts";
import type { Model, ModelPart, ModelRequest } from "../core/types.ts";
import { wrapped } from "../core/wrapped.ts";

/** Speakers wait at each chunk until its listeners have decided, so that a decision takes no time of speech. */
export type Lockstep = { readonly speaker: (model: Model) => Model; readonly listener: (policy: Policy) => Policy };

/** Ties the speakers of one conversation to its listeners. */
export function lockstep(clock: Clock): Lockstep {
  let deciding = 0;
  let waiting: (() => void)[] = [];
  const begin = (signal: AbortSignal) => {
    let open = true;
    let forget = () => {};
    deciding++;
    const end = () => {
      if (!open) return;
      open = false;
      forget();
      if (--deciding > 0) return;
      for (const go of waiting) go();
      waiting = [];
    };
    // A decision that nobody wants any more may take for ever.
    forget = onAbort(signal, end);
    return end;
  };
  const decide = async (answer: Promise<Decision>, end: () => void): Promise<Decision> => {
    try {
      return await answer;
    } finally {
      end();
    }
  };
  async function* paced(model: Model, request: ModelRequest): AsyncGenerator<ModelPart, void, undefined> {
    for await (const part of model.stream(request)) {
      yield part;
      if (deciding === 0) continue;
      await new Promise<void>((go) => waiting.push(go));
      // The decision has to reach the runtime before anything more is said.
      await clock.sleep(0);
    }
  }
  return {
    speaker: (model) => wrapped(model, { stream: (request) => paced(model, request) }),
    listener: (policy) => {
      const { decide: think } = policy;
      if (think === undefined) return policy;
      return {
        ...policy,
        decide: (hearing, signal) => {
          const answer = think(hearing, signal);
          return answer instanceof Promise ? decide(answer, begin(signal)) : answer;
        },
      };
    },
  };
}
