// The recurrences against the real runtime in virtual time, to the millisecond and the token.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Random } from "../base/random.ts";
import { integer, pick, random } from "../base/random.ts";
import { byLine } from "../core/splitters.ts";
import { edgesOf } from "../core/topology.ts";
import type { Edge, Model, ModelRequest, RunEvent } from "../core/types.ts";
import { usageOf } from "../core/usage.ts";
import { run } from "../runtime/run.ts";
import { VirtualClock } from "../testing/clock.ts";
import type { Plan } from "./plan.ts";
import { chain } from "./plan.ts";
import { schedule } from "./schedule.ts";

/** A token is an `x`: whatever words the runtime puts around steps weigh nothing. */
const tokensOf = (text: string) => text.split("x").length - 1;

/** A model that takes exactly as long as the plan says, and answers each step number it hears with a line. */
function timed(clock: VirtualClock, plan: Plan): Model {
  const { timeToFirstTokenMs, prefill, cacheRead, decode } = plan.speeds;
  const known = new Map<string | undefined, number>();
  return {
    id: "timed",
    async *stream({ messages, session }: ModelRequest) {
      const inputTokens = messages.reduce((sum, { content }) => sum + tokensOf(content), 0);
      const cachedTokens = plan.cache === "request" ? (known.get(session) ?? 0) : 0;
      known.set(session, inputTokens);
      const heard = new Set(messages.at(-1)!.content.match(/^Step \d+/gm)).size;
      const steps = heard === 0 ? plan.steps : heard;
      const reading = ((inputTokens - cachedTokens) / prefill + cachedTokens / cacheRead) * 1000;
      const begin = clock.now() + timeToFirstTokenMs + reading;
      for (let step = 1; step <= steps; step++) {
        await clock.sleep(begin + (step * plan.tokens.step * 1000) / decode - clock.now());
        yield { type: "text", text: `${"x".repeat(plan.tokens.step)}\n`, tokens: plan.tokens.step };
      }
      const usage = { calls: 1, inputTokens, cachedTokens, outputTokens: steps * plan.tokens.step };
      yield { type: "end", reason: "stop", usage };
    },
  };
}

async function perform(plan: Plan): Promise<RunEvent[]> {
  const clock = new VirtualClock();
  const model = timed(clock, plan);
  const task = "x".repeat(plan.tokens.prompt);
  const agents = plan.agents.map(({ id }) => ({ id, instructions: "", model }));
  const events: RunEvent[] = [];
  const { protocol, hear = "each", edges } = plan;
  const collect = async () => {
    for await (const event of run({ agents, edges }, task, { clock, splitter: byLine(), protocol, hear, idleMs: 0 }))
      events.push(event);
  };
  await clock.run(collect());
  return events;
}

/** The trace tells times to the microsecond. */
async function agree(plan: Plan): Promise<void> {
  const events = await perform(plan);
  const expected = schedule(plan);
  const place = JSON.stringify(plan);
  assert.ok(
    Math.abs(events.at(-1)!.at - expected.makespanMs) < 0.001,
    `${events.at(-1)!.at} ${expected.makespanMs} ${place}`,
  );
  assert.deepEqual(usageOf(events).total, expected.usage, place);
  for (const { id, saidMs } of expected.agents) {
    const said = events.filter((event) => event.type === "step" && event.agent === id).map(({ at }) => at);
    assert.equal(said.length, saidMs.length);
    for (const [step, at] of said.entries())
      assert.ok(Math.abs(at - saidMs[step]!) < 0.001, `${id} step ${step} ${place}`);
  }
}

const randomEdges = (next: Random, ids: readonly string[]): Edge[] =>
  ids.flatMap((to, index) => ids.slice(0, index).flatMap((from): Edge[] => (next() < 0.4 ? [[from, to]] : [])));

/** Speeds without a common measure, so that nothing is said at the very moment that somebody becomes free. */
function planOf(next: Random): Plan {
  const { agents } = chain(integer(next, 1, 7));
  const ids = agents.map(({ id }) => id);
  const shape = pick(next, ["chain", "tree", "graph", "random"] as const);
  const protocol = pick(next, ["single", "serial", "segmented", "stream", "stream"] as const);
  return {
    agents,
    edges: shape === "random" ? randomEdges(next, ids) : edgesOf(shape, ids),
    protocol,
    ...(protocol === "stream" ? { hear: pick(next, ["each", "waiting"] as const) } : {}),
    steps: integer(next, 1, 9),
    tokens: { prompt: integer(next, 1, 40), step: integer(next, 1, 9) },
    speeds: {
      timeToFirstTokenMs: 300 * next(),
      prefill: 500 + 5000 * next(),
      cacheRead: 9000 + 50_000 * next(),
      decode: 20 + 80 * next(),
    },
    cache: pick(next, ["off", "request"] as const),
  };
}

test("random teams under every protocol end when, say each step when, and are charged what the schedule says", async () => {
  for (let seed = 0; seed < 120; seed++) await agree(planOf(random(seed)));
});

test("the same holds for tree and graph of 24 agents, and for a chain of 64 agents that say 64 steps", async () => {
  const cases = [
    ["tree", 24, "each"],
    ["graph", 24, "waiting"],
    ["chain", 64, "each"],
  ] as const;
  for (const [shape, count, hear] of cases) {
    const { agents } = chain(count);
    const edges = edgesOf(
      shape,
      agents.map(({ id }) => id),
    );
    const speeds = { timeToFirstTokenMs: 97.3, prefill: 4111, cacheRead: 60_007, decode: 83.7 };
    const tokens = { prompt: 50, step: 7 };
    await agree({ agents, edges, protocol: "stream", hear, steps: count, tokens, speeds, cache: "request" });
  }
});
