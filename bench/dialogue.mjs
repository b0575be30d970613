// What turn-taking costs beyond the models' own streams: 1,000 turns of 20 chunks, with nobody deciding and with a policy that takes no time.
import { duplex } from "./duplex.mjs";
import { atMost, interleaved } from "./report.mjs";

const { dialogue, run } = await duplex("index.js");
const { never } = await duplex("policies/index.js");

const turns = 1000;
const chunks = 20;
const usage = { calls: 1, inputTokens: 1, cachedTokens: 0, outputTokens: chunks };
const texts = Array.from({ length: chunks }, (_, index) => `token ${index} `);

/** Says a message as fast as it is asked for. */
const model = {
  id: "instant",
  async *stream() {
    for (const text of texts) yield { type: "text", text, tokens: 1 };
    yield { type: "end", reason: "stop", usage };
  },
};

const instant = { name: "instant", decide: () => ({ advantage: -1 }) };

async function drained(stream) {
  let count = 0;
  for await (const _ of stream) count++;
  return count;
}

/** Microseconds of this process's processor time: on a busy machine that is not somebody else's. */
async function spent(work) {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

async function bare() {
  for (let turn = 0; turn < turns; turn++) await drained(model.stream());
}

async function talked(policy) {
  const agents = ["one", "two"].map((id) => ({ id, instructions: "speak", model, policy }));
  const options = { protocol: dialogue({ rounds: turns / 2 }), chunk: 1 };
  const decided = policy.decide === undefined ? 0 : turns * chunks;
  // A start and an end of the run, an end of each agent, and three events a turn besides its chunks.
  const wanted = 4 + turns * (3 + chunks) + decided;
  const events = await drained(run({ agents, edges: [] }, "talk", options));
  if (events !== wanted) throw new Error(`${events} events instead of ${wanted}`);
}

export async function bench(report, { rounds = 9 }) {
  const policies = [
    ["never", never, 5],
    ["a policy that decides at once", instant, 15],
  ];
  const over = (policy) => async () => {
    const without = await spent(bare);
    return ((await spent(() => talked(policy))) - without) / (turns * chunks);
  };
  const samples = await interleaved(
    rounds,
    policies.map(([, policy]) => over(policy)),
  );
  for (const [index, [name, , most]] of policies.entries())
    report.measure(`${name}: a chunk, of ${turns} turns of ${chunks}`, samples[index], {
      unit: "us",
      goal: atMost(most),
    });
  const note = "each round's with a policy over its without";
  report.measure(
    `a decision made at once`,
    samples[1].map((value, round) => value - samples[0][round]),
    { unit: "us", note },
  );
}
