// A report's lines put together again: a header, then a line for each row of a table and each point of a figure.

import { ConfigError } from "../base/errors.ts";
import { entry } from "../core/fold.ts";

type Fields = Readonly<Record<string, unknown>>;

type Drawn = { readonly about: Fields; readonly series: Map<unknown, { published: unknown; points: Fields[] }> };
type Tabled = { readonly title: unknown; readonly columns: unknown; readonly rows: unknown[] };
type Part = { readonly tables: Map<unknown, Tabled>; readonly figures: Map<unknown, Drawn> };
type Whole = { readonly head: Fields; readonly parts: Map<unknown, Part> };

/** Findings as their lines tell them, not checked yet. Paragraphs are not in the lines. Throws a ConfigError for a line of another kind. */
export function gatherLines(lines: readonly { readonly value: unknown; readonly place: string }[]): unknown[] {
  const all: Whole[] = [];
  for (const { value, place } of lines) {
    const line = (value ?? {}) as Fields;
    const last = all.at(-1);
    if (line["type"] === "findings") all.push({ head: line, parts: new Map() });
    else if (last === undefined || !take(last, line)) throw new ConfigError(place, "is no line of a report");
  }
  return all.map(wholeOf);
}

function take({ parts }: Whole, line: Fields): boolean {
  const part = () => entry(parts, line["section"], (): Part => ({ tables: new Map(), figures: new Map() }));
  if (line["type"] === "row") {
    const { table: title, columns, cells } = line;
    const key = JSON.stringify([title, columns]);
    entry(part().tables, key, (): Tabled => ({ title, columns, rows: [] })).rows.push(cells);
    return true;
  }
  if (line["type"] !== "point") return false;
  const figure = entry(part().figures, line["figure"], (): Drawn => ({ about: line, series: new Map() }));
  const { series, published, x, y, low, high, label } = line;
  entry(figure.series, series, () => ({ published, points: [] as Fields[] })).points.push({ x, y, low, high, label });
  return true;
}

const wholeOf = ({ head: { title, simulated, command, provenance }, parts }: Whole): unknown => ({
  title,
  simulated,
  command,
  provenance,
  sections: [...parts].map(([name, { tables, figures }]) => ({
    title: name,
    tables: [...tables.values()],
    figures: [...figures.values()].map(figureOf),
  })),
});

const figureOf = ({ about: { figure: title, kind, xLabel, xLog, yLabel, yLog }, series }: Drawn): unknown => ({
  kind,
  title,
  x: { label: xLabel, log: xLog },
  y: { label: yLabel, log: yLog },
  series: [...series].map(([name, { published, points }]) => ({ name, published, points })),
});
