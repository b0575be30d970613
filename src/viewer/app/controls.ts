// Playing, its speed, which runs are shown, and files that are opened.

import { h } from "preact";
import type { ComponentChild } from "preact";
import { useRef } from "preact/hooks";
import { useCell } from "./cells.ts";
import { openFiles } from "./files.ts";
import { plainName } from "../plain.ts";
import { besideStep, speeds, toggle } from "./player.ts";
import { goTo, show, titleOf, zoom } from "./state.ts";
import type { State } from "./state.ts";

type Props = { readonly state: State };

/** The bar above the runs. */
export function Controls({ state }: Props): ComponentChild {
  return h("div", { class: "controls", role: "toolbar", "aria-label": "Replay" }, [
    h(Play, { state }),
    h(Icon, { label: "Step before", sign: back, act: () => goTo(state, besideStep(state, -1)) }),
    h(Icon, { label: "Step after", sign: on, act: () => goTo(state, besideStep(state, 1)) }),
    h(Speed, { state }),
    h("span", { class: "group" }, [
      h(Icon, { label: "Show less time, larger", sign: "+", act: () => zoom(state, state.time.get(), 0.5) }),
      h(Icon, { label: "Show more time", sign: "−", act: () => zoom(state, state.time.get(), 2) }),
    ]),
    h(Follow, { state }),
    h(Runs, { state }),
    h("span", { class: "space" }),
    h(OpenFile, { state }),
  ]);
}

function Play({ state }: Props): ComponentChild {
  const playing = useCell(state.playing);
  return h("button", { type: "button", class: "play", onClick: () => toggle(state) }, playing ? "Pause" : "Play");
}

const drawn = (path: string): ComponentChild =>
  h(
    "svg",
    { viewBox: "0 0 16 16", width: 14, height: 14, "aria-hidden": "true" },
    h("path", { d: path, fill: "currentColor" }),
  );
const back = drawn("M3 3h2v10H3zM13 3v10L6 8z");
const on = drawn("M11 3h2v10h-2zM3 3v10l7-5z");

type IconProps = { readonly label: string; readonly sign: ComponentChild; readonly act: () => void };

const Icon = ({ label, sign, act }: IconProps): ComponentChild =>
  h("button", { type: "button", class: "icon", "aria-label": label, title: label, onClick: act }, sign);

function Speed({ state }: Props): ComponentChild {
  const speed = useCell(state.speed);
  const change = (event: Event) => state.speed.set(Number((event.currentTarget as HTMLSelectElement).value));
  return h(
    "select",
    { "aria-label": "Speed", value: String(speed), onChange: change },
    speeds.map((one) => h("option", { key: one, value: String(one) }, `${one}×`)),
  );
}

/** Only where a run goes on: keeps the cursor at its end. */
function Follow({ state }: Props): ComponentChild {
  const runs = useCell(state.runs);
  const following = useCell(state.following);
  if (!runs.some(({ hand }) => hand !== undefined)) return null;
  const follow = () => {
    state.playing.set(false);
    state.following.set(!following);
    if (!following) goTo(state, state.wall.get());
  };
  return h("button", { type: "button", class: "follow", "aria-pressed": following, onClick: follow }, "Live");
}

function Runs({ state }: Props): ComponentChild {
  const runs = useCell(state.runs);
  const shown = useCell(state.shown);
  if (runs.length < 2) return null;
  const flip = (index: number) => {
    const next = shown.includes(index)
      ? shown.filter((one) => one !== index)
      : [...shown, index].toSorted((a, b) => a - b);
    if (next.length > 0) show(state, next);
  };
  return h(
    "span",
    { class: "group", role: "group", "aria-label": "Runs" },
    runs.map((run, index) =>
      h(
        "button",
        { key: run, type: "button", class: "chip", "aria-pressed": shown.includes(index), onClick: () => flip(index) },
        plainName(titleOf(run)),
      ),
    ),
  );
}

/** A button that opens files of this machine. */
export function OpenFile({ state }: Props): ComponentChild {
  const input = useRef<HTMLInputElement>(null);
  const open = () => {
    const files = [...(input.current?.files ?? [])];
    if (files.length > 0) void openFiles(state, files);
  };
  return h("span", { class: "open" }, [
    h("button", { type: "button", onClick: () => input.current?.click() }, "Open a trace…"),
    h("input", {
      ref: input,
      type: "file",
      multiple: true,
      hidden: true,
      accept: ".jsonl,.json,.ndjson",
      onChange: open,
    }),
  ]);
}
