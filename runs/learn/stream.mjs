// A speaker whose late steps are bad: `stream` with a learned policy against plain `stream`, on runs never learned from.
// node runs/learn/stream.mjs [runs, default 200]

import { bootstrap, keep, load, mean } from "./world.mjs";

const { answer } = await load("core/transcript.js");
const { usageOf } = await load("core/usage.js");
const { balanceOf, fit, label, sampleStream } = await load("learn/index.js");
const { simulated } = await load("models/simulated.js");
const { calibrated } = await load("policies/index.js");
const { run } = await load("runtime/run.js");
const { VirtualClock } = await load("testing/clock.js");

const times = { stepTokens: 12, decode: 200, ttft: 10 };
const team = ({ seed, clock }) => ({
  agents: [
    {
      id: "a",
      instructions: "Work it out in 8 steps.",
      model: simulated({ ...times, seed, clock, steps: 8, accuracy: [0.95, 0.95, 0.95, 0.95, 0.1] }),
    },
    {
      id: "b",
      instructions: "Check each step.",
      model: simulated({ ...times, seed: seed + 1, clock, accuracy: 0.5, delta: 0.1, epsilon: 0.15 }),
    },
  ],
  edges: [["a", "b"]],
});
const right = (text) => {
  const [, a, b, sum] = /(\d+) \+ (\d+) = (\d+)\s*$/.exec(text.trim()) ?? [];
  return sum !== undefined && Number(a) + Number(b) === Number(sum);
};
const points = async (split, count) => {
  const assignments = Array.from({ length: count }, (_, index) => ({
    id: `${split} ${index}`,
    split,
    prompt: `Task ${split} ${index}`,
    judge: right,
  }));
  const found = [];
  const sampling = {
    task: "late steps are bad",
    assignments,
    team,
    speaker: "a",
    listener: "b",
    virtual: true,
    rollouts: 16,
  };
  for await (const point of sampleStream(sampling)) found.push(point);
  return found;
};
const played = async (seed, policy) => {
  const clock = new VirtualClock();
  const { agents, edges } = team({ seed, clock });
  const events = [];
  const work = async () => {
    const topology = { edges, agents: agents.map((agent) => (agent.id === "b" ? { ...agent, policy } : agent)) };
    for await (const event of run(topology, `Held out ${seed}`, { clock, seed, chunk: "step" })) events.push(event);
  };
  await clock.run(work());
  const { outputTokens, inputTokens } = usageOf(events).total;
  return { success: right(answer(events)) ? 1 : 0, tokens: outputTokens, input: inputTokens, ms: events.at(-1).at };
};

const runs = Number(process.argv[2] ?? 200);
const train = await points("train", 12);
const dev = await points("dev", 6);
const rows = [];
// `worth`: tokens a right answer is worth. Without, the cheapest cut that loses nothing is taken, however early.
for (const worth of [undefined, 1000]) {
  const labels = label(train, { confidence: 0.5, worth });
  const { weights, rule } = fit(labels, { features: ["chunks"], dev, maxLoss: 0, lookCost: 0, worth });
  const policy = calibrated(weights);
  const pairs = [];
  for (let seed = 1000; seed < 1000 + runs; seed++)
    pairs.push([{ plain: await played(seed, undefined), cut: await played(seed, policy) }]);
  const all = pairs.flat();
  const side = (name, key) => mean(all.map((pair) => pair[name][key]));
  const difference = (key) =>
    bootstrap(pairs, (items) => mean(items.map(({ cut, plain }) => cut[key] - plain[key])), { seed: 1 });
  const row = { worth: worth ?? 0, runs, balance: balanceOf(labels), pays: rule.pays };
  for (const key of ["success", "tokens", "input", "ms"])
    row[key] = { plain: side("plain", key), cut: side("cut", key), difference: difference(key) };
  rows.push(row);
  console.log(JSON.stringify(row));
}
await keep("stream", rows);
