// A discrete-event simulation of a run, written from the rules and not from the recurrences: time jumps from event to event,
// agents react to what lies in their inbox, and every context is kept as a list of messages and counted anew for each call.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Plan, PlanAgent } from "./plan.ts";
import { chain } from "./plan.ts";
import type { Call } from "./schedule.ts";

type Message = { readonly role: "prompt" | "heard" | "own" | "frame"; readonly tokens: number };

type Event = { readonly at: number; readonly happen: () => void };

/** Steps as they arrived, by speaker. */
type Inbox = { readonly arrived: number[]; over: boolean };

type Actor = {
  readonly agent: PlanAgent;
  readonly inboxes: Map<string, Inbox>;
  readonly context: Message[];
  /** How many messages of the context the last call left in the cache. */
  remembered: number;
  taken: number;
  said: number[];
  busy: boolean;
  over: boolean;
};

export type Played = { readonly makespanMs: number; readonly calls: Call[]; readonly said: Map<string, number[]> };

export function oracle(plan: Plan): Played {
  const alone = plan.protocol === "single";
  const soloist = plan.agents.find((agent) => isSource(plan, agent))!;
  const actors = (alone ? [soloist] : plan.agents).map((agent): Actor => {
    const speakers = alone
      ? []
      : plan.edges.filter(([, listener]) => listener === agent.id).map(([speaker]) => speaker);
    const inboxes = new Map(speakers.map((id) => [id, { arrived: [], over: false }]));
    const context: Message[] = [{ role: "prompt", tokens: agent.promptTokens ?? plan.tokens.prompt }];
    return { agent, inboxes, context, remembered: 0, taken: 0, said: [], busy: false, over: false };
  });
  const stage: Stage = { plan, actors, pending: [], calls: [], now: 0 };
  for (;;) {
    for (const actor of actors) react(stage, actor);
    if (stage.pending.length === 0) break;
    stage.now = Math.min(...stage.pending.map(({ at }) => at));
    // Sums of the same durations, rounded differently, are the same moment.
    const due = stage.pending.filter(({ at }) => at <= stage.now + 1e-6);
    stage.pending = stage.pending.filter((event) => !due.includes(event));
    for (const { happen } of due.toSorted((a, b) => a.at - b.at)) happen();
  }
  assert.ok(
    actors.every(({ over }) => over),
    "somebody waits for ever",
  );
  return {
    makespanMs: stage.now,
    calls: stage.calls,
    said: new Map(actors.map(({ agent, said }) => [agent.id, said])),
  };
}

type Stage = { readonly plan: Plan; readonly actors: Actor[]; pending: Event[]; readonly calls: Call[]; now: number };

/** An idle agent looks into its inbox and decides whether, and on how many rows, to begin a call. */
function react(stage: Stage, actor: Actor): void {
  if (actor.busy || actor.over) return;
  const boxes = [...actor.inboxes.values()];
  if (boxes.length === 0) {
    begin(stage, actor, { rows: 0, steps: stepsOf(stage.plan, actor.agent) });
    return;
  }
  const allOver = boxes.every(({ over }) => over);
  if (stage.plan.protocol !== "stream" && !allOver) return;
  const complete = (row: number) =>
    boxes.some(({ arrived }) => arrived.length > row) &&
    boxes.every(({ arrived, over }) => over || arrived.length > row);
  let rows = 0;
  while (complete(actor.taken + rows)) rows++;
  const oneByOne =
    stage.plan.protocol === "segmented" || (stage.plan.protocol === "stream" && stage.plan.hear !== "waiting");
  if (oneByOne) rows = Math.min(rows, 1);
  if (rows > 0) begin(stage, actor, { rows, steps: rows });
}

const isSource = (plan: Plan, { id }: PlanAgent) => !plan.edges.some(([, listener]) => listener === id);
const stepsOf = (plan: Plan, agent: PlanAgent) => agent.steps ?? plan.steps;
const sum = (messages: readonly Message[]) => messages.reduce((total, { tokens }) => total + tokens, 0);

function begin(stage: Stage, actor: Actor, { rows, steps }: { rows: number; steps: number }): void {
  const { plan } = stage;
  const { context } = actor;
  if (actor.said.length > 0) context.push({ role: "frame", tokens: plan.tokens.turn ?? 0 });
  for (const { arrived } of actor.inboxes.values())
    for (const tokens of arrived.slice(actor.taken, actor.taken + rows))
      context.push({ role: "heard", tokens: tokens + (plan.tokens.heard ?? 0) });
  actor.taken += rows;
  const inputTokens = sum(context);
  const prefix = sum(context.slice(0, actor.remembered));
  const cachedTokens = prefix >= (plan.cacheMinimum ?? 0) ? prefix : 0;
  if (plan.cache === "request") actor.remembered = context.length;
  const speeds = actor.agent.speeds ?? plan.speeds;
  const ms = (tokens: number, speed: number) => (speed === Infinity ? 0 : tokens * (1000 / speed));
  const startMs = stage.now;
  let at =
    startMs +
    speeds.timeToFirstTokenMs +
    ms(inputTokens - cachedTokens, speeds.prefill) +
    ms(cachedTokens, speeds.cacheRead);
  actor.busy = true;
  let outputTokens = 0;
  const from = actor.said.length;
  for (let step = 0; step < steps; step++) {
    const { stepTokens = plan.tokens.step } = actor.agent;
    const tokens = typeof stepTokens === "number" ? stepTokens : stepTokens[from + step]!;
    outputTokens += tokens;
    at += ms(tokens, speeds.decode);
    context.push({ role: "own", tokens: tokens + (plan.tokens.own ?? 0) });
    const [saidAt, last] = [at, step === steps - 1];
    stage.pending.push({ at, happen: () => finish(stage, actor, { at: saidAt, tokens, last }) });
  }
  if (plan.cache === "conversation") actor.remembered = context.length;
  const usage = { inputTokens, cachedTokens, outputTokens };
  stage.calls.push({ agent: actor.agent.id, startMs, endMs: at, first: from, steps, ...usage });
}

/** A step is said: it lies in every listener's inbox at once; with the last step of a call the agent is free, or at its end. */
function finish(stage: Stage, actor: Actor, { at, tokens, last }: { at: number; tokens: number; last: boolean }): void {
  actor.said.push(at);
  stage.now = Math.max(stage.now, at);
  const boxes = stage.actors.flatMap(({ inboxes }) => inboxes.get(actor.agent.id) ?? []);
  for (const box of boxes) box.arrived.push(tokens);
  if (!last) return;
  actor.busy = false;
  const heard = [...actor.inboxes.values()];
  actor.over = heard.every(({ arrived, over }) => over && arrived.length <= actor.taken);
  if (actor.over) for (const box of boxes) box.over = true;
}

test("the oracle plays a run small enough to be checked by hand", () => {
  // Two agents, two steps of 10 ms, 5 ms to the first token: the source says at 15 and 25, the listener at 30 and 45.
  const speeds = { timeToFirstTokenMs: 5, prefill: Infinity, cacheRead: Infinity, decode: 100 };
  const plan: Plan = { ...chain(2), protocol: "stream", steps: 2, tokens: { prompt: 3, step: 1 }, speeds };
  const { said, calls, makespanMs } = oracle(plan);
  assert.deepEqual(
    [...said.values()],
    [
      [15, 25],
      [30, 45],
    ],
  );
  assert.equal(makespanMs, 45);
  assert.deepEqual(
    calls.map(({ inputTokens }) => inputTokens),
    [3, 4, 6],
  );
});
