// The report of an evaluation, for people.

import type { Interval } from "../../base/stats.ts";
import type { Paid, PolicyReport } from "../../eval/index.ts";
import { bold, wrapped } from "../beside.ts";
import { printable } from "../printable.ts";
import { renderTable } from "../table.ts";
import type { Column } from "../table.ts";
import type { Look } from "../timeline.ts";

const places = (value: number, digits: number): string => value.toFixed(digits);

function ranged(value: number | null, range: Interval | null, digits = 2): string {
  if (value === null) return "-";
  if (range === null) return places(value, digits);
  return `${places(value, digits)} [${range.map((end) => places(end, digits)).join(", ")}]`;
}

const tokens = (value: number): string => places(value, value < 10 ? 1 : 0);
const seconds = (ms: number | null): string => (ms === null ? "-" : `${places(ms / 1000, ms < 10_000 ? 2 : 1)} s`);
const counted = (some: number, all: number): string => (all === 0 ? "-" : `${some} of ${all}`);

type Field = Column & { readonly of: (report: PolicyReport) => string };

const name: Field = { title: "policy", of: ({ policy }) => printable(policy) };

const costs: readonly Field[] = [
  name,
  { title: "success", of: ({ success, successCI }) => ranged(success, successCI) },
  { title: "spoken", numeric: true, of: ({ cost }) => tokens(cost.spoken) },
  { title: "overrun", numeric: true, drop: 1, of: ({ cost }) => tokens(cost.overrun) },
  { title: "deciding", numeric: true, of: ({ cost }) => tokens(cost.decisions) },
  { title: "replies", numeric: true, drop: 2, of: ({ cost }) => tokens(cost.replies) },
  { title: "total", numeric: true, of: ({ cost }) => tokens(cost.total) },
  { title: "of never's", of: ({ costVsNever, costVsNeverCI }) => ranged(costVsNever, costVsNeverCI) },
];

const cuts: readonly Field[] = [
  name,
  { title: "cuts a run", numeric: true, of: ({ cutsPerRun }) => places(cutsPerRun, 2) },
  { title: "wrong", of: ({ wrongCuts, cuts: all }) => counted(wrongCuts, all) },
  { title: "at chunk 1", of: ({ firstChunkCuts, cuts: all }) => counted(firstChunkCuts, all) },
  { title: "heard", numeric: true, drop: 1, of: ({ cutShare }) => (cutShare === null ? "-" : places(cutShare, 2)) },
  { title: "rounds", numeric: true, drop: 2, of: ({ rounds }) => places(rounds, 1) },
  { title: "to the answer", numeric: true, of: ({ answerMs }) => seconds(answerMs) },
  { title: "in all", numeric: true, of: ({ wallMs }) => seconds(wallMs) },
];

const amount = ({ money }: PolicyReport): string =>
  money === null ? "-" : `${money.amount.toPrecision(3)} ${money.currency}`;

const paying: readonly Field[] = [
  name,
  { title: "decisions", numeric: true, of: ({ decisionsPerRun }) => places(decisionsPerRun, 1) },
  { title: "deciding", numeric: true, of: ({ decisionMs }) => seconds(decisionMs) },
  { title: "input", numeric: true, of: ({ inputTokens }) => tokens(inputTokens) },
  { title: "cached", numeric: true, drop: 1, of: ({ cachedTokens }) => tokens(cachedTokens) },
  { title: "money", numeric: true, drop: 2, of: amount },
  { title: "paid: tokens", of: ({ policy, paid }) => told(policy, paid.tokens) },
  { title: "all tokens", of: ({ policy, paid }) => told(policy, paid.input) },
  { title: "money", drop: 3, of: ({ policy, paid }) => told(policy, paid.money) },
  { title: "time", of: ({ policy, paid }) => told(policy, paid.time) },
];

const told = (policy: string, paid: Paid): string => (policy === "never" || paid === "unknown" ? "-" : paid);

const section = (title: string, fields: readonly Field[], { reports, look }: Shown): string[] => [
  bold(title, look),
  ...renderTable(
    fields,
    reports.map((report) => fields.map(({ of }) => of(report))),
    look,
  ),
];

type Shown = { readonly reports: readonly PolicyReport[]; readonly look: Look };

function remarks({ reports, look }: Shown): string[] {
  const failures = reports.filter(({ failures: some }) => some > 0);
  const odd = reports.filter(({ oddDecisions }) => oddDecisions > 0);
  const back = reports.filter(({ floorBack }) => floorBack > 0);
  const lines = [
    ...failures.map(
      ({ policy, failures: some, runs }) =>
        `${policy}: ${some} of ${some + runs} conversations failed and are not scored`,
    ),
    ...odd.map(
      ({ policy, oddDecisions, notes }) =>
        `${policy}: ${oddDecisions} decisions could not be read and meant wait${notes.length > 0 ? ` (${notes.join("; ")})` : ""}`,
    ),
    ...back.map(
      ({ policy, floorBack }) => `${policy}: ${tokens(floorBack)} tokens of the replies only gave the floor back`,
    ),
    ...(reports.some(({ estimated }) => estimated) ? ["some token counts are estimates"] : []),
  ];
  return lines.flatMap((line) => wrapped(printable(line), look.columns));
}

const explained =
  "Brackets are 95 % intervals; costs are generated tokens a conversation. A policy has paid where the whole interval of its cost, " +
  "its decisions included, lies below never's on the same samples.";

/** The tables of a report. `about` says what was compared. */
export function renderReport(about: string, reports: readonly PolicyReport[], look: Look): string {
  const shown = { reports, look };
  const sections = [
    wrapped(printable(about), look.columns),
    section("success and cost", costs, shown),
    section("cuts and time", cuts, shown),
    section("whether it paid", paying, shown),
    remarks(shown),
    wrapped(explained, look.columns),
  ];
  return sections
    .filter((lines) => lines.length > 0)
    .map((lines) => `${lines.join("\n")}\n`)
    .join("\n");
}
