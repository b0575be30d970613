import { h, render } from "preact";
import type { PageData } from "../data.ts";
import { App } from "./app.ts";
import { takeDrops } from "./files.ts";
import { takeKeys } from "./keys.ts";
import { newLive, watchServer } from "./live.ts";
import { keepPlace } from "./place.ts";
import { playWith } from "./player.ts";
import { newState, open, runView } from "./state.ts";

function begin(root: Element, text: string): void {
  const data = JSON.parse(text) as PageData;
  const state = newState(data);
  state.results.set(data.results);
  state.findings.set(data.findings);
  open(
    state,
    data.traces.map((trace) => runView(trace)),
  );
  const live = data.live ? newLive() : undefined;
  keepPlace(state, live);
  playWith(state);
  takeKeys(state);
  takeDrops(state);
  // What stands there is for readers without JavaScript.
  root.replaceChildren();
  render(h(App, { state, live }), root);
  if (live !== undefined) watchServer(state, live);
}

const root = document.querySelector("#app");
if (root !== null) begin(root, document.querySelector("#data")?.textContent ?? "{}");
