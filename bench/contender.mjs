// A process of its own for one framework: what others hook into promises, as some do, is not paid for by their neighbors.
import { open } from "./peers/peers.mjs";
import { ours } from "./ours.mjs";

const chunks = 10_000;
/** Words with a delimiter line after every 24th, as a model says them that was asked for steps. */
const words = Array.from({ length: chunks }, (_, index) => (index % 24 === 23 ? "\nEND_STEP\n" : "token "));

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

async function contender(name) {
  try {
    return { found: name === "Duplex" ? await ours(words) : await open(name, words) };
  } catch (error) {
    const absent = error.code === "ERR_MODULE_NOT_FOUND" || error.code === "MODULE_NOT_FOUND";
    return { why: absent ? "not installed; run `node bench/peers/install.mjs`" : `does not open: ${error.message}` };
  }
}

const { found, why } = await contender(process.argv[2]);
const units = { chunk: chunks, hop: 3, step: 64 };
const measure = async (what) => process.send({ sample: await beyond(found[what], units[what]) });
process.on("message", (what) => void measure(what));
process.on("disconnect", () => process.exit(0));
process.send(found === undefined ? { why } : { chunk: found.chunk.way, hop: found.hop.way });
