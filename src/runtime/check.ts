// What only a caller without types can get wrong, told before anything runs.

import { ConfigError } from "../base/errors.ts";
import type { Agent, Topology } from "../core/types.ts";

/** Throws a ConfigError, naming the place, where a model, a policy or an option is not of its kind. */
export function checkKinds({ agents }: Topology, task: unknown, { splitter, signal, clock }: Kinds): void {
  if (typeof task !== "string") throw new ConfigError("task", `must be a text, not ${kindOf(task)}`);
  for (const [index, agent] of agents.entries()) checkAgent(agent, `agents[${index}]`);
  if (splitter !== undefined && typeof splitter !== "function")
    throw new ConfigError("splitter", `must be a function, as byStep() gives one, not ${kindOf(splitter)}`);
  if (signal !== undefined && !has(signal, "addEventListener"))
    throw new ConfigError("signal", `must be an AbortSignal, not ${kindOf(signal)}`);
  if (clock !== undefined && !(has(clock, "now") && has(clock, "sleep")))
    throw new ConfigError("clock", "must have the functions now and sleep");
}

/** Throws a ConfigError for an option that there is not: a misspelled one would otherwise do nothing. */
export function checkNames(place: string, options: object, names: readonly string[]): void {
  const odd = Object.entries(options).find(([name, value]) => value !== undefined && !names.includes(name));
  if (odd !== undefined) throw new ConfigError(`${place}.${odd[0]}`, `is no option; there are ${names.join(", ")}`);
}

function checkAgent({ model, policy, route }: Agent, at: string): void {
  if (!has(model, "stream"))
    throw new ConfigError(`${at}.model`, `must be a model, which has a function "stream", not ${kindOf(model)}`);
  if (policy !== undefined && (typeof policy !== "object" || policy === null))
    throw new ConfigError(`${at}.policy`, `must be an object such as { name, decide }, not ${kindOf(policy)}`);
  if (policy?.decide !== undefined && typeof policy.decide !== "function")
    throw new ConfigError(`${at}.policy.decide`, `must be a function, not ${kindOf(policy.decide)}`);
  if (route !== undefined && typeof route !== "function")
    throw new ConfigError(`${at}.route`, `must be a function, not ${kindOf(route)}`);
}

type Kinds = { readonly splitter?: unknown; readonly signal?: unknown; readonly clock?: unknown };

const has = (value: unknown, name: string): boolean =>
  typeof (value as { readonly [key: string]: unknown } | null | undefined)?.[name] === "function";

const kindOf = (value: unknown): string =>
  value === null ? "null" : value === undefined ? "missing" : `of type ${typeof value}`;
