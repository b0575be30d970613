// Findings as elements: what stands on the page with and without JavaScript.

import type { Axis, Figure, Findings, Section, Series, Table } from "../eval/findings.ts";
import { plainName } from "./plain.ts";
import { branch } from "./tree.ts";
import type { Branch, Tree } from "./tree.ts";

/** All of one experiment. `first`: its title is the page's. */
export function findingsTree(findings: Findings, { prefix = "", first = true } = {}): Branch {
  const { title, simulated, command, provenance, sections } = findings;
  const ids = idsOf(sections, prefix);
  return branch("article", { class: "findings" }, [
    branch("header", { class: "head" }, [
      branch("p", { class: "brand" }, ["Duplex"]),
      branch(first ? "h1" : "h2", {}, [title, ...mark(simulated)]),
    ]),
    ...(simulated ? [branch("p", { class: "warning" }, [warning])] : []),
    ...contents(sections, ids),
    ...sections.map((section, index) => sectionTree(section, { id: ids[index] ?? "", simulated })),
    branch("section", { class: "provenance" }, [
      branch("h2", { id: `${prefix}provenance` }, ["How to make them again"]),
      ...(command === "" ? [] : [branch("pre", {}, [branch("code", {}, [command])])]),
      branch(
        "dl",
        {},
        Object.entries(provenance).map(([name, value]) =>
          branch("div", {}, [branch("dt", {}, [name]), branch("dd", {}, [String(value)])]),
        ),
      ),
    ]),
  ]);
}

const warning = "Words or times come from a simulated model. Nothing here says how a real one behaves.";

const mark = (simulated: boolean): readonly Tree[] =>
  simulated ? [" ", branch("span", { class: "mark-simulated" }, ["simulated"])] : [];

/** Names for links, each once. */
function idsOf(sections: readonly Section[], prefix: string): readonly string[] {
  const seen = new Map<string, number>();
  return sections.map(({ title }, index) => {
    const words = title.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [`section`, String(index + 1)];
    const base = prefix + words.join("-").slice(0, 60);
    const number = (seen.get(base) ?? 0) + 1;
    seen.set(base, number);
    return number === 1 ? base : `${base}-${number}`;
  });
}

function contents(sections: readonly Section[], ids: readonly string[]): readonly Tree[] {
  if (sections.length < 3) return [];
  const links = sections.map(({ title }, index) =>
    branch("li", {}, [branch("a", { href: `#${ids[index] ?? ""}` }, [title])]),
  );
  return [branch("nav", { "aria-label": "Sections" }, [branch("ol", {}, links)])];
}

type About = { readonly id: string; readonly simulated: boolean };

function sectionTree({ title, text = [], tables = [], figures = [] }: Section, { id, simulated }: About): Branch {
  return branch("section", { class: "part" }, [
    branch("h2", { id }, [title]),
    ...text.map(paragraph),
    ...tables.map((table, index) =>
      tableTree(table, { name: nameOf(table, { title, index, of: tables.length }), simulated }),
    ),
    ...(figures.length === 0
      ? []
      : [
          branch(
            "div",
            { class: "plots" },
            figures.map((figure) => figureTree(figure, simulated)),
          ),
        ]),
  ]);
}

/** A paragraph; what stands between backticks is code. */
const paragraph = (text: string): Branch =>
  branch(
    "p",
    {},
    text.split("`").map((part, index, all) => {
      const code = index % 2 === 1 && index < all.length - 1;
      return code ? branch("code", {}, [part]) : index % 2 === 1 ? `\`${part}` : part;
    }),
  );

type Place = { readonly title: string; readonly index: number; readonly of: number };

const nameOf = (table: Table, { title, index, of }: Place): string =>
  table.title ?? (of === 1 ? title : `${title}, table ${index + 1}`);

type Named = { readonly name: string; readonly simulated: boolean };

function tableTree({ title, columns, rows }: Table, { name, simulated }: Named): Branch {
  const numeric = columns.map((_, index) => index > 0 && rows.every((row) => isNumeric(row[index] ?? null)));
  const kind = (index: number): Branch["attributes"] => (numeric[index] === true ? { class: "number" } : {});
  const caption = title === undefined && !simulated ? [] : [branch("caption", {}, [title ?? "", ...mark(simulated)])];
  return branch("div", { class: "table", tabindex: 0, role: "region", "aria-label": plainName(name) }, [
    branch("table", {}, [
      ...caption,
      branch("thead", {}, [
        branch(
          "tr",
          {},
          columns.map((column, index) => branch("th", { scope: "col", ...kind(index) }, [column])),
        ),
      ]),
      branch(
        "tbody",
        {},
        rows.map((row) =>
          branch(
            "tr",
            {},
            columns.map((_, index) => {
              const cell = shown(row[index] ?? null);
              return index === 0 ? branch("th", { scope: "row" }, [cell]) : branch("td", kind(index), [cell]);
            }),
          ),
        ),
      ),
    ]),
  ]);
}

/** A number with what may stand around it: a sign, a unit, an interval. */
const isNumeric = (cell: string | number | null): boolean =>
  typeof cell !== "string" || /^(?:[–—-]|[≈<>≤≥+\-−$€ ]*\d[\d.,\s%×x()[\]–to/s−-]*)?$/u.test(cell);

const digits = new Intl.NumberFormat("en", { maximumFractionDigits: 3, useGrouping: "min2" });

/** A number with as many digits as it needs. */
export function numeral(value: number | null | undefined): string {
  if (typeof value !== "number" || !Number.isFinite(value)) return "–";
  if (value !== 0 && Math.abs(value) < 0.01) return String(Number(value.toPrecision(3)));
  return digits.format(value);
}

const shown = (cell: string | number | null): string => (typeof cell === "string" ? cell : numeral(cell));

/** Series that are another's numbers say so wherever they are named. */
export const seriesName = ({ name, published }: Series): string => (published === true ? `${name} (published)` : name);

function figureTree(figure: Figure, simulated: boolean): Branch {
  const { title, series } = figure;
  return branch("figure", {}, [
    branch("figcaption", {}, [title, ...mark(simulated)]),
    ...(series.length > 1 || series.some(({ published }) => published === true) ? [legend(figure)] : []),
    { ...branch("div", { class: "drawing" }, []), draws: figure },
    ...left(figure),
    branch("details", {}, [
      branch("summary", {}, [`Numbers of “${title}”`]),
      tableTree(pointsOf(figure), { name: title, simulated: false }),
    ]),
  ]);
}

const legend = ({ series }: Figure): Branch =>
  branch(
    "ul",
    { class: "series", "aria-label": "Series" },
    series.map((one, index) =>
      branch("li", {}, [
        branch(
          "i",
          {
            class: `key ${colorOf(series, index)}${one.published === true ? " published" : ""}`,
            "aria-hidden": "true",
          },
          [(one.published === true ? hollow : signs)[index % signs.length] ?? ""],
        ),
        seriesName(one),
      ]),
    ),
  );

/** A series is told by its sign too, and not by its color alone; the same order as the symbols of a drawing. */
const signs = ["●", "▲", "■", "◆", "✚", "★"];
/** Another's numbers are hollow. */
const hollow = ["○", "△", "□", "◇", "✛", "☆"];

/** The color of a series, as the style sheet has it: another's numbers for a series here have that series' color. */
export function colorOf(series: readonly Series[], index: number): string {
  const names = [...new Set(series.map(({ name }) => name))];
  return `series-${names.indexOf(series[index]?.name ?? "") % 8}`;
}

/** What an axis cannot show. */
export const drawable = (value: unknown, { log }: Axis): boolean =>
  typeof value === "string" || (typeof value === "number" && Number.isFinite(value) && (log !== true || value > 0));

function left({ series, x, y }: Figure): readonly Tree[] {
  const missing = series
    .flatMap(({ points }) => points)
    .filter((one) => !drawable(one.x, x) || !drawable(one.y, y)).length;
  if (missing === 0) return [];
  return [
    branch("p", { class: "note" }, [
      `Not drawn, since the axes cannot show them: ${missing}; they stand in the table.`,
    ]),
  ];
}

function pointsOf({ series, x, y }: Figure): Table {
  const points = series.flatMap((one) => one.points.map((point) => ({ name: seriesName(one), point })));
  const interval = points.some(({ point }) => point.low !== undefined || point.high !== undefined);
  const labels = points.some(({ point }) => point.label !== undefined);
  return {
    columns: ["series", x.label, y.label, ...(interval ? ["from", "to"] : []), ...(labels ? ["note"] : [])],
    rows: points.map(({ name, point }) => [
      name,
      point.x,
      point.y,
      ...(interval ? [point.low ?? null, point.high ?? null] : []),
      ...(labels ? [point.label ?? ""] : []),
    ]),
  };
}
