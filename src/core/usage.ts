import { entry, fold } from "./fold.ts";
import type { Fold } from "./fold.ts";
import type { Edge, Heard, RunEvent, Usage } from "./types.ts";

/** No calls, no tokens. */
export const none: Usage = { calls: 0, inputTokens: 0, cachedTokens: 0, outputTokens: 0 };

/** Both together; estimated where either is. */
export function add(a: Usage, b: Usage): Usage {
  const both = {
    calls: a.calls + b.calls,
    inputTokens: a.inputTokens + b.inputTokens,
    cachedTokens: a.cachedTokens + b.cachedTokens,
    outputTokens: a.outputTokens + b.outputTokens,
  };
  return a.estimated === true || b.estimated === true ? { ...both, estimated: true } : both;
}

/** All together; estimated where any is. */
export function sum(usages: Iterable<Usage>): Usage {
  let total = none;
  for (const usage of usages) total = add(total, usage);
  return total;
}

/** What a model takes per million tokens: `input` for those not read from a cache, `cached` for those that were. */
export type Price = {
  /** ISO 4217, as in USD. */
  readonly currency: string;
  readonly input: number;
  readonly cached: number;
  readonly output: number;
};

/** What tokens cost, in `currency`; `amount` is the sum of the parts. */
export type Cost = {
  readonly currency: string;
  readonly amount: number;
  readonly parts: { readonly input: number; readonly cached: number; readonly output: number };
  /** Set where the tokens were estimated. */
  readonly estimated?: boolean;
};

/** Price times tokens: `input` × (input − cached tokens) + `cached` × cached tokens + `output` × output tokens, per million. */
export function cost(usage: Usage, price: Price): Cost {
  const millionths = {
    input: Math.max(0, usage.inputTokens - usage.cachedTokens) * price.input,
    cached: usage.cachedTokens * price.cached,
    output: usage.outputTokens * price.output,
  };
  const parts = {
    input: millionths.input / 1e6,
    cached: millionths.cached / 1e6,
    output: millionths.output / 1e6,
  };
  // Divided last: a sum of rounded parts shows digits that nobody charges.
  const amount = (millionths.input + millionths.cached + millionths.output) / 1e6;
  const { currency } = price;
  return usage.estimated === true ? { currency, amount, parts, estimated: true } : { currency, amount, parts };
}

/** Several costs as one, or undefined where there are none or they are in different currencies. */
export function sumCosts(costs: Iterable<Cost>): Cost | undefined {
  let total: Cost | undefined;
  for (const one of costs) {
    if (total === undefined) {
      total = one;
      continue;
    }
    if (total.currency !== one.currency) return undefined;
    const parts = {
      input: total.parts.input + one.parts.input,
      cached: total.parts.cached + one.parts.cached,
      output: total.parts.output + one.parts.output,
    };
    const estimated = total.estimated === true || one.estimated === true;
    const amount = total.amount + one.amount;
    total = { currency: total.currency, amount, parts, ...(estimated ? { estimated } : {}) };
  }
  return total;
}

/** What went over an edge: calls of the listener that heard something new of the speaker, and the steps they heard. */
export type EdgeUsage = {
  readonly speaker: string;
  readonly listener: string;
  readonly calls: number;
  readonly steps: number;
};

/** What a run took. Only turns that ended have told their tokens. */
export type RunUsage = {
  /** All turns and all decisions. */
  readonly total: Usage;
  /** What listeners took to decide whether to cut in; it is in `total`, and in the deciding agent's own. */
  readonly decisions: Usage;
  /** By agent, in the order of the run-start; agents that made no call are there with nothing. */
  readonly agents: ReadonlyMap<string, Usage>;
  /** In the order of the run-start. */
  readonly edges: readonly EdgeUsage[];
  /** Generated tokens that nobody heard, past a cut; they are counted in `total` too. */
  readonly overrunTokens: number;
  /** Interrupt events, those that came too late to cut anything included. */
  readonly interrupts: number;
};

/** Calls and tokens of a run: in all, by agent, and by edge. */
export const usageOf = (events: Iterable<RunEvent>): RunUsage => fold(events, usageFold());

/** `usageOf`, an event at a time. */
export function usageFold(): Fold<RunUsage> {
  const agents = new Map<string, Usage>();
  const edges = edgeFold();
  let total = none;
  let decisions = none;
  let overrunTokens = 0;
  let interrupts = 0;
  const charge = (agent: string, usage: Usage) => {
    total = add(total, usage);
    agents.set(agent, add(agents.get(agent) ?? none, usage));
  };
  return {
    add(event) {
      if (event.type === "run-start") {
        for (const { id } of event.agents) agents.set(id, none);
        for (const edge of event.edges) edges.add(edge);
      } else if (event.type === "turn-start") {
        edges.hear(event.agent, event);
      } else if (event.type === "turn-end") {
        charge(event.agent, event.usage);
        overrunTokens += event.overrunTokens ?? 0;
      } else if (event.type === "decision") {
        if (event.usage === undefined) return;
        charge(event.by, event.usage);
        decisions = add(decisions, event.usage);
      } else if (event.type === "interrupt") {
        interrupts++;
      }
    },
    result: () => ({ total, decisions, agents: new Map(agents), edges: edges.result(), overrunTokens, interrupts }),
  };
}

function edgeFold() {
  type Row = { readonly speaker: string; readonly listener: string; calls: number; steps: number; turn: number };
  const rows: Row[] = [];
  const byListener = new Map<string, Map<string, Row>>();
  const row = ([speaker, listener]: Edge): Row =>
    entry(
      entry(byListener, listener, () => new Map<string, Row>()),
      speaker,
      () => {
        const made = { speaker, listener, calls: 0, steps: 0, turn: -1 };
        rows.push(made);
        return made;
      },
    );
  return {
    add: row,
    hear(listener: string, { turn, heard }: { readonly turn: number; readonly heard: readonly Heard[] }) {
      for (const [speaker] of heard) {
        const edge = row([speaker, listener]);
        edge.steps++;
        if (edge.turn === turn) continue;
        edge.turn = turn;
        edge.calls++;
      }
    },
    result: (): EdgeUsage[] => rows.map(({ speaker, listener, calls, steps }) => ({ speaker, listener, calls, steps })),
  };
}
