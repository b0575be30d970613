// duplex-ai: teams of agents that hear each other while they speak, and interrupt.

export { ConfigError, explain, ModelError, TraceError } from "./base/errors.ts";
export type { FailedUsage, ModelErrorDetails } from "./base/errors.ts";
export { systemClock } from "./base/clock.ts";
export type { Clock } from "./base/clock.ts";
export type * from "./core/types.ts";
export type { Decision, Hearing, Policy } from "./core/policy.ts";

export { chain, diamond, graph, topology, tree, validate } from "./core/topology.ts";
export type { TopologyName } from "./core/topology.ts";
export { parseTopology } from "./core/topology-file.ts";
export type { TopologyFileOptions } from "./core/topology-file.ts";
export { heardMessage, rolePrompts, teamOf } from "./core/prompts.ts";
export type { Role, RoleOptions, TeamOptions } from "./core/prompts.ts";
export {
  byDelimiter,
  byHeading,
  byLine,
  byNumber,
  byParagraph,
  bySentence,
  byStep,
  byTokens,
  splitterNamed,
  splitText,
  whole,
} from "./core/splitters.ts";
export type { BoundOptions } from "./core/splitter-lines.ts";

export { dialogue } from "./runtime/dialogue.ts";
export type { DialogueOptions, StopRule, Utterance } from "./runtime/dialogue.ts";
export { agreed, answered } from "./runtime/stop-rules.ts";
export type { AnswerRule } from "./runtime/stop-rules.ts";
export type { Gather, Gathering } from "./runtime/gather.ts";
export { listen } from "./runtime/listen.ts";
export type { Listened, Listening, ListenOptions } from "./runtime/listen.ts";
export type { Source, TextOf } from "./runtime/source.ts";
export { graphProtocol, protocols, segmented, serial, single, stream } from "./runtime/protocols.ts";
export { run } from "./runtime/run.ts";
export type { Run, RunOptions } from "./runtime/run.ts";
export type { Cut, Play, Protocol, Settings, Stage } from "./runtime/stage.ts";
export type { Watchdog, Watched } from "./base/watchdog.ts";

export { measured, speedUp } from "./core/measure.ts";
export type { Measured, SpeedUp } from "./core/measure.ts";
export { timeline } from "./core/timeline.ts";
export type { HeardStep, PickUp, Timeline, TimelineAgent, TimelineStep, TimelineTurn } from "./core/timeline.ts";
export { formatEvent, parseTrace, readTrace } from "./core/trace.ts";
export type { ParsedTrace } from "./core/trace.ts";
export { answer, answers, transcript } from "./core/transcript.ts";
export type { AgentTranscript, SaidTurn } from "./core/transcript.ts";
export { add, cost, none, sum, usageOf } from "./core/usage.ts";
export type { Cost, EdgeUsage, Price, RunUsage } from "./core/usage.ts";
