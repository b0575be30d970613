// Which of the bad moments a world met, so that the simulation can say that it meets them all.

import type { EventOf, RunEvent } from "../core/types.ts";
import type { Seen } from "./seen.fixture.ts";

const of = <T extends RunEvent["type"]>(events: readonly RunEvent[], type: T): EventOf<T>[] =>
  events.filter((event): event is EventOf<T> => event.type === type);

type Case = (seen: Seen) => boolean;

const cutBeforeFirstChunk: Case = ({ late }) =>
  of(late, "interrupt").some(
    (cut) =>
      cut.turn !== undefined &&
      !late.some((event) => event.type === "chunk" && event.agent === cut.agent && event.turn === cut.turn),
  );

/** Hands that would have been raised at the same moment of the same turn. */
const twoInATick: Case = ({ late }) => {
  const moments = of(late, "decision").flatMap(({ agent, turn, at, by, advantage, outcome }) =>
    advantage > 0 && (outcome === "interrupt" || outcome === "late") ? [{ at: `${agent} ${turn} ${at}`, by }] : [],
  );
  return moments.some((one) => moments.some((other) => other.at === one.at && other.by !== one.by));
};

/** Cut while its model had said all that came before a stall, and hung. */
const cutInAStall: Case = ({ late, world }) =>
  world.calls.some((call, index) => {
    const at = call.acts.findIndex(({ type }) => type === "stall");
    if (at < 1 || call.made !== at || call.acts.slice(0, at).some(({ type }) => type !== "say")) return false;
    const turn = world.calls.slice(0, index).filter(({ agent }) => agent === call.agent).length;
    return of(late, "turn-end").some(
      (end) => end.agent === call.agent && end.turn === turn && end.reason === "interrupted",
    );
  });

const decided =
  (outcome: EventOf<"decision">["outcome"], note?: string): Case =>
  ({ late }) =>
    of(late, "decision").some((event) => event.outcome === outcome && (note === undefined || event.note === note));

const isDialogue = ({ late }: Seen): boolean => of(late, "run-start")[0]?.protocol === "dialogue";

const cases: { readonly [name: string]: Case } = {
  "a cut before the first chunk": cutBeforeFirstChunk,
  "a cut between turns": ({ late }) => of(late, "interrupt").some(({ turn }) => turn === undefined),
  "a hand after the last chunk": ({ raised }) =>
    raised.some(({ type, ended, done }) => type === "interrupt" && ended && !done),
  "a hand raised twice": ({ raised }) => raised.some(({ type, again, done }) => type === "interrupt" && again && !done),
  "two listeners in the same tick": twoInATick,
  "a cut during a stall": cutInAStall,
  "a policy that hangs": decided("timeout"),
  "a policy that throws": decided("failed", "the policy failed"),
  "a decision that outlives its turn": decided("late"),
  "a hand after the run was cancelled": ({ raised }) =>
    raised.some(({ type, cancelled }) => type === "interrupt" && cancelled),
  "dialogue: a hand of a listener": (seen) => isDialogue(seen) && decided("interrupt")(seen),
  "dialogue: the floor given back by a reply": (seen) =>
    isDialogue(seen) &&
    !seen.raised.some(({ type, done }) => type === "resume" && done) &&
    of(seen.late, "turn-start").some(({ resumes }) => resumes !== undefined),
  "dialogue: the floor given back from outside": (seen) =>
    isDialogue(seen) && seen.raised.some(({ type, done }) => type === "resume" && done),
  "graph: the floor given back from outside": (seen) =>
    !isDialogue(seen) && seen.raised.some(({ type, done }) => type === "resume" && done),
  "the floor given back too late": ({ raised }) =>
    raised.some(({ type, ended, done }) => type === "resume" && ended && !done),
};

/** The moments there are to meet. */
export const wanted: readonly string[] = Object.keys(cases);

/** Those that this world met. */
export const casesOf = (seen: Seen): readonly string[] => wanted.filter((name) => cases[name]?.(seen) === true);
