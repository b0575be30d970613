// Local models: how much of what a context holds is not evaluated again, and what two agents gain by speaking at once.
import { duplex } from "./duplex.mjs";
import { atLeast, interleaved } from "./report.mjs";

const { run } = await duplex("index.js");
const { byTokens } = await duplex("core/splitters.js");
const { teamOf } = await duplex("core/prompts.js");
const { llama } = await duplex("models/llama/index.js");

// Something to say much about: a model that stops early leaves its listener nothing to do.
const task = "Tell the story of a ship that sails around the world, in great detail, harbor by harbor.";
const steps = 12;
const stepTokens = 24;
const smallest = "smollm2-135m";
const demanded = process.env.BENCH_MODEL ?? "qwen2.5-coder-0.5b";

/** Says at most so many tokens, so that every round does the same work whatever the model would rather do. */
const limited = (model, maxTokens) => ({ ...model, stream: (request) => model.stream({ ...request, maxTokens }) });

async function opened(report, name) {
  try {
    // Four times what the calls need, so that nothing is ever shifted out.
    return await llama({ name, threads: 1, contexts: 2, contextTokens: 4096 });
  } catch (error) {
    report.skip(name, error.message);
    return undefined;
  }
}

/** Turns in the order of their agent's calls, each with its usage. */
async function turns(model, { size, ...options }) {
  const team = teamOf({
    topology: "chain",
    ...size,
    model: (index) => limited(model, index === 0 ? size.steps * stepTokens : stepTokens),
  });
  const ended = new Map();
  let wallMs = 0;
  for await (const event of run(team, task, { splitter: byTokens(stepTokens), temperature: 0, ...options })) {
    if (event.type === "turn-end") ended.set(event.agent, [...(ended.get(event.agent) ?? []), event.usage]);
    wallMs = event.at;
  }
  return { wallMs, agents: team.agents.map(({ id }) => ended.get(id) ?? []) };
}

/** Tokens a call could have found in its context, those of the agent's call before it, and how many it found. */
function reuse(agents) {
  let [possible, found, evaluated, calls] = [0, 0, 0, 0];
  for (const usages of agents)
    for (const [index, { inputTokens, cachedTokens }] of usages.entries()) {
      calls++;
      evaluated += inputTokens - cachedTokens;
      if (index === 0) continue;
      const before = usages[index - 1];
      // The last token said was never evaluated: nothing came after it.
      possible += before.inputTokens + before.outputTokens - 1;
      found += cachedTokens;
    }
  return { share: (100 * found) / possible, evaluated, calls };
}

async function reused(report, name) {
  const model = await opened(report, name);
  if (model === undefined) return;
  try {
    const { agents } = await turns(model, { size: { agents: 2, steps } });
    const { share, evaluated, calls } = reuse(agents);
    const note = `${calls} calls, ${evaluated} prompt tokens evaluated`;
    report.measure(`${name}: prefix tokens not evaluated again`, share, { unit: "%", goal: atLeast(95), note });
  } finally {
    await model.close();
  }
}

async function overlap(report, name, { rounds, goal }) {
  const model = await opened(report, name);
  if (model === undefined) return;
  try {
    const asked = new Set();
    const wall = async (protocol) => {
      const { wallMs, agents } = await turns(model, { size: { agents: 2, steps }, protocol });
      const tokens = agents.flat().map(({ inputTokens, outputTokens }) => `${inputTokens} ${outputTokens}`);
      asked.add(tokens.join(","));
      return wallMs;
    };
    const [stream, segmented] = await interleaved(rounds, [() => wall("stream"), () => wall("segmented")]);
    report.measure(`${name}: two agents, stream`, stream, { unit: "ms" });
    report.measure(`${name}: two agents, segmented`, segmented, { unit: "ms" });
    const ratios = segmented.map((ms, round) => ms / stream[round]);
    const bound = (2 * steps) / (steps + 1);
    const note = `${asked.size === 1 ? "the same calls" : "calls differed"}; ${bound.toFixed(2)} at most for equal steps`;
    report.measure(`${name}: two agents, segmented / stream`, ratios, { unit: "times", goal, note });
  } finally {
    await model.close();
  }
}

export async function bench(report, { rounds }) {
  await reused(report, smallest);
  await reused(report, demanded);
  await overlap(report, demanded, { rounds: rounds ?? 3, goal: atLeast(1.5) });
}
