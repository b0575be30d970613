import type { RunEvent } from "./types.ts";

/** Something said about a run, built up an event at a time: constant work an event, and `result` may be asked at any moment. */
export type Fold<T> = { readonly add: (event: RunEvent) => void; readonly result: () => T };

/** One pass over the events of one run. */
export function fold<T>(events: Iterable<RunEvent>, { add, result }: Fold<T>): T {
  for (const event of events) add(event);
  return result();
}

/** The entry of `key`, made first where there is none. */
export function entry<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const found = map.get(key);
  if (found !== undefined) return found;
  const made = make();
  map.set(key, made);
  return made;
}
