// A figure of findings, drawn.

import { areaY, axisX, axisY, barX, dot, line, plot, pointer, ruleX, ruleY, text, tip } from "@observablehq/plot";
import type { Markish, PlotOptions } from "@observablehq/plot";
import type { Axis, Figure, Point, Series } from "../../eval/findings.ts";
import { colorOf, drawable, numeral, seriesName } from "../findings-tree.ts";
import { plainName } from "../plain.ts";

/** A point that can be drawn, with what is written at it. */
type Mark = {
  readonly x: number | string;
  readonly y: number;
  readonly low: number | undefined;
  readonly high: number | undefined;
  readonly label: string;
  readonly told: string;
  readonly series: string;
};

type Drawn = {
  readonly marks: readonly Mark[];
  readonly color: string;
  readonly symbol: string;
  readonly published: boolean;
};

/** The same order as the signs of the list of series. */
const symbols = ["circle", "triangle", "square", "diamond", "cross", "star"];

/** An SVG of this width; its numbers stand in a table beside it. */
export function drawFigure(figure: Figure, width: number): Element {
  const drawn = figure.series.map((series, index) => drawnOf(figure, series, index));
  const made = plot({
    className: "plot-figure",
    width,
    ...(figure.kind === "bar" ? bars(figure, drawn, width) : points(figure, drawn, width)),
  });
  if (figure.kind !== "bar") part(made.querySelectorAll("[aria-label=text] text"));
  // Its rules are in the page's style sheet: the page allows no others.
  for (const style of made.querySelectorAll("style")) style.remove();
  for (const group of made.querySelectorAll("[aria-label]")) group.removeAttribute("aria-label");
  made.setAttribute("role", "img");
  made.setAttribute("aria-label", `${plainName(figure.title)}. Its numbers stand below it.`);
  return made;
}

type Box = { readonly left: number; readonly right: number; readonly y: number };

/** Labels that would lie on one another are moved up or down, and left out where there is no room; they stand in the table. */
function part(labels: Iterable<Element>): void {
  const taken: Box[] = [];
  for (const label of labels) {
    const [x = 0, y = 0] = (label.getAttribute("transform") ?? "").match(/-?[\d.]+/g)?.map(Number) ?? [];
    const right = x + (label.textContent?.length ?? 0) * 6.6;
    const isFree = (down: number) =>
      taken.every((one) => one.right < x || one.left > right || Math.abs(one.y - y - down) >= 12);
    const down = [0, 14, -14, 28].find(isFree);
    if (down === undefined) label.remove();
    else {
      taken.push({ left: x, right, y: y + down });
      if (down !== 0) label.setAttribute("transform", `translate(${x},${y + down})`);
    }
  }
}

function drawnOf(figure: Figure, series: Series, index: number): Drawn {
  const name = plainName(seriesName(series));
  const texts = figure.kind === "bar" || hasNames(figure);
  const marks = series.points
    .filter((point) => drawable(point.x, figure.x) && drawable(point.y, figure.y))
    .map((point) => markOf(point, { name, texts, axis: figure.y }));
  return {
    marks,
    color: `var(--${colorOf(figure.series, index)})`,
    symbol: symbols[index % symbols.length] ?? "circle",
    published: series.published === true,
  };
}

const hasNames = ({ series }: Figure): boolean =>
  series.some(({ points: all }) => all.some(({ x }) => typeof x === "string"));

type About = { readonly name: string; readonly texts: boolean; readonly axis: Axis };

function markOf({ x, y, low, high, label = "" }: Point, { name, texts, axis }: About): Mark {
  const place = typeof x === "string" ? plainName(x) : x;
  const [least, most] = [end(low, axis), end(high, axis)];
  const interval = least === undefined && most === undefined ? "" : ` (${numeral(low)} to ${numeral(high)})`;
  const at = typeof place === "number" ? numeral(place) : place;
  return {
    x: texts ? String(place) : place,
    y,
    low: least ?? (most === undefined ? undefined : y),
    high: most ?? (least === undefined ? undefined : y),
    label: plainName(label),
    told: `${name}\n${at}: ${numeral(y)}${interval}${label === "" ? "" : `\n${plainName(label)}`}`,
    series: name,
  };
}

const end = (value: number | undefined, axis: Axis): number | undefined =>
  value !== undefined && drawable(value, axis) ? value : undefined;

/** As much of a text as there is room for; all of it stands in the table. */
function fitting(label: string, width: number): string {
  const most = Math.max(8, Math.floor(width / 6.4));
  const name = plainName(label);
  return name.length <= most ? name : `${name.slice(0, most - 1)}…`;
}

const scale = ({ log }: Axis) => (log === true ? { type: "log" as const } : {});

/** The names on an axis, in the order in which they first come. */
const namesIn = (drawn: readonly Drawn[]): string[] => [
  ...new Set(drawn.flatMap(({ marks }) => marks.map(({ x }) => String(x)))),
];

function points(figure: Figure, drawn: readonly Drawn[], width: number): PlotOptions {
  const names = hasNames(figure) ? namesIn(drawn) : undefined;
  const crowded = names !== undefined && names.join("").length * 7 > width - 90;
  const longest = Math.max(0, ...(names ?? []).map(({ length }) => length));
  const tilt = crowded ? { tickRotate: -35, tickFormat: (name: string) => fitting(name, 100) } : {};
  const bottom = crowded ? 46 + Math.min(70, longest * 4) : 46;
  const inner = width - 70;
  const ticks = names === undefined ? { ticks: Math.max(3, Math.round(inner / 90)) } : {};
  return {
    height: Math.min(380, Math.max(240, width * 0.6)) + bottom - 46,
    marginLeft: 56,
    marginRight: drawn.some(({ marks }) => marks.some(({ label }) => label !== "")) ? 70 : 16,
    marginTop: 32,
    marginBottom: bottom,
    x:
      names === undefined
        ? { ...scale(figure.x), nice: figure.x.log !== true, inset: 8 }
        : { type: "point", domain: names, padding: 0.5 },
    y: { ...scale(figure.y), nice: true, grid: true },
    marks: [
      axisX({
        label: fitting(figure.x.label, inner),
        labelAnchor: "center",
        labelOffset: bottom - 6,
        ...ticks,
        ...tilt,
      }),
      axisY({ label: fitting(figure.y.label, inner), ticks: 5 }),
      ...drawn.flatMap((one) => [...spread(figure, one), ...(figure.kind === "line" ? path(one) : []), ...signs(one)]),
      ...tips(drawn, { x: "x", y: "y" }),
    ],
  };
}

/** What an interval spans: a band along a line, and a rule at a single point. */
function spread({ kind }: Figure, { marks, color }: Drawn): readonly Markish[] {
  const wide = marks.filter(({ low }) => low !== undefined);
  if (wide.length === 0) return [];
  const band = kind === "line" && wide.length === marks.length && marks.length > 2;
  if (band) return [areaY(marks, { x: "x", y1: "low", y2: "high", fill: color, fillOpacity: 0.16, z: null })];
  return [ruleX(wide, { x: "x", y1: "low", y2: "high", stroke: color, strokeWidth: 1.5 })];
}

const dashes = (published: boolean) => (published ? { strokeDasharray: "5 4" } : {});

const path = ({ marks, color, published }: Drawn): readonly Markish[] => [
  line(marks, { x: "x", y: "y", stroke: color, strokeWidth: 1.8, z: null, ...dashes(published) }),
];

/** Legible over lines too. */
const ink = { fill: "var(--ink)", stroke: "var(--paper)", strokeWidth: 3 };

/** Another's numbers are hollow. */
function signs({ marks, color, symbol, published }: Drawn): readonly Markish[] {
  const fill = published ? "var(--paper)" : color;
  return [
    dot(marks, { x: "x", y: "y", symbol, r: 4, fill, stroke: color, strokeWidth: 1.5 }),
    text(
      marks.filter(({ label }) => label !== ""),
      { x: "x", y: "y", text: "label", dx: 8, dy: -7, textAnchor: "start", ...ink },
    ),
  ];
}

const tips = (drawn: readonly Drawn[], at: object): readonly Markish[] => [
  tip(
    drawn.flatMap(({ marks }) => marks),
    pointer({ ...at, title: "told", fill: "var(--paper)", stroke: "var(--edge)", maxRadius: 30 } as never),
  ),
];

/** Bars lie: names of any length stand beside them, on a phone too. */
function bars(figure: Figure, drawn: readonly Drawn[], width: number): PlotOptions {
  const names = namesIn(drawn);
  const several = drawn.length > 1;
  const thick = several ? Math.max(10, 22 - drawn.length * 2) : 20;
  const longest = Math.max(...names.map(({ length }) => length), 4);
  const left = Math.min(width * 0.38, longest * 6.6 + 16);
  const inner = width - left - 30;
  const rows = several ? drawn.map(({ marks }) => marks[0]?.series ?? "") : names;
  const values = drawn.flatMap(({ marks }) => marks.flatMap(({ y, low }) => [y, low ?? y]));
  const from = figure.y.log === true ? Math.min(...values) / 2 : 0;
  const across = several ? { y: "series", fy: "x" } : { y: "x" };
  const labels = { tickFormat: (name: string) => fitting(name, left - 12), label: null, tickSize: 0 };
  return {
    height: names.length * (several ? drawn.length * thick + 12 : thick + 8) + 56,
    marginLeft: left,
    marginRight: 30,
    marginTop: 8,
    marginBottom: 46,
    x: { ...scale(figure.y), nice: true, grid: true },
    ...(several
      ? { y: { domain: rows, axis: null, padding: 0.08 }, fy: { domain: names, ...labels, padding: 0.16 } }
      : { y: { domain: names, ...labels, padding: 0.24 } }),
    marks: [
      axisX({
        label: fitting(figure.y.label, inner + 40),
        labelAnchor: "center",
        labelOffset: 40,
        anchor: "bottom",
        ticks: Math.max(2, Math.round(inner / 80)),
      }),
      ...drawn.flatMap((one) => bar(one, { across, from })),
      ...tips(drawn, { ...across, x: "y" }),
    ],
  };
}

type Lying = { readonly across: Readonly<Record<string, string>>; readonly from: number };

function bar({ marks, color, published }: Drawn, { across, from }: Lying): readonly Markish[] {
  const wide = marks.filter(({ low }) => low !== undefined);
  const fill = published ? { fill: color, fillOpacity: 0.12, stroke: color, ...dashes(true) } : { fill: color };
  return [
    barX(marks, { ...across, x1: () => from, x2: "y", ...fill }),
    // A light edge, so that the rule can be told from the bar.
    ruleY(wide, { ...across, x1: "low", x2: "high", stroke: "var(--paper)", strokeWidth: 4 }),
    ruleY(wide, { ...across, x1: "low", x2: "high", stroke: "var(--ink)", strokeWidth: 1.5 }),
    text(
      marks.filter(({ label }) => label !== ""),
      {
        ...across,
        x: ({ high, y }: Mark) => high ?? y,
        text: "label",
        dx: 5,
        textAnchor: "start",
        ...ink,
      },
    ),
  ];
}
