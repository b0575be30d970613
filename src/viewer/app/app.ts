// The one screen.

import { h } from "preact";
import type { ComponentChild } from "preact";
import { cell, useCell } from "./cells.ts";
import { Controls, OpenFile } from "./controls.ts";
import { FindingsList } from "./findings.ts";
import { help } from "./keys.ts";
import type { Live } from "./live.ts";
import { Panes } from "./panes.ts";
import { plain } from "../plain.ts";
import { Results } from "./results.ts";
import { ServerBar } from "./server-bar.ts";
import { Stage } from "./stage.ts";
import { shownRuns, startOf } from "./state.ts";
import type { State } from "./state.ts";

type Props = { readonly state: State };

/** `live`: the page belongs to a server. */
export function App({ state, live }: Props & { readonly live: Live | undefined }): ComponentChild {
  const runs = useCell(state.runs);
  const results = useCell(state.results);
  const findings = useCell(state.findings);
  const empty = results.length === 0 && findings.length === 0;
  return h("main", {}, [
    findings.length > 0 ? h(FindingsList, { state }) : null,
    findings.length > 0 && runs.length === 0 && results.length === 0 ? null : h(Head, { state }),
    live === undefined ? null : h(ServerBar, { state, live }),
    h(Message, { state }),
    h(Results, { state }),
    runs.length > 0 ? h(Shown, { state }) : !empty ? null : h(Nothing, { state, live: live !== undefined }),
    runs.length > 0 ? h(Foot, {}) : null,
  ]);
}

const Shown = ({ state }: Props): ComponentChild =>
  h("div", { class: "shown" }, [
    h(Controls, { state }),
    h(Stage, { state }),
    h(Legend, { state }),
    h(Panes, { state }),
  ]);

/** Where nothing grows. */
const still = cell(0);

function Head({ state }: Props): ComponentChild {
  useCell(state.shown);
  useCell(state.runs);
  const first = shownRuns(state)[0];
  useCell(first?.grew ?? still);
  const task = first === undefined ? undefined : startOf(first)?.task;
  return h("header", { class: "head" }, [
    h("p", { class: "brand" }, "Duplex"),
    h("h1", {}, plain(task ?? (state.title === "Duplex" ? "Who spoke, who listened, who cut in" : state.title))),
  ]);
}

function Message({ state }: Props): ComponentChild {
  const message = useCell(state.message);
  return h("p", { class: "message", role: "status" }, plain(message));
}

const Nothing = ({ state, live }: Props & { readonly live: boolean }): ComponentChild =>
  h("div", { class: "nothing" }, [
    h(
      "p",
      {},
      live
        ? "No run yet. Give a team a task, or drop a trace here."
        : "No run to show yet. Drop a trace here: the JSONL that duplex run --trace FILE writes.",
    ),
    h(OpenFile, { state }),
  ]);

function Legend({ state }: Props): ComponentChild {
  useCell(state.shown);
  useCell(shownRuns(state)[0]?.grew ?? still);
  const runs = shownRuns(state).map((run) => run.scene());
  const any = (test: (scene: (typeof runs)[number]) => boolean) => runs.some(test);
  const waited = any(({ timeline }) => timeline.agents.some(({ waitedMs }) => waitedMs > 0));
  const cut = any(({ timeline }) => timeline.agents.some(({ interrupts }) => interrupts.length > 0));
  const entries: [string, string][] = [
    ["speech", "speaking, a shade per step"],
    ["thinking", "before its first word"],
  ];
  if (any(({ timeline }) => timeline.agents.some(({ steps }) => steps.some(({ pickedUp }) => pickedUp.length > 0))))
    entries.push(["link", "a step, picked up"]);
  if (waited) entries.push(["held", "held back"]);
  if (any(({ lanes }) => lanes.some(({ decisions }) => decisions.length > 0)))
    entries.push(["decision", "how likely cutting in is right"]);
  if (cut) entries.push(["cut", "cut"]);
  if (any(({ overrun }) => overrun.length > 0)) entries.push(["unsaid", "made, never said"]);
  return h(
    "ul",
    { class: "legend", "aria-label": "What the marks mean" },
    entries.map(([kind, text]) =>
      h("li", { key: kind }, [h("i", { class: `key ${kind}`, "aria-hidden": "true" }), text]),
    ),
  );
}

const Foot = (): ComponentChild =>
  h("footer", { class: "foot" }, [
    h("details", {}, [
      h("summary", {}, "Keys"),
      h(
        "dl",
        { class: "keys" },
        help.map(([keys, does]) => h("div", { key: keys }, [h("dt", {}, keys), h("dd", {}, does)])),
      ),
    ]),
  ]);
