// One run: its heading, the names of its agents, and the drawing of their lanes.

import { h } from "preact";
import type { ComponentChild } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { growthOf, takenAt, upTo } from "../moment.ts";
import { cell, useCell } from "./cells.ts";
import { draw } from "./draw.ts";
import { HandButton } from "./hand.ts";
import { layoutOf, scaleOf } from "./layout.ts";
import { paletteOf } from "./palette.ts";
import { count, duration, money, plain, plainName } from "../plain.ts";
import { choose, shownRuns, startOf, titleOf } from "./state.ts";
import type { RunView, State } from "./state.ts";

type Shown = { readonly state: State; readonly run: RunView };

/** The heading, the lanes, and what was taken by the cursor. */
export function Run({ state, run, width }: Shown & { readonly width: number }): ComponentChild {
  useCell(run.grew);
  const scene = run.scene();
  const layout = layoutOf(scene);
  const start = startOf(run);
  return h("section", { class: "run", "aria-label": `run ${plainName(titleOf(run))}` }, [
    h("header", { class: "run-head" }, [
      h("h2", {}, plainName(titleOf(run))),
      start?.simulated === true
        ? h("span", { class: "note", title: "Words or times come from a simulated model" }, "simulated")
        : null,
      h(Numbers, { state, run }),
    ]),
    run.problem === undefined ? null : h("p", { class: "problem", role: "alert" }, plain(run.problem)),
    h("div", { class: "band", style: { height: `${layout.height}px` } }, [
      h(
        "div",
        { class: "names" },
        scene.timeline.agents.map(({ agent, model }, index) => {
          const row = layout.rows[index];
          return h(Name, { key: agent, state, run, agent, model, top: row?.top ?? 0, height: row?.height ?? 0 });
        }),
        h(
          "div",
          { class: "name grown", style: { top: `${layout.growth.top}px`, height: `${layout.growth.height}px` } },
          growthOf(scene, state.prices).unit,
        ),
      ),
      h("div", { class: "plot" }, [
        h(Lanes, { state, run, width, height: layout.height }),
        h(End, { state, run, width }),
        h("div", { class: "veil" }),
        h("div", { class: "cursor" }),
      ]),
    ]),
  ]);
}

type NameProps = Shown & {
  readonly agent: string;
  readonly model: string;
  readonly top: number;
  readonly height: number;
};

function Name({ state, run, agent, model, top, height }: NameProps): ComponentChild {
  const chosen = useCell(state.agent, (id) => id === agent);
  const shown = plainName(agent);
  const title = `${shown}, ${plainName(model)}`;
  const click = () => choose(state, agent);
  const room = Math.max(18, height);
  const style = { top: `${top - (room - height) / 2}px`, height: `${room}px` };
  return h("div", { class: "name", style }, [
    h("button", { type: "button", class: "agent", "aria-pressed": chosen, title, onClick: click }, h("bdi", {}, shown)),
    run.hand === undefined ? null : h(HandButton, { state, run, hand: run.hand, agent }),
  ]);
}

function Lanes({
  state,
  run,
  width,
  height,
}: Shown & { readonly width: number; readonly height: number }): ComponentChild {
  const place = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const canvas = place.current;
    const context = canvas?.getContext("2d") ?? undefined;
    if (canvas === null || context === undefined || width === 0) return undefined;
    let frame = 0;
    const paint = () => {
      frame = 0;
      fit(canvas, width, height);
      const ratio = canvas.width / width;
      context.setTransform(ratio, 0, 0, ratio, 0, 0);
      const scene = run.scene();
      const scale = scaleOf(width, state.range.get());
      const agent = state.agent.get();
      const grown = growthOf(scene, state.prices);
      const most = mostOf(state, grown.unit);
      draw({ context, scale, palette: paletteOf(canvas), scene, layout: layoutOf(scene), agent, grown, most });
    };
    const soon = () => {
      frame ||= requestAnimationFrame(paint);
    };
    paint();
    const ends = [
      state.range.watch(soon),
      state.agent.watch(soon),
      state.shown.watch(soon),
      run.grew.watch(soon),
      theme.watch(soon),
    ];
    return () => {
      cancelAnimationFrame(frame);
      for (const end of ends) end();
    };
  }, [width, height, run]);
  const name = `${plainName(titleOf(run))}: ${aboutRun(run)}`;
  return h("canvas", { ref: place, role: "img", "aria-label": name });
}

/** The most that any of the runs that are shown took, so that they can be compared. */
function mostOf(state: State, unit: string): number {
  const all = shownRuns(state).map((run) => growthOf(run.scene(), state.prices));
  return Math.max(0, ...all.filter((grown) => grown.unit === unit).map(({ points }) => points.at(-1)?.amount ?? 0));
}

/** Counts changes between light and dark. */
const theme = cell(0);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => theme.set(theme.get() + 1));

function fit(canvas: HTMLCanvasElement, width: number, height: number): void {
  // Very tall drawings are made coarser instead of failing.
  const ratio = Math.min(devicePixelRatio, 16_000 / Math.max(1, height));
  const [across, down] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width === across && canvas.height === down) return;
  canvas.width = across;
  canvas.height = down;
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
}

function aboutRun(run: RunView): string {
  const { agents, wallMs } = run.scene().timeline;
  const steps = agents.reduce((total, agent) => total + agent.steps.length, 0);
  const cuts = agents.reduce((total, agent) => total + agent.interrupts.length, 0);
  return `${agents.length} agents, ${steps} steps, ${cuts} interrupts, ${duration(wallMs)}. What was said stands below.`;
}

/** Where the run was over. */
function End({ state, run, width }: Shown & { readonly width: number }): ComponentChild {
  const range = useCell(state.range);
  const { end } = run.scene().timeline;
  if (end === undefined || end.at < range.from || end.at > range.to) return null;
  const left = scaleOf(width, range).x(end.at);
  const beside = width - left > 120;
  return h("div", { class: "end", style: { left: `${left}px` } }, [
    beside
      ? h("span", {}, `${end.reason === "done" ? "done" : end.reason} at ${duration(end.at, state.wall.get())}`)
      : null,
  ]);
}

/** What the run came to and has taken by the cursor. */
function Numbers({ state, run }: Shown): ComponentChild {
  const scene = run.scene();
  const changes = (at: number) =>
    `${scene.lanes.map(({ growth }) => upTo(growth, at)).join()} ${upTo(scene.overrun, at)}`;
  useCell(state.time, changes);
  const { usage, overrunTokens, cost } = takenAt(scene, state.time.get(), state.prices);
  const about = usage.estimated === true ? "≈ " : "";
  const cached = usage.cachedTokens > 0 ? ` (${count(usage.cachedTokens)} cached)` : "";
  const parts: [string, string][] = [
    ["time", duration(scene.timeline.wallMs)],
    ...gain(state, run),
    ["calls", count(usage.calls)],
    ["tokens in", `${about}${count(usage.inputTokens)}${cached}`],
    ["out", `${about}${count(usage.outputTokens)}`],
  ];
  if ((scene.overrun.at(-1)?.tokens ?? 0) > 0) parts.push(["never said", count(overrunTokens)]);
  if (cost !== undefined) parts.push(["cost", about + money(cost.amount, cost.currency)]);
  return h(
    "dl",
    { class: "numbers" },
    parts.map(([name, value]) => h("div", { key: name }, [h("dt", {}, name), h("dd", {}, value)])),
  );
}

/** Against the serial run that is shown beside it, of the same task. */
function gain(state: State, run: RunView): [string, string][] {
  const serial = shownRuns(state).find((other) => startOf(other)?.protocol === "serial");
  if (serial === undefined || serial === run || startOf(serial)?.task !== startOf(run)?.task) return [];
  const [slow, fast] = [serial.scene().timeline, run.scene().timeline];
  if (slow.end === undefined || fast.end === undefined || fast.wallMs === 0) return [];
  return [["against serial", `${(slow.wallMs / fast.wallMs).toFixed(2)}× as fast`]];
}
