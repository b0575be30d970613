// Models: simulated, behind an API, or of another SDK. Local ones are in `duplex-ai/llama`, with what they need.

export { fromAISDK } from "./ai-sdk.ts";
export type { AISDKCall, AISDKModel, AISDKOptions, Opened as AISDKOpened } from "./ai-sdk.ts";
export { Gate, gate, gateFor, limited } from "./limited.ts";
export type { GateOptions, LimitedOptions } from "./limited.ts";
export { openai } from "./openai.ts";
export type { OpenAIOptions } from "./openai.ts";
export { parsePrice, priceOf } from "./prices.ts";
export type { CacheKind, SimulatedOptions } from "./simulated-settings.ts";
export { stepMarks } from "./simulated-steps.ts";
export type { StepMark, Terms as StepTerms } from "./simulated-steps.ts";
export { simulated } from "./simulated.ts";
export { modelForms, parseModel } from "./spec.ts";
export type { OpenModel, ParseModelOptions } from "./spec.ts";
export type { CacheOptions, CatalogueEntry, Download, Mirror, Mirrors, Progress, PullOptions } from "./store/index.ts";
export type { Random } from "../base/random.ts";
