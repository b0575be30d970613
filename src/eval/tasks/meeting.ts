import { ConfigError } from "../../base/errors.ts";
import { integer, subseed } from "../../base/random.ts";
import { digest, drawMade, shuffled, type Draw } from "../split.ts";
import { listing } from "../listing.ts";
import { judgeAnswers, type Answer, type Need, type Role, type Sample, type Task } from "../task.ts";
import { clockTime, dials, generate, solve, travel, type Level, type Person, type Problem } from "./calendar.ts";
import { checkChoices, checkWhole, nameWith } from "./options.ts";
import { isRightSlot, none, slotText } from "./slot.ts";

export type MeetingOptions = {
  readonly level?: Level | undefined;
  /** Percent of the problems that have no answer; default 20. */
  readonly unsolvable?: number | undefined;
  /** 0: the answer is free. Otherwise it is chosen from this many; default 0. */
  readonly choices?: number | undefined;
  /** How often each of the three speaks; default 4. */
  readonly rounds?: number | undefined;
};

type Settings = Required<{ [Key in keyof MeetingOptions]: NonNullable<MeetingOptions[Key]> }>;

const marker = "Answer:";

const listed = (parts: readonly string[], word: "and" | "or"): string =>
  parts.length < 2 ? (parts[0] ?? "") : `${parts.slice(0, -1).join(", ")} ${word} ${parts.at(-1)}`;

function promptOf(problem: Problem): string {
  const { days, duration, sites, places } = problem;
  const ways = places.flatMap((from, index) =>
    places.slice(index + 1).map((to) => `${from.name} to ${to.name} ${travel(problem, from.name, to.name)} minutes`),
  );
  return [
    `A traveler and two planners look for a ${duration}-minute meeting on ${listed(days, "or")}, at ${listed(sites, "or")}.`,
    `It begins on the hour or half hour. All three must be there the whole time.`,
    ...(ways.length === 0 ? [] : [`Between places one must travel: ${ways.join(", ")}. Calls can be taken anywhere.`]),
    `Each knows only their own calendar. There may be no such time at all.`,
  ].join(" ");
}

const hours = ({ earliest, latest }: Person): string =>
  `I can begin at ${clockTime(earliest)} at the earliest and must be done by ${clockTime(latest)}.`;

function dayOf({ busy }: Person, day: string): string {
  const own = busy
    .filter((entry) => entry.day === day)
    .map(({ from, to, place }) => {
      const where = place === undefined ? "on a call" : `at ${place}`;
      return `from ${clockTime(from)} to ${clockTime(to)} ${where}`;
    });
  return own.length === 0 ? `On ${day} I am free.` : `On ${day} I am busy ${listed(own, "and")}.`;
}

/** Somebody's whole calendar in sentences: the hours, then day by day. */
const calendarOf = (person: Person, days: readonly string[]): string =>
  [hours(person), ...days.map((day) => dayOf(person, day))].join(" ");

function rolesOf({ people, days, sites }: Problem, candidates: readonly string[] | undefined): Role[] {
  const [traveler, ...planners] = people as [Person, ...Person[]];
  // In words: a small model would repeat the time of an example.
  const form = sites.length > 1 ? "day, the time and the place" : "day and the time";
  const closed = candidates === undefined ? "" : ` ${listing(candidates)}`;
  return [
    ...planners.map((person) => ({
      id: person.id,
      listens: false,
      says: calendarOf(person, days),
      instructions: `You are a planner. Tell the traveler when you can and cannot meet; answer what you are asked. Your calendar: ${calendarOf(person, days)}`,
    })),
    {
      id: traveler.id,
      listens: true,
      instructions: `You are the traveler, and you decide. Your calendar: ${calendarOf(traveler, days)} Ask the planners what you need to know. Once you know a time at which all three can meet, reply with one line and nothing else: "${marker}", then the ${form} at which it begins, or "${marker} ${none}" if there is no such time.${closed}`,
      // Small models otherwise go on planning aloud with what they read last.
      reminder: `When can all three meet?${closed} If you know it, reply with "${marker}", then the ${form}, or "${marker} ${none}" if there is no such time. If you do not, ask the planners.`,
    },
  ];
}

// What was heard of a planner about a day: nothing, the hours, or the hours and the day. They are said in this order.
type Depth = 0 | 1 | 2;
const depths: readonly Depth[] = [0, 1, 2];

/**
 * What suffices to hear of the planners' templates: everything about a day that has an answer; where no day has one, of
 * each day enough to rule it out.
 */
function enoughOf(problem: Problem): Need[][] {
  const [traveler, first, second] = problem.people as [Person, Person, Person];
  const about = (person: Person, day: string, depth: Depth): Need[] =>
    [hours(person), dayOf(person, day)].slice(0, depth).map((said) => ({ by: person.id, said }));
  const heard = (person: Person, depth: Depth): Person[] =>
    depth === 0 ? [] : [depth === 1 ? { ...person, busy: [] } : person];
  const open = (day: string, [one, two]: readonly [Depth, Depth]) =>
    solve({ ...problem, days: [day] }, [traveler, ...heard(first, one), ...heard(second, two)]).length > 0;
  const needs = (day: string, [one, two]: readonly [Depth, Depth]) => [
    ...about(first, day, one),
    ...about(second, day, two),
  ];
  const days = problem.days.filter((day) => open(day, [2, 2]));
  if (days.length > 0) return days.map((day) => needs(day, [2, 2]));
  const pairs = depths.flatMap((one) => depths.map((two): [Depth, Depth] => [one, two]));
  const ruledOut = (day: string) => {
    const closing = pairs.filter((pair) => !open(day, pair));
    const less = (one: [Depth, Depth], other: [Depth, Depth]) => one[0] <= other[0] && one[1] <= other[1];
    return closing.filter((pair) => !closing.some((other) => other !== pair && less(other, pair)));
  };
  return problem.days.reduce<Need[][]>(
    (sets, day) => sets.flatMap((set) => ruledOut(day).map((pair) => [...set, ...needs(day, pair)])),
    [[]],
  );
}

function answerFor(problem: Problem, choices: number, key: string): Answer {
  const slots = solve(problem).map((slot) => slotText(slot, problem));
  const right = slots.length === 0 ? [none] : slots;
  const base = { by: "traveler", marker, right, bare: false, tries: 1 };
  if (choices === 0) return base;
  const open = { ...problem, people: problem.people.map((person) => ({ ...person, busy: [] })) };
  const wrong = solve(open)
    .map((slot) => slotText(slot, problem))
    .filter((text) => !slots.includes(text));
  const seed = subseed(3, key);
  const shown = [...new Set([shuffled(right, (text) => text, seed)[0] ?? none, none])];
  const others = shuffled(wrong, (text) => text, seed).slice(0, choices - shown.length);
  return { ...base, candidates: shuffled([...shown, ...others], (text) => text, seed + 1) };
}

function checked({ level = "easy", unsolvable = 20, choices = 0, rounds = 4 }: MeetingOptions): Settings {
  if (!Object.hasOwn(dials, level)) {
    throw new ConfigError("meeting.level", `must be one of ${Object.keys(dials).join(", ")}; was "${level}"`);
  }
  checkWhole("meeting.unsolvable", unsolvable, [0, 100]);
  checkWhole("meeting.rounds", rounds, [1, 100]);
  checkChoices("meeting.choices", choices);
  return { level, unsolvable, choices, rounds };
}

/**
 * A traveler and two planners with private calendars look for a time to meet; every feasible slot is right, and "none"
 * where there is none. Throws a `ConfigError` for impossible options.
 */
export function meeting(options: MeetingOptions = {}): Task<Problem> {
  const settings = checked(options);
  const { level, unsolvable, choices, rounds } = settings;
  const name = nameWith("meeting", settings, { level: "easy", unsolvable: 20, choices: 0, rounds: 4 });
  const samples = (draw: Draw): Sample<Problem>[] =>
    drawMade(
      (next) => generate(next, level, integer(next, 0, 99) >= unsolvable),
      (problem) => JSON.stringify(problem),
      draw,
    ).map((problem) => {
      const key = JSON.stringify(problem);
      const answer = answerFor(problem, choices, key);
      const roles = rolesOf(problem, answer.candidates);
      const [prompt, enough] = [promptOf(problem), enoughOf(problem)];
      return { id: digest(key), task: name, split: draw.split, prompt, roles, rounds, answer, enough, data: problem };
    });
  return {
    name,
    samples,
    judge: (transcript, sample) => judgeAnswers(transcript, sample, (said) => isRightSlot(said, sample.data)),
  };
}
