// Decision points: places where a listener could have cut a speaker, and what came of cutting there and of hearing all. One
// JSON object a line.

import { z } from "zod";
import { ConfigError } from "../base/errors.ts";
import type { Message } from "../core/types.ts";
import { splits } from "../eval/index.ts";
import type { Split } from "../eval/index.ts";

/** The version of the format that is written and read. */
export const pointsVersion = 1;

/** What came of one action at a decision point. */
export type Outcome = {
  /** Share of rollouts that succeeded. */
  readonly success: number;
  /** Mean of all generated tokens of the conversation. */
  readonly cost: number;
  readonly rollouts: number;
  /** Each rollout; in both actions those of one index met the same chance. Absent where one rollout is exact. */
  readonly rolls?: readonly Roll[] | undefined;
};

/** Success, 0 or 1, and generated tokens of one rollout. */
export type Roll = readonly [success: number, cost: number];

/** A place in a message, and what came of cutting there and of hearing on. */
export type DecisionPoint = {
  readonly version: typeof pointsVersion;
  readonly task: string;
  readonly sample: string;
  readonly split: Split;
  readonly listener: string;
  readonly speaker: string;
  /** The speaker's turn. */
  readonly turn: number;
  /** Chunks and tokens heard of the turn. */
  readonly chunk: number;
  readonly tokens: number;
  /** The cuts on the way here, as `listener.speaker.turn.chunk` joined with `/`; empty where nobody was cut before. */
  readonly path: string;
  /** What was heard of the message. */
  readonly text: string;
  /** The question that the listener needs answered, where it is known. */
  readonly about?: string | undefined;
  /** What the listener's model would have been sent; the last message brings what was heard. */
  readonly messages: readonly Message[];
  readonly features?: Readonly<Record<string, number>> | undefined;
  /** Cut here. */
  readonly cut: Outcome;
  /** This message heard to its end. */
  readonly full: Outcome;
  /** Another rollout would come to the same. */
  readonly exact?: boolean | undefined;
  /** What it took to find out: generated tokens, and money where prices are known. */
  readonly took?: { readonly generated: number; readonly amount: number } | undefined;
  /** Models, seed, scheme, version. */
  readonly provenance: Readonly<Record<string, unknown>>;
};

const count = z.number().int().min(0);
const outcome = z.object({
  success: z.number().min(0).max(1),
  cost: z.number().min(0),
  rollouts: z.number().int().min(1),
  rolls: z.array(z.tuple([z.number().min(0).max(1), z.number().min(0)])).optional(),
});

const schema = z.object({
  version: z.literal(pointsVersion),
  task: z.string(),
  sample: z.string(),
  split: z.enum(splits),
  listener: z.string(),
  speaker: z.string(),
  turn: count,
  chunk: count.min(1),
  tokens: count,
  path: z.string(),
  text: z.string(),
  about: z.string().optional(),
  messages: z.array(z.object({ role: z.enum(["system", "user", "assistant"]), content: z.string() })).min(1),
  features: z.record(z.string(), z.number()).optional(),
  cut: outcome,
  full: outcome,
  exact: z.boolean().optional(),
  took: z.object({ generated: z.number().min(0), amount: z.number().min(0) }).optional(),
  provenance: z.record(z.string(), z.unknown()),
});

/** Where a decision point is: what names it among those of a task. */
export type PointPlace = Pick<DecisionPoint, "sample" | "path" | "listener" | "speaker" | "turn" | "chunk">;

/** Names a decision point among those of a task. */
export const keyOf = ({ sample, path, listener, speaker, turn, chunk }: PointPlace): string =>
  [sample, path, listener, speaker, turn, chunk].join(" ");

/** Names the message a decision point is in, as one listener hears it. */
export const messageOf = ({ sample, path, listener, speaker, turn }: Omit<PointPlace, "chunk">): string =>
  [sample, path, listener, speaker, turn].join(" ");

function checked(value: unknown, place: string): DecisionPoint {
  const version = (value as { readonly version?: unknown } | null)?.version;
  if (version !== undefined && version !== pointsVersion)
    throw new ConfigError(
      place,
      `has version ${JSON.stringify(version)}, and this reads version ${pointsVersion}; sample again`,
    );
  const { success, data, error } = schema.safeParse(value);
  if (!success) {
    const [issue] = error.issues;
    throw new ConfigError(`${place} ${issue?.path.join(".") ?? ""}`.trim(), `is no decision point: ${issue?.message}`);
  }
  for (const name of ["cut", "full"] as const) {
    const { rollouts, rolls } = data[name];
    if (rolls === undefined ? data.exact !== true : rolls.length !== rollouts)
      throw new ConfigError(`${place} ${name}.rolls`, `must hold its ${rollouts} rollouts`);
  }
  if (data.cut.rolls?.length !== data.full.rolls?.length)
    throw new ConfigError(`${place} full.rolls`, "must be as many as those of cut");
  return data;
}

/** One line, without its end. Throws a ConfigError for what could not be read back, such as a feature that is NaN. */
export function formatPoint(point: DecisionPoint): string {
  checked(point, `decision point ${keyOf(point)}`);
  return JSON.stringify(point);
}

/**
 * Reads the lines of a file. Throws a ConfigError that names the line for what is no decision point, is of another version,
 * holds a number that is none, is there twice, or puts one sample into two splits.
 */
export function parsePoints(text: string, place = "labels"): DecisionPoint[] {
  const points: DecisionPoint[] = [];
  const keys = new Map<string, number>();
  const splitOf = new Map<string, Split>();
  for (const [index, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    const at = `${place}:${index + 1}`;
    const point = checked(parsed(line, at), at);
    const key = `${point.task} ${keyOf(point)}`;
    const first = keys.get(key);
    if (first !== undefined) throw new ConfigError(at, `is the same decision point as line ${first}; remove one`);
    keys.set(key, index + 1);
    const sample = `${point.task} ${point.sample}`;
    const split = splitOf.get(sample) ?? point.split;
    if (split !== point.split)
      throw new ConfigError(at, `sample "${point.sample}" is in ${point.split} here and in ${split} before`);
    splitOf.set(sample, split);
    points.push(point);
  }
  return points;
}

function parsed(line: string, at: string): unknown {
  try {
    return JSON.parse(line);
  } catch (cause) {
    throw new ConfigError(at, "is not a line of JSON", { cause });
  }
}

/** Throws a ConfigError that names a sample that is in both: what was learned from must not be tested on. */
export function checkApart(learned: readonly DecisionPoint[], held: readonly DecisionPoint[], place = "labels"): void {
  const known = new Set(learned.map(({ task, sample }) => `${task} ${sample}`));
  const both = held.find(({ task, sample }) => known.has(`${task} ${sample}`));
  if (both !== undefined)
    throw new ConfigError(place, `sample "${both.sample}" of ${both.task} is in both; draw them from different splits`);
}
