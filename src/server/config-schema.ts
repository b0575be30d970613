// What a config may say, field by field.

import { z } from "zod";
import type { Policy } from "../core/policy.ts";
import { topologyNames } from "../core/topology.ts";
import type { Model } from "../core/types.ts";
import type { Protocol } from "../runtime/stage.ts";

const has = (value: unknown, name: string, type: string): boolean =>
  typeof value === "object" && value !== null && typeof (value as Record<string, unknown>)[name] === type;

/** A model by its spec or by a name given under `models`; in code also the model itself. */
const model = z.union([z.string().min(1), z.custom<Model>((value) => has(value, "stream", "function"))], {
  error: "must be a model's name or spec, as in simulated or openai:NAME",
});
const policy = z.union([z.string().min(1), z.custom<Policy>((value) => has(value, "name", "string"))], {
  error: "must be the name of a policy, as in prompted or after:3",
});
const protocolNames = ["single", "serial", "segmented", "stream", "dialogue"] as const;
const protocol = z.union([z.enum(protocolNames), z.custom<Protocol>((value) => has(value, "start", "function"))], {
  error: `must be one of ${protocolNames.join(", ")}`,
});
const count = z.int().min(1);

const team = z.strictObject({
  description: z.string().optional(),
  topology: z
    .union([z.enum(topologyNames), z.record(z.string(), z.unknown())], {
      error: `must be one of ${topologyNames.join(", ")}, or an object with agents and edges`,
    })
    .optional(),
  agents: count.optional(),
  steps: z.union([count, z.literal("auto")], { error: 'must be a whole number of at least 1, or "auto"' }).optional(),
  model: model.optional(),
  protocol: protocol.optional(),
  policy: z
    .union([policy, z.record(z.string(), policy)], { error: "must be a policy, or a policy for each agent" })
    .optional(),
  rounds: count.optional(),
  audience: z.enum(["broadcast", "next"]).optional(),
  join: z.enum(["aligned", "arrival"]).optional(),
  hear: z.enum(["each", "waiting"]).optional(),
  splitter: z.string().optional(),
  chunk: count.optional(),
  cut: z.enum(["all", "any", "leave"]).optional(),
  onFailure: z.enum(["failFast", "collect"]).optional(),
  onInterruptUsage: z.enum(["estimate", "drain", "ignore"]).optional(),
  maxTokens: count.optional(),
  temperature: z.number().min(0).optional(),
  seed: z.int().optional(),
  idleMs: z.number().min(0).optional(),
  decisionMs: z.number().min(0).optional(),
  answer: z.enum(["steps", "last"]).optional(),
  reasoning: z.boolean().optional(),
});

const whole = z.int().min(0).optional();
const above0 = z.number().positive();

/** The schema of a config. */
export const configSchema = z.strictObject({
  models: z.record(z.string(), model).optional(),
  teams: z.record(z.string(), team).optional(),
  limits: z
    .strictObject({
      runs: count.optional(),
      queue: whole,
      queueMs: whole,
      bodyBytes: count.optional(),
      traces: whole,
      traceBytes: count.optional(),
      runBytes: count.optional(),
    })
    .optional(),
  store: z
    .strictObject({ file: z.string().min(1), runs: count.optional(), days: above0.optional(), bytes: count.optional() })
    .optional(),
  telemetry: z.strictObject({ content: z.boolean().optional() }).optional(),
  origins: z.array(z.url("must be an origin, as in https://example.com")).optional(),
  port: z.int().min(0).max(65_535).optional(),
  host: z.string().min(1).optional(),
});

/** What a config declares: models by name, and teams that use them. */
export type Config = z.input<typeof configSchema>;
/** One team of a config. */
export type TeamConfig = z.input<typeof team>;
