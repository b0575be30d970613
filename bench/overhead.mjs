// What a runtime costs over the model's own stream, with a model that takes no time: a chunk, and a hop of a three-node chain.
import { duplex } from "./duplex.mjs";
import { peers } from "./peers/peers.mjs";
import { atLeast, atMost, interleaved } from "./report.mjs";

const { run } = await duplex("index.js");

const chunks = 10_000;
const nodes = 3;
/** Words with a delimiter line after every 24th, as a model says them that was asked for steps. */
const words = Array.from({ length: chunks }, (_, index) => (index % 24 === 23 ? "\nEND_STEP\n" : "token "));
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
const team = [agent("a", ["yes"]), agent("b", ["yes"]), agent("c", ["yes"])];
const chain = {
  agents: team,
  edges: [
    ["a", "b"],
    ["b", "c"],
  ],
};

const ours = {
  name: "Duplex",
  chunk: {
    bare: () => drained(instant(words).stream()),
    through: () => drained(run({ agents: [agent("a", words)], edges: [] }, "go")),
  },
  hop: {
    way: "run, protocol stream",
    times: 1000,
    bare: async () => {
      for (const { model } of team) await drained(model.stream());
    },
    through: () => drained(run(chain, "go")),
  },
};

/**
 * Microseconds a unit that `through` takes beyond `bare`, `times` each, `units` a time. Processor time of the process,
 * collecting garbage included: on a quiet machine that is the wall time, and on a busy one it is not somebody else's.
 */
async function beyond({ bare, through, times = 1 }, units) {
  const spent = async (work) => {
    const before = process.cpuUsage();
    for (let time = 0; time < times; time++) await work();
    const { user, system } = process.cpuUsage(before);
    return user + system;
  };
  const without = await spent(bare);
  return ((await spent(through)) - without) / (times * units);
}

const unit = "us";

function compare(report, what, { samples, contenders, least }) {
  const [own, ...others] = samples;
  for (const [index, sample] of others.entries()) {
    const { name, way } = contenders[index + 1];
    report.measure(`${what}: ${name}`, sample, { unit, note: way });
    const goal = atLeast(name === least ? 10 : 1);
    const ratios = sample.map((value, round) => value / own[round]);
    report.measure(`${what}: ${name} / Duplex`, ratios, { unit: "times", goal });
  }
}

export async function bench(report, { rounds = 7 }) {
  const { found, missing } = await peers(words);
  for (const { name, why } of missing) report.skip(name, why);
  const all = [ours, ...found];
  const units = { chunk: chunks, hop: nodes };
  const goals = { chunk: atMost(3), hop: atMost(10) };
  const least = { chunk: "AI SDK", hop: "LangGraph.js" };
  for (const what of ["chunk", "hop"]) {
    const able = all.filter((contender) => contender[what] !== undefined);
    const samples = await interleaved(
      rounds,
      able.map((contender) => () => beyond(contender[what], units[what])),
    );
    report.measure(`${what}: Duplex over the bare model`, samples[0], { unit, goal: goals[what] });
    const contenders = able.map((contender) => ({ name: contender.name, way: contender[what].way }));
    compare(report, what, { samples, contenders, least: least[what] });
  }
  await handOver(report, rounds);
}

/** A step that is heard while its speaker goes on: what each costs once a run is under way. */
async function handOver(report, rounds) {
  const steps = 64;
  const says = Array.from({ length: steps }, () => "yes\nEND_STEP\n");
  const source = { agents: [agent("a", says)], edges: [] };
  const pair = { agents: [agent("a", says), agent("b", ["yes"])], edges: [["a", "b"]] };
  const one = { times: 50, bare: () => drained(run(source, "go")), through: () => drained(run(pair, "go")) };
  const samples = await interleaved(rounds, [() => beyond(one, steps)]);
  report.measure("a step heard and answered, within a run of 64", samples[0], {
    unit,
    note: "the listener's own call included",
  });
}
