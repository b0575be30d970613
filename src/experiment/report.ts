// What all reports have in common: the head of the page, and what must be said of the samples as a whole.

import type { Findings, Section, Table } from "../eval/findings.ts";
import { isScored } from "./sample.ts";
import type { Sample } from "./sample.ts";
import type { About, Basis } from "./setup.ts";
import type { Source } from "./published.ts";

/** What a report is made of. */
export type Reported = {
  readonly samples: readonly Sample[];
  readonly about: About;
  readonly basis: Basis;
};

type Head = { readonly name: string; readonly title: string; readonly sections: readonly Section[] };

/** First and last day of playing, where time is real. */
function daysOf(samples: readonly Sample[]): string | undefined {
  const days = samples.flatMap(({ day }) => (day === undefined ? [] : [day])).toSorted();
  const [first, last] = [days[0], days.at(-1)];
  return first === last ? first : `${first} to ${last}`;
}

const lessThan = (one: Sample, other: Sample): number => {
  const [a, b] = [`${one.arm}\n${one.item}\n${one.repeat}`, `${other.arm}\n${other.item}\n${other.repeat}`];
  return a < b ? -1 : a > b ? 1 : 0;
};

/** The samples in an order that does not depend on which was finished first. */
export const inOrder = (samples: readonly Sample[]): Sample[] => samples.toSorted(lessThan);

/** The page with its head: what was played, by whom, and what failed. */
export function findingsOf({ samples, about, basis }: Reported, { title, sections }: Head): Findings {
  const failed = samples.filter(({ failure }) => failure !== undefined);
  const simulated = basis.voice.simulated || samples.some((sample) => sample.simulated === true);
  const days = daysOf(samples);
  const { voice, exams, seed, repeats, vote, temperature, maxTokens } = basis;
  return {
    title,
    simulated,
    command: about.command,
    provenance: {
      model: voice.name,
      duplex: about.version,
      seed,
      benchmarks: exams.map(({ benchmark, items }) => `${benchmark.name} (${items.length} items)`).join(", "),
      repeats,
      ...(vote > 1 ? { vote } : {}),
      ...(temperature === undefined ? {} : { temperature }),
      ...(maxTokens === undefined ? {} : { maxTokens }),
      ...(days === undefined ? {} : { days }),
      "samples scored": samples.filter(isScored).length,
      "samples failed": failed.length,
    },
    sections: [...sections, ...notesOn(samples, failed, basis)],
  };
}

function notesOn(samples: readonly Sample[], failed: readonly Sample[], { voice, vote }: Basis): Section[] {
  const waited = samples.reduce((sum, { figures }) => sum + (figures["waitedMs"] ?? 0), 0);
  const worked = samples.reduce((sum, { figures }) => sum + (figures["apiMs"] ?? 0), 0);
  const share = waited / Math.max(1, waited + worked);
  const text = [
    "Intervals are 95 %, clustered by item: Wilson's with n divided by the design effect for shares of right answers, else a bootstrap " +
      "of whole items. Differences and ratios take only what both arms finished. p: paired sign-flip permutation test of whole items, two-sided.",
    ...(voice.simulated
      ? [
          "Simulated: a simulated model's words are sums, so an answer counts as right with the probability of the share of right steps in it. " +
            "Speeds, accuracies and effects are those stated in the model's spec.",
        ]
      : []),
    ...(vote > 1
      ? [`Each sample is a majority vote of ${vote} runs; times are the longest of them, costs their sum.`]
      : []),
    ...(share > 0.01
      ? [
          `Calls waited for their turn ${(100 * share).toFixed(1)} % of the time, which is in the wall times: play alone (--alone) for times that nothing disturbs.`,
        ]
      : []),
    ...(samples.some(({ estimated }) => estimated === true)
      ? ["Some tokens were counted by us, since the provider did not report them."]
      : []),
    ...(failed.length > 0
      ? [
          `${failed.length} samples failed. They are neither right nor wrong, and left out of every number (--retry-failed tries them again).`,
        ]
      : []),
  ];
  const tables = failed.length > 0 ? [failures(failed)] : [];
  return [{ title: "How to read this", text, tables }];
}

function failures(failed: readonly Sample[]): Table {
  const counts = new Map<string, { readonly arm: string; readonly why: string; n: number }>();
  for (const { arm, failure } of failed) {
    const why = (failure?.message ?? "").slice(0, 120);
    const key = `${arm}\n${why}`;
    const own = counts.get(key);
    if (own === undefined) counts.set(key, { arm, why, n: 1 });
    else own.n++;
  }
  const rows = [...counts.values()].toSorted((a, b) => b.n - a.n).slice(0, 20);
  return {
    title: "Failed samples",
    columns: ["arm", "n", "why"],
    rows: rows.map(({ arm, n, why }) => [arm, n, why]),
  };
}

/** One sentence that says whose numbers stand beside ours. */
export const sourceLine = ({ paper, table, note }: Source): string =>
  `Published: ${paper}, ${table} (${note}). Another model on other items: beside ours to compare shapes, not values.`;
