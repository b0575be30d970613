import { integer, pick, type Random } from "../../base/random.ts";

/** An appointment; times are minutes since midnight. Without a place it is a call that can be taken anywhere. */
export type Busy = {
  readonly day: string;
  readonly from: number;
  readonly to: number;
  readonly place?: string | undefined;
};

/** Somebody's calendar, with the hours between which this person can meet. */
export type Person = {
  readonly id: string;
  readonly earliest: number;
  readonly latest: number;
  readonly busy: readonly Busy[];
};

/** A place and where it lies on the one road there is, in minutes of travel from the road's start. */
export type Place = { readonly name: string; readonly at: number };

/** Find a time at which all these people can meet. */
export type Problem = {
  readonly days: readonly string[];
  /** Length of the meeting in minutes. */
  readonly duration: number;
  readonly places: readonly Place[];
  /** The places at which the meeting may be held. */
  readonly sites: readonly string[];
  readonly people: readonly Person[];
};

/** When and where the meeting begins. */
export type Slot = { readonly day: string; readonly start: number; readonly site: string };

/** Meetings begin at multiples of this many minutes. */
export const grid = 30;

const [dayStart, dayEnd] = [9 * 60, 17 * 60];

/** `10:30`. */
export const clockTime = (minutes: number): string =>
  `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, "0")}`;

/** Minutes of travel between two places. */
export function travel({ places }: Problem, from: string, to: string): number {
  const at = (name: string) => places.find((place) => place.name === name)?.at ?? 0;
  return Math.abs(at(from) - at(to));
}

/** Whether the person can attend: within the hours, free all the time, and with time to travel before and after. */
export function canAttend(problem: Problem, person: Person, { day, start, site }: Slot): boolean {
  const end = start + problem.duration;
  if (start < person.earliest || end > person.latest) return false;
  return person.busy.every((busy) => {
    const way = busy.place === undefined ? 0 : travel(problem, busy.place, site);
    return busy.day !== day || busy.to + way <= start || end + way <= busy.from;
  });
}

/** Every slot at which all the given people can meet, by day, then time, then site: an exhaustive search. */
export function solve(problem: Problem, people: readonly Person[] = problem.people): Slot[] {
  const slots: Slot[] = [];
  for (const day of problem.days) {
    for (let start = 0; start + problem.duration <= 24 * 60; start += grid) {
      for (const site of problem.sites) slots.push({ day, start, site });
    }
  }
  return slots.filter((slot) => people.every((person) => canAttend(problem, person, slot)));
}

/** How hard a problem is. */
export type Level = "easy" | "medium" | "hard";

/** The dials of each level; `slots` is the most right answers a solvable problem has. */
export const dials: Readonly<
  Record<Level, { days: number; sites: number; places: number; busy: number; slots: number }>
> = {
  easy: { days: 1, sites: 1, places: 1, busy: 3, slots: 3 },
  medium: { days: 2, sites: 1, places: 2, busy: 3, slots: 3 },
  hard: { days: 3, sites: 2, places: 3, busy: 3, slots: 3 },
};

const weekdays = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday"];
const placeNames = ["Harbor", "Mill", "Castle", "Station", "Market"];

function appointments(
  next: Random,
  day: string,
  { places, count }: { places: readonly Place[]; count: number },
): Busy[] {
  const made: Busy[] = [];
  for (let attempt = 0; attempt < count * 3 && made.length < count; attempt++) {
    const from = dayStart + grid * integer(next, 0, 14);
    const to = Math.min(dayEnd, from + grid * integer(next, 1, 4));
    const place = next() < 0.3 ? undefined : pick(next, places).name;
    // Nobody is in two places at once, and appointments of one person do not touch.
    if (made.every((other) => other.to < from || to < other.from))
      made.push({ day, from, to, ...(place && { place }) });
  }
  return made.toSorted((one, other) => one.from - other.from);
}

function makeProblem(next: Random, level: Level): Problem {
  const { days: dayCount, sites, places: placeCount, busy: count } = dials[level];
  const firstDay = integer(next, 0, weekdays.length - dayCount);
  const days = weekdays.slice(firstDay, firstDay + dayCount);
  const firstName = integer(next, 0, placeNames.length - placeCount);
  const names = placeNames.slice(firstName, firstName + placeCount);
  let at = 0;
  const places = names.map((name, index) => ({ name, at: index === 0 ? 0 : (at += grid * integer(next, 1, 2)) }));
  const people = ["traveler", "planner-a", "planner-b"].map((id) => ({
    id,
    earliest: dayStart + (level === "easy" ? 0 : grid * integer(next, 0, 3)),
    latest: dayEnd - (level === "easy" ? 0 : grid * integer(next, 0, 3)),
    busy: days.flatMap((day) => appointments(next, day, { places, count: count + integer(next, 0, 1) })),
  }));
  const duration = pick(next, level === "easy" ? [60, 90] : [60, 90, 120]);
  return { days, duration, places, sites: names.slice(0, sites), people };
}

/** A problem of the level that has an answer, or has none, as asked. */
export function generate(next: Random, level: Level, solvable: boolean): Problem {
  for (;;) {
    const problem = makeProblem(next, level);
    const count = solve(problem).length;
    if (solvable ? count > 0 && count <= dials[level].slots : count === 0) return problem;
  }
}
