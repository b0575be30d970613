import { ModelError } from "../base/errors.ts";
import { random, subseed } from "../base/random.ts";
import type { Choice, EndReason, Model, ModelPart, ModelRequest, Usage } from "../core/types.ts";
import { inputTokens, PrefixCache } from "./simulated-cache.ts";
import { settle } from "./simulated-settings.ts";
import type { Settings, SimulatedOptions } from "./simulated-settings.ts";
import { deadlines, pacer, sleepUntil } from "./simulated-time.ts";
import type { Load } from "./simulated-time.ts";
import { plan, say, stopAt } from "./simulated-words.ts";
import type { Plan } from "./simulated-words.ts";

const mostSessions = 10_000;

/** What goes wrong with a call, and after how many tokens. */
type Fault = {
  readonly type: "fail" | "stall" | "truncate" | "breakOff";
  readonly after: number;
  readonly status: number;
};
type Call = Load & { readonly task: Plan; readonly fault: Fault | undefined };

const aborted = (signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve) => {
    if (signal?.aborted === true) resolve();
    else signal?.addEventListener("abort", () => resolve(), { once: true });
  });

/** Which calls go wrong, so that a repeated request has a new chance. */
function faults({ fail, stall, truncate, breakOff, stepTokens }: Settings): (seed: number) => Fault | undefined {
  const rates = { fail, stall, truncate, breakOff };
  if (Object.values(rates).every((rate) => rate === 0)) return () => undefined;
  const attempts = new Map<number, number>();
  return (seed) => {
    const attempt = attempts.get(seed) ?? 0;
    attempts.set(seed, attempt + 1);
    const next = random(subseed(seed, `attempt ${attempt}`));
    let drawn = next();
    const [after, status] = [1 + Math.floor(next() * (stepTokens - 1)), next() < 0.5 ? 429 : 500];
    for (const [type, rate] of Object.entries(rates) as [Fault["type"], number][]) {
      if (drawn < rate) return { type, after, status };
      drawn -= rate;
    }
    return undefined;
  };
}

const refusal = (model: string, status: number): ModelError =>
  status === 429
    ? new ModelError("too many requests (simulated)", { model, status, retryable: true, retryAfterMs: 1000 })
    : new ModelError("server error (simulated)", { model, status, retryable: true });

/** A call goes wrong in its middle: it is truncated, falls silent until it is aborted, or fails. */
async function suffer({ type, status }: Fault, model: string, signal: AbortSignal | undefined): Promise<void> {
  if (type === "stall") await aborted(signal);
  if (type === "breakOff") {
    throw new ModelError("broke off in the middle (simulated)", { model, status, retryable: true, truncated: true });
  }
}

const usage = ({ input, cached }: Call, outputTokens: number): Usage => ({
  calls: 1,
  inputTokens: input,
  cachedTokens: cached,
  outputTokens,
});

function tokensOf({ task }: Call, { stop = [] }: ModelRequest, settings: Settings): Iterable<string> {
  const tokens = say(task, settings);
  return stop.length === 0 ? tokens : stopAt([...tokens], stop);
}

async function* speak(begin: () => Call, request: ModelRequest, settings: Settings): AsyncGenerator<ModelPart, void> {
  const call = begin();
  const { clock } = settings;
  const { signal, maxTokens = Infinity } = request;
  const pace = pacer(settings, signal);
  const nextDue = deadlines(clock.now(), call, settings);
  let said = 0;
  const end = (reason: EndReason): ModelPart => ({ type: "end", reason, usage: usage(call, said) });
  for (const text of tokensOf(call, request, settings)) {
    if (said >= maxTokens) return yield end("length");
    const pause = pace(nextDue());
    if (pause !== undefined) await pause;
    if (call.fault?.after === said) {
      if (call.fault.type === "truncate") return yield end("truncated");
      await suffer(call.fault, settings.id, signal);
    }
    if (signal?.aborted === true) return yield end("interrupted");
    said++;
    if (text !== "") yield { type: "text", text, tokens: 1 };
  }
  yield end(signal?.aborted === true ? "interrupted" : "stop");
}

/** The chance of the first option grows with the share of a whole answer that the conversation holds. */
function think(
  { messages }: ModelRequest,
  options: readonly string[],
  { task, settings }: { task: Plan; settings: Settings },
) {
  const told = inputTokens(messages.filter(({ role }) => role !== "system"));
  const known = told / (told + 2 * settings.stepTokens);
  const next = random(subseed(task.seed, "choose"));
  const first = options.length === 1 ? 1 : Math.min(0.98, Math.max(0.02, known + 0.1 * (next() - 0.5)));
  const probabilities = options.map((_, i) => (i === 0 ? first : (1 - first) / (options.length - 1)));
  const entropy = probabilities.reduce((sum, p) => (p > 0 ? sum - p * Math.log(p) : sum), 0);
  const best = probabilities.indexOf(Math.max(...probabilities));
  return { probabilities, entropy, top: { text: options[best] ?? "", probability: probabilities[best] ?? 0 } };
}

/**
 * A model whose timing, token counts, mistakes and failures are stated, and whose words are made up from seed and messages.
 * It says steps that each state a sum and close with `END_STEP`: as many as it heard in the last message, else as asked.
 * A token is a text of four characters; the k-th is due at `ttft` + reading the prompt + k / `decode`, whatever the timers do.
 */
export function simulated(options: SimulatedOptions = {}): Model {
  const settings = settle(options);
  const { id, clock, cache, minCache } = settings;
  const caches = new Map<string, PrefixCache>();
  const faultOf = faults(settings);
  const known = ({ messages, session = "" }: ModelRequest): number => {
    if (cache === "off") return 0;
    const name = cache === "shared" ? "" : session;
    let own = caches.get(name);
    if (own === undefined) {
      own = new PrefixCache();
      caches.set(name, own);
      // The oldest session is forgotten first.
      if (caches.size > mostSessions) caches.delete(caches.keys().next().value ?? "");
    }
    const tokens = own.read(messages);
    return tokens < minCache ? 0 : tokens;
  };
  const begin = (request: ModelRequest): Call => {
    const { messages, seed = 0 } = request;
    const task = plan(messages, subseed(settings.seed, String(seed)), settings);
    const fault = faultOf(task.seed);
    if (fault?.type === "fail") throw refusal(id, fault.status);
    return { task, seed: task.seed, input: inputTokens(messages), cached: known(request), fault };
  };
  return {
    id,
    continues: true,
    simulated: true,
    stream: (request) => speak(() => begin(request), request, settings),
    async choose(request, choices): Promise<Choice> {
      const call = begin(request);
      await sleepUntil(deadlines(clock.now(), call, settings)(), settings, request.signal);
      request.signal?.throwIfAborted();
      return { ...think(request, choices, { task: call.task, settings }), usage: usage(call, 1) };
    },
  };
}
