import { after } from "./clock.ts";
import type { Clock } from "./clock.ts";

/** Something that must show signs of life. */
export type Watched = {
  /** When it last did, on the watchdog's clock. */
  readonly lastSign: () => number;
  /** Called once when it has been silent for too long; it is then watched no more. */
  readonly expire: () => void;
};

/** Tells of things that give no sign of life for too long. */
export type Watchdog = { watch(watched: Watched): () => void; close(): void };

/**
 * Watches any number of things for silence longer than `idleMs` with one timer for all. Exact: a thing expires when its
 * time is up, not at the next of some regular looks. With `idleMs` 0 nothing ever expires.
 */
export function watchdog(clock: Clock, idleMs: number): Watchdog {
  const all = new Set<Watched>();
  let callOff: (() => void) | undefined;
  const look = () => {
    let left = idleMs;
    for (const watched of all) {
      const remaining = watched.lastSign() + idleMs - clock.now();
      if (remaining > 0) left = Math.min(left, remaining);
      else if (all.delete(watched)) watched.expire();
    }
    // Whatever is added meanwhile cannot expire before the next look.
    callOff = all.size > 0 ? after(clock, left, look) : undefined;
  };
  return {
    watch(watched) {
      if (idleMs <= 0) return () => {};
      all.add(watched);
      callOff ??= after(clock, idleMs, look);
      return () => void all.delete(watched);
    },
    close() {
      callOff?.();
      all.clear();
    },
  };
}
