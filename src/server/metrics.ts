// Counts for Prometheus, in its text format (version 0.0.4).

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

/** What a server counts. Every label has few values: teams, routes, statuses. */
export class Metrics {
  readonly #families = new Map<string, Family>(
    Object.entries(families).map(([name, [kind, help]]) => [name, { kind, help, values: new Map() }]),
  );

  add(name: MetricName, labels: Labels, by = 1): void {
    this.#change(name, labelled(labels), (value) => value + by);
  }

  set(name: MetricName, value: number): void {
    this.#change(name, "", () => value);
  }

  /** Puts a number of seconds into a histogram. */
  observe(name: MetricName, labels: Labels, seconds: number): void {
    const more = (suffix: string, extra: Labels, by: number) =>
      this.#change(name, suffix + labelled({ ...labels, ...extra }), (value) => value + by);
    for (const bound of bounds) more("_bucket", { le: String(bound) }, seconds <= bound ? 1 : 0);
    more("_bucket", { le: "+Inf" }, 1);
    more("_sum", {}, seconds);
    more("_count", {}, 1);
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
    }
    return `${lines.join("\n")}\n`;
  }
}
