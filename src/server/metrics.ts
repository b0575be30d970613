// Counts for Prometheus, in its text format (version 0.0.4).

import { entry } from "../core/fold.ts";

type Labels = Readonly<Record<string, string>>;
type Kind = "counter" | "gauge" | "histogram";
type Family = { readonly kind: Kind; readonly help: string; readonly values: Map<string, number> };

const escaped = (value: string): string =>
  value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");

const labelled = (labels: Labels): string => {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
};

/** Upper bounds in seconds. */
const bounds = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];

const families = {
  duplex_requests_total: ["counter", "Requests answered, by route and status."],
  duplex_runs_total: ["counter", "Runs that ended, by team and how."],
  duplex_refused_total: ["counter", "Requests refused, by reason."],
  duplex_tokens_total: ["counter", "Tokens of runs, by team and kind; cached ones are input too."],
  duplex_interrupts_total: ["counter", "Speakers cut, by team and by whom: an agent or a person."],
  duplex_run_seconds: ["histogram", "Seconds from a run's start to its end."],
  duplex_first_chunk_seconds: ["histogram", "Seconds from a run's start to the first word of any agent."],
  duplex_runs_active: ["gauge", "Runs that go on."],
  duplex_runs_queued: ["gauge", "Requests that wait for a run to end."],
  duplex_traces_kept: ["gauge", "Traces in memory."],
  duplex_trace_bytes: ["gauge", "About what traces take in memory."],
} as const satisfies Record<string, readonly [Kind, string]>;

/** The names of what is counted. */
export type MetricName = keyof typeof families;

type Histogram = { readonly labels: Labels; readonly counts: number[]; sum: number };

/** What a server counts. Every label has few values: teams, routes, statuses. */
export class Metrics {
  readonly #families = new Map<string, Family>(
    Object.entries(families).map(([name, [kind, help]]) => [name, { kind, help, values: new Map() }]),
  );
  readonly #histograms = new Map<string, Map<string, Histogram>>();

  add(name: MetricName, labels: Labels, by = 1): void {
    this.#change(name, labelled(labels), (value) => value + by);
  }

  set(name: MetricName, value: number): void {
    this.#change(name, "", () => value);
  }

  /** Puts a number of seconds into a histogram. */
  observe(name: MetricName, labels: Labels, seconds: number): void {
    const histograms = entry(this.#histograms, name, () => new Map<string, Histogram>());
    const found = entry(histograms, labelled(labels), () => ({ labels, counts: [0, ...bounds].map(() => 0), sum: 0 }));
    const at = bounds.findIndex((bound) => seconds <= bound);
    const index = at < 0 ? bounds.length : at;
    found.counts[index] = (found.counts[index] ?? 0) + 1;
    found.sum += seconds;
  }

  #change(name: MetricName, key: string, change: (value: number) => number): void {
    const values = this.#families.get(name)?.values;
    values?.set(key, change(values.get(key) ?? 0));
  }

  /** All of it as text. */
  text(): string {
    const lines: string[] = [];
    for (const [name, { kind, help, values }] of this.#families) {
      lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${kind}`);
      for (const [key, value] of values) lines.push(`${name}${key} ${value}`);
      for (const histogram of this.#histograms.get(name)?.values() ?? []) lines.push(...linesOf(name, histogram));
    }
    return `${lines.join("\n")}\n`;
  }
}

/** Each bucket counts all that is below its bound. */
function linesOf(name: string, { labels, counts, sum }: Histogram): string[] {
  let count = 0;
  const buckets = counts.map((more, index) => {
    count += more;
    return `${name}_bucket${labelled({ ...labels, le: String(bounds[index] ?? "+Inf") })} ${count}`;
  });
  return [...buckets, `${name}_sum${labelled(labels)} ${sum}`, `${name}_count${labelled(labels)} ${count}`];
}
