// A value that tells who looks at it when it changes.

import { useEffect, useRef, useState } from "preact/hooks";

export type Cell<T> = {
  readonly get: () => T;
  readonly set: (value: T) => void;
  /** Gives back what ends it. */
  readonly watch: (see: (value: T) => void) => () => void;
};

export function cell<T>(initial: T): Cell<T> {
  const watchers = new Set<(value: T) => void>();
  let current = initial;
  return {
    get: () => current,
    set(value) {
      if (Object.is(value, current)) return;
      current = value;
      for (const see of watchers) see(value);
    },
    watch(see) {
      watchers.add(see);
      return () => void watchers.delete(see);
    },
  };
}

/** Renders again only when what `select` makes of the value changes. */
export function useCell<T, S = T>(from: Cell<T>, select?: (value: T) => S): S {
  const pick = (select ?? ((value: T) => value)) as (value: T) => S;
  const [, again] = useState(0);
  const picked = pick(from.get());
  // What is picked may change with what else a component is given.
  const shown = useRef({ pick, picked });
  shown.current = { pick, picked };
  useEffect(() => {
    const see = (value: T) => {
      if (!Object.is(shown.current.pick(value), shown.current.picked)) again((count) => count + 1);
    };
    see(from.get());
    return from.watch(see);
  }, [from]);
  return picked;
}
