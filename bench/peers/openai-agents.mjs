import { Agent, Runner, setTracingDisabled, Usage } from "@openai/agents";
import { drained, whole } from "./model.mjs";

setTracingDisabled(true);

const done = (text) => ({
  type: "response_done",
  response: {
    id: "1",
    usage: { requests: 1, inputTokens: 1, outputTokens: 1, totalTokens: 2 },
    output: [
      { type: "message", id: "1", role: "assistant", status: "completed", content: [{ type: "output_text", text }] },
    ],
  },
});

const instant = (texts) => ({
  async getResponse() {
    const { response } = done(texts.join(""));
    return { usage: new Usage(response.usage), output: response.output, responseId: "1" };
  },
  async *getStreamedResponse() {
    yield { type: "response_started" };
    for (const delta of texts) yield { type: "output_text_delta", delta };
    yield done(texts.join(""));
  },
});

/** OpenAI Agents: streamed runs, and three runs one after the other as its chain. */
export async function open(words) {
  const runner = new Runner({ tracingDisabled: true });
  const speaker = instant(words);
  const node = instant(["yes"]);
  const make = (name, model) => new Agent({ name, instructions: "answer", model });
  const agents = ["a", "b", "c"].map((name) => make(name, node));
  const one = make("a", speaker);
  return {
    chunk: {
      way: "runner.run, stream: true",
      bare: () => drained(speaker.getStreamedResponse()),
      through: async () => {
        const result = await runner.run(one, "go", { stream: true });
        whole("OpenAI Agents", await drained(result), words.length);
      },
    },
    hop: {
      way: "runner.run three times",
      times: 100,
      bare: async () => {
        for (let index = 0; index < 3; index++) await node.getResponse();
      },
      through: async () => {
        for (const agent of agents) await runner.run(agent, "go");
      },
    },
  };
}
