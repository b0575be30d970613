// When an agent speaks, given what it hears: each batch that is gathered is answered by one call.

import type { Hear, Join, Step } from "../core/types.ts";

/** What one agent has heard and not yet answered. */
export interface Gathering {
  /** A parent said a step. */
  hear(step: Step): void;
  /** A parent will say no more. */
  close(parent: string): void;
  /** The next batch to answer, never empty; undefined: none is ready. Asked whenever the agent is free. */
  next(): readonly Step[] | undefined;
}

/** Groups what an agent with these parents hears into the batches it answers. */
export type Gather = (parents: readonly string[]) => Gathering;

/** Hear everything, then speak once. Steps come parent by parent, in the order of `parents`. */
export const hearAll: Gather = (parents) => {
  const heard: Step[] = [];
  const open = new Set(parents);
  return {
    hear: (step) => void heard.push(step),
    close: (parent) => void open.delete(parent),
    next() {
      if (open.size > 0 || heard.length === 0) return undefined;
      const all = heard.splice(0);
      return parents.flatMap((id) => all.filter(({ agent }) => agent === id));
    },
  };
};

/** A call for each step, or one for all that wait, in order of arrival. */
const hearArrivals =
  (hear: Hear): Gather =>
  () => {
    const waiting: Step[] = [];
    return {
      hear: (step) => void waiting.push(step),
      close: () => {},
      next: () => (waiting.length === 0 ? undefined : waiting.splice(0, hear === "each" ? 1 : waiting.length)),
    };
  };

/** A call for each row (the next step of every parent still speaking), or one for all complete rows that wait. */
const hearRows =
  (hear: Hear): Gather =>
  (parents) => {
    const queues = parents.map((id) => ({ id, steps: [] as Step[], open: true }));
    const row = (): readonly Step[] => {
      if (queues.some(({ steps, open }) => open && steps.length === 0)) return [];
      return queues.flatMap(({ steps }) => steps.shift() ?? []);
    };
    const rows = (): readonly Step[] => {
      const all: Step[] = [];
      for (let next = row(); next.length > 0; next = row()) all.push(...next);
      return all;
    };
    return {
      hear: (step) => void queues.find(({ id }) => id === step.agent)?.steps.push(step),
      close(parent) {
        for (const queue of queues) if (queue.id === parent) queue.open = false;
      },
      next() {
        const batch = hear === "each" ? row() : rows();
        return batch.length > 0 ? batch : undefined;
      },
    };
  };

/** The gather of a join and a way to hear. */
export const gathering = (join: Join, hear: Hear): Gather => (join === "arrival" ? hearArrivals(hear) : hearRows(hear));

/** The same batches as `gather`, but none before every parent has ended: the calls of `stream` without its overlap. */
export const afterEnd =
  (gather: Gather): Gather =>
  (parents) => {
    const inner = gather(parents);
    const open = new Set(parents);
    return {
      hear: (step) => inner.hear(step),
      close(parent) {
        open.delete(parent);
        inner.close(parent);
      },
      next: () => (open.size > 0 ? undefined : inner.next()),
    };
  };
