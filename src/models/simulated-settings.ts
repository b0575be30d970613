import type { Clock } from "../base/clock.ts";
import { systemClock } from "../base/clock.ts";
import { ConfigError } from "../base/errors.ts";

/** `shared`: any earlier request counts, as on a server; `session`: only those of the same session; `off`: none. */
export type CacheKind = "shared" | "session" | "off";

/** What a simulated model is like. Speeds are tokens a second and may be `Infinity`; rates and probabilities lie in [0, 1]. */
export type SimulatedOptions = {
  /** The model's id; default `simulated`. */
  readonly id?: string | undefined;
  readonly clock?: Clock | undefined;
  /** Waits out the last millisecond before a token busily, which takes a processor, as timers are a millisecond late. */
  readonly precise?: boolean | undefined;
  /** Milliseconds to the first token, before the prompt is read; default 200. */
  readonly ttft?: number | undefined;
  /** Speed of reading prompt tokens that are not cached; default 5000. */
  readonly prefill?: number | undefined;
  /** Speed of reading cached prompt tokens; default 50000. */
  readonly cacheRead?: number | undefined;
  /** Speed of generating; default 100. */
  readonly decode?: number | undefined;
  /** Relative half-width of the random spread of the first token and of each gap; default 0. */
  readonly jitter?: number | undefined;
  /** Steps of an agent that heard none; default the number its prompt asks for, else 4. */
  readonly steps?: number | undefined;
  /** Tokens of a step, its delimiter included; default 24. */
  readonly stepTokens?: number | undefined;
  /** Probability that step j (from 0) is right; the last number goes for all later steps; default 1. */
  readonly accuracy?: number | readonly number[] | undefined;
  /** What each right step heard so far adds to that probability; default 0. */
  readonly delta?: number | undefined;
  /** What each wrong step heard so far takes from it; default 0. */
  readonly epsilon?: number | undefined;
  readonly seed?: number | undefined;
  readonly cache?: CacheKind | undefined;
  /** A cached prefix shorter than this many tokens does not count; default 0. */
  readonly minCache?: number | undefined;
  /** Share of requests refused before the first token, with status 429 or 500; default 0. */
  readonly fail?: number | undefined;
  /** Share of requests that fall silent within their first step until they are aborted; default 0. */
  readonly stall?: number | undefined;
  /** Share of requests whose stream closes within the first step, without its end; default 0. */
  readonly truncate?: number | undefined;
  /** Share of requests that fail within the first step, after some text; default 0. */
  readonly breakOff?: number | undefined;
};

export type Settings = { readonly [Name in keyof Required<SimulatedOptions>]: NonNullable<SimulatedOptions[Name]> } & {
  readonly accuracy: readonly number[];
};

type Numeric = Exclude<keyof SimulatedOptions, "id" | "clock" | "precise" | "cache" | "accuracy">;
type Range = {
  readonly about: string;
  readonly default: number;
  readonly least: number;
  readonly most?: number;
  readonly above?: true;
  readonly whole?: true;
};

const speed = (about: string, value: number): Range => ({ about, default: value, least: 0, above: true });
const share = (about: string): Range => ({ about, default: 0, least: 0, most: 1 });

/** The numbers a simulated model takes: what each means, its default and its range. 0 steps: as many as the prompt asks for. */
export const numbers: { readonly [Name in Numeric]: Range } = {
  ttft: { about: "milliseconds to the first token", default: 200, least: 0, most: 1e9 },
  prefill: speed("prompt tokens read a second", 5000),
  cacheRead: speed("cached prompt tokens read a second", 50000),
  decode: speed("tokens generated a second", 100),
  jitter: share("relative spread of the first token and of each gap"),
  steps: { about: "steps of a first speaker (0: as the prompt asks)", default: 0, least: 0, most: 1e6, whole: true },
  stepTokens: { about: "tokens of a step", default: 24, least: 1, most: 1e6, whole: true },
  delta: share("what each right step heard adds to a step's chance to be right"),
  epsilon: share("what each wrong step heard takes from it"),
  seed: { about: "seed of words, chance and jitter", default: 0, least: -(2 ** 53), most: 2 ** 53, whole: true },
  minCache: { about: "shortest cached prefix that counts, in tokens", default: 0, least: 0, most: 1e9, whole: true },
  fail: share("share of requests refused with 429 or 500"),
  stall: share("share of requests that fall silent"),
  truncate: share("share of requests that close without their end"),
  breakOff: share("share of requests that fail after some text"),
};

const cacheKinds: readonly string[] = ["shared", "session", "off"] satisfies CacheKind[];

function checkNumber(path: string, value: number, range: Omit<Range, "about" | "default">): number {
  const { least, most, above, whole } = range;
  const low = above === true ? value > least : value >= least;
  if (low && (most === undefined || value <= most) && (whole !== true || Number.isSafeInteger(value))) return value;
  const kind = whole === true ? "a whole number" : "a number";
  const from = above === true ? `above ${least}` : `of at least ${least}`;
  throw new ConfigError(path, `${value} is not ${kind} ${from}${most === undefined ? "" : ` and at most ${most}`}`);
}

function checkAccuracy(path: string, value: number | readonly number[]): readonly number[] {
  const profile = typeof value === "number" ? [value] : value;
  if (profile.length === 0) throw new ConfigError(path, "give at least one probability");
  return profile.map((probability) => checkNumber(path, probability, { least: 0, most: 1 }));
}

/** How an option is named in errors; here: as it is. */
type Naming = (name: string) => string;
const asItIs: Naming = (name) => name;

/** The options with defaults filled in. Throws a `ConfigError` that names the first option out of its range. */
export function settle(options: SimulatedOptions, place: Naming = asItIs): Settings {
  const { id = "simulated", clock = systemClock, precise = false, cache = "shared", accuracy = 1 } = options;
  if (id === "") throw new ConfigError(place("id"), "must not be empty");
  if (!cacheKinds.includes(cache))
    throw new ConfigError(place("cache"), `"${cache}" is none of ${cacheKinds.join(", ")}`);
  const settled = Object.entries(numbers).map(([name, range]) => {
    const value = options[name as Numeric];
    return [name, value === undefined ? range.default : checkNumber(place(name), value, range)];
  });
  return {
    id,
    clock,
    precise,
    cache,
    accuracy: checkAccuracy(place("accuracy"), accuracy),
    ...(Object.fromEntries(settled) as Record<Numeric, number>),
  };
}

/** The names of the options that can be written as text, in the order they are listed to people. */
export const textNames: readonly string[] = [...Object.keys(numbers), "accuracy", "cache", "precise", "id"];

function toNumber(path: string, text: string): number {
  const value = text.trim() === "" ? Number.NaN : Number(text);
  if (Number.isNaN(value)) throw new ConfigError(path, `"${text}" is not a number`);
  return value;
}

/**
 * Options written as text, such as `decode=50`; several accuracies are separated by slashes. Throws a `ConfigError` for
 * one that does not exist, is no number, or out of its range, named by `place`.
 */
export function fromText(
  entries: Iterable<readonly [name: string, text: string]>,
  place: Naming = asItIs,
): SimulatedOptions {
  const options = [...entries].map(([name, text]) => {
    const path = place(name);
    if (name === "accuracy") return [name, text.split("/").map((part) => toNumber(path, part))];
    if (!textNames.includes(name)) {
      throw new ConfigError(path, `a simulated model has no such option; there are ${textNames.join(", ")}`);
    }
    if (name === "precise" && text !== "true" && text !== "false") {
      throw new ConfigError(path, `"${text}" is neither true nor false`);
    }
    if (name === "precise") return [name, text === "true"];
    return [name, name in numbers ? toNumber(path, text) : text];
  });
  const given = Object.fromEntries(options) as SimulatedOptions;
  settle(given, place);
  return given;
}
