import { systemClock } from "../base/clock.ts";
import type { Clock } from "../base/clock.ts";
import { random, subseed } from "../base/random.ts";
import type { Random } from "../base/random.ts";
import type { Settings } from "./simulated-settings.ts";

/** After so many tokens that are due at once others get a turn. */
const inOneGo = 256;
// A timer holds no more than 31 bits.
const longestSleep = 2 ** 30;

/** What a call's timing depends on: its seed, its prompt tokens, and those of them that are cached. */
export type Load = { readonly seed: number; readonly input: number; readonly cached: number };

/** Lets everything else run; a timer of the machine's own clock would cost a millisecond. */
function breathe(clock: Clock): Promise<void> {
  if (clock !== systemClock || typeof setImmediate !== "function") return clock.sleep(0);
  return new Promise((resolve) => setImmediate(resolve));
}

/** How a model waits. */
export type Waiting = Pick<Settings, "clock" | "precise">;

/** Sleeps to a moment of the clock, or until the signal fires. */
export async function sleepUntil(due: number, { clock, precise }: Waiting, signal?: AbortSignal): Promise<void> {
  const spins = precise && clock === systemClock;
  // Again where a timer fires early: a token must not come before its time.
  for (let left = due - clock.now(); left > 0 && signal?.aborted !== true; left = due - clock.now()) {
    // Timers are a millisecond coarse on either side.
    if (spins && left < 2) await breathe(clock);
    else await clock.sleep(Math.min(spins ? left - 1 : left, longestSleep), signal);
  }
}

/** Waits for one moment after the other; answers nothing where it has come already, so that catching up costs nothing. */
export function pacer(waiting: Waiting, signal?: AbortSignal): (due: number) => Promise<void> | undefined {
  const { clock } = waiting;
  let inRow = 0;
  return (due) => {
    if (clock.now() < due) {
      inRow = 0;
      return sleepUntil(due, waiting, signal);
    }
    return ++inRow % inOneGo === 0 ? breathe(clock) : undefined;
  };
}

const spread = (next: Random, jitter: number): number => (jitter === 0 ? 1 : 1 + jitter * (2 * next() - 1));

/** When the next token of a call is due, in milliseconds of its clock: `ttft`, reading the prompt, and a gap for each token. */
export function deadlines(start: number, { seed, input, cached }: Load, settings: Settings): () => number {
  const { ttft, prefill, cacheRead, decode, jitter } = settings;
  const next = random(subseed(seed, "time"));
  const read = 1000 * ((input - cached) / prefill + cached / cacheRead);
  const from = start + ttft * spread(next, jitter) + read;
  let gaps = 0;
  return () => {
    gaps += spread(next, jitter);
    return from + (1000 * gaps) / decode;
  };
}
