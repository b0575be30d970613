// How long a raised hand takes to reach the speaker's model: in process, and until its HTTP connection has closed.
// The server runs in a process of its own; both read the machine's monotonic clock.
import { fork } from "node:child_process";
import diagnostics from "node:diagnostics_channel";
import { fileURLToPath } from "node:url";
import { duplex } from "./duplex.mjs";
import { atMost, interleaved } from "./report.mjs";

const self = fileURLToPath(import.meta.url);

/** Milliseconds since the machine started: the same clock in every process. */
const monotonic = () => Number(process.hrtime.bigint()) / 1e6;

if (process.argv[2] === "serve" && process.argv[1] === self) await serve();

/** A simulated model behind HTTP, which tells when each connection to a client that left was found closed. */
async function serve() {
  const { simulateServer } = await duplex("server/index.js");
  diagnostics.subscribe("http.server.request.start", ({ response }) => {
    response.once("close", () => {
      if (!response.writableFinished) process.send({ closed: monotonic() });
    });
  });
  const server = await simulateServer({
    ttft: 5,
    decode: 500,
    prefill: Infinity,
    cacheRead: Infinity,
    stepTokens: 200,
  });
  process.on("disconnect", () => process.exit(0));
  process.send({ url: server.url });
}

const usage = { calls: 1, inputTokens: 1, cachedTokens: 0, outputTokens: 1 };
const chunks = 4;

/** Talks until it is told to end, and notes when that was. */
const talker = (note) => ({
  id: "talker",
  async *stream({ signal }) {
    signal.addEventListener("abort", () => note(monotonic()), { once: true });
    while (!signal.aborted) {
      await new Promise(setImmediate);
      yield { type: "text", text: "word ", tokens: 1 };
    }
    yield { type: "end", reason: "interrupted", usage };
  },
});

const quiet = {
  id: "quiet",
  async *stream() {
    yield { type: "end", reason: "stop", usage };
  },
};

/** Cuts in after a few chunks, and notes when it had decided. */
const hand = (note, later) => ({
  name: "hand",
  decide(hearing) {
    if (hearing.chunks < chunks) return { advantage: -1 };
    const decided = () => {
      note(monotonic());
      return { advantage: 1 };
    };
    return later ? new Promise((resolve) => setImmediate(resolve)).then(decided) : decided();
  },
});

/** Milliseconds from the decision to the end of the speaker's call, as `ended` tells it. */
async function cut({ speaker, later, ended, also }) {
  const { dialogue, run } = await duplex("index.js");
  let decided;
  const end = ended();
  const agents = [
    { id: "speaker", instructions: "Talk.", model: speaker(end) },
    { id: "listener", instructions: "Listen.", model: quiet, policy: hand((at) => (decided ??= at), later) },
  ];
  for await (const _ of run({ agents, edges: [] }, "talk", { protocol: dialogue({ rounds: 1 }), chunk: 1 }));
  const at = await end.at;
  also?.(decided);
  return at - decided;
}

/** The same by hand: a request that is aborted once a few pieces have come. */
async function bareCut(url, ended) {
  const end = ended();
  const abort = new AbortController();
  const response = await fetch(`${url}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: "simulated", messages: [{ role: "user", content: "talk" }], stream: true }),
    signal: abort.signal,
  });
  let decided;
  try {
    let pieces = 0;
    for await (const _ of response.body) {
      if (++pieces < chunks) continue;
      await new Promise(setImmediate);
      decided = monotonic();
      abort.abort();
    }
  } catch (error) {
    if (!abort.signal.aborted) throw error;
  }
  return (await end.at) - decided;
}

function moment() {
  let note;
  const at = new Promise((resolve) => (note = resolve));
  return { at, note };
}

const highest = (samples, share) => samples.toSorted((a, b) => a - b)[Math.floor(share * (samples.length - 1))];

function tell(report, name, { samples, most }) {
  const note = `95 % within ${highest(samples, 0.95).toFixed(3)}`;
  report.measure(name, samples, { unit: "ms", goal: atMost(most), note });
}

export async function bench(report, { rounds = 200 }) {
  const speaker = ({ note }) => talker(note);
  const kinds = [false, true].map((later) => () => cut({ speaker, later, ended: moment }));
  const [atOnce, later] = await interleaved(rounds, kinds);
  tell(report, "in process, decided at once", { samples: atOnce, most: 1 });
  tell(report, "in process, decided later", { samples: later, most: 1 });
  const child = fork(self, ["serve"]);
  try {
    const { url } = await new Promise((resolve) => child.once("message", resolve));
    const { openai } = await duplex("models/index.js");
    const remote = openai({ baseURL: url, model: "simulated" });
    let socketClosed;
    diagnostics.subscribe("net.client.socket", ({ socket }) =>
      socket.once("close", () => (socketClosed = monotonic())),
    );
    const ownSide = [];
    const also = (decided) => ownSide.push(socketClosed - decided);
    const ended = () => ({ at: new Promise((resolve) => child.once("message", ({ closed }) => resolve(closed))) });
    const [own, bare] = await interleaved(rounds, [
      () => cut({ speaker: () => remote, later: true, ended, also }),
      () => bareCut(url, ended),
    ]);
    // The first round, which warms up, is not counted.
    tell(report, "until the HTTP connection is closed, on our side", { samples: ownSide.slice(1), most: 5 });
    tell(report, "until the server has seen it", { samples: own, most: 5 });
    const note = `95 % within ${highest(bare, 0.95).toFixed(3)}`;
    report.measure("until the server has seen it, with fetch and nothing else", bare, { unit: "ms", note });
    const ratio = highest(own, 0.5) / highest(bare, 0.5);
    report.measure("Duplex / fetch, of the medians", ratio, { unit: "times", note: "in turns, on the same machine" });
  } finally {
    child.disconnect();
  }
}
