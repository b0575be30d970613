// When a listener cuts a speaker.

export type { Decision, Hearing, Policy } from "../core/policy.ts";
export { readAnswer, unclearOf } from "./answer.ts";
export type { Answer, Unclear } from "./answer.ts";
export { calibrated, checkWeights, readWeights, scoreOf, weightsSchema } from "./calibrated.ts";
export type { Weights } from "./calibrated.ts";
export { all, any, budget, cooldown, every, minChunks } from "./combine.ts";
export type { Budget } from "./combine.ts";
export { featureNames, featuresOf } from "./features.ts";
export type { FeatureName, FeatureOptions, LookOfEar, Measured } from "./features.ts";
export { afterChunks, concise, never, onPattern, random } from "./fixed.ts";
export { needsOf, policiesNamed, policyForms, policyNamed } from "./named.ts";
export type { NamedOptions, Need, OpenedPolicies, OpenPolicies } from "./named.ts";
export { answerLook, ownAnswer } from "./own-answer.ts";
export type { AnswerFeatures, AnswerLook, AnswerOptions, Candidates, Measure, OwnAnswerOptions } from "./own-answer.ts";
export { enoughQuestion, prompted } from "./prompted.ts";
export type { PromptedOptions } from "./prompted.ts";
export { finetuned, yesNo, yesNoLook } from "./yes-no.ts";
export type { YesNoLook, YesNoOptions } from "./yes-no.ts";
