// Findings as Markdown, for a repository or a terminal.

import type { Figure, Findings, Point, Section, Series, Table } from "./findings.ts";

type Cell = string | number | null;

/** Whatever a model or a file has said must not become a mark of its own. */
const escaped = (text: string): string =>
  text
    .replaceAll(/\s*[\r\n]+\s*/g, " ")
    .replaceAll("\\", "\\\\")
    .replaceAll("|", "\\|")
    .replaceAll(/<(?=[a-z/!?])/gi, "&lt;");

const shown = (value: number): string =>
  Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(Math.abs(value) >= 1000 ? 6 : 4)));

const cell = (value: Cell): string =>
  value === null ? "–" : typeof value === "number" ? shown(value) : escaped(value);

const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;

const mark = "*simulated*";

const headed = (title: string, simulated: boolean): string => `${escaped(title)}${simulated ? ` (${mark})` : ""}`;

function tableLines({ title, columns, rows }: Table, simulated: boolean): string[] {
  const numeric = columns.map((_, index) => rows.some((row) => typeof row[index] === "number"));
  const caption = title === undefined ? (simulated ? [mark, ""] : []) : [`**${headed(title, simulated)}**`, ""];
  return [
    ...caption,
    line(columns.map(escaped)),
    line(numeric.map((right) => (right ? "--:" : "---"))),
    ...rows.map((row) => line(columns.map((_, index) => cell(row[index] ?? null)))),
    "",
  ];
}

const between = ({ low, high }: Point): string =>
  low === undefined || high === undefined ? "" : ` [${shown(low)}, ${shown(high)}]`;

const pointOf = (point: Point): string =>
  `${shown(point.y)}${between(point)}${point.label === undefined ? "" : ` ${point.label}`}`;

const nameOf = ({ name, published }: Series): string => (published === true ? `${name} (published)` : name);

/** A figure in Markdown is its numbers: a row for each place, a column for each series. */
function figureLines({ title, x, y, series }: Figure, simulated: boolean): string[] {
  const places = [...new Set(series.flatMap(({ points }) => points.map((point) => point.x)))];
  const rows = places.map((place) => [
    place,
    ...series.map(({ points }) => {
      const here = points.filter((point) => point.x === place);
      return here.length === 0 ? null : here.map(pointOf).join(", ");
    }),
  ]);
  const table = { title: `${title}: ${y.label}`, columns: [x.label, ...series.map(nameOf)], rows };
  return tableLines(table, simulated);
}

function sectionLines({ title, text = [], tables = [], figures = [] }: Section, simulated: boolean): string[] {
  return [
    `## ${headed(title, false)}`,
    "",
    ...text.flatMap((paragraph) => [escaped(paragraph), ""]),
    ...tables.flatMap((table) => tableLines(table, simulated)),
    ...figures.flatMap((figure) => figureLines(figure, simulated)),
  ];
}

/** The findings as one Markdown text that ends with a line's end; figures as their numbers. */
export function findingsMarkdown({ title, simulated, command, provenance, sections }: Findings): string {
  const warning = simulated
    ? [
        "> **Simulated.** Words and times are a simulated model's: this shows what the machinery does, and nothing about real models.",
        "",
      ]
    : [];
  const facts = Object.entries(provenance).map(([name, value]) => `- ${escaped(name)}: ${cell(value)}`);
  const lines = [
    `# ${headed(title, simulated)}`,
    "",
    ...warning,
    "```sh",
    command.replaceAll("```", ""),
    "```",
    "",
    ...facts,
    "",
    ...sections.flatMap((section) => sectionLines(section, simulated)),
  ];
  return `${lines.join("\n").trimEnd()}\n`;
}

/** The findings as JSON lines: a header, then a line for each row of a table and each point of a figure. */
export function findingsLines({ title, simulated, command, provenance, sections }: Findings): string {
  const mine = simulated ? { simulated } : {};
  const rows = sections.flatMap(({ title: section, tables = [], figures = [] }) => [
    ...tables.flatMap(({ title: table, columns, rows: cells }) =>
      cells.map((row) => ({ type: "row", section, table, ...mine, columns, cells: row })),
    ),
    ...figures.flatMap(({ title: figure, kind, x, y, series }) =>
      series.flatMap(({ name, published, points }) =>
        points.map((point) => ({
          type: "point",
          section,
          figure,
          kind,
          ...mine,
          xLabel: x.label,
          xLog: x.log,
          yLabel: y.label,
          yLog: y.log,
          series: name,
          published,
          ...point,
        })),
      ),
    ),
  ]);
  const head = { type: "findings", title, simulated, command, provenance };
  return [head, ...rows].map((each) => `${JSON.stringify(each)}\n`).join("");
}
