// The keyboard, wherever the focus is, except where a key has a meaning of its own.

import { besideStep, faster, toggle } from "./player.ts";
import { goTo, pan, shownRuns, zoom } from "./state.ts";
import type { State } from "./state.ts";

type Act = (state: State) => void;

const spanOf = (state: State): number => state.range.get().to - state.range.get().from;
const move =
  (share: number): Act =>
  (state) =>
    goTo(state, state.time.get() + spanOf(state) * share);

const acts: Readonly<Record<string, Act>> = {
  " ": toggle,
  ArrowLeft: move(-0.01),
  ArrowRight: move(0.01),
  PageUp: move(-0.1),
  PageDown: move(0.1),
  Home: (state) => goTo(state, 0),
  End: (state) => goTo(state, state.wall.get()),
  ",": (state) => goTo(state, besideStep(state, -1)),
  ".": (state) => goTo(state, besideStep(state, 1)),
  "[": (state) => faster(state, -1),
  "]": (state) => faster(state, 1),
  "+": (state) => zoom(state, state.time.get(), 0.5),
  "=": (state) => zoom(state, state.time.get(), 0.5),
  "-": (state) => zoom(state, state.time.get(), 2),
  "0": (state) => state.range.set({ from: 0, to: state.wall.get() }),
  h: (state) => pan(state, -spanOf(state) * 0.2),
  l: (state) => pan(state, spanOf(state) * 0.2),
  ArrowUp: (state) => beside(state, -1),
  ArrowDown: (state) => beside(state, 1),
  Escape: (state) => state.agent.set(undefined),
};

/** What the keys do, for the page's own help. */
export const help: readonly (readonly [keys: string, does: string])[] = [
  ["Space", "play or pause"],
  ["← →", "move the cursor"],
  [", .", "step before, step after"],
  ["↑ ↓", "pick an agent out"],
  ["[ ]", "slower, faster"],
  ["+ − 0", "less time, more time, all of it"],
  ["Home End", "to the beginning, to the end"],
];

/** Picks out the agent above or below. */
function beside(state: State, by: 1 | -1): void {
  const agents = [...new Set(shownRuns(state).flatMap((run) => run.scene().lanes.map(({ agent }) => agent)))];
  const place = agents.indexOf(state.agent.get() ?? "");
  state.agent.set(
    agents[place < 0 ? (by > 0 ? 0 : agents.length - 1) : Math.max(0, Math.min(agents.length - 1, place + by))],
  );
}

const scrolls = new Set(["ArrowUp", "ArrowDown", "PageUp", "PageDown", "Home", "End"]);

/** Whether a key means something to the element it was pressed in. */
function taken(key: string, target: EventTarget | null): boolean {
  if (!(target instanceof Element)) return false;
  if (target.closest("input, textarea, select, dialog, summary") !== null) return true;
  if (target.closest("button") !== null) return key === " ";
  return scrolls.has(key) && target.closest(".text") !== null;
}

export function takeKeys(state: State): void {
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || taken(event.key, event.target)) return;
    const act = Object.hasOwn(acts, event.key) ? acts[event.key] : undefined;
    if (act === undefined) return;
    event.preventDefault();
    if (event.key !== " ") state.playing.set(false);
    act(state);
  });
}
