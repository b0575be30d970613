// What a runtime costs over the model's own stream, with a model that takes no time: a chunk, and a hop of a three-node chain.
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { names } from "./peers/peers.mjs";
import { atLeast, atMost, interleaved } from "./report.mjs";

/** Starts a framework in a process of its own; `ask` measures one round. */
async function start(name) {
  const file = fileURLToPath(new URL("./contender.mjs", import.meta.url));
  const child = fork(file, [name], { stdio: ["ignore", "ignore", "inherit", "ipc"] });
  const answer = () =>
    new Promise((resolve, reject) => {
      const ended = () => reject(new Error(`${name} ended while it was measured`));
      child.once("exit", ended).once("message", (message) => {
        child.off("exit", ended);
        resolve(message);
      });
    });
  const ways = await answer();
  const ask = async (what) => {
    const said = answer();
    child.send(what);
    return (await said).sample;
  };
  return { name, ways, ask, close: () => child.disconnect() };
}

const unit = "us";

function compare(report, what, { samples, contenders, least }) {
  const [own, ...others] = samples;
  for (const [index, sample] of others.entries()) {
    const { name, ways } = contenders[index + 1];
    report.measure(`${what}: ${name}`, sample, { unit, note: ways[what] });
    const goal = atLeast(name === least ? 10 : 1);
    const ratios = sample.map((value, round) => value / own[round]);
    report.measure(`${what}: ${name} / Duplex`, ratios, { unit: "times", goal });
  }
}

export async function bench(report, { rounds = 7 }) {
  const contenders = [];
  for (const name of ["Duplex", ...names]) {
    const contender = await start(name);
    if (contender.ways.why === undefined) contenders.push(contender);
    else report.skip(name, contender.ways.why);
  }
  for (const [what, limit, least] of [
    ["chunk", 3, "AI SDK"],
    ["hop", 10, "LangGraph.js"],
  ]) {
    const samples = await interleaved(
      rounds,
      contenders.map(
        ({ ask }) =>
          () =>
            ask(what),
      ),
    );
    report.measure(`${what}: Duplex over the bare model`, samples[0], { unit, goal: atMost(limit) });
    compare(report, what, { samples, contenders, least });
  }
  const [steps] = await interleaved(rounds, [() => contenders[0].ask("step")]);
  const note = "the listener's own call included";
  report.measure("a step heard and answered, within a run of 64", steps, { unit, note });
  for (const { close } of contenders) close();
}
