// Servers: teams as models of an OpenAI-compatible API, and a simulated model behind HTTP.

export { checkConfig, openConfig, readConfig } from "./config.ts";
export type { Opened as OpenedConfig, OpenSpec } from "./config.ts";
export type { Config, TeamConfig } from "./config-schema.ts";
export { readyTeams } from "./ready.ts";
export { handler } from "./handler.ts";
export type { Handler } from "./handler.ts";
export { asLanguageModel } from "./language-model.ts";
export type {
  CallOptions,
  Finish,
  Metadata,
  StreamPart,
  TeamLanguageModel,
  Tokens,
  Warning,
} from "./language-model.ts";
export { asLanguageModelV2 } from "./language-model-v2.ts";
export type {
  FinishV2,
  Generated,
  StreamPartV2,
  TeamLanguageModelV2,
  TokensV2,
  WarningV2,
} from "./language-model-v2.ts";
export { serve } from "./serve.ts";
export type { ServeOptions, Serving } from "./serve.ts";
export type { HandlerOptions, Limits } from "./service.ts";
export type { RunHead, RunRecorder, RunStore, RunSummary, StoredRun } from "./run-store.ts";
export { sqliteStore } from "./sqlite-store.ts";
export type { SqliteBounds } from "./sqlite-messages.ts";
export type { SqliteOptions } from "./sqlite-store.ts";
export type { Team } from "./team.ts";
export { simulateServer } from "./simulate.ts";
export type { Charged, SimulateOptions, SimulateServer } from "./simulate.ts";
