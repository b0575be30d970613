// duplex-ai: run teams of agents that hear each other while they speak.

export { ConfigError, explain, ModelError, TraceError } from "./base/errors.ts";
export { systemClock } from "./base/clock.ts";
export type { Clock } from "./base/clock.ts";
export { splitterNamed } from "./core/splitters.ts";
export type * from "./core/types.ts";
export { protocols, segmented, serial, single, stream } from "./runtime/protocols.ts";
export { graphProtocol } from "./runtime/protocols.ts";
export { run } from "./runtime/run.ts";
export type { Run, RunOptions } from "./runtime/run.ts";
export type { Cut, Play, Protocol, Settings, Stage } from "./runtime/stage.ts";
export type { Gather, Inbox, InboxEvent } from "./runtime/gather.ts";
