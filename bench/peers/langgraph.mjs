import { Annotation, END, START, StateGraph } from "@langchain/langgraph";
import { AIMessageChunk } from "@langchain/core/messages";
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { ChatGenerationChunk } from "@langchain/core/outputs";
import { answer, drained, whole } from "./model.mjs";

/** What the model itself says, whoever asks. */
async function* chunksOf(texts) {
  for (const text of texts) yield new ChatGenerationChunk({ text, message: new AIMessageChunk({ content: text }) });
}

class Instant extends BaseChatModel {
  constructor(texts) {
    super({});
    this.texts = texts;
  }

  _llmType() {
    return "instant";
  }

  async _generate() {
    throw new Error("only streams are measured");
  }

  async *_streamResponseChunks(_messages, _options, manager) {
    for await (const chunk of chunksOf(this.texts)) {
      yield chunk;
      await manager?.handleLLMNewToken(chunk.text, undefined, undefined, undefined, undefined, { chunk });
    }
  }
}

const State = Annotation.Root({ text: Annotation() });

/** LangGraph.js: a compiled graph. Chunks by `streamMode: "messages"`, hops by `invoke`. */
export async function open(words) {
  const model = new Instant(words);
  const speaker = new StateGraph(State)
    .addNode("a", async ({ text }) => ({ text: (await model.invoke(text)).content }))
    .addEdge(START, "a")
    .addEdge("a", END)
    .compile();
  const node = async () => ({ text: await answer(["yes"]) });
  const chain = new StateGraph(State)
    .addNode("a", node)
    .addNode("b", node)
    .addNode("c", node)
    .addEdge(START, "a")
    .addEdge("a", "b")
    .addEdge("b", "c")
    .addEdge("c", END)
    .compile();
  return {
    chunk: {
      way: 'graph.stream, streamMode "messages"',
      bare: () => drained(chunksOf(words)),
      through: async () => {
        const events = await speaker.stream({ text: "go" }, { streamMode: "messages" });
        whole("LangGraph.js", await drained(events), words.length);
      },
    },
    hop: {
      way: "graph.invoke",
      times: 100,
      bare: async () => {
        for (let index = 0; index < 3; index++) await answer(["yes"]);
      },
      through: () => chain.invoke({ text: "go" }),
    },
  };
}
