// Parts put together as one experiment, and what its page says of all samples together.

import { ConfigError } from "../base/errors.ts";
import type { Findings, Section, Table } from "../eval/findings.ts";
import type { Identity } from "../eval/records.ts";
import type { Exam } from "./grading.ts";
import type { Source } from "./published.ts";
import { isJudged } from "./judging.ts";
import { isScored } from "./sample.ts";
import type { Cell, Sample } from "./sample.ts";
import type { About, Basis, Part, Setup } from "./setup.ts";

/** What a page says of the experiment as a whole. */
export type Told = {
  readonly name: string;
  readonly title: string;
  readonly identity: Identity;
  readonly simulated: boolean;
  /** Models, benchmarks, sizes: what a reader needs to trust the numbers. */
  readonly provenance: Findings["provenance"];
  /** Sentences on how to read it. */
  readonly notes: readonly string[];
};

/** Parts as one experiment. Throws a `ConfigError` where two parts have an arm in common. */
export function assemble(told: Told, parts: readonly Part[]): Setup {
  const partOf = new Map<string, Part>();
  for (const part of parts)
    for (const arm of new Set(part.cells.map((cell) => cell.arm))) {
      if (partOf.has(arm)) throw new ConfigError("arms", `"${arm}" is there twice`);
      partOf.set(arm, part);
    }
  const of = ({ arm }: Cell): Part => {
    const part = partOf.get(arm);
    if (part === undefined) throw new ConfigError("arms", `there is no "${arm}"`);
    return part;
  };
  return {
    name: told.name,
    identity: told.identity,
    cells: parts.flatMap(({ cells }) => cells),
    play: (cell, signal) => of(cell).play(cell, signal),
    workload: (cell) => of(cell).workload(cell),
    findings: (samples, about) => {
      const sorted = inOrder(samples);
      const sections = parts.flatMap((part) => part.sections(sorted.filter(({ arm }) => partOf.get(arm) === part)));
      return page(told, { samples: sorted, about, sections });
    },
  };
}

/** The samples in an order that does not depend on which was finished first. */
function inOrder(samples: readonly Sample[]): Sample[] {
  const keyed = samples.map((sample) => ({ sample, key: `${sample.arm}\n${sample.item}\n` }));
  return keyed
    .toSorted((one, other) =>
      one.key === other.key ? one.sample.repeat - other.sample.repeat : one.key < other.key ? -1 : 1,
    )
    .map(({ sample }) => sample);
}

/** First and last day of playing, where time is real. */
function daysOf(samples: readonly Sample[]): string | undefined {
  const days = [...new Set(samples.flatMap(({ day }) => (day === undefined ? [] : [day])))].toSorted();
  const [first, last] = [days[0], days.at(-1)];
  return first === last ? first : `${first} to ${last}`;
}

type Content = { readonly samples: readonly Sample[]; readonly about: About; readonly sections: readonly Section[] };

function page(told: Told, { samples, about, sections }: Content): Findings {
  const failed = samples.filter(({ failure }) => failure !== undefined);
  const days = daysOf(samples);
  const { judge, ...provenance } = told.provenance;
  const graded = judge !== undefined && samples.some(isJudged) ? { judge } : {};
  return {
    title: told.title,
    simulated: told.simulated || samples.some((sample) => sample.simulated === true),
    command: about.command,
    provenance: {
      duplex: about.version,
      ...provenance,
      ...graded,
      ...(days === undefined ? {} : { days }),
      "samples scored": samples.filter(isScored).length,
      "samples failed": failed.length,
    },
    sections: [...sections, notesOn(told, samples, failed)],
  };
}

const method =
  "Intervals are 95 %, clustered by item: Wilson's with n divided by the design effect for shares of right answers, else a bootstrap " +
  "of whole items. Differences and ratios take only what both arms finished. p: paired sign-flip permutation test of whole items, two-sided.";

function notesOn(told: Told, samples: readonly Sample[], failed: readonly Sample[]): Section {
  const total = (name: string) => samples.reduce((sum, { figures }) => sum + (figures[name] ?? 0), 0);
  const [waited, worked] = [total("waitedMs"), total("apiMs")];
  const share = (100 * waited) / Math.max(1, waited + worked);
  const notes = [
    share > 1
      ? `Calls waited for their turn ${share.toFixed(1)} % of the time, which is in the wall times; --alone gives times that nothing disturbs.`
      : "",
    samples.some(({ estimated }) => estimated === true)
      ? "Some tokens were counted by us, since the provider did not report them."
      : "",
    total("judgeCalls") > 0
      ? `Judge models took ${total("judgeCalls")} calls, ${total("judgeInput")} tokens in and ${total("judgeOutput")} out to grade, which are in no cost of the runs.`
      : "",
    failed.length > 0
      ? `${failed.length} samples failed: neither right nor wrong, and left out of every number (--retry-failed plays them again).`
      : "",
  ];
  const tables = failed.length > 0 ? [failures(failed)] : [];
  return { title: "How to read this", text: [method, ...told.notes, ...notes.filter((note) => note !== "")], tables };
}

function failures(failed: readonly Sample[]): Table {
  const counts = new Map<string, { readonly arm: string; readonly why: string; n: number }>();
  for (const { arm, failure } of failed) {
    const why = (failure?.message ?? "").slice(0, 120);
    const own = counts.get(`${arm}\n${why}`);
    if (own === undefined) counts.set(`${arm}\n${why}`, { arm, why, n: 1 });
    else own.n++;
  }
  const rows = [...counts.values()].toSorted((a, b) => b.n - a.n).slice(0, 20);
  return { title: "Failed samples", columns: ["arm", "n", "why"], rows: rows.map(({ arm, n, why }) => [arm, n, why]) };
}

const drawnNote =
  "Simulated: a simulated model's words are sums, so an answer counts as right with the probability of the share of right steps in it. " +
  "Speeds, accuracies and effects are those stated in the model's spec.";

const examLine = ({ benchmark, items, skipped = 0 }: Exam): string =>
  `${benchmark.name} (${items.length} items${skipped > 0 ? `, ${skipped} left out` : ""})`;

type Telling = Pick<Told, "name" | "title"> & {
  /** There are teams of one agent or of one step. */
  readonly alone: boolean;
};

const aloneNote =
  "With one agent, or with one step, there is nothing to stream: serial and stream do the same, and what differs is chance.";

/** Whether the teams of these settings have nothing to stream. */
export const isAlone = ({ agents, steps }: Pick<Basis, "agents" | "steps">): boolean => agents === 1 || steps === 1;

/** What is told of experiments with teams on benchmarks. */
export function toldOf(basis: Basis, { name, title, alone }: Telling): Told {
  const { voice, exams, seed, repeats, vote, agents, steps, temperature = null, maxTokens = null } = basis;
  const { price, nominal } = voice;
  const simulated = voice.simulated || exams.some((exam) => exam.simulated === true);
  const judges = [...new Set(exams.flatMap(({ judge }) => judge?.name ?? []))];
  const perMillion =
    price === undefined ? "unknown" : `${price.input} / ${price.cached} / ${price.output} ${price.currency}`;
  return {
    name,
    title,
    identity: { experiment: name, model: voice.name, seed, agents, steps, temperature, maxTokens },
    simulated,
    provenance: {
      model: voice.name,
      benchmarks: exams.map(examLine).join(", "),
      ...(judges.length > 0 ? { judge: judges.join(", ") } : {}),
      seed,
      repeats,
      ...(vote > 1 ? { vote } : {}),
      ...(temperature === null ? {} : { temperature }),
      ...(maxTokens === null ? {} : { "most tokens of a call": maxTokens }),
      "price per million tokens (input / cached / output)": nominal === true ? `${perMillion}, nominal` : perMillion,
    },
    notes: [
      ...(simulated ? [drawnNote] : []),
      ...(alone ? [aloneNote] : []),
      ...(vote > 1
        ? [`Each sample is a majority vote of ${vote} runs; times are the longest of them, costs their sum.`]
        : []),
      ...(nominal === true
        ? ["Costs are at nominal prices, those of Claude Opus 4.6 in arXiv 2606.05158: nobody charged them."]
        : []),
    ],
  };
}

/** The one benchmark of an experiment that has room for no more. Throws a `ConfigError`. */
export function onlyExam({ exams }: Basis, name: string): Exam {
  const [exam, second] = exams;
  if (exam === undefined || second !== undefined)
    throw new ConfigError("benchmark", `${name} is played on one benchmark, not on ${exams.length}`);
  return exam;
}

/** One sentence that says whose numbers stand beside ours. */
export const sourceLine = ({ paper, table, note }: Source): string =>
  `Published: ${paper}, ${table} (${note}). Another model on other items: beside ours to compare shapes, not values.`;
