// For tests: time that moves at once, models that follow a script, and what every model and policy must do.

export { VirtualClock } from "./clock.ts";
export { modelSuite } from "./model-suite.ts";
export type { Behaviour, Made, Subject } from "./model-suite.ts";
export { policySuite } from "./policy-suite.ts";
export type { PolicyKit, PolicySubject } from "./policy-suite.ts";
export { scripted } from "./scripted.ts";
export type { Line, ScriptedModel } from "./scripted.ts";
