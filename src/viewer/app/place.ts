// The reader's place, in the page's address: it can be sent to somebody.

import type { Live } from "./live.ts";
import { speeds } from "./player.ts";
import { goTo, show } from "./state.ts";
import type { State } from "./state.ts";

/** Keeps the address up to date, and follows it when it is changed. */
export function keepPlace(state: State, live?: Live): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const keep = () => {
    clearTimeout(timer);
    // Browsers bound how often an address may change.
    timer = setTimeout(() => {
      // Where there is no run, the address names a section.
      if (state.runs.get().length === 0 && live === undefined) return;
      const hash = placeOf(state, live?.id.get());
      if (location.hash !== hash) history.replaceState(null, "", hash);
    }, 250);
  };
  goToPlace(state, location.hash);
  // Read first, since following a run begins with what the address names.
  const followed = new URLSearchParams(location.hash.slice(1)).get("run");
  if (followed !== null) live?.id.set(followed);
  live?.id.watch(keep);
  for (const source of [state.time, state.agent, state.speed, state.shown]) source.watch(keep);
  addEventListener("hashchange", () => goToPlace(state, location.hash));
}

function placeOf(state: State, run: string | undefined): string {
  const fields = new URLSearchParams({ t: state.time.get().toFixed(0) });
  if (run !== undefined) fields.set("run", run);
  const agent = state.agent.get();
  if (agent !== undefined) fields.set("agent", agent);
  if (state.speed.get() !== 1) fields.set("speed", String(state.speed.get()));
  if (state.runs.get().length > 1)
    fields.set(
      "runs",
      state.shown
        .get()
        .map((index) => index + 1)
        .join("-"),
    );
  return `#${fields}`;
}

function goToPlace(state: State, hash: string): void {
  const fields = new URLSearchParams(hash.slice(1));
  const runs = (fields.get("runs") ?? "")
    .split("-")
    .map((text) => Number(text) - 1)
    .filter((index) => state.runs.get()[index] !== undefined);
  if (runs.length > 0 && runs.join() !== state.shown.get().join()) show(state, [...new Set(runs)]);
  const time = Number.parseFloat(fields.get("t") ?? "");
  if (Number.isFinite(time)) goTo(state, time);
  const agent = fields.get("agent");
  if (agent !== null) state.agent.set(agent);
  const speed = Number(fields.get("speed"));
  if (speeds.includes(speed)) state.speed.set(speed);
}
