// A team as a model of the AI SDK 5, and of what is built on it, such as Mastra: its LanguageModelV2.

import { asLanguageModel } from "./language-model.ts";
import type { CallOptions, StreamPart, TeamLanguageModel } from "./language-model.ts";
import type { Team } from "./team.ts";

type Finish = Extract<StreamPart, { readonly type: "finish" }>;
type Warning = Extract<StreamPart, { readonly type: "stream-start" }>["warnings"][number];
/** What a call comes to under the third version. */
export type Generated = Awaited<ReturnType<TeamLanguageModel["doGenerate"]>>;

/** The tokens of a call, as the second version counts them. */
export type TokensV2 = {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly totalTokens: number;
  readonly reasoningTokens: number;
  readonly cachedInputTokens: number;
};
/** An option that a team has no use for, under the second version. */
export type WarningV2 = { readonly type: "other"; readonly message: string };
/** How the stream ends under the second version. */
export type FinishV2 = { readonly usage: TokensV2; readonly finishReason: "stop" | "length" };

/** A part of the stream the AI SDK 5 reads. */
export type StreamPartV2 =
  | Exclude<StreamPart, { readonly type: "finish" | "stream-start" }>
  | { readonly type: "stream-start"; readonly warnings: WarningV2[] }
  | (Omit<Extract<StreamPart, { readonly type: "finish" }>, keyof FinishV2> & FinishV2);

/** What the AI SDK 5 takes wherever it takes a model; the AI SDK 6 takes it too. */
export type TeamLanguageModelV2 = Omit<TeamLanguageModel, "specificationVersion" | "doGenerate" | "doStream"> & {
  readonly specificationVersion: "v2";
  doGenerate(
    options: CallOptions,
  ): Promise<Omit<Generated, keyof FinishV2 | "warnings"> & FinishV2 & { readonly warnings: WarningV2[] }>;
  doStream(options: CallOptions): Promise<{ stream: ReadableStream<StreamPartV2> }>;
};

const endOf = ({ usage: { inputTokens, outputTokens }, finishReason }: Pick<Finish, keyof FinishV2>): FinishV2 => ({
  usage: {
    inputTokens: inputTokens.total,
    outputTokens: outputTokens.total,
    totalTokens: inputTokens.total + outputTokens.total,
    reasoningTokens: outputTokens.reasoning,
    cachedInputTokens: inputTokens.cacheRead,
  },
  finishReason: finishReason.unified,
});

// Of the setting's names only some are known to version 2.
const warned = (warnings: readonly Warning[]): WarningV2[] =>
  warnings.map(({ feature, details }) => ({
    type: "other",
    message: `${feature} is not supported${details === undefined ? "" : `: ${details}`}`,
  }));

function partOf(part: StreamPart): StreamPartV2 {
  if (part.type === "finish") return { ...part, ...endOf(part) };
  return part.type === "stream-start" ? { ...part, warnings: warned(part.warnings) } : part;
}

/** `asLanguageModel` for the AI SDK 5 and for Mastra up to 0.24, which take models of version 2 only. */
export function asLanguageModelV2(team: Team, modelId = "team"): TeamLanguageModelV2 {
  const model = asLanguageModel(team, modelId);
  return {
    ...model,
    specificationVersion: "v2",
    async doGenerate(options) {
      const result = await model.doGenerate(options);
      return { ...result, ...endOf(result), warnings: warned(result.warnings) };
    },
    async doStream(options) {
      const { stream } = await model.doStream(options);
      const reader = stream.getReader();
      const pull = async (controller: ReadableStreamDefaultController<StreamPartV2>) => {
        const { value, done } = await reader.read();
        if (done) controller.close();
        else controller.enqueue(partOf(value));
      };
      return { stream: new ReadableStream({ pull, cancel: () => reader.cancel() }, { highWaterMark: 0 }) };
    },
  };
}
