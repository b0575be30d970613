// Teams that play scripts in virtual time.

import { byLine } from "../core/splitters.ts";
import { chain } from "../core/topology.ts";
import type { Agent, EventOf, RunEvent, Topology } from "../core/types.ts";
import type { VirtualClock } from "../testing/clock.ts";
import { scripted } from "../testing/scripted.ts";
import type { Line } from "../testing/scripted.ts";
import { run } from "./run.ts";
import type { Run, RunOptions } from "./run.ts";

export const lines = (id: string, count: number) => Array.from({ length: count }, (_, i) => `${id}.${i}\n`);

type Cast = {
  /** How many lines the agent says in each of its turns. */
  readonly says?: number;
  readonly ms?: number;
  readonly script?: (call: number) => readonly Line[];
} & Partial<Pick<Agent, "route">>;

/** An agent that says lines, `ms` (10) apart. */
export function agent(clock: VirtualClock, id: string, { says = 1, ms = 10, script, ...rest }: Cast = {}) {
  const model = scripted(clock, script ?? (() => lines(id, says)), { ms, id });
  return { id, instructions: `you are ${id}`, model, ...rest };
}

/** An agent whose model says a line every 10 ms and never looks at its signal. */
export const deaf = (clock: VirtualClock, id = "a"): Agent => ({
  id,
  instructions: "",
  model: {
    id: "deaf",
    async *stream() {
      for (;;) {
        await clock.sleep(10);
        yield { type: "text", text: "x\n", tokens: 1 };
      }
    },
  },
});

export type Played = { events: RunEvent[]; error: unknown };

/** Plays a run in virtual time; `during` sees each event and may act on the run. */
export async function play(
  clock: VirtualClock,
  topology: Topology,
  { during, ...options }: RunOptions & { during?: (event: RunEvent, run: Run) => void } = {},
): Promise<Played> {
  const events: RunEvent[] = [];
  let error: unknown;
  const perform = async () => {
    const performance = run(topology, "the task", { clock, splitter: byLine(), id: "r", ...options });
    try {
      for await (const event of performance) {
        events.push(event);
        during?.(event, performance);
      }
    } catch (caught) {
      error = caught;
    }
  };
  await clock.run(perform());
  return { events, error };
}

export const of = <T extends RunEvent["type"]>(events: readonly RunEvent[], type: T): EventOf<T>[] =>
  events.filter((event): event is EventOf<T> => event.type === type);
export const starts = (events: readonly RunEvent[], id: string) =>
  of(events, "turn-start").flatMap((event) => (event.agent === id ? [event.at] : []));
export const said = (events: readonly RunEvent[], id: string) =>
  of(events, "step").flatMap((event) => (event.agent === id ? [event.text.trim()] : []));
export const ends = (events: readonly RunEvent[]) =>
  Object.fromEntries(of(events, "agent-end").map((event) => [event.agent, event.reason]));

/** A chain of `count` agents a0, a1, …; `says` tells how many lines each says in a turn. */
export const chainOf = (clock: VirtualClock, count: number, says: (index: number) => number): Topology =>
  chain(Array.from({ length: count }, (_, index) => agent(clock, `a${index}`, { says: says(index) })));
