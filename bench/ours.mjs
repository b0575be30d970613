// Duplex as a contender: the same measures as its peers, and a step that is heard while its speaker goes on.
import { duplex } from "./duplex.mjs";

const usage = { calls: 1, inputTokens: 1, cachedTokens: 0, outputTokens: 1 };

/** Says the texts as fast as they are asked for; it yields to promises only, as the models given to the peers do. */
const instant = (texts) => ({
  id: "instant",
  async *stream() {
    for (const text of texts) yield { type: "text", text, tokens: 1 };
    yield { type: "end", reason: "stop", usage };
  },
});

async function drained(stream) {
  let count = 0;
  for await (const _ of stream) count++;
  return count;
}

const agent = (id, texts) => ({ id, instructions: "answer", model: instant(texts) });
const team = (...agents) => ({
  agents,
  edges: agents.slice(1).map(({ id }, index) => [agents[index].id, id]),
});

export async function ours(words) {
  const { run } = await duplex("index.js");
  const chain = team(agent("a", ["yes"]), agent("b", ["yes"]), agent("c", ["yes"]));
  const speaker = team(agent("a", words));
  const steps = Array.from({ length: 64 }, () => "yes\nEND_STEP\n");
  const [alone, heard] = [team(agent("a", steps)), team(agent("a", steps), agent("b", ["yes"]))];
  return {
    chunk: {
      way: "run",
      times: 4,
      bare: () => drained(instant(words).stream()),
      through: () => drained(run(speaker, "go")),
    },
    hop: {
      way: "run, protocol stream",
      times: 1000,
      bare: async () => {
        for (const { model } of chain.agents) await drained(model.stream());
      },
      through: () => drained(run(chain, "go")),
    },
    step: {
      times: 50,
      bare: () => drained(run(alone, "go")),
      through: () => drained(run(heard, "go")),
    },
  };
}
