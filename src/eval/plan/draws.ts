// What a profile leaves open, drawn: a plan is made for each draw, so that intervals hold together.

import { ConfigError } from "../../base/errors.ts";
import { normal, random, subseed } from "../../base/random.ts";
import type { Random } from "../../base/random.ts";
import type { Estimate, Profile } from "../measure/profile.ts";
import type { Load } from "./voices.ts";
import type { Skill } from "./teams.ts";

/** A model as it may be. The steps of messages and skills are those of the profile. */
export type World = {
  readonly speeds: Pick<Load, "firstMs" | "uncachedMs" | "cachedMs" | "outputMs">;
  readonly tokens: {
    readonly prompt: number;
    readonly listenerPrompt: number;
    readonly step: number;
    readonly heard: number;
    /** Output of a listener for each step, as it hears. */
    readonly reply: { readonly serial: number; readonly stream: number };
  };
  /** Steps the profile's messages have. */
  readonly steps: number;
  readonly skill: { readonly profile: readonly number[]; readonly delta: number; readonly epsilon: number } | undefined;
};

/** Two-sided 95 % of a standard normal, as intervals are. */
const z95 = 1.959963984540054;

type Dice = (estimate: Estimate, range?: readonly [least: number, most: number]) => number;

/** Values as measured. */
const measured: Dice = ({ value }) => value;

/** Values as they may be: normal, with the interval's width, each side with its own. */
const drawnBy =
  (next: Random): Dice =>
  ({ value, low, high }, [least, most] = [0, Infinity]) => {
    const away = normal(next) / z95;
    const drawn = value + away * (away < 0 ? value - low : high - value);
    return Math.min(most, Math.max(least, drawn));
  };

/** The milliseconds a token takes, of a speed in tokens a second: its interval is even in these. */
function perToken({ value, low, high }: Estimate): Estimate {
  const ms = (speed: number) => 1000 / speed;
  return { value: ms(value), low: Math.min(ms(high), ms(value)), high: Math.max(ms(low), ms(value)) };
}

/** What a plan cannot do without. */
const needed = <T>(value: T | null, path: string, what: string): T => {
  if (value !== null) return value;
  throw new ConfigError(`profile.${path}`, `${what} is not measured, and no plan can be made without it`);
};

function worldOf({ speeds, tokens, quality }: Profile, dice: Dice): World {
  const { prompt, listenerPrompt, steps, step, reply, heard } = needed(tokens, "tokens", "how long messages are");
  const decode = needed(speeds.decode, "speeds.decode", "the decode speed");
  const first = needed(speeds.timeToFirstTokenMs, "speeds.timeToFirstTokenMs", "the time to first token");
  const prefill = needed(speeds.prefill, "speeds.prefill", "the prefill speed");
  // Where nothing was read from a cache, cached tokens are planned to take as long as others.
  const cacheRead = speeds.cacheRead ?? prefill;
  const outputMs = dice(perToken(decode));
  const uncachedMs = dice(perToken(prefill));
  const cachedMs = speeds.cacheRead === null ? uncachedMs : dice(perToken(cacheRead));
  const [said, serial, stream] = [step, reply.serial ?? reply.stream, reply.stream ?? reply.serial].map((one) =>
    dice(one ?? step, [1e-9, Infinity]),
  ) as [number, number, number];
  const chance = (estimate: Estimate) => dice(estimate, [0, 1]);
  return {
    speeds: { firstMs: dice(first), uncachedMs, cachedMs, outputMs },
    tokens: {
      prompt: dice(prompt),
      listenerPrompt: dice(listenerPrompt),
      step: said,
      heard: dice(heard, [-said, Infinity]),
      reply: { serial, stream },
    },
    steps: steps.value,
    skill:
      quality === null
        ? undefined
        : {
            profile: quality.profile.map(chance),
            delta: chance(quality.delta),
            epsilon: chance(quality.epsilon),
          },
  };
}

/** The measured world first, then `draws` that agree with the intervals. Throws a ConfigError for what is not measured. */
export function worlds(profile: Profile, { draws, seed }: { readonly draws: number; readonly seed: number }): World[] {
  const next = random(subseed(seed, "plan"));
  const dice = drawnBy(next);
  return [worldOf(profile, measured), ...Array.from({ length: draws }, () => worldOf(profile, dice))];
}

/** What a change of the number of steps keeps: the length of a message, or that of a step. */
export type Keeps = "message" | "step";

type Sized = Pick<Load, "cache" | "cacheMinimum"> & {
  readonly steps: number;
  readonly per: "serial" | "stream";
  readonly keeps: Keeps;
};

/** How calls go in a world when a message has so many steps. */
export function loadOf(world: World, { cache, cacheMinimum, steps, per, keeps }: Sized): Load {
  const scale = keeps === "message" ? world.steps / steps : 1;
  const { prompt, listenerPrompt, step, heard, reply } = world.tokens;
  const { firstMs, uncachedMs, cachedMs, outputMs } = world.speeds;
  return {
    firstMs,
    uncachedMs,
    cachedMs,
    outputMs,
    prompt,
    listenerPrompt,
    step: step * scale,
    reply: reply[per] * scale,
    heard: Math.max(heard, -step * scale),
    cache,
    cacheMinimum,
  };
}

/**
 * The skill for another number of steps than was measured: p_j by its place in the message, linear between the middles of
 * measured steps; a message that is as long does as much, so that δ and ε of a step shrink as steps grow more.
 */
export function skillOf({ skill }: World, steps: number, keeps: Keeps): Skill | undefined {
  if (skill === undefined) return undefined;
  const { profile, delta, epsilon } = skill;
  const scale = keeps === "message" ? profile.length / steps : 1;
  const stretched = Float64Array.from({ length: steps }, (_, step) => {
    const place = keeps === "message" ? ((step + 0.5) / steps) * profile.length - 0.5 : step;
    const [low, high] = [Math.floor(place), Math.ceil(place)];
    const at = (index: number) => profile[Math.min(profile.length - 1, Math.max(0, index))]!;
    return at(low) + (at(high) - at(low)) * (place - low);
  });
  return { profile: stretched, delta: Math.min(1, delta * scale), epsilon: Math.min(1, epsilon * scale) };
}
