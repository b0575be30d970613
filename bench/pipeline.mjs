// How much of the ideal pipeline is reached: over loopback HTTP beside a client without any runtime, and in virtual time.
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { bareChain } from "./bare.mjs";
import { duplex } from "./duplex.mjs";
import { atLeast, atMost, exactly, interleaved } from "./report.mjs";

const { run } = await duplex("index.js");
const { openai, simulated } = await duplex("models/index.js");
const { teamOf } = await duplex("core/prompts.js");
const { VirtualClock } = await duplex("testing/clock.js");

const task = "Add the numbers.";
const stepTokens = 10;

/** A model with so many milliseconds to the first token and for a step, which reads in no time. */
const timing = ({ stepMs, ttft = 0 }) => ({
  ttft,
  prefill: Infinity,
  cacheRead: Infinity,
  stepTokens,
  decode: (1000 * stepTokens) / stepMs,
});

/** Timers are a millisecond late, call after call; the server has a core of its own to be exact on. */
const served = (speeds) => ({ ...timing(speeds), precise: process.env.BENCH_PRECISE !== "no" });

async function serving(options, work) {
  const text = JSON.stringify(options, (_, value) => (value === Infinity ? "Infinity" : value));
  const child = fork(fileURLToPath(new URL("./server.mjs", import.meta.url)), [text]);
  const answer = () =>
    new Promise((resolve, reject) => {
      child.once("message", resolve).once("exit", () => reject(new Error("the server has ended")));
    });
  const { url } = await answer();
  const totals = () => {
    const said = answer();
    child.send("totals");
    return said.then((message) => message.totals);
  };
  try {
    return await work({ url, totals });
  } finally {
    child.disconnect();
  }
}

const teamWith = (model, { agents, steps }) => teamOf({ topology: "chain", agents, steps, model });

async function timed(work) {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

async function played(team, options) {
  let last;
  for await (const event of run(team, task, options)) last = event;
  return last.at;
}

/** Duplex and the bare client in turns; both must have asked for the same. */
async function sideBySide({ url, totals }, { agents, steps, rounds }) {
  const team = teamWith(openai({ baseURL: url, model: "simulated" }), { agents, steps });
  const asked = [];
  const spent = new Map();
  const counted = (name, work) => async () => {
    const before = process.cpuUsage();
    const took = await timed(work);
    const { user, system } = process.cpuUsage(before);
    spent.set(name, [...(spent.get(name) ?? []), (user + system) / 1000]);
    const { calls, inputTokens, outputTokens } = await totals();
    asked.push(`${calls} calls, ${inputTokens} tokens read, ${outputTokens} generated`);
    return took;
  };
  const samples = await interleaved(rounds, [
    counted("Duplex", () => played(team)),
    counted("bare client", () => bareChain({ url, agents: team.agents, task })),
  ]);
  return { samples, spent, asked: new Set(asked) };
}

async function overHttp(report, { agents, steps, stepMs, rounds, goal }) {
  const place = `HTTP A=${agents} S=${steps}, ${stepMs} ms a step`;
  await serving(served({ stepMs }), async (server) => {
    const { samples, spent, asked } = await sideBySide(server, { agents, steps, rounds });
    const [own, bare] = samples;
    const ideal = (steps + agents - 1) * stepMs;
    const share = (sample) => sample.map((ms) => ideal / ms);
    const alone = agents * steps * stepMs;
    report.measure(`${place}: share of the bound`, share(own), { unit: "", goal: atLeast(goal) });
    report.measure(`${place}: share of the bound, bare client`, share(bare), {
      unit: "",
      note: [...asked].join(" / "),
    });
    report.measure(
      `${place}: speed-up`,
      own.map((ms) => alone / ms),
      { unit: "times", note: `bound ${(alone / ideal).toFixed(2)}` },
    );
    report.measure(
      `${place}: Duplex / bare client`,
      own.map((ms, round) => bare[round] / ms),
      { unit: "times", goal: atLeast(0.99) },
    );
    // The first round, which warms up, is not counted.
    for (const [name, ms] of spent)
      report.measure(`${place}: processor time, ${name}`, ms.slice(1), { unit: "ms", note: "of the client's process" });
    report.measure(`${place}: kinds of requests made by both`, asked.size, { unit: "", goal: exactly(1) });
  });
}

async function inVirtualTime(report) {
  let worst = 0;
  for (const [agents, steps] of [
    [1, 8],
    [4, 64],
    [16, 16],
    [64, 64],
  ]) {
    const clock = new VirtualClock();
    const model = simulated({ ...timing({ stepMs: 100 }), clock });
    const at = await clock.run(played(teamWith(model, { agents, steps }), { clock }));
    worst = Math.max(worst, Math.abs(at - (steps + agents - 1) * 100));
  }
  report.measure("virtual time: furthest from (S+A-1) steps", worst, { unit: "ms", goal: atMost(0.5) });
}

/** A time to first token as long as a step: what a call per step costs, and what hearing all that waits saves. */
async function slowStart(report) {
  const size = { agents: 4, steps: 64 };
  const goals = {
    each: { wall: exactly(67_000), calls: exactly(193) },
    waiting: { wall: atMost(46_500), calls: atMost(55) },
  };
  for (const [hear, goal] of Object.entries(goals)) {
    const clock = new VirtualClock();
    let made = 0;
    const model = simulated({ ...timing({ stepMs: 500, ttft: 500 }), clock });
    const counting = { ...model, stream: (request) => (made++, model.stream(request)) };
    const at = await clock.run(played(teamWith(counting, size), { clock, hear }));
    report.measure(`virtual time, 500 ms to the first token, ${hear}: wall`, Math.round(at), {
      unit: "ms",
      goal: goal.wall,
    });
    report.measure(`virtual time, 500 ms to the first token, ${hear}: calls`, made, {
      unit: "calls",
      goal: goal.calls,
    });
  }
  await serving(served({ stepMs: 50, ttft: 50 }), async ({ url, totals }) => {
    const team = teamWith(openai({ baseURL: url, model: "simulated" }), size);
    for (const [hear, ideal] of [
      ["each", 6700],
      ["waiting", 4650],
    ]) {
      const at = await timed(() => played(team, { hear }));
      const { calls } = await totals();
      const note = `${calls} calls; a tenth of the virtual times, ideally ${ideal}`;
      report.measure(`HTTP, 50 ms to the first token, ${hear}: wall`, at, { unit: "ms", note });
    }
  });
}

export async function bench(report, { rounds }) {
  await inVirtualTime(report);
  await overHttp(report, { agents: 4, steps: 64, stepMs: 20, rounds: rounds ?? 7, goal: 0.94 });
  await slowStart(report);
  await overHttp(report, { agents: 64, steps: 64, stepMs: 100, rounds: rounds ?? 3, goal: 0.97 });
}
