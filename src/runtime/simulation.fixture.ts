// Random worlds for the runtime: teams, models that misbehave, hands raised at bad moments. All from one seed.

import { integer, pick, random, subseed } from "../base/random.ts";
import type { Random } from "../base/random.ts";
import type { Decision, Hearing, Policy } from "../core/policy.ts";
import { byStep } from "../core/splitters.ts";
import type { Agent, Edge, Model, ModelPart, ModelRequest, Topology, Usage } from "../core/types.ts";
import { VirtualClock } from "../testing/clock.ts";
import { dialogue } from "./dialogue.ts";
import { segmented, serial, single, stream } from "./protocols.ts";
import type { RunOptions } from "./run.ts";

/** What one call of a model does, drawn before it happens. */
type Act =
  | { readonly type: "say"; readonly text: string; readonly after: number }
  | { readonly type: "think"; readonly after: number }
  | { readonly type: "hold"; readonly after: number }
  | { readonly type: "fail" | "close" | "stall" | "more"; readonly after: number };

export type Call = {
  readonly agent: string;
  readonly request: ModelRequest;
  readonly acts: readonly Act[];
  /** What the model charged; absent when it never said. */
  charged: Usage | undefined;
  /** Tokens it generated, said or not. */
  made: number;
};

type Nature = { readonly faults: number; readonly deaf: boolean; readonly throws: boolean };

const words = ["so", "x = 4", "then", "2 + 2", "é", "🙂", "```", "# a", "- b", "END", "END_STEP?", "_"];

/** A message of steps, cut into texts at random. */
function message(next: Random): string[] {
  const steps = Array.from({ length: integer(next, 0, 4) }, () =>
    Array.from({ length: integer(next, 0, 5) }, () => pick(next, words)).join(" "),
  );
  const closing = next() < 0.7 ? "\nEND_STEP\n" : "";
  const text = steps.join("\nEND_STEP\n") + (steps.length > 0 ? closing : "");
  const texts: string[] = [];
  for (let from = 0; from < text.length;) {
    const to = from + integer(next, 1, 9);
    texts.push(text.slice(from, to));
    from = to;
  }
  return texts;
}

function actsOf(next: Random, { faults }: Nature): Act[] {
  const after = () => (next() < 0.4 ? 0 : integer(next, 1, 20));
  const acts: Act[] = message(next).map((text) => ({ type: "say", text, after: after() }));
  const insert = (act: Act) => acts.splice(integer(next, 0, acts.length), 0, act);
  if (next() < 0.1) insert({ type: "think", after: after() });
  if (next() < 0.1) insert({ type: "hold", after: integer(next, 1, 500) });
  if (next() < faults) insert({ type: pick(next, ["fail", "close", "stall", "more"] as const), after: after() });
  return acts;
}

/** A model whose every call is drawn from the seed, the agent and the number of the call. */
function chaotic(
  clock: VirtualClock,
  calls: Call[],
  { id, seed, nature }: { id: string; seed: number; nature: Nature },
): Model {
  let count = 0;
  async function* speak(call: Call, request: ModelRequest): AsyncGenerator<ModelPart, void, undefined> {
    const inputTokens = request.messages.reduce((sum, { content }) => sum + content.length, 0);
    const end = (reason: "stop" | "interrupted"): ModelPart => {
      call.charged = { calls: 1, inputTokens, cachedTokens: 0, outputTokens: call.made };
      return { type: "end", reason, usage: call.charged };
    };
    const signal = nature.deaf ? undefined : request.signal;
    for (const act of call.acts) {
      if (act.type === "hold") yield { type: "wait" };
      await clock.sleep(act.type === "stall" ? 1e7 : act.after, signal);
      if (signal?.aborted === true) return yield* [end("interrupted")];
      if (act.type === "hold") yield { type: "wait", ms: act.after };
      if (act.type === "fail") throw new Error(`${id} failed`);
      if (act.type === "close") return;
      if (act.type === "think") yield { type: "reasoning", text: "hm" };
      if (act.type === "more") yield end("stop");
      if (act.type !== "say") continue;
      call.made++;
      yield { type: "text", text: act.text, tokens: 1 };
    }
    yield end("stop");
  }
  return {
    id,
    continues: subseed(seed, id) % 2 === 0,
    stream(request) {
      const acts = actsOf(random(subseed(seed, `${id}/${count++}`)), nature);
      const call: Call = { agent: id, request, acts, charged: undefined, made: 0 };
      calls.push(call);
      if (nature.throws) throw new Error(`${id} threw`);
      return speak(call, request);
    },
  };
}

/** A policy that decides at random, at once or later, and misbehaves as the world does. */
function policyOf(
  next: Random,
  clock: VirtualClock,
  { faults, charges }: { faults: number; charges: Usage[] },
): Policy {
  const eager = pick(next, [0, 0.05, 0.3, 1]);
  const slow = next() < 0.5;
  const hangs = next() < faults;
  const decide = (_: Hearing, signal: AbortSignal): Decision | Promise<Decision> => {
    const advantage = next() < eager ? 1 : -1;
    if (next() < faults) throw new Error("the policy failed");
    const usage = { calls: 1, inputTokens: integer(next, 1, 9), cachedTokens: 0, outputTokens: 1 };
    const answer = (): Decision => {
      charges.push(usage);
      return { advantage, usage };
    };
    if (!slow) return answer();
    return clock.sleep(hangs ? 1e6 : integer(next, 0, 60), next() < 0.9 ? signal : undefined).then(answer);
  };
  return next() < 0.1 ? { name: "never" } : { name: "random", decide };
}

function teamOf(next: Random, model: (id: string) => Model): Topology {
  const count = integer(next, 1, 6);
  const ids = Array.from({ length: count }, (_, index) => `a${index}`);
  const density = next();
  const edges: Edge[] = [];
  for (const [to, listener] of ids.entries())
    for (const speaker of ids.slice(0, to)) if (next() < density) edges.push([speaker, listener]);
  const agents = ids.map((id): Agent => {
    const routed = next() < 0.15;
    const share = next();
    const route: Agent["route"] = ({ text }, listeners) => {
      const draw = random(subseed(text.length, id));
      return listeners.filter(() => draw() < share);
    };
    return { id, instructions: `you are ${id}`, model: model(id), ...(routed ? { route } : {}) };
  });
  return { agents, edges };
}

/** A hand raised at a moment; the speaker's place is kept, and the floor given back, for so many milliseconds and after so many. */
export type Hand = {
  readonly at: number;
  readonly agent: string;
  readonly times: number;
  readonly holdMs: number;
  readonly backAfter: number | undefined;
};

export type World = {
  readonly seed: number;
  readonly clock: VirtualClock;
  readonly topology: Topology;
  readonly options: RunOptions & { readonly idleMs: number; readonly graceMs: number };
  readonly calls: Call[];
  /** What policies charged for decisions that they made. */
  readonly charges: readonly Usage[];
  readonly hands: readonly Hand[];
  readonly cancelAt: number | undefined;
  /** The event after which the reader leaves. */
  readonly leaveAfter: number | undefined;
};

/** The world of a seed. */
export function world(seed: number): World {
  const next = random(seed);
  const clock = new VirtualClock();
  const calls: Call[] = [];
  const faults = pick(next, [0, 0, 0.05, 0.3]);
  const model = (id: string) => {
    const nature: Nature = { faults, deaf: next() < 0.1, throws: next() < faults / 4 };
    return chaotic(clock, calls, { id, seed, nature });
  };
  const charges: Usage[] = [];
  const talking = next() < 0.25;
  const team = teamOf(next, model);
  const listening = next() < 0.5;
  const agents = team.agents.map((agent) =>
    listening && next() < 0.7 ? { ...agent, policy: policyOf(next, clock, { faults, charges }) } : agent,
  );
  const topology = talking && agents.length > 1 ? { agents, edges: [] } : { agents, edges: team.edges };
  const rounds = integer(next, 1, 3);
  const floorBack = () => next() < 0.3;
  const protocol =
    talking && agents.length > 1
      ? dialogue({ rounds, audience: pick(next, ["broadcast", "next"] as const), floorBack })
      : pick(next, [single, serial, segmented, stream, stream, stream]);
  const options = {
    protocol,
    join: pick(next, ["aligned", "arrival"] as const),
    hear: protocol === segmented ? ("each" as const) : pick(next, ["each", "waiting"] as const),
    onFailure: pick(next, ["failFast", "collect"] as const),
    onInterruptUsage: pick(next, ["estimate", "drain", "ignore"] as const),
    splitter: byStep(),
    cut: pick(next, ["all", "any", "leave"] as const),
    chunk: next() < 0.2 ? ("step" as const) : integer(next, 1, 5),
    decisionMs: 100,
    idleMs: 300,
    graceMs: 40,
    clock,
    id: `run-${seed}`,
  };
  const hands = Array.from({ length: next() < 0.5 ? 0 : integer(next, 1, 4) }, () => ({
    at: integer(next, 0, 150),
    agent: pick(next, topology.agents).id,
    times: integer(next, 1, 2),
    holdMs: next() < 0.5 ? 0 : integer(next, 1, 80),
    backAfter: next() < 0.4 ? undefined : pick(next, [0, 0, 5, 30, 100]),
  }));
  const cancelAt = next() < 0.15 ? integer(next, 0, 200) : undefined;
  const leaveAfter = next() < 0.1 ? integer(next, 1, 40) : undefined;
  return { seed, clock, topology, options, calls, charges, hands, cancelAt, leaveAfter };
}
