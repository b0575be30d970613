import type { Run } from "../runtime/run.ts";
import type { RunEvent } from "../core/types.ts";

/** What came of a run: its events, and the failure or the reason it was cancelled for. */
export type Performed = { readonly events: readonly RunEvent[]; readonly failure?: { readonly error: unknown } };

/** Plays a run to its end, whatever that is; each event goes to all of `watchers` as it happens. */
export async function perform(run: Run, watchers: readonly ((event: RunEvent) => void)[] = []): Promise<Performed> {
  const events: RunEvent[] = [];
  try {
    for await (const event of run) {
      events.push(event);
      for (const watch of watchers) watch(event);
    }
    return { events };
  } catch (error) {
    return { events, failure: { error } };
  }
}

/** A signal that fires with `parent`, or after so many seconds. */
export function limit(parent: AbortSignal, seconds: number | undefined): { signal: AbortSignal; clear: () => void } {
  if (seconds === undefined) return { signal: parent, clear: () => {} };
  const own = new AbortController();
  const late = () => own.abort(new Error(`the run took longer than ${seconds} s (--timeout)`));
  const timer = setTimeout(late, Math.min(seconds * 1000, 2 ** 31 - 1));
  const follow = () => own.abort(parent.reason);
  if (parent.aborted) follow();
  parent.addEventListener("abort", follow, { once: true });
  const clear = () => {
    clearTimeout(timer);
    parent.removeEventListener("abort", follow);
  };
  return { signal: own.signal, clear };
}
