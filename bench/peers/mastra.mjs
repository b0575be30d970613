import { Agent } from "@mastra/core/agent";
import { createStep, createWorkflow } from "@mastra/core/workflows";
import { z } from "zod";
import { answer, bare, drained, languageModel } from "./model.mjs";

/** Mastra: an agent's stream, and a workflow of three steps, which costs much less than three agents. */
export async function open(words) {
  const model = languageModel(words, "v2");
  const agent = new Agent({ name: "a", instructions: "answer", model });
  const schema = z.object({ text: z.string() });
  const step = (id) =>
    createStep({
      id,
      inputSchema: schema,
      outputSchema: schema,
      execute: async () => ({ text: await answer(["yes"]) }),
    });
  const workflow = createWorkflow({ id: "chain", inputSchema: schema, outputSchema: schema })
    .then(step("a"))
    .then(step("b"))
    .then(step("c"))
    .commit();
  return {
    chunk: {
      // This version loses texts of a model that does not pause, so their number is not checked.
      way: "agent.stream, textStream",
      bare: () => bare(model),
      through: async () => drained((await agent.stream("go")).textStream),
    },
    hop: {
      way: "workflow of steps",
      times: 100,
      bare: async () => {
        for (let index = 0; index < 3; index++) await answer(["yes"]);
      },
      through: async () => (await workflow.createRunAsync()).start({ inputData: { text: "go" } }),
    },
  };
}
