// What a conversation cost, where it was cut, and what its listeners thought.

import { add, cost, none, sumCosts, usageOf } from "../core/usage.ts";
import type { Cost, Price } from "../core/usage.ts";
import type { DecisionEvent, RunEvent, TurnEnd, Usage } from "../core/types.ts";
import { unclearOf } from "../policies/index.ts";
import type { Utterance as Said } from "../runtime/dialogue.ts";
import { floorsBack, transcriptOf } from "./floor.ts";
import { heardEnough } from "./tasks/enough.ts";
import { answerOf } from "./task.ts";
import type { Sample, Verdict } from "./task.ts";

/** Generated tokens; `total` is the sum of the others. */
export type Parts = {
  /** Heard of the speakers. */
  readonly spoken: number;
  /** Made past a cut, heard by nobody. */
  readonly overrun: number;
  /** Made to decide whether to cut in. */
  readonly decisions: number;
  /** Said by the roles that listen. */
  readonly replies: number;
  readonly total: number;
};

/** One raised hand that took the floor. */
export type CutMade = {
  readonly by: string;
  readonly speaker: string;
  /** Chunks and tokens heard of the turn, as the policy saw them. */
  readonly chunk: number;
  readonly tokens: number;
  /** Share of the speaker's whole message that was heard, where that is known: for templates. */
  readonly share?: number | undefined;
  /** Why it was wrong, if it was: the floor was given back, too little had been heard, or the answer was wrong. */
  readonly wrong?: "floor" | "early" | "answer" | undefined;
};

/** Decisions by what became of them, and how many were odd: an answer that could not be read, or a policy that failed. */
export type Decided = Readonly<Record<DecisionEvent["outcome"], number>> & { readonly odd: number };

/** What one conversation cost, and what was decided and cut in it. */
export type Account = {
  readonly cost: Parts;
  /** Those of `replies` that only gave the floor back. */
  readonly floorBack: number;
  /** All calls, decisions included. */
  readonly usage: Usage;
  /** What deciding took. */
  readonly decisionUsage: Usage;
  readonly decided: Decided;
  /** Milliseconds that listeners were deciding, added up. */
  readonly decisionMs: number;
  /** What odd decisions said, each once, at most three. */
  readonly notes: readonly string[];
  readonly cuts: readonly CutMade[];
  /** Messages said, and how often the role that spoke most spoke; a message that went on after a cut is one. */
  readonly messages: number;
  readonly rounds: number;
  readonly wallMs: number;
  /** Milliseconds until the answer that counted was complete. */
  readonly answerMs?: number | undefined;
};

type Scene = { readonly sample: Sample; readonly said: readonly Said[]; readonly verdict: Verdict };

/** Reads an account off the events of a conversation. */
export function accountOf(events: readonly RunEvent[], scene: Scene): Account {
  const { total, decisions } = usageOf(events);
  const back = floorsBack(scene.said, scene.sample);
  const decided = events.filter((event) => event.type === "decision");
  const odd = decided.filter(isOdd);
  const notes = new Set(odd.map(({ note, outcome }) => (note ?? outcome).slice(0, 80)));
  return {
    ...partsOf(events, scene, decisions.outputTokens),
    usage: total,
    decisionUsage: decisions,
    decided: countsOf(decided),
    decisionMs: decided.reduce((sum, { ms }) => sum + ms, 0),
    notes: [...notes].slice(0, 3),
    cuts: cutsIn(decided, scene),
    messages: scene.said.length - 2 * back.length,
    rounds: roundsOf(scene.said, back),
    wallMs: events.at(-1)?.at ?? 0,
    answerMs: answeredAt(events, scene),
  };
}

const isTurnEnd = (event: RunEvent): event is TurnEnd => event.type === "turn-end";

function partsOf(events: readonly RunEvent[], { sample, said }: Scene, decisions: number) {
  const listening = new Set(sample.roles.filter(({ listens }) => listens).map(({ id }) => id));
  const back = new Set(floorsBack(said, sample).map((index) => `${said[index]?.agent} ${said[index]?.turn}`));
  let [spoken, overrun, replies, floorBack] = [0, 0, 0, 0];
  for (const { agent, turn, usage, overrunTokens = 0 } of events.filter(isTurnEnd)) {
    const past = Math.min(overrunTokens, usage.outputTokens);
    const heard = usage.outputTokens - past;
    overrun += past;
    if (listening.has(agent)) replies += heard;
    else spoken += heard;
    if (back.has(`${agent} ${turn}`)) floorBack += heard;
  }
  return { cost: { spoken, overrun, decisions, replies, total: spoken + overrun + decisions + replies }, floorBack };
}

const isOdd = ({ note, outcome }: DecisionEvent): boolean => outcome === "failed" || unclearOf(note) !== undefined;

function countsOf(decided: readonly DecisionEvent[]): Decided {
  const counts = { wait: 0, interrupt: 0, late: 0, timeout: 0, failed: 0, odd: decided.filter(isOdd).length };
  for (const { outcome } of decided) counts[outcome]++;
  return counts;
}

function cutsIn(decided: readonly DecisionEvent[], { sample, said, verdict }: Scene): CutMade[] {
  const back = new Set(floorsBack(said, sample));
  return decided.flatMap(({ outcome, agent, turn, by, chunks, tokens }): CutMade[] => {
    if (outcome !== "interrupt") return [];
    const index = said.findIndex((message) => message.agent === agent && message.turn === turn);
    if (index < 0) return [{ by, speaker: agent, chunk: chunks, tokens }];
    const transcript = transcriptOf(said.slice(0, index + 1), sample);
    const early = heardEnough(transcript, sample) === false;
    const wrong = back.has(index + 1) ? "floor" : early ? "early" : verdict.success === 0 ? "answer" : undefined;
    const heard = transcript.at(-1)?.text ?? "";
    const says = sample.roles.find(({ id }) => id === agent)?.says;
    const share = says?.startsWith(heard) === true ? heard.length / says.length : undefined;
    return [{ by, speaker: agent, chunk: chunks, tokens, share, wrong }];
  });
}

function roundsOf(said: readonly Said[], back: readonly number[]): number {
  const turns = new Map<string, number>();
  for (const [index, { agent }] of said.entries())
    if (!back.includes(index) && !back.includes(index - 1)) turns.set(agent, (turns.get(agent) ?? 0) + 1);
  return Math.max(0, ...turns.values());
}

function answeredAt(events: readonly RunEvent[], { sample, said, verdict }: Scene): number | undefined {
  if (verdict.answer === undefined) return undefined;
  const gave = said.find(
    ({ agent, text }) => agent === sample.answer.by && answerOf(text, sample.answer) === verdict.answer,
  );
  const end = events.find((event) => isTurnEnd(event) && event.agent === gave?.agent && event.turn === gave.turn);
  return end?.at;
}

/**
 * What the events cost in money, or undefined where a price is missing. A speaker without a price of its own that read
 * nothing is a template: its words are priced as the listener's would be.
 */
export function moneyOf(events: readonly RunEvent[], priceOf: (agent: string) => Price | undefined): Cost | undefined {
  const { agents } = usageOf(events);
  const priced = [...agents.keys()].map((agent) => priceOf(agent)).find((price) => price !== undefined);
  const costs: Cost[] = [];
  for (const [agent, usage] of agents) {
    const price = priceOf(agent) ?? (usage.inputTokens === 0 ? priced : undefined);
    if (price !== undefined) costs.push(cost(usage, price));
    else if (usage.calls > 0) return undefined;
  }
  return sumCosts(costs);
}

/** All together. */
export const allUsage = (usages: readonly Usage[]): Usage => usages.reduce(add, none);
