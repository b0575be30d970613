// `node bench/soak.mjs [--minutes 10] [--out FILE]`: a server that is used as servers are for ten minutes, by clients that read, leave,
// lag, cut in, and ask for what there is not. After the first minute nothing may grow: memory (after a collection), handles, listeners.
// The load is low, so that it runs beside other work; it counts runs, not time.
import { fork } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { duplex } from "./duplex.mjs";
import { machine, median } from "./report.mjs";

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const everyMs = 5000;

/** Says `tokens` words, `gap` milliseconds apart, in steps of ten. */
const speaker = (tokens, gap) => ({
  id: "speaker",
  continues: true,
  async *stream({ signal }) {
    let outputTokens = 0;
    for (let token = 1; token <= tokens && !signal?.aborted; token++) {
      await sleep(gap);
      outputTokens++;
      yield { type: "text", text: token % 10 === 0 ? "\nEND_STEP\n" : `word${token} `, tokens: 1 };
    }
    const usage = { calls: 1, inputTokens: 10, cachedTokens: 0, outputTokens };
    yield { type: "end", reason: signal?.aborted ? "interrupted" : "stop", usage };
  },
});

const counted = (list) => {
  const counts = {};
  for (const name of list) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
};

/** The server's process: serves, and tells how it is when it is asked. */
async function serving() {
  const { serve, sqliteStore } = await duplex("server/index.js");
  const folder = mkdtempSync(join(tmpdir(), "duplex-soak-"));
  const store = await sqliteStore(join(folder, "runs.db"), { runs: 100 });
  const model = speaker(40, 15);
  const agent = (id) => ({ id, instructions: "Speak.", model });
  const chain = { topology: { agents: [agent("a"), agent("b")], edges: [["a", "b"]] } };
  const { url, close } = await serve({ teams: { chain }, models: { solo: model }, store, limits: { traces: 20 } });
  const tell = () => {
    globalThis.gc();
    const { heapUsed, external, arrayBuffers, rss } = process.memoryUsage();
    const { user, system } = process.cpuUsage();
    const listeners = process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0);
    const handles = counted(process.getActiveResourcesInfo());
    process.send({ heapUsed, external, arrayBuffers, rss, listeners, handles, cpuMs: (user + system) / 1000 });
  };
  const end = async () => {
    await close({ deadlineMs: 0 });
    rmSync(folder, { recursive: true, force: true });
    process.exit(0);
  };
  process.on("message", (asked) => void (asked === "end" ? end() : tell()));
  process.send({ url });
}

const messages = [{ role: "user", content: "go" }];
const post = (url, body, signal) =>
  fetch(url, { method: "POST", body: typeof body === "string" ? body : JSON.stringify(body), signal });

/** What clients do, one kind each. */
const habits = [
  async (url) => (await post(`${url}/v1/chat/completions`, { model: "solo", stream: true, messages })).text(),
  async (url) => (await post(`${url}/v1/chat/completions`, { model: "chain", messages })).text(),
  async (url) => (await post(`${url}/v1/responses`, { model: "solo", input: "go", stream: true })).text(),
  async (url) => {
    const leave = new AbortController();
    const response = await post(`${url}/v1/chat/completions`, { model: "chain", stream: true, messages }, leave.signal);
    await response.body.getReader().read();
    leave.abort();
  },
  async (url) => {
    const { id } = await (await post(`${url}/runs`, { model: "solo", task: "go" })).json();
    await sleep(100);
    await (await post(`${url}/runs/${id}/interrupt`, { agent: "model", hold_ms: 1000 })).text();
    await (await post(`${url}/runs/${id}/resume`, { agent: "model" })).text();
    await (await fetch(`${url}/runs/${id}/events`, { headers: { "last-event-id": "3" } })).text();
  },
  async (url) => {
    await (await post(`${url}/v1/chat/completions`, "{no")).text();
    await (await post(`${url}/v1/chat/completions`, { model: "nobody", messages })).text();
    for (const path of ["/runs", "/metrics", "/runs/nobody", "/nothing"]) await (await fetch(url + path)).text();
    await sleep(300);
  },
  async (url) => {
    const { body } = await post(`${url}/v1/chat/completions`, { model: "chain", stream: true, messages });
    const reader = body.getReader();
    while (!(await reader.read()).done) await sleep(40);
  },
  async (url) => {
    const { runs } = await (await fetch(`${url}/runs?limit=1000`)).json();
    if (runs.length > 0) await (await fetch(`${url}/runs/${runs.at(-1).id}/events`)).text();
    await sleep(500);
  },
];

async function soak({ minutes, out }) {
  const child = fork(fileURLToPath(import.meta.url), ["serving"], { execArgv: ["--expose-gc"] });
  const answer = () => new Promise((resolve) => child.once("message", resolve));
  const { url } = await answer();
  let done = false;
  const rounds = habits.map(() => 0);
  const failures = [];
  // What is rarely run is compiled late: it all runs before anything is counted.
  for (let round = 0; round < 10; round++)
    await Promise.allSettled(habits.flatMap((habit) => [habit(url), habit(url), habit(url)]));
  const living = habits.map(async (habit, index) => {
    while (!done) {
      try {
        await habit(url);
      } catch (error) {
        failures.push(`${index}: ${error.message}`);
        await sleep(100);
      }
      rounds[index]++;
    }
  });
  const samples = [];
  const began = performance.now();
  while (performance.now() - began < minutes * 60_000) {
    await sleep(everyMs);
    const told = answer();
    child.send("tell");
    samples.push({ seconds: Math.round((performance.now() - began) / 1000), rounds: rounds.join(), ...(await told) });
  }
  done = true;
  await Promise.all(living);
  await sleep(1000);
  const told = answer();
  child.send("tell");
  const last = await told;
  child.send("end");
  report({ samples, last, rounds, failures, out });
}

/** The middle of a measure in the second minute, and in the last. */
function growth(samples, measure) {
  const end = samples.at(-1).seconds;
  const early = samples.filter(({ seconds }) => seconds > 60 && seconds <= 120);
  const late = samples.filter(({ seconds }) => seconds > end - 60);
  return [median(early.map(measure)), median(late.map(measure))];
}

function report({ samples, last, rounds, failures, out }) {
  const mib = (bytes) => (bytes / 2 ** 20).toFixed(2);
  const total = rounds.reduce((sum, each) => sum + each, 0);
  console.log(`${samples.at(-1).seconds} s, ${total} rounds of clients, ${failures.length} unexpected failures`);
  for (const name of ["heapUsed", "external", "arrayBuffers", "rss"]) {
    const [early, late] = growth(samples, (sample) => sample[name]);
    console.log(`${name.padEnd(13)} ${mib(early)} MiB in the second minute, ${mib(late)} MiB in the last`);
  }
  const busy = (sample) => Object.values(sample.handles).reduce((sum, each) => sum + each, 0);
  const [early, late] = growth(samples, busy);
  console.log(
    `handles       ${early} in the second minute, ${late} in the last; ${JSON.stringify(last.handles)} once all clients had left`,
  );
  const [before, after] = growth(samples, ({ listeners }) => listeners);
  console.log(`listeners     ${before} in the second minute, ${after} in the last`);
  console.log(`processor     ${((last.cpuMs / samples.at(-1).seconds / 1000) * 100).toFixed(1)} % of a core`);
  if (failures.length > 0) console.log([...new Set(failures)].slice(0, 5).join("\n"));
  if (out !== undefined)
    writeFileSync(out, `${JSON.stringify({ machine: machine(), rounds, failures, samples, last }, null, 1)}\n`);
}

if (process.argv[2] === "serving") await serving();
else {
  const { values } = parseArgs({ options: { minutes: { type: "string", default: "10" }, out: { type: "string" } } });
  const minutes = Number(values.minutes);
  if (!(minutes > 2)) {
    console.error("usage: node bench/soak.mjs [--minutes N, more than 2] [--out FILE]");
    process.exit(2);
  }
  await soak({ minutes, out: values.out });
}
