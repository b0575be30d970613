// Policies judged on whole messages: one false alarm ends a message, however good each single decision is.

import { ConfigError } from "../base/errors.ts";
import type { NextLook } from "../policies/patient.ts";
import { byMessage } from "./label.ts";
import type { DecisionPoint } from "./points.ts";

/** One decision: what the policy thinks, and what cutting there comes to. */
export type Look = {
  /** −Infinity where it has nothing to go by, and waits. */
  readonly logOdds: number;
  readonly tokens: number;
  readonly success: number;
  readonly cost: number;
};

/** A message from its first chunk to its end. */
export type Course = {
  readonly sample: string;
  readonly looks: readonly Look[];
  readonly full: { readonly success: number; readonly cost: number };
};

/** When a policy cuts: once the mean log-odds of its last looks at a message are above a threshold. */
export type Rule = {
  readonly threshold: number;
  /** The mean is over so many looks; before there are as many it hears on. */
  readonly over: number;
  /** When it looks; default: at every chunk. */
  readonly looks?: Looks | undefined;
};

/** When a policy looks: not before so many tokens, and after each look not until it pays again. */
export type Looks = { readonly first: number; readonly next: readonly NextLook[] };

/** What a rule comes to on whole messages. */
export type Played = {
  /** Mean over messages. */
  readonly success: number;
  readonly cost: number;
  /** Share of the whole messages' cost that is saved. */
  readonly saved: number;
  /** Share of messages that are cut. */
  readonly cut: number;
  readonly looks: number;
};

/** Messages with what a policy thinks at each of their points; `logOdds` in the order of the points. */
export function coursesOf(points: readonly DecisionPoint[], logOdds: readonly number[]): Course[] {
  const items = points.map((point, index) => ({ point, logOdds: logOdds[index] ?? 0 }));
  return byMessage(items, ({ point }) => point).map((message) => {
    const { full, sample } = message.at(-1)!.point;
    const looks = message.map(({ point, logOdds: odds }) => {
      const { success, cost } = point.cut;
      return { logOdds: odds, tokens: point.tokens, success, cost };
    });
    return { sample, looks, full: { success: full.success, cost: full.cost } };
  });
}

/** Mean log-odds of the last `over` looks at a message; undefined before there are as many. */
export function meanOver(looks: readonly number[], over: number): number | undefined {
  const last = looks.slice(-over);
  return last.length < over ? undefined : last.reduce((sum, each) => sum + each, 0) / over;
}

type Walked = { /** `-1` where it is heard to its end. */ readonly at: number; readonly looks: number };

function walk({ looks }: Course, { threshold, over, looks: when }: Rule): Walked {
  const { first, next } = when ?? { first: 0, next: [] };
  let until = first;
  const seen: number[] = [];
  for (const [index, { logOdds, tokens }] of looks.entries()) {
    if (tokens < until) continue;
    seen.push(logOdds);
    if ((meanOver(seen, over) ?? -Infinity) > threshold) return { at: index, looks: seen.length };
    // Where there is nothing to go by the policy does not wait either.
    const range = Number.isFinite(logOdds) ? next.find(({ below }) => logOdds < below) : undefined;
    until = tokens + (range?.tokens ?? 0);
  }
  return { at: -1, looks: seen.length };
}

function meanOf(courses: readonly Course[], walkOf: (course: Course) => Walked, lookCost: number): Played {
  let [success, cost, full, cut, looks] = [0, 0, 0, 0, 0];
  const n = courses.length;
  for (const course of courses) {
    const { at, looks: seen } = walkOf(course);
    const end = course.looks[at] ?? course.full;
    success += end.success;
    cost += end.cost + seen * lookCost;
    full += course.full.cost;
    cut += at < 0 ? 0 : 1;
    looks += seen;
  }
  return { success: success / n, cost: cost / n, saved: full > 0 ? 1 - cost / full : 0, cut: cut / n, looks };
}

/** What a rule comes to on messages; each look costs `lookCost` tokens. */
export const playOf = (courses: readonly Course[], rule: Rule, lookCost = 0): Played =>
  meanOf(courses, (course) => walk(course, rule), lookCost);

/** Hearing everything. */
export const fullOf = (courses: readonly Course[]): Played => meanOf(courses, () => ({ at: -1, looks: 0 }), 0);

/** The best cut in hindsight: of those with the highest success the cheapest; none where hearing all is as good. */
export function oracleOf(courses: readonly Course[]): Played {
  const best = ({ looks, full }: Course) => {
    let [at, success, cost] = [-1, full.success, full.cost];
    for (const [index, look] of looks.entries())
      if (look.success > success || (look.success === success && look.cost < cost))
        [at, success, cost] = [index, look.success, look.cost];
    return { at, looks: 0 };
  };
  return meanOf(courses, best, 0);
}

/** What a rule may lose, and what its decisions cost. */
export type RuleOptions = {
  /** How much success may be lost against hearing everything, as a share; default 0.01. */
  readonly maxLoss?: number | undefined;
  /** Tokens that one decision costs; default 0. */
  readonly lookCost?: number | undefined;
  /** Tokens that one success is worth when rules within the bound are compared; default 0: the cheapest wins. */
  readonly worth?: number | undefined;
  /** How many looks' mean to try; default 1 and 2. */
  readonly over?: readonly number[] | undefined;
};

/** The rule chosen, beside hearing everything and the best cut in hindsight. */
export type ChosenRule = Rule & {
  /** Whether anything is saved; without, the rule never cuts. */
  readonly pays: boolean;
  readonly played: Played;
  readonly full: Played;
  readonly oracle: Played;
};

const most = 400;

/** Between each two neighbouring log-odds, thinned evenly; means of several lie between them. */
function candidatesOf(courses: readonly Course[]): number[] {
  const odds = [...new Set(courses.flatMap(({ looks }) => looks.map(({ logOdds }) => logOdds)))]
    .filter(Number.isFinite)
    .toSorted((a, b) => a - b);
  const between = odds.slice(1).map((value, index) => (value + odds[index]!) / 2);
  const all = odds.length === 0 ? [] : [odds[0]! - 1, ...between];
  const every = Math.max(1, all.length / most);
  return Array.from({ length: Math.min(all.length, most) }, (_, index) => all[Math.floor(index * every)]!);
}

/**
 * The cheapest rule (with `worth`, the one of most value) that loses no more success than stated, point estimates both: choose it on messages that were not
 * trained on. Throws a ConfigError for a bound out of range and for no messages.
 */
export function chooseRule(courses: readonly Course[], options: RuleOptions = {}): ChosenRule {
  const { maxLoss = 0.01, lookCost = 0, worth = 0, over = [1, 2] } = options;
  if (!(maxLoss >= 0 && maxLoss <= 1)) throw new ConfigError("maxLoss", `must be a share from 0 to 1; was ${maxLoss}`);
  if (courses.length === 0) throw new ConfigError("labels", "there are no messages to choose a threshold on");
  const wrong = over.find((looks) => !Number.isInteger(looks) || looks < 1);
  if (wrong !== undefined) throw new ConfigError("over", `must be whole numbers of looks above 0; ${wrong} is not`);
  const [full, oracle] = [fullOf(courses), oracleOf(courses)];
  const priceOf = ({ cost, success }: Played) => cost - worth * success;
  let best = { threshold: Infinity, over: 1, pays: false, played: full };
  for (const threshold of candidatesOf(courses))
    for (const looks of over) {
      const rule = { threshold, over: looks };
      const played = playOf(courses, rule, lookCost);
      // Shares of whole numbers are not exact.
      if (played.success >= full.success - maxLoss - 1e-9 && priceOf(played) < priceOf(best.played))
        best = { ...rule, pays: true, played };
    }
  return { ...best, full, oracle };
}

/** What decides when it pays to look again. */
export type NextOptions = {
  readonly threshold: number;
  /** Tokens of the speaker's that one decision is worth. */
  readonly lookCost: number;
  /** Tokens between two possible decisions. */
  readonly chunk: number;
  /** How many ranges of log-odds are told apart; default 4. */
  readonly ranges?: number | undefined;
};

/** Tokens until the policy first rises above the threshold, from each look below it. */
function distances(
  courses: readonly Course[],
  threshold: number,
): { readonly logOdds: number; readonly left: number }[] {
  return courses.flatMap(({ looks }) =>
    looks.flatMap(({ logOdds, tokens }, index) => {
      if (logOdds > threshold || !Number.isFinite(logOdds)) return [];
      const hit = looks.slice(index + 1).find((later) => later.logOdds > threshold);
      return [{ logOdds, left: (hit ?? looks.at(-1)!).tokens - tokens }];
    }),
  );
}

/**
 * When to look next: the lower the log-odds, the longer until they can be high enough. For each range of them the wait with
 * the lowest cost of looks and of words heard too many, judged on messages as they went.
 */
export function nextLooks(courses: readonly Course[], options: NextOptions): NextLook[] {
  const { threshold, lookCost, chunk, ranges = 4 } = options;
  const all = distances(courses, threshold).toSorted((a, b) => a.logOdds - b.logOdds);
  if (all.length === 0) return [{ below: threshold, tokens: chunk }];
  const size = Math.ceil(all.length / ranges);
  return Array.from({ length: Math.ceil(all.length / size) }, (_, range): NextLook => {
    const here = all.slice(range * size, (range + 1) * size);
    const costOf = (wait: number) =>
      here.reduce((sum, { left }) => {
        const looks = Math.max(1, Math.ceil(left / wait));
        return sum + looks * lookCost + looks * wait - left;
      }, 0);
    const longest = Math.max(1, ...here.map(({ left }) => Math.ceil(left / chunk)));
    const waits = Array.from({ length: longest }, (_each, index) => (index + 1) * chunk);
    const tokens = waits.reduce((least, wait) => (costOf(wait) < costOf(least) ? wait : least));
    const next = all[(range + 1) * size];
    return { below: next === undefined ? threshold : next.logOdds, tokens };
  });
}

/** The most usual distance between two decisions of a message, in tokens. */
export function chunkOf(points: readonly DecisionPoint[]): number {
  const counts = new Map<number, number>();
  for (const { tokens, chunk } of points) {
    const size = Math.max(1, Math.round(tokens / chunk));
    counts.set(size, (counts.get(size) ?? 0) + 1);
  }
  return [...counts].toSorted((a, b) => b[1] - a[1])[0]?.[0] ?? 1;
}

/**
 * When to look at all: how long before the first look, and after each. Judged by playing the rule on the messages; where
 * waiting is not cheaper, or loses success that looking at every chunk does not, every chunk is looked at.
 */
export function looksOf(courses: readonly Course[], rule: Rule, options: Omit<NextOptions, "threshold">): Looks {
  const { lookCost, chunk } = options;
  const every = playOf(courses, rule, lookCost);
  // Chunks are about as long as they should be: half of one less is waited for than whole ones add up to.
  const waits = nextLooks(courses, { ...options, threshold: rule.threshold }).map(({ below, tokens }) => ({
    below,
    tokens: tokens <= chunk ? 0 : tokens - Math.floor(chunk / 2),
  }));
  const longest = Math.max(0, ...courses.flatMap(({ looks }) => looks.map(({ tokens }) => tokens)));
  const firsts = Array.from({ length: Math.ceil(longest / chunk) + 1 }, (_, index) =>
    Math.max(0, index * chunk - Math.floor(chunk / 2)),
  );
  let best: { readonly looks: Looks; readonly cost: number } = { looks: { first: 0, next: [] }, cost: every.cost };
  for (const first of firsts)
    for (const next of [[], waits]) {
      const played = playOf(courses, { ...rule, looks: { first, next } }, lookCost);
      if (played.cost < best.cost && played.success >= every.success - 1e-9)
        best = { looks: { first, next }, cost: played.cost };
    }
  return best.looks;
}
