import { streamText } from "ai";
import { bare, drained, languageModel, whole } from "./model.mjs";

/** The AI SDK: `streamText`; it has no graphs, so its chain is one call after the other. */
export async function open(words) {
  const speaker = languageModel(words);
  const node = languageModel(["yes"]);
  const call = (model, prompt) => drained(streamText({ model, prompt }).textStream);
  return {
    chunk: {
      way: "streamText, textStream",
      bare: () => bare(speaker),
      through: async () => whole("streamText", await call(speaker, "go"), words.length),
    },
    hop: {
      way: "streamText three times",
      times: 100,
      bare: async () => {
        for (let index = 0; index < 3; index++) await bare(node);
      },
      through: async () => {
        for (let index = 0; index < 3; index++) await call(node, "go");
      },
    },
  };
}
