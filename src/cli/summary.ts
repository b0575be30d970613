// What a run came to, for programs and for people. `trace`, and whatever else has a run, shows this.

import { measure, speedUpOf } from "../core/measure.ts";
import type { Measured, SpeedUp } from "../core/measure.ts";
import { timeline } from "../core/timeline.ts";
import type { Timeline, TimelineAgent } from "../core/timeline.ts";
import { answer } from "../core/transcript.ts";
import type { RunEvent, Usage } from "../core/types.ts";
import { cost, none, sumCosts, usageOf } from "../core/usage.ts";
import type { Cost, EdgeUsage, Price } from "../core/usage.ts";
import { clip, printable } from "./printable.ts";
import { renderTable } from "./table.ts";
import type { Look } from "./timeline.ts";

/** One agent's part. */
export type AgentSummary = {
  readonly id: string;
  readonly model: string;
  /** How it ended; null where the trace stops before. */
  readonly reason: string | null;
  readonly turns: number;
  readonly steps: number;
  readonly usage: Usage;
  readonly workedMs: number;
  readonly waitedMs: number;
  readonly cost: Cost | null;
};

/** One run in numbers: an object that goes into JSON as it is. */
export type Summary = Measured & {
  readonly run: string;
  readonly protocol: string;
  readonly simulated: boolean;
  readonly task: string;
  /** How the run ended; null where the trace stops before. */
  readonly reason: string | null;
  readonly answer: string;
  readonly speedUp: SpeedUp;
  /** All turns and all decisions. */
  readonly usage: Usage;
  /** What listeners took to decide whether to cut in; in `usage` too. */
  readonly decisions: Usage;
  /** Null where an agent that made calls has no price. */
  readonly cost: Cost | null;
  readonly agents: readonly AgentSummary[];
  readonly edges: readonly EdgeUsage[];
};

export type SummaryOptions = {
  /** What a model takes, by the id in the trace; undefined where nobody knows. */
  readonly priceOf?: ((model: string) => Price | undefined) | undefined;
  /** A run of the same task under the serial protocol. */
  readonly serial?: Iterable<RunEvent> | undefined;
};

/** What the events of a run say, in numbers. */
export function summarize(events: readonly RunEvent[], { priceOf, serial }: SummaryOptions = {}): Summary {
  const times = timeline(events);
  const numbers = measure(times);
  const { total, decisions, agents: spent, edges } = usageOf(events);
  const agents = times.agents.map((agent) => ofAgent(agent, spent.get(agent.agent) ?? none, priceOf));
  const paid = agents.filter(({ usage }) => usage.calls > 0).map((agent) => agent.cost);
  const costs = paid.filter((one) => one !== null);
  const serialMs = serial === undefined ? undefined : timeline(serial).wallMs;
  return {
    ...headOf(times),
    answer: answer(events),
    ...numbers,
    speedUp: speedUpOf(numbers, serialMs),
    usage: total,
    decisions,
    cost: costs.length < paid.length ? null : (sumCosts(costs) ?? null),
    agents,
    edges,
  };
}

const headOf = ({ start, end }: Timeline) => ({
  run: start?.run ?? "",
  protocol: start?.protocol ?? "",
  simulated: start?.simulated ?? false,
  task: start?.task ?? "",
  reason: end?.reason ?? null,
});

function ofAgent(agent: TimelineAgent, usage: Usage, priceOf: SummaryOptions["priceOf"]): AgentSummary {
  const price = priceOf?.(agent.model);
  return {
    id: agent.agent,
    model: agent.model,
    reason: agent.end?.reason ?? null,
    turns: agent.turns.length,
    steps: agent.steps.length,
    usage,
    workedMs: agent.workedMs,
    waitedMs: agent.waitedMs,
    cost: price === undefined ? null : cost(usage, price),
  };
}

const columns = [
  { title: "agent" },
  { title: "model", drop: 9 },
  { title: "turns", numeric: true, drop: 7 },
  { title: "steps", numeric: true },
  { title: "input", numeric: true, drop: 3 },
  { title: "cached", numeric: true, drop: 5 },
  { title: "output", numeric: true },
  { title: "working", numeric: true },
  { title: "waiting", numeric: true, drop: 6 },
  { title: "cost", numeric: true, drop: 4 },
];

/** The table and the measures, for people; `~` marks what was estimated. */
export function renderSummary(summary: Summary, look: Look): string[] {
  const rows = summary.agents.map((agent) => [printable(agent.id), printable(agent.model), ...cells(agent)]);
  const turns = summary.agents.reduce((all, agent) => all + agent.turns, 0);
  const whole = { ...summary, turns, workedMs: summary.apiMs };
  if (rows.length > 1) rows.push(["all", "", ...cells(whole)]);
  // Without any waiting or price their columns would only say so.
  const empty = [summary.waitedMs > 0 ? "" : "waiting", summary.agents.some((agent) => agent.cost) ? "" : "cost"];
  const kept = columns
    .map((column, index) => ({ column, index }))
    .filter(({ column }) => !empty.includes(column.title));
  const table = renderTable(
    kept.map(({ column }) => column),
    rows.map((row) => kept.map(({ index }) => row[index] ?? "")),
    look,
  );
  const ascii = look.unicode === false;
  const ellipsis = ascii ? "." : "…";
  const lines = [...heading(summary), "", ...table, "", ...wrap(measures(summary, ascii), look.columns)];
  return lines.map((line) => clip(ascii ? line.replaceAll(/[^ -~]/gu, "?") : line, look.columns, ellipsis));
}

type Line = Pick<AgentSummary, "turns" | "steps" | "usage" | "workedMs" | "waitedMs" | "cost">;

function cells({ turns, steps, usage, workedMs, waitedMs, cost: paid }: Line): string[] {
  const tokens = (count: number) => `${usage.estimated === true ? "~" : ""}${count}`;
  return [
    String(turns),
    String(steps),
    tokens(usage.inputTokens),
    tokens(usage.cachedTokens),
    tokens(usage.outputTokens),
    duration(workedMs),
    waitedMs > 0 ? duration(waitedMs) : "",
    money(paid),
  ];
}

function heading({ run, protocol, reason, wallMs, simulated, task }: Summary): string[] {
  const how = `${reason ?? "not ended"} after ${duration(wallMs)}${simulated ? ", simulated" : ""}`;
  return [`run ${printable(run)}: ${printable(protocol)}, ${how}`, `task: ${printable(task)}`];
}

function measures(summary: Summary, ascii: boolean): string[] {
  const { alpha, beta, rPo, cacheShare, speedUp, waitedMs, overrunTokens, interrupts } = summary;
  const times = ascii ? "x" : "×";
  const item = (name: string, value: number | null, [before = "", after = ""]: readonly string[] = []) =>
    value === null ? [] : [`${name} ${before}${Number(value.toFixed(2))}${after}`];
  return [
    ...item("speed-up against serial", speedUp.vsSerial, [times]),
    ...item("of the bound", speedUp.efficiency === null ? null : speedUp.efficiency * 100, ["", " %"]),
    ...item("speed-up by the run's own calls", speedUp.selfReferenced, [times]),
    ...item("bound", speedUp.bound, [times]),
    ...item("alpha", alpha),
    ...item("beta", beta),
    ...item("r_po", rPo),
    ...item("read from cache", cacheShare === null ? null : cacheShare * 100, ["", " %"]),
    ...(waitedMs > 0 ? [`held back ${duration(waitedMs)}`] : []),
    ...(interrupts > 0 ? [`interrupts ${interrupts}`] : []),
    ...(overrunTokens > 0 ? [`said to nobody ${overrunTokens} tokens`] : []),
  ];
}

/** Items in as few lines as fit. */
function wrap(items: readonly string[], room: number): string[] {
  const lines: string[] = [];
  for (const item of items) {
    const line = lines.at(-1);
    if (line !== undefined && line.length + 3 + item.length <= room) lines[lines.length - 1] = `${line}   ${item}`;
    else lines.push(item);
  }
  return lines;
}

const duration = (ms: number): string => (ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(2)} s`);

function money(paid: Cost | null): string {
  if (paid === null) return "";
  const digits = paid.amount === 0 ? "0" : paid.amount.toPrecision(3);
  return `${paid.estimated === true ? "~" : ""}${Number(digits)} ${paid.currency}`;
}
