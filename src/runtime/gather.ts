// When an agent speaks, given what it hears: each batch a gather yields is answered by one call.

import type { Hear, Join, Step } from "../core/types.ts";

/** A parent said a step, or will say no more (`closed`). */
export type InboxEvent = Step | { readonly type: "closed"; readonly agent: string };

/** Everything that arrived since the last look, at each look; ends when every parent has closed. */
export type Inbox = AsyncIterable<readonly InboxEvent[]>;

/** Groups what an agent hears into the batches it answers. Yields no empty batch. */
export type Gather = (inbox: Inbox, parents: readonly string[]) => AsyncIterable<readonly Step[]>;

const stepsOf = (events: readonly InboxEvent[]): Step[] => events.filter((event) => event.type === "step");

/** Hear everything, then speak once. Steps come parent by parent, in the order of `parents`. */
export const hearAll: Gather = async function* (inbox, parents) {
  const heard: Step[] = [];
  for await (const events of inbox) heard.push(...stepsOf(events));
  if (heard.length > 0) yield parents.flatMap((id) => heard.filter(({ agent }) => agent === id));
};

/** A call for each step, or one for all that wait, in order of arrival. */
const hearArrivals = (hear: Hear): Gather =>
  async function* (inbox) {
    for await (const events of inbox) {
      const steps = stepsOf(events);
      if (hear === "each") for (const step of steps) yield [step];
      else if (steps.length > 0) yield steps;
    }
  };

/** A call for each row (the next step of every parent still speaking), or one for all complete rows that wait. */
const hearRows = (hear: Hear): Gather =>
  async function* (inbox, parents) {
    const queues = new Map<string, Step[]>(parents.map((id) => [id, []]));
    const closed = new Set<string>();
    const row = (): Step[] => {
      const behind = parents.some((id) => queues.get(id)?.length === 0 && !closed.has(id));
      return behind ? [] : parents.flatMap((id) => queues.get(id)?.shift() ?? []);
    };
    for await (const events of inbox) {
      for (const event of events) {
        if (event.type === "closed") closed.add(event.agent);
        else queues.get(event.agent)?.push(event);
      }
      const waiting: Step[] = [];
      for (let next = row(); next.length > 0; next = row()) {
        if (hear === "each") yield next;
        else waiting.push(...next);
      }
      if (waiting.length > 0) yield waiting;
    }
  };

/** The gather of a join and a way to hear. */
export const gathering = (join: Join, hear: Hear): Gather => (join === "arrival" ? hearArrivals(hear) : hearRows(hear));

/** The same batches as `gather`, but none before every parent has ended: the calls of `stream` without its overlap. */
export const afterEnd = (gather: Gather): Gather =>
  async function* (inbox, parents) {
    const all: InboxEvent[] = [];
    for await (const events of inbox) all.push(...events);
    async function* replay(): AsyncGenerator<readonly InboxEvent[], void, undefined> {
      for (const event of all) yield [event];
    }
    yield* gather(replay(), parents);
  };
