// An evaluation's results as plots.

import { axisX, axisY, barX, dot, link, plot, ruleX, text } from "@observablehq/plot";
import { h } from "preact";
import type { ComponentChild } from "preact";
import { useEffect } from "preact/hooks";
import { plotted } from "../results.ts";
import type { Plotted } from "../results.ts";
import { useCell } from "./cells.ts";
import { plainName } from "../plain.ts";
import type { State } from "./state.ts";
import { useWidth } from "./width.ts";

/** For each task: success against cost, and what the cost is made of. */
export function Results({ state }: { readonly state: State }): ComponentChild {
  const lines = useCell(state.results);
  if (lines.length === 0) return null;
  const rows = lines.map(plotted).map((row) => ({ ...row, policy: plainName(row.policy) }));
  const tasks = [...new Set(rows.map(({ task }) => task))];
  return h(
    "div",
    { class: "results" },
    tasks.map((task) => h(Task, { key: task, task, rows: rows.filter((row) => row.task === task) })),
  );
}

type TaskProps = { readonly task: string; readonly rows: readonly Plotted[] };

function Task({ task, rows }: TaskProps): ComponentChild {
  const both = rows.filter(({ success, ratio }) => success !== undefined && ratio !== undefined);
  const runs = rows.find((row) => row.runs !== undefined)?.runs;
  const simulated = rows.some((row) => row.simulated);
  const name = plainName(task) || "results";
  return h("section", { class: "run", "aria-label": name }, [
    h("header", { class: "run-head" }, [
      h("h2", {}, name),
      runs === undefined ? null : h("span", { class: "note" }, `${runs} conversations a policy`),
      simulated ? h("span", { class: "note" }, "simulated") : null,
    ]),
    h("div", { class: "plots" }, [
      both.length === 0
        ? null
        : h(Figure, { title: "Success against cost, with 95 % intervals", rows: both, make: trade }),
      h(Figure, { title: "What a conversation costs, in tokens", rows, make: costs }),
    ]),
    h(Table, { rows }),
  ]);
}

type FigureProps = {
  readonly title: string;
  readonly rows: readonly Plotted[];
  readonly make: (rows: readonly Plotted[], width: number) => Element;
};

function Figure({ title, rows, make }: FigureProps): ComponentChild {
  const { place, width } = useWidth();
  useEffect(() => {
    if (width === 0) return;
    const made = make(rows, width);
    // Its rules are in the page's style sheet: the page allows no others.
    for (const style of made.querySelectorAll("style")) style.remove();
    for (const group of made.querySelectorAll("[aria-label]")) group.removeAttribute("aria-label");
    made.setAttribute("role", "img");
    made.setAttribute("aria-label", `${title}. The numbers stand in the table below.`);
    place.current?.replaceChildren(made);
  }, [rows.length, width]);
  return h("figure", {}, [h("figcaption", {}, title), h("div", { ref: place })]);
}

const share = (value: number): string => `${(value * 100).toFixed(0)} %`;

/** Up and to the left is better: more success for less. */
function trade(rows: readonly Plotted[], width: number): Element {
  const at = {
    x: ({ ratio }: Plotted) => ratio?.mean,
    y: ({ success }: Plotted) => success?.mean,
  };
  return plot({
    className: "plot-figure",
    width,
    height: Math.min(360, Math.max(240, width * 0.62)),
    marginLeft: 52,
    marginRight: 70,
    marginTop: 34,
    marginBottom: 48,
    x: { nice: true, grid: true },
    y: { nice: true, grid: true },
    marks: [
      axisX({
        label: "cost over that of hearing everything",
        labelAnchor: "center",
        labelOffset: 42,
        tickFormat: share,
        ticks: 5,
      }),
      axisY({ label: "success", labelOffset: 46, tickFormat: share, ticks: 5 }),
      ruleX([1], { stroke: "var(--edge)" }),
      link(rows, {
        x1: (row: Plotted) => row.ratio?.low,
        x2: (row: Plotted) => row.ratio?.high,
        y: at.y,
        stroke: "var(--pick-up)",
      }),
      link(rows, {
        x: at.x,
        y1: (row: Plotted) => row.success?.low,
        y2: (row: Plotted) => row.success?.high,
        stroke: "var(--pick-up)",
      }),
      dot(rows, { ...at, fill: "var(--speech)", r: 4.5 }),
      text(rows, { ...at, text: "policy", dx: 8, dy: -8, textAnchor: "start", fill: "var(--ink)" }),
    ],
  });
}

const partColors: readonly (readonly [part: string, color: string])[] = [
  ["spoken", "var(--speech)"],
  ["replies", "var(--speech-next)"],
  ["decisions", "var(--quiet)"],
  ["overrun", "var(--cut)"],
];

function costs(rows: readonly Plotted[], width: number): Element {
  const bars = rows.flatMap(({ policy, parts }) => parts.map((part) => ({ policy, ...part })));
  return plot({
    className: "plot-figure",
    width,
    height: rows.length * 26 + 74,
    marginLeft: 110,
    marginBottom: 44,
    x: { label: "tokens", labelAnchor: "center", labelOffset: 40, grid: true },
    y: { label: null, domain: rows.map(({ policy }) => policy) },
    color: { domain: partColors.map(([part]) => part), range: partColors.map(([, color]) => color), legend: false },
    marks: [barX(bars, { x: "tokens", y: "policy", fill: "part", insetTop: 4, insetBottom: 4 })],
  });
}

const range = (estimate: Plotted["success"]): string =>
  estimate === undefined ? "–" : `${share(estimate.mean)} (${share(estimate.low)} to ${share(estimate.high)})`;

function Table({ rows }: { readonly rows: readonly Plotted[] }): ComponentChild {
  const parts = partColors.filter(([part]) => rows.some((row) => row.parts.some((one) => one.part === part)));
  const tokens = (row: Plotted, part: string) => row.parts.find((one) => one.part === part)?.tokens ?? 0;
  const head = ["policy", "success", "cost over hearing everything"];
  return h("div", { class: "table", tabIndex: 0, role: "region", "aria-label": "Results as numbers" }, [
    h("table", {}, [
      h("thead", {}, [
        h("tr", {}, [
          ...head.map((title) => h("th", { key: title, scope: "col" }, title)),
          ...parts.map(([part, color]) =>
            h("th", { key: part, scope: "col" }, [h("i", { class: "key", style: { background: color } }), part]),
          ),
        ]),
      ]),
      h(
        "tbody",
        {},
        rows.map((row) =>
          h("tr", { key: row.policy }, [
            h("th", { scope: "row" }, row.policy),
            h("td", {}, range(row.success)),
            h("td", {}, range(row.ratio)),
            ...parts.map(([part]) => h("td", { key: part }, tokens(row, part).toFixed(0))),
          ]),
        ),
      ),
    ]),
  ]);
}
