// What learning came to, as findings: for Markdown, a page with plots, and JSON lines.

import type { PolicyReport, Sample } from "../eval/index.ts";
import type { Figure, Findings, Section, Table } from "../eval/findings.ts";
import type { Weights } from "../policies/index.ts";
import { advise } from "./advice.ts";
import type { Label } from "./label.ts";
import { places, ranged, share } from "./lesson-format.ts";
import { curveSection, reliabilitySection } from "./lesson-held.ts";
import { mishapKinds, mishapsOf } from "./mishaps.ts";
import type { KeptResult, Mishap } from "./mishaps.ts";

/** How policies were compared otherwise than in the main comparison. */
export type Variation = "speaker" | "task" | "chunk" | "concise" | "symmetric";

/** One comparison of policies on the same samples. */
export type Compared = {
  readonly samples: readonly Sample[];
  readonly results: readonly KeptResult[];
  readonly reports: readonly PolicyReport[];
};

/** Policies compared on samples held out: what a report of learning is made of. */
export type Lesson = {
  readonly title: string;
  /** The command that makes it again. */
  readonly command: string;
  readonly provenance: Readonly<Record<string, string | number>>;
  /** Success that an advised policy may lose. */
  readonly maxLoss: number;
  readonly main: Compared;
  readonly others?: readonly (Compared & { readonly by: Variation; readonly name: string })[] | undefined;
  /** Labelled points that were not trained on, and weights to be held against them. */
  readonly held?:
    | { readonly labels: readonly Label[]; readonly weights: Readonly<Record<string, Weights>> }
    | undefined;
};

/** The paper's table, with what deciding took in it. */
function policyTable(reports: readonly PolicyReport[]): Table {
  const oracle = reports.find(({ policy }) => policy === "oracle")?.cost.total;
  return {
    columns: [
      "policy",
      "success",
      "spoken",
      "overrun",
      "deciding",
      "replies",
      "total",
      "of never's",
      "of the oracle's saving",
      "regret, tokens",
      "success against never",
      "paid: tokens",
      "paid: time",
    ],
    rows: reports.map((report) => [
      report.policy,
      ranged(report.success, report.successCI),
      places(report.cost.spoken, 1),
      places(report.cost.overrun, 1),
      places(report.cost.decisions, 1),
      places(report.cost.replies, 1),
      places(report.cost.total, 1),
      ranged(report.costVsNever, report.costVsNeverCI),
      share(report.ofOracle),
      oracle === undefined ? null : places(report.cost.total - oracle, 1),
      ranged(report.successVsNever, report.successVsNeverCI),
      report.policy === "never" ? "–" : report.paid.tokens,
      report.policy === "never" ? "–" : report.paid.time,
    ]),
  };
}

const costFigure = (reports: readonly PolicyReport[]): Figure => ({
  kind: "scatter",
  title: "Success and cost of each policy",
  x: { label: "generated tokens a conversation, decisions included" },
  y: { label: "success, share" },
  series: reports.map(({ policy, cost, success, successCI }) => ({
    name: policy,
    points: [{ x: cost.total, y: success ?? 0, low: successCI?.[0], high: successCI?.[1], label: policy }],
  })),
});

function mainSection({ main, maxLoss }: Lesson): Section {
  const { policy, why } = advise(main.reports, { maxLoss });
  return {
    title: "On samples held out",
    text: [
      `Advice: ${policy}: ${why}.`,
      `${main.reports[0]?.samples ?? 0} samples. Costs are generated tokens a conversation; brackets are 95 % intervals, those against never paired by sample. ` +
        "The oracle is the best cut in hindsight and cannot be used. A policy has paid where the whole interval of its cost, decisions included, lies below never's.",
    ],
    tables: [policyTable(main.reports)],
    figures: [costFigure(main.reports)],
  };
}

// Enough to see what is going on; all of them are in the results.
const shown = 3;
const tail = 160;

const clipped = (text: string | undefined, from: "end" | "start"): string =>
  text === undefined
    ? "–"
    : from === "end"
      ? `${text.length > tail ? "…" : ""}${text.slice(-tail)}`
      : `${text.slice(0, tail / 2)}${text.length > tail / 2 ? "…" : ""}`;

function exampleRow(mishap: Mishap): (string | number | null)[] {
  const { kind, policy, sample, heard, next, answer, right, chunk, best } = mishap;
  const where = kind === "too late" ? `${chunk ?? "no cut"} (best: ${best ?? "–"})` : `${chunk ?? "–"}`;
  return [kind, policy, sample, where, clipped(heard, "end"), clipped(next, "start"), answer ?? "–", right ?? "–"];
}

function mishapSection({ main }: Lesson): Section[] {
  const all = mishapsOf(main.results, main.samples);
  const policies = main.reports.map(({ policy }) => policy).filter((name) => name !== "never" && name !== "oracle");
  if (policies.length === 0) return [];
  const runs = new Map(main.reports.map((report) => [report.policy, report.runs]));
  const count = (policy: string, kind: string) =>
    all.filter((each) => each.policy === policy && each.kind === kind).length;
  const examples = policies.flatMap((policy) =>
    mishapKinds.flatMap((kind) => all.filter((each) => each.policy === policy && each.kind === kind).slice(0, shown)),
  );
  return [
    {
      title: "What went wrong",
      text: [
        "Conversations by what went wrong with their first cut; all but the last two are false alarms. mid-word: the cut fell inside a word. " +
          "chunk boundary: what was needed had begun and was not out yet. floor given back: the listener cut in and knew nothing. " +
          "too early: what was needed had not come. wrong answer: enough had been heard. too late: the best cut in hindsight was earlier.",
      ],
      tables: [
        {
          title: "Conversations",
          columns: ["policy", "of", ...mishapKinds],
          rows: policies.map((policy) => [
            policy,
            runs.get(policy) ?? 0,
            ...mishapKinds.map((kind) => count(policy, kind)),
          ]),
        },
        {
          title: "Examples",
          columns: ["what", "policy", "sample", "chunks heard", "heard", "would have gone on", "answer", "right"],
          rows: examples.map(exampleRow),
        },
      ],
    },
  ];
}

const titles: Readonly<Record<Variation, readonly [title: string, text: string]>> = {
  speaker: ["Other speakers", "The same policies, as they were learned, on speakers they were not trained on."],
  task: ["Other tasks", "The same policies, as they were learned, on tasks they were not trained on."],
  chunk: ["Chunk sizes", "The same policies with other numbers of tokens between two decisions."],
  concise: ["Stacked with concise", "Speakers are also asked to be brief."],
  symmetric: ["Everybody may interrupt", "All roles listen and may cut, though the policies were learned for one."],
};

function variedSection(by: Variation, { main, others = [] }: Lesson): Section[] {
  const mine = others.filter((each) => each.by === by);
  if (mine.length === 0) return [];
  const [title, text] = titles[by];
  const rows = [{ name: "as above", reports: main.reports }, ...mine].flatMap(({ name, reports }) =>
    reports.map((report) => [
      name,
      report.policy,
      ranged(report.success, report.successCI),
      places(report.cost.total, 1),
      ranged(report.costVsNever, report.costVsNeverCI),
      share(report.ofOracle),
      places(report.rounds, 1),
      report.policy === "never" ? "–" : report.paid.tokens,
    ]),
  );
  const columns = [
    "where",
    "policy",
    "success",
    "total",
    "of never's",
    "of the oracle's saving",
    "rounds",
    "paid: tokens",
  ];
  return [{ title, text: [text], tables: [{ columns, rows }], figures: by === "chunk" ? [chunkFigure(mine)] : [] }];
}

function chunkFigure(compared: readonly (Compared & { readonly name: string })[]): Figure {
  const policies = [...new Set(compared.flatMap(({ reports }) => reports.map(({ policy }) => policy)))];
  return {
    kind: "line",
    title: "Cost by chunk size",
    x: { label: "tokens between two decisions" },
    y: { label: "cost over that of hearing everything" },
    series: policies
      .filter((policy) => policy !== "never")
      .map((policy) => ({
        name: policy,
        points: compared.flatMap(({ name, reports }) => {
          const report = reports.find((each) => each.policy === policy);
          if (report === undefined || report.costVsNever === null) return [];
          const [low, high] = report.costVsNeverCI ?? [];
          return [{ x: Number(name), y: report.costVsNever, low, high }];
        }),
      })),
  };
}

/** What a lesson came to. Throws a ConfigError where `never`, against which all are compared, is not among the policies. */
export function lessonFindings(lesson: Lesson): Findings {
  const { title, command, provenance, main, others = [] } = lesson;
  return {
    title,
    simulated: [main, ...others].some(({ reports }) => reports.some(({ simulated }) => simulated)),
    command,
    provenance,
    sections: [
      mainSection(lesson),
      ...mishapSection(lesson),
      ...reliabilitySection(lesson),
      ...curveSection(lesson),
      ...(["speaker", "task", "concise", "symmetric", "chunk"] as const).flatMap((by) => variedSection(by, lesson)),
    ],
  };
}
