import type { Clock } from "../base/clock.ts";
import { systemClock } from "../base/clock.ts";
import { ConfigError } from "../base/errors.ts";
import { checkId, validate } from "../core/topology.ts";
import type { Model } from "../core/types.ts";
import { Admission } from "./admission.ts";
import { redactor } from "./failure.ts";
import type { Redact } from "./failure.ts";
import { Metrics } from "./metrics.ts";
import type { TelemetryOptions } from "../telemetry/index.ts";
import { intoStore, intoTelemetry } from "./follow.ts";
import type { RunStore } from "./run-store.ts";
import { Runs } from "./runs.ts";
import { HttpError } from "./simulate-request.ts";
import { alone } from "./team.ts";
import type { Team } from "./team.ts";

/** Bounds on what a server does at a time and keeps in memory; all whole numbers. */
export type Limits = {
  /** Runs at a time: 64. */
  readonly runs?: number | undefined;
  /** Requests that may wait for a run to end: 256. More are refused with 429. */
  readonly queue?: number | undefined;
  /** Milliseconds a request may wait: 30,000. */
  readonly queueMs?: number | undefined;
  /** Bytes of a request's body: 8 MiB. */
  readonly bodyBytes?: number | undefined;
  /** Traces kept: 200. */
  readonly traces?: number | undefined;
  /** Bytes of the traces kept, about: 128 MiB. */
  readonly traceBytes?: number | undefined;
  /** Bytes of one run's trace, about, at which it is cancelled: 64 MiB. */
  readonly runBytes?: number | undefined;
};

/** What is served, to whom, and within which bounds. */
export type HandlerOptions = {
  /** Each is a model to clients, by its name. */
  readonly teams: Readonly<Record<string, Team>>;
  /** Models that are served by themselves too, by name. */
  readonly models?: Readonly<Record<string, Model>> | undefined;
  /** Where there are any, requests need one of them as bearer token; `/healthz` does not. */
  readonly keys?: readonly string[] | undefined;
  /** Texts that appear in no answer, trace or error; keys are among them anyway. */
  readonly secrets?: readonly string[] | undefined;
  /** Origins of web pages that may call, as in `https://example.com`; none by default, beside the server's own. */
  readonly origins?: readonly string[] | undefined;
  /** The names by which the server may be called (`Host` without port); any by default. */
  readonly hosts?: readonly string[] | undefined;
  readonly limits?: Limits | undefined;
  /** Milliseconds of silence after which a comment keeps a stream alive: 15,000. */
  readonly keepAliveMs?: number | undefined;
  /** The page at `/`, HTML; it needs no key, and must have nothing in it that does. Else teams are listed there. */
  readonly page?: (() => string | Promise<string>) | undefined;
  /** Where runs are kept beyond memory, as `sqliteStore` does; it is closed with the handler. */
  readonly store?: RunStore | undefined;
  /** Tells OpenTelemetry of every run: through the SDK registered in this process, or the tracer and meter given. */
  readonly telemetry?: true | TelemetryOptions | undefined;
  readonly clock?: Clock | undefined;
};

export const defaultLimits = {
  runs: 64,
  queue: 256,
  queueMs: 30_000,
  bodyBytes: 2 ** 23,
  traces: 200,
  traceBytes: 2 ** 27,
  runBytes: 2 ** 26,
} as const satisfies Limits;

/** The parts of a handler that its routes share. */
export type Service = {
  readonly options: {
    readonly clock: Clock;
    readonly keepAliveMs: number;
    readonly limits: Required<{ [Name in keyof Limits]: number }>;
  };
  readonly teams: ReadonlyMap<string, Team>;
  readonly runs: Runs;
  readonly metrics: Metrics;
  readonly admission: Admission;
  readonly redact: Redact;
  readonly store: RunStore | undefined;
  /** When it began, milliseconds since 1970. */
  readonly began: number;
};

function limitsOf(given: Limits = {}): Service["options"]["limits"] {
  const limits = { ...defaultLimits } as Record<keyof Limits, number>;
  for (const [name, value] of Object.entries(given) as [keyof Limits, number | undefined][]) {
    if (!(name in defaultLimits))
      throw new ConfigError(`limits.${name}`, `is not known; there are ${Object.keys(defaultLimits).join(", ")}`);
    if (value === undefined) continue;
    const least = name === "queue" || name === "traces" || name === "queueMs" ? 0 : 1;
    if (!Number.isSafeInteger(value) || value < least)
      throw new ConfigError(`limits.${name}`, `must be a whole number of at least ${least}, not ${value}`);
    limits[name] = value;
  }
  return limits;
}

function teamsOf({ teams, models = {} }: HandlerOptions): Map<string, Team> {
  const all = new Map<string, Team>();
  for (const [name, team] of Object.entries(teams)) {
    checkId(name, "teams");
    try {
      validate(team.topology);
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      throw new ConfigError(`teams.${name}.${error.path}`, error.message.slice(error.path.length + 2), {
        cause: error,
      });
    }
    all.set(name, team);
  }
  for (const [name, model] of Object.entries(models)) {
    checkId(name, "models");
    if (all.has(name))
      throw new ConfigError(`models.${name}`, "is the name of a team too; clients could not tell them apart");
    all.set(name, alone("model", model));
  }
  if (all.size === 0) throw new ConfigError("teams", "there must be at least one team or model to serve");
  return all;
}

/** Checks the options and makes what routes share. Throws ConfigError. */
export function serviceOf(options: HandlerOptions): Service {
  const { clock = systemClock, keys = [], secrets = [], keepAliveMs = 15_000, store, telemetry } = options;
  const limits = limitsOf(options.limits);
  const teams = teamsOf(options);
  if (keys.some((key) => key.trim() === "")) throw new ConfigError("keys", "one of them is empty");
  const metrics = new Metrics();
  const { runs, queue, queueMs, traces, traceBytes, runBytes } = limits;
  const admission = new Admission({ runs, queue, queueMs, clock });
  const redact = redactor([...keys, ...secrets]);
  const follow = [
    ...(store === undefined ? [] : [intoStore(store, redact)]),
    ...(telemetry === undefined ? [] : [intoTelemetry(telemetry === true ? {} : telemetry, redact)]),
  ];
  return {
    options: { clock, keepAliveMs, limits },
    teams,
    runs: new Runs({ clock, metrics, admission, traces, traceBytes, runBytes, follow }),
    metrics,
    admission,
    redact,
    store,
    began: Date.now(),
  };
}

/** The team of a name. Throws an `HttpError` 404 that lists those there are. */
export function teamNamed({ teams }: Service, name: string): Team {
  const found = teams.get(name);
  if (found !== undefined) return found;
  const shown = name.length > 100 ? `${name.slice(0, 100)}...` : name;
  const message = `model: there is no ${JSON.stringify(shown)} here; there are ${[...teams.keys()].join(", ")}`;
  throw new HttpError(404, message, { param: "model", code: "model_not_found" });
}
