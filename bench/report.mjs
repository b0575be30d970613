// What a benchmark says: measures with goals, as a table or as one line of JSON each.
import { availableParallelism, cpus, loadavg, totalmem } from "node:os";

export const atMost = (limit) => ({ text: `<= ${limit}`, met: (value) => value <= limit });
export const atLeast = (limit) => ({ text: `>= ${limit}`, met: (value) => value >= limit });
export const exactly = (wanted) => ({ text: `= ${wanted}`, met: (value) => value === wanted });

export function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

const rounded = (value) => (Number.isInteger(value) ? value : Number(value.toPrecision(4)));

/** Numbers, how they were got, and what was left out; `bench` is the name of the benchmark. */
export class Report {
  #bench;
  #json;
  measures = [];
  skipped = [];

  constructor(bench, { json }) {
    this.#bench = bench;
    this.#json = json;
  }

  /** One number, or several of which the median counts. */
  measure(measure, value, { unit, goal, note } = {}) {
    const samples = Array.isArray(value) ? value : undefined;
    const number = samples === undefined ? value : median(samples);
    const said = { bench: this.#bench, measure, value: rounded(number), unit, goal: goal?.text ?? null };
    const line = { ...said, met: goal === undefined ? null : goal.met(number) };
    this.measures.push({ ...line, ...(samples && { samples: samples.map(rounded) }), ...(note && { note }) });
    if (this.#json) console.log(JSON.stringify(line));
    else this.#row({ ...line, samples, note });
    return number;
  }

  /** Something that could not be measured here, and why. */
  skip(what, why) {
    this.skipped.push({ what, why });
    console.error(`${this.#bench}: ${what} skipped: ${why}`);
  }

  #row({ measure, value, unit, goal, met, samples, note }) {
    const verdict = met === null ? "" : met ? "ok" : "MISSED";
    const spread =
      samples === undefined
        ? ""
        : `n=${samples.length}, ${rounded(Math.min(...samples))} to ${rounded(Math.max(...samples))}`;
    const row = [
      this.#bench.padEnd(9),
      measure.padEnd(58),
      String(value).padStart(9),
      unit.padEnd(8),
      (goal ?? "").padEnd(8),
      verdict.padEnd(6),
      [spread, note ?? ""].filter((text) => text !== "").join("; "),
    ];
    console.log(row.join(" ").trimEnd());
  }
}

/** Where and when the numbers were got. */
export const machine = () => ({
  date: new Date().toISOString(),
  node: process.version,
  cpu: cpus()[0]?.model ?? "unknown",
  cores: availableParallelism(),
  memoryGiB: Math.round(totalmem() / 2 ** 30),
  load: loadavg().map((value) => Number(value.toFixed(2))),
});

/**
 * Runs every contender once a round, in turns, so that all meet the same weather; every other round in reverse order.
 * The first round warms up and is not counted.
 */
export async function interleaved(rounds, contenders) {
  const samples = contenders.map(() => []);
  const order = [...contenders.entries()];
  for (let round = 0; round <= rounds; round++) {
    for (const [index, contend] of round % 2 === 0 ? order : order.toReversed()) {
      const sample = await contend();
      if (round > 0) samples[index].push(sample);
    }
  }
  return samples;
}
