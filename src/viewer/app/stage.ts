// The runs above one another on one axis of time, and the cursor that goes over all of them.

import { h } from "preact";
import type { ComponentChild } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { doingAt } from "../moment.ts";
import { useCell } from "./cells.ts";
import { Run } from "./chart.ts";
import { scaleOf, ticks } from "./layout.ts";
import { duration, plainName } from "../plain.ts";
import { goTo, pan, shownRuns, titleOf, zoom } from "./state.ts";
import type { State } from "./state.ts";

/** The axis and the runs. */
export function Stage({ state }: { readonly state: State }): ComponentChild {
  useCell(state.runs);
  useCell(state.shown);
  const place = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const plot = place.current?.querySelector(".axis");
    if (!(plot instanceof HTMLElement)) return undefined;
    const observer = new ResizeObserver(() => setWidth(plot.clientWidth));
    observer.observe(plot);
    setWidth(plot.clientWidth);
    return () => observer.disconnect();
  }, []);
  useCursor(state, place, width);
  usePointer(state, place);
  return h("div", { class: "stage", ref: place }, [
    h(Axis, { state, width }),
    h(
      "div",
      { class: "runs" },
      shownRuns(state).map((run) => h(Run, { key: run, state, run, width })),
    ),
  ]);
}

type Place = { readonly current: HTMLDivElement | null };

/** The cursor is moved by one property, so that a frame costs no rendering. */
function useCursor(state: State, place: Place, width: number): void {
  useLayoutEffect(() => {
    const move = () => {
      const x = scaleOf(width, state.range.get()).x(state.time.get());
      place.current?.style.setProperty("--cursor", `${Math.max(0, Math.min(width, x)).toFixed(1)}px`);
    };
    move();
    const ends = [state.time.watch(move), state.range.watch(move)];
    return () => {
      for (const end of ends) end();
    };
  }, [width]);
}

/** Dragging over a plot moves the cursor; with Ctrl the wheel enlarges, sideways it moves along. */
function usePointer(state: State, place: Place): void {
  useEffect(() => {
    const stage = place.current;
    if (stage === null) return undefined;
    const ends = new AbortController();
    const { signal } = ends;
    let drag: number | undefined;
    const timeOf = (event: MouseEvent): number => {
      const box = stage.querySelector(".axis")?.getBoundingClientRect();
      const { from, to } = state.range.get();
      return box === undefined ? 0 : from + ((event.clientX - box.left) / box.width) * (to - from);
    };
    const down = (event: PointerEvent) => {
      if (event.button !== 0 || !(event.target instanceof Element) || event.target.closest(".plot") === null) return;
      drag = event.pointerId;
      stage.setPointerCapture(drag);
      state.playing.set(false);
      state.following.set(false);
      goTo(state, timeOf(event));
    };
    const move = (event: PointerEvent) => {
      if (drag === event.pointerId) goTo(state, timeOf(event));
    };
    const up = () => {
      drag = undefined;
    };
    const wheel = (event: WheelEvent) => {
      const { from, to } = state.range.get();
      const along = event.shiftKey ? event.deltaY : event.deltaX;
      if (event.ctrlKey || event.metaKey) zoom(state, timeOf(event), Math.exp(event.deltaY / 300));
      else if (along !== 0 && to - from < state.wall.get()) pan(state, (along / 800) * (to - from));
      else return;
      event.preventDefault();
    };
    stage.addEventListener("pointerdown", down, { signal });
    stage.addEventListener("pointermove", move, { signal });
    stage.addEventListener("pointerup", up, { signal });
    stage.addEventListener("pointercancel", up, { signal });
    stage.addEventListener("wheel", wheel, { signal, passive: false });
    return () => ends.abort();
  }, []);
}

function Axis({ state, width }: { readonly state: State; readonly width: number }): ComponentChild {
  const range = useCell(state.range);
  const scale = scaleOf(width, range);
  const marks = width === 0 ? [] : ticks(scale, 90);
  const digits = (marks[1] ?? 0) - (marks[0] ?? 0) < 100 ? 2 : 1;
  return h("div", { class: "axis-row" }, [
    h(Slider, { state }),
    h("div", { class: "plot axis" }, [
      ...marks
        .filter((at) => scale.x(at) < width - 24)
        .map((at) =>
          h("span", { key: at, class: "tick", style: { left: `${scale.x(at)}px` } }, axisLabel(at, range.to, digits)),
        ),
      h("div", { class: "cursor" }),
    ]),
  ]);
}

const axisLabel = (at: number, to: number, digits: number): string =>
  to < 1000 ? duration(at) : to < 120_000 ? `${(at / 1000).toFixed(digits)} s` : duration(at, to);

/** The cursor for a keyboard and for a screen reader. */
function Slider({ state }: { readonly state: State }): ComponentChild {
  const time = useCell(state.time, Math.round);
  const wall = useCell(state.wall);
  useCell(state.agent);
  useCell(state.shown);
  return h(
    "div",
    {
      class: "clock",
      role: "slider",
      tabIndex: 0,
      "aria-label": "Time",
      "aria-valuemin": 0,
      "aria-valuemax": Math.round(wall),
      "aria-valuenow": time,
      "aria-valuetext": `${duration(time, wall)}. ${statusText(state)}`,
    },
    duration(time, wall),
  );
}

/** What everybody does at the cursor; of many agents only those that do something. */
export function statusText(state: State): string {
  const at = state.time.get();
  const chosen = state.agent.get();
  const runs = shownRuns(state);
  return runs
    .map((run) => {
      const { agents } = run.scene().timeline;
      const wanted = chosen === undefined ? agents.slice(0, 12) : agents.filter(({ agent }) => agent === chosen);
      const each = wanted.map((agent) => `${plainName(agent.agent)} ${doingAt(agent, at)}`).join(", ");
      return runs.length > 1 ? `${plainName(titleOf(run))}: ${each}` : each;
    })
    .join(". ");
}
