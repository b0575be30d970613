import { h, render } from "preact";
import type { PageData } from "../data.ts";
import { App } from "./app.ts";
import { takeDrops } from "./files.ts";
import { takeKeys } from "./keys.ts";
import { keepPlace } from "./place.ts";
import { playWith } from "./player.ts";
import { newState, open, runView } from "./state.ts";

function begin(root: Element, text: string): void {
  const data = JSON.parse(text) as PageData;
  const state = newState(data.prices);
  state.results.set(data.results);
  open(
    state,
    data.traces.map((trace) => runView(trace)),
  );
  keepPlace(state);
  playWith(state);
  takeKeys(state);
  takeDrops(state);
  render(h(App, { state }), root);
}

const root = document.querySelector("#app");
if (root !== null) begin(root, document.querySelector("#data")?.textContent ?? "{}");
