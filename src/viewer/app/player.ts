// The cursor as it runs.

import { goTo, shownRuns } from "./state.ts";
import type { State } from "./state.ts";

export const speeds = [0.1, 0.25, 0.5, 1, 2, 4, 8, 16, 64];

/** Begins or ends playing; at the end it begins again. */
export function toggle(state: State): void {
  const playing = !state.playing.get();
  if (playing && state.time.get() >= state.wall.get()) goTo(state, 0);
  state.following.set(false);
  state.playing.set(playing);
}

/** The next higher (1) or lower (-1) speed. */
export function faster(state: State, by: 1 | -1): void {
  const place = speeds.findIndex((speed) => speed >= state.speed.get());
  state.speed.set(speeds[Math.max(0, Math.min(speeds.length - 1, place + by))] ?? 1);
}

/** The moment of the step before or after the cursor, over all runs that are shown. */
export function besideStep(state: State, by: 1 | -1): number {
  const time = state.time.get();
  let best = by > 0 ? state.wall.get() : 0;
  for (const run of shownRuns(state))
    for (const { steps } of run.scene().timeline.agents)
      for (const { at } of steps)
        if (by > 0 ? at > time + 0.001 && at < best : at < time - 0.001 && at > best) best = at;
  return best;
}

/** Moves the cursor while the page plays. */
export function playWith(state: State): void {
  let last = 0;
  const frame = (now: number) => {
    if (!state.playing.get()) return;
    const next = state.time.get() + (now - last) * state.speed.get();
    last = now;
    goTo(state, next);
    if (next >= state.wall.get()) state.playing.set(false);
    else requestAnimationFrame(frame);
  };
  state.playing.watch((playing) => {
    if (!playing) return;
    last = performance.now();
    requestAnimationFrame(frame);
  });
}
