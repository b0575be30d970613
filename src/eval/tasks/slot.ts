import { clockTime, solve, type Problem, type Slot } from "./calendar.ts";
import { mentions, words } from "./match.ts";

/** The answer where no slot exists. */
export const none = "none";

/** A slot as an answer: `Monday 10:30`, with the place where there are several. */
export const slotText = ({ day, start, site }: Slot, { sites }: Problem): string =>
  `${day} ${clockTime(start)}${sites.length > 1 ? ` at ${site}` : ""}`;

const timeOfDay = /(?<!\d)(\d{1,2})(?:[:.](\d{2}))?\s*(am\b|pm\b|a\.m\.|p\.m\.)?(?!\d)/gi;

/** Times of day in the text, in minutes since midnight; a number alone is none. */
function timesIn(text: string): number[] {
  return [...text.matchAll(timeOfDay)].flatMap(([, hour = "", minute, half]) => {
    if (minute === undefined && half === undefined) return [];
    const twelve = half === undefined ? Number(hour) : (Number(hour) % 12) + (/^p/i.test(half) ? 12 : 0);
    return [twelve * 60 + Number(minute ?? 0)];
  });
}

const namesDay = (text: string, day: string): boolean => {
  const short = day.slice(0, 3).toLowerCase();
  return words(text).some((word) => word === day.toLowerCase() || word === short);
};

const denies = /^(?:answer |there is |its )?(?:none\b|no\b|not possible|impossible|never\b)/;

/**
 * The slot an answer names. `none`: it says that there is no slot. Undefined: it names no day, no time or no place where
 * one is needed, more than one, or an end that does not fit.
 */
export function readSlot(text: string, problem: Problem): Slot | typeof none | undefined {
  const times = timesIn(text);
  if (times.length === 0) return denies.test(words(text).join(" ")) ? none : undefined;
  const [start = 0, end] = times;
  if (times.length > 2 || (end !== undefined && end !== start + problem.duration)) return undefined;
  const weekdays = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
  const named = weekdays.filter((day) => namesDay(text, day));
  const day = named.length === 0 && problem.days.length === 1 ? problem.days[0] : named[0];
  const sites = problem.places.map(({ name }) => name).filter((name) => mentions(text, name));
  const site = sites.length === 0 && problem.sites.length === 1 ? problem.sites[0] : sites[0];
  if (named.length > 1 || sites.length > 1 || day === undefined || site === undefined) return undefined;
  return { day, start, site };
}

/** Whether the answer names a slot at which all can meet, or says rightly that there is none. */
export function isRightSlot(text: string, problem: Problem): boolean {
  const said = readSlot(text, problem);
  const slots = solve(problem);
  if (said === none) return slots.length === 0;
  if (said === undefined) return false;
  return slots.some(({ day, start, site }) => day === said.day && start === said.start && site === said.site);
}
