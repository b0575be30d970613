// What was measured of a model: a file that a plan is made from, and that outlives the version that wrote it.

import { z } from "zod";
import { ConfigError } from "../../base/errors.ts";

/** A measured value and the ends of its 95 % interval. Speeds may be `Infinity`, their upper ends too. */
export type Estimate = { readonly value: number; readonly low: number; readonly high: number };

/** How fast a model is: milliseconds, and tokens a second; null where the calls do not tell. */
export type MeasuredSpeeds = {
  readonly timeToFirstTokenMs: Estimate | null;
  readonly prefill: Estimate | null;
  /** Null also where nothing was read from a cache. */
  readonly cacheRead: Estimate | null;
  readonly decode: Estimate | null;
};

/** How long prompts and steps are, in tokens. */
export type MeasuredTokens = {
  /** Input of a call that has heard nobody. */
  readonly prompt: Estimate;
  /** Instructions and task of a listener: its first input less the steps in it. */
  readonly listenerPrompt: Estimate;
  /** Steps a first speaker says. */
  readonly steps: Estimate;
  /** Output of a first speaker for each of its steps. */
  readonly step: Estimate;
  /** Output of a listener for each of its steps, when it hears whole messages and when it hears steps. */
  readonly reply: { readonly serial: Estimate | null; readonly stream: Estimate | null };
  /** What a heard step weighs beside its text. */
  readonly heard: Estimate;
};

/** The ratios of the cost model (arXiv 2606.05158), under one protocol. */
export type MeasuredRatios = {
  readonly runs: number;
  readonly alpha: Estimate | null;
  readonly beta: Estimate | null;
  readonly rPo: Estimate | null;
};

/** How right steps are, and what hearing them does. */
export type MeasuredQuality = {
  /** p_j: step j of a speaker that hears nobody is right. */
  readonly profile: readonly Estimate[];
  /** A listener's step is right when it has heard nothing. */
  readonly base: Estimate;
  readonly delta: Estimate;
  readonly epsilon: Estimate;
  /** Who judged steps, and the share of steps of known truth that it judged right; null where it is exact. */
  readonly judge: { readonly name: string; readonly agreement: Estimate | null };
  /** Steps judged. */
  readonly judged: number;
};

/** The version that this program writes and reads. */
export const profileVersion = 1;

/** What was measured of a model, every value with its interval; as JSON, what `duplex plan` reads. */
export type Profile = {
  readonly kind: "duplex-profile";
  readonly version: typeof profileVersion;
  readonly model: string;
  readonly simulated: boolean;
  readonly from: {
    readonly source: "probe" | "traces";
    readonly runs: number;
    readonly calls: number;
    readonly inputTokens: number;
    readonly outputTokens: number;
  };
  readonly speeds: MeasuredSpeeds;
  /** Which tokens a later call of an agent finds cached; null where no agent called twice. */
  readonly cache: "off" | "request" | "conversation" | null;
  readonly tokens: MeasuredTokens | null;
  /** By protocol: `serial`, `stream`, `stream waiting` and so on. */
  readonly ratios: Readonly<Record<string, MeasuredRatios>>;
  /** Output tokens of `stream` over those of `serial`, for the same tasks and teams. */
  readonly rho: Estimate | null;
  readonly quality: MeasuredQuality | null;
  /** What could not be told, and why. */
  readonly notes: readonly string[];
};

const unbounded = z.union([
  z.number().min(0),
  z.literal("Infinity").transform(() => Infinity),
  z.custom<number>((value) => value === Infinity),
]);
const inOrder = ({ value, low, high }: Estimate) => low <= value && value <= high;
const disorder = "the value must lie in its interval: low, value, high";
const estimate = (number: z.ZodType<number>) =>
  z.strictObject({ value: number, low: number, high: number }).refine(inOrder, disorder);
const amount = estimate(z.number().min(0));
const probability = estimate(z.number().min(0).max(1));
const speed = z
  .strictObject({ value: unbounded, low: z.number().min(0), high: unbounded })
  .refine(inOrder, disorder)
  .refine(({ value, low }) => value > 0 && low > 0, "a speed must be above 0 tokens a second");
const ratios = z.strictObject({
  runs: z.int().min(1),
  alpha: amount.nullable(),
  beta: amount.nullable(),
  rPo: amount.nullable(),
});
const whole = z.int().min(0);

const schema = z.strictObject({
  kind: z.literal("duplex-profile"),
  version: z.literal(profileVersion),
  model: z.string().min(1),
  simulated: z.boolean(),
  from: z.strictObject({
    source: z.enum(["probe", "traces"]),
    runs: whole,
    calls: whole,
    inputTokens: whole,
    outputTokens: whole,
  }),
  speeds: z.strictObject({
    timeToFirstTokenMs: amount.nullable(),
    prefill: speed.nullable(),
    cacheRead: speed.nullable(),
    decode: speed.nullable(),
  }),
  cache: z.enum(["off", "request", "conversation"]).nullable(),
  tokens: z
    .strictObject({
      prompt: amount,
      listenerPrompt: amount,
      steps: amount.refine(({ value }) => value >= 1, "there must be at least 1 step"),
      step: amount.refine(({ value }) => value > 0, "a step must have more than 0 tokens"),
      reply: z.strictObject({ serial: amount.nullable(), stream: amount.nullable() }),
      heard: estimate(z.number()),
    })
    .nullable(),
  ratios: z.record(z.string(), ratios),
  rho: amount.nullable(),
  quality: z
    .strictObject({
      profile: z.array(probability).min(1),
      base: probability,
      delta: probability,
      epsilon: probability,
      judge: z.strictObject({ name: z.string(), agreement: probability.nullable() }),
      judged: whole,
    })
    .nullable(),
  notes: z.array(z.string()),
});

const placeIn = (place: string, path: readonly PropertyKey[]): string =>
  [place, path.map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`)).join("")]
    .filter((part) => part !== "")
    .join(" ")
    .replace(" .", " ");

const versionOf = (value: unknown): unknown =>
  typeof value === "object" && value !== null && "version" in value ? value.version : undefined;
const isProfile = (value: unknown): boolean =>
  typeof value === "object" && value !== null && "kind" in value && value.kind === "duplex-profile";

/** Checks a value that should be a profile. Throws a ConfigError that names the place, or another version. */
export function checkProfile(value: unknown, place = "profile"): Profile {
  if (!isProfile(value)) throw new ConfigError(place, "is no profile; `duplex measure -o FILE` writes one");
  const version = versionOf(value);
  if (version !== profileVersion) {
    const told = typeof version === "number" ? String(version) : "unknown";
    throw new ConfigError(
      place,
      `is a profile of version ${told}, and this program reads version ${profileVersion}; measure again`,
    );
  }
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw new ConfigError(placeIn(place, issue?.path ?? []), issue?.message ?? "is no profile");
}

/** Reads a profile's text. Throws a ConfigError that names the place in it. */
export function parseProfile(text: string, place = "profile"): Profile {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new ConfigError(place, "is no JSON; `duplex measure -o FILE` writes a profile", { cause: error });
  }
  return checkProfile(value, place);
}

const toJson = (profile: Profile, space?: number): string =>
  JSON.stringify(profile, (_, value: unknown) => (value === Infinity ? "Infinity" : value), space);

/** A profile as JSON text, to be read by people and by `parseProfile`. */
export const formatProfile = (profile: Profile): string => `${toJson(profile, 2)}\n`;

/** A profile as one line of JSON, without the line's end. */
export const profileLine = (profile: Profile): string => toJson(profile);
