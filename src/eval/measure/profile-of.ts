import { ConfigError } from "../../base/errors.ts";
import type { RunEvent } from "../../core/types.ts";
import { sum, usageOf } from "../../core/usage.ts";
import { profileVersion } from "./profile.ts";
import type { Profile } from "./profile.ts";
import { cacheOf, ratiosByProtocol, rhoOf, tokensOf, toldOf } from "./ratios.ts";
import { speedsOf, timingsIn } from "./timings.ts";

type Events = readonly RunEvent[];

/** The models of a run's agents. */
const modelsIn = ([first]: Events): readonly string[] =>
  first?.type === "run-start" ? [...new Set(first.agents.map(({ model }) => model))] : [];

const isSimulated = ([first]: Events): boolean => first?.type === "run-start" && first.simulated === true;

/** Throws a ConfigError unless there is a run, and all runs are of one model. */
function oneModel(traces: readonly Events[]): string {
  if (traces.length === 0) throw new ConfigError("traces", "there is no run to measure; give at least one trace");
  const models = [...new Set(traces.flatMap(modelsIn))];
  const [model] = models;
  if (model === undefined) throw new ConfigError("traces", "no run has agents: a trace begins with a run-start event");
  if (models.length > 1)
    throw new ConfigError("traces", `a profile is of one model, and these runs are of ${models.join(", ")}`);
  return model;
}

/** Said of a profile some of whose tokens nobody reported. */
export const estimatedTokens = "Some tokens were estimated, not reported: what is measured in tokens is only as good.";

/**
 * What the traces of one model's runs tell of its speeds, of prompts and steps, and of contexts under each protocol. How right
 * steps are is not in a trace: see `probe`. Throws a ConfigError for no runs, several models, or runs in which nothing was said.
 */
export function profileOf(traces: readonly (readonly RunEvent[])[]): Profile {
  const model = oneModel(traces);
  const { speeds, notes } = speedsOf(traces.flatMap(timingsIn));
  const told = traces.flatMap((events) => toldOf(events) ?? []);
  const turns = told.flatMap(({ sources, listeners }) => [...sources, ...listeners]);
  if (turns.length === 0) throw new ConfigError("traces", "nothing was said in these runs: no turn ended with a step");
  const tokens = tokensOf(told);
  const { calls, inputTokens, outputTokens, estimated } = sum(traces.map((events) => usageOf(events).total));
  return {
    kind: "duplex-profile",
    version: profileVersion,
    model,
    simulated: traces.some(isSimulated),
    from: { source: "traces", runs: traces.length, calls, inputTokens, outputTokens },
    speeds,
    cache: cacheOf(told),
    tokens,
    ratios: ratiosByProtocol(told),
    rho: rhoOf(told),
    quality: null,
    notes: [
      ...notes,
      ...(traces.length < 2 ? ["One run: what differs from run to run has no interval."] : []),
      ...(estimated === true ? [estimatedTokens] : []),
      ...(tokens === null ? ["No agent heard another: how long a listener's prompt is cannot be told."] : []),
    ],
  };
}
