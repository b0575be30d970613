import type { Decision, Hearing, Policy } from "../core/policy.ts";
import type { Choice, Model, ModelRequest } from "../core/types.ts";
import { VirtualClock } from "../testing/clock.ts";
import { scripted } from "../testing/scripted.ts";

type Chooser = (request: ModelRequest, options: readonly string[], call: number) => Partial<Choice>;
export const usage = { calls: 1, inputTokens: 10, cachedTokens: 4, outputTokens: 1 };

export function chooser(answer: Chooser, continues = true): Model & { readonly requests: ModelRequest[] } {
  const requests: ModelRequest[] = [];
  return {
    ...scripted(new VirtualClock(), () => []),
    id: "chooser",
    continues,
    requests,
    async choose(request, options) {
      requests.push(request);
      return { probabilities: [0.5, 0.25], usage, ...answer(request, options, requests.length - 1) };
    },
  };
}

export const mute = scripted(new VirtualClock(), () => []);

export const hearing = (given: Partial<Hearing> = {}): Hearing => ({
  task: "task",
  listener: "b",
  speaker: "a",
  turn: 0,
  text: "heard",
  chunks: 1,
  tokens: 16,
  steps: [],
  messages: () => [{ role: "user", content: "task\n\na: heard" }],
  model: mute,
  session: "s",
  ...given,
});

export const { signal } = new AbortController();
export const decide = async (policy: Policy, given: Partial<Hearing> = {}): Promise<Decision> =>
  (await policy.decide?.(hearing(given), signal)) ?? { advantage: 0 };
export const cuts = async (policy: Policy, given: Partial<Hearing> = {}) => (await decide(policy, given)).advantage > 0;
