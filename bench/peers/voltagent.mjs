import { Agent, createWorkflowChain } from "@voltagent/core";
import { z } from "zod";
import { answer, bare, drained, languageModel, whole } from "./model.mjs";

const silent = { trace() {}, debug() {}, info() {}, warn() {}, error() {}, fatal() {}, child: () => silent };

/** VoltAgent: an agent's stream, and a workflow of three steps, which costs less than three agents. */
export async function open(words) {
  const model = languageModel(words);
  const agent = new Agent({ name: "a", instructions: "answer", model, memory: false, logger: silent });
  const schema = z.object({ text: z.string() });
  const execute = async () => ({ text: await answer(["yes"]) });
  const workflow = createWorkflowChain({ id: "chain", name: "chain", input: schema, result: schema, logger: silent })
    .andThen({ id: "a", execute })
    .andThen({ id: "b", execute })
    .andThen({ id: "c", execute });
  return {
    chunk: {
      way: "agent.streamText, textStream",
      bare: () => bare(model),
      through: async () => whole("VoltAgent", await drained((await agent.streamText("go")).textStream), words.length),
    },
    hop: {
      way: "workflow of steps",
      times: 50,
      bare: async () => {
        for (let index = 0; index < 3; index++) await answer(["yes"]);
      },
      through: () => workflow.run({ text: "go" }),
    },
  };
}
