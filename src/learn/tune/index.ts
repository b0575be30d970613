// Listeners tuned on labels: by an adapter for a local model, or by whoever serves one.

export { baseOf } from "./base.ts";
export type { Base } from "./base.ts";
export { examplesOf, openaiLine, promptOf, trlLine } from "./examples.ts";
export type { Asked, Asking, Example } from "./examples.ts";
export type { Agreement as TunedAgreement } from "./judge.ts";
export { convertAdapter } from "./peft.ts";
export type { Converted, ConvertOptions } from "./peft.ts";
export { openTuned, tunedLook } from "./policy.ts";
export type { Tuned, TunedOptions } from "./policy.ts";
export type { RunOptions as ProgramOptions } from "./process.ts";
export { findPython, interpreterIn, roomFor, setUp } from "./python.ts";
export type { FindOptions, Python, PythonOptions, SetupOptions } from "./python.ts";
export { readSafetensors } from "./safetensors.ts";
export type { Tensor } from "./safetensors.ts";
export { dataOf } from "./settle.ts";
export type { Data as TuningData, DataOptions as TuningDataOptions, RuleChoice, Verdict } from "./settle.ts";
export { trainerScript } from "./trainer.ts";
export type { Trained, TrainerEvent, TrainerSpec, TrainOptions } from "./trainer.ts";
export { tune } from "./tune.ts";
export type { TunedAdapter, TuneOptions } from "./tune.ts";
export type { Recipe, Running as TrainingOptions } from "./recipe.ts";
export { cancelTuning, tuneByApi } from "./tune-api.ts";
export type { ApiTuneOptions, TunedByApi } from "./tune-api.ts";
export type { ApiOptions, Job } from "./api.ts";
export { checkTuned, readTuned, tunedSchema } from "./tuned-file.ts";
export type { TunedFile } from "./tuned-file.ts";
