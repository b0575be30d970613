// Measuring a model by asking it: calls that are made so that they tell its speeds, runs of a small team, and answers to
// puzzles after hearing right and wrong steps.

import { systemClock } from "../../base/clock.ts";
import type { Clock } from "../../base/clock.ts";
import { ConfigError } from "../../base/errors.ts";
import { random, subseed } from "../../base/random.ts";
import { teamOf } from "../../core/prompts.ts";
import type { Model, RunEvent } from "../../core/types.ts";
import { usageOf } from "../../core/usage.ts";
import { run } from "../../runtime/run.ts";
import { Asking } from "./asking.ts";
import { timeCalls } from "./calls.ts";
import type { CallPhase } from "./calls.ts";
import { grade } from "./grading.ts";
import type { Grading } from "./grading.ts";
import { estimatedTokens } from "./profile-of.ts";
import { profileVersion } from "./profile.ts";
import type { MeasuredQuality, Profile } from "./profile.ts";
import { sumPuzzle } from "./puzzles.ts";
import { cacheOf, ratiosByProtocol, rhoOf, tokensOf, toldOf } from "./ratios.ts";
import { speedsOf } from "./timings.ts";

/** What a measurement may spend, and what it asks. */
export type ProbeOptions = {
  /** Tokens, read and said, that may be spent; the last call may go over it by its own length. */
  readonly budget: number;
  readonly clock?: Clock | undefined;
  readonly signal?: AbortSignal | undefined;
  /** The same seed asks the same; default 0. */
  readonly seed?: number | undefined;
  /** Steps of a message; default 4. */
  readonly steps?: number | undefined;
  /** How right steps are, measured on puzzles with so much of the budget; false: not at all. Default: running sums. */
  readonly quality?: Grading | false | undefined;
  /** Told what goes on. */
  readonly onProgress?: ((progress: ProbeProgress) => void) | undefined;
};

/** How far a measurement is, in tokens. */
export type ProbeProgress = {
  readonly phase: "speeds" | "runs" | "quality";
  readonly tokens: number;
  readonly budget: number;
};

/** With less, a call of each length could not be made often enough for an interval. */
export const leastBudget = 5000;

/** Shares of the budget: speeds, runs, and what is left for quality. */
const shares = { speeds: 0.4, runs: 0.25 } as const;

function check({ budget, steps = 4 }: ProbeOptions): void {
  if (!Number.isFinite(budget) || budget < leastBudget)
    throw new ConfigError("budget", `must be at least ${leastBudget} tokens, got ${budget}`);
  if (!Number.isSafeInteger(steps) || steps < 1 || steps > 64)
    throw new ConfigError("steps", `must be a whole number from 1 to 64, got ${steps}`);
}

/**
 * Measures a model by asking it, within a budget of tokens. Throws a ConfigError for a budget that is too small, and the model's
 * error where it fails again and again.
 */
export async function probe(model: Model, options: ProbeOptions): Promise<Profile> {
  check(options);
  const { budget, clock = systemClock, signal, seed = 0, steps = 4, quality = {}, onProgress } = options;
  const asking = new Asking(model, { clock, signal });
  const tell = (phase: ProbeProgress["phase"]) => onProgress?.({ phase, tokens: asking.tokens, budget });
  const whole = quality === false ? budget / (shares.speeds + shares.runs) : budget;
  const timings = await timeCalls(asking, { until: whole * shares.speeds, seed, tell: () => tell("speeds") });
  const until = whole * (shares.speeds + shares.runs);
  const traces = await runTeams(asking, { until, seed, steps, tell: () => tell("runs") });
  let judged: MeasuredQuality | undefined;
  if (quality !== false)
    judged = await grade(asking, { ...quality, until: budget, seed, steps, tell: () => tell("quality") });
  const { speeds, notes } = speedsOf(timings);
  const told = traces.flatMap((events) => toldOf(events) ?? []);
  const { calls, inputTokens, outputTokens, estimated } = asking.usage;
  return {
    kind: "duplex-profile",
    version: profileVersion,
    model: model.id,
    simulated: model.simulated === true,
    from: { source: "probe", runs: traces.length, calls, inputTokens, outputTokens },
    speeds,
    cache: cacheOf(told),
    tokens: tokensOf(told),
    ratios: ratiosByProtocol(told),
    rho: rhoOf(told),
    quality: judged ?? null,
    notes: [
      ...notes,
      ...(estimated === true ? [estimatedTokens] : []),
      ...(asking.failed > 0 ? [`${asking.failed} calls or runs failed and are left out.`] : []),
      ...(quality !== false && judged === undefined ? ["Too few answers could be judged: quality is unknown."] : []),
    ],
  };
}

/** Pairs of runs of two agents on the same task, under `serial` and under `stream`. */
async function runTeams(
  asking: Asking,
  phase: CallPhase & { readonly steps: number },
): Promise<(readonly RunEvent[])[]> {
  const { until, seed, steps, tell } = phase;
  const next = random(subseed(seed, "runs"));
  const { model, clock, signal } = asking;
  const team = teamOf({ topology: "chain", agents: 2, steps, model });
  const traces: (readonly RunEvent[])[] = [];
  let dearest = 0;
  for (let pair = 0; pair < 50; pair++) {
    const before = asking.tokens;
    if (pair >= 1 && before + dearest > until) break;
    const { task } = sumPuzzle(next, steps);
    for (const protocol of ["serial", "stream"]) {
      const events: RunEvent[] = [];
      const play = async () => {
        for await (const event of run(team, task, { protocol, clock, signal, seed: seed + pair })) events.push(event);
      };
      const done = await asking.tolerate(async () => {
        await play().finally(() => asking.spend(usageOf(events).total));
        return true;
      });
      if (done === true) traces.push(events);
    }
    dearest = Math.max(dearest, asking.tokens - before);
    tell();
  }
  return traces;
}
