// The teams that clients in Python ask: one that really adds, so that scores are known, and a simulated one.
import { topology } from "duplex-ai";

/** @type {import("duplex-ai").Model} Says the sum of the last two numbers it was told to add, a word at a time. */
const adder = {
  id: "adder",
  async *stream({ messages, signal }) {
    const told = messages.map(({ content }) => content).join("\n");
    const [, a = "0", b = "0"] = [...told.matchAll(/(\d+) \+ (\d+)/g)].at(-1) ?? [];
    let outputTokens = 0;
    for (const text of `${a} + ${b} = ${Number(a) + Number(b)}`.match(/\s*\S+/g) ?? []) {
      await new Promise((resolve) => setImmediate(resolve));
      if (signal?.aborted) break;
      outputTokens++;
      yield { type: "text", text, tokens: 1 };
    }
    const usage = { calls: 1, inputTokens: told.length, cachedTokens: 0, outputTokens };
    yield { type: "end", reason: signal?.aborted ? "interrupted" : "stop", usage };
  },
};

const agent = (id) => ({ id, instructions: `You are ${id}. Add the numbers.`, model: adder });
const sums = topology([agent("solver"), agent("checker")], [["solver", "checker"]]);

export default {
  models: { quick: "simulated:ttft=5,decode=400" },
  teams: {
    sums: { topology: { agents: sums.agents, edges: sums.edges }, description: "two agents that add" },
    chain: { model: "quick", agents: 2, reasoning: true },
  },
};
