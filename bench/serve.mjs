// What `duplex serve` adds to a token: a model whose tokens are the times at which they were said, alone,
// through a server of ten lines and through Duplex, in one run; and how many chunks a second go through it. Servers and client are
// two processes.
import { fork } from "node:child_process";
import { createServer, request } from "node:http";
import { fileURLToPath } from "node:url";
import { duplex } from "./duplex.mjs";
import { atLeast, atMost, median } from "./report.mjs";

// The same in all processes of a machine.
const now = () => Number(process.hrtime.bigint()) / 1e6;
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const quantile = (values, share) => values.toSorted((a, b) => a - b)[Math.floor(values.length * share)];

/** Says the time, `tokens` times, `gap` milliseconds apart; 0: as fast as it can, a hundred in each turn of the event loop. */
const telling = (tokens, gap) => ({
  id: "time",
  async *stream() {
    const usage = { calls: 1, inputTokens: 1, cachedTokens: 0, outputTokens: tokens };
    if (gap > 0) await sleep(Math.random() * gap);
    for (let token = 0; token < tokens; token++) {
      if (gap > 0) await sleep(gap);
      else if (token % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
      yield { type: "text", text: `<${now()}>`, tokens: 1 };
    }
    yield { type: "end", reason: "stop", usage };
  },
});

const pace = { tokens: 200, gap: 20 };
const flood = 5000;

/** The part that runs in the server's process. */
async function serving() {
  const server = await duplex("server/index.js");
  const models = { paced: telling(pace.tokens, pace.gap), flood: telling(flood, 0) };
  const { url } = await server.serve({ teams: {}, models, limits: { runs: 1000 } });
  const alone = async (streams) => {
    const read = async () => {
      const heard = [];
      for await (const part of models.paced.stream({})) {
        if (part.type !== "text") continue;
        const said = Number(part.text.slice(1, -1));
        heard.push({ said, late: now() - said });
      }
      return heard;
    };
    process.send({ heard: await Promise.all(Array.from({ length: streams }, read)) });
  };
  const cpu = () => {
    const { user, system } = process.cpuUsage();
    process.send({ cpu: user + system });
  };
  process.on("message", (asked) => void (asked === "cpu" ? cpu() : alone(asked)));
  process.on("disconnect", () => process.exit(0));
  process.send({ url, bare: await bareServer(models.paced) });
}

/** What a server costs that only writes down what the model says. */
async function bareServer(model) {
  const server = createServer((_, response) => {
    const write = async () => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      for await (const part of model.stream({}))
        if (part.type === "text")
          response.write(`data: ${JSON.stringify({ choices: [{ delta: { content: part.text } }] })}\n\n`);
      response.end("data: [DONE]\n\n");
    };
    void write();
  });
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  return `http://127.0.0.1:${server.address().port}`;
}

const times = /<([\d.]+)>/g;

/** When each token was said, and the milliseconds until it was here. */
function stream(url, model, slow = false) {
  const body = JSON.stringify({ model, stream: true, messages: [{ role: "user", content: "go" }] });
  const heard = [];
  let rest = "";
  return new Promise((resolve, reject) => {
    const call = request(`${url}/v1/chat/completions`, { method: "POST", agent: false }, (response) => {
      let done = false;
      response.setEncoding("utf8").on("data", (text) => {
        const at = now();
        const all = rest + text;
        const end = all.lastIndexOf("\n") + 1;
        const whole = all.slice(0, end);
        rest = all.slice(end);
        for (const [, said] of whole.matchAll(times)) heard.push({ said: Number(said), late: at - said });
        done ||= whole.includes("[DONE]");
        if (slow) {
          response.pause();
          setTimeout(() => response.resume(), 20);
        }
      });
      response.on("end", () => (done ? resolve(heard) : reject(new Error("a stream had no end"))));
    });
    call.on("error", reject).end(body);
  });
}

async function started() {
  const child = fork(fileURLToPath(import.meta.url), ["serving"]);
  const answer = () => new Promise((resolve) => child.once("message", resolve));
  const { url, bare } = await answer();
  const alone = async (streams) => {
    const answered = answer();
    child.send(streams);
    return (await answered).heard;
  };
  /** Microseconds of processor time that the server's process has taken. */
  const cpu = async () => {
    const answered = answer();
    child.send("cpu");
    return (await answered).cpu;
  };
  return { url, bare, alone, cpu, close: () => child.disconnect() };
}

/** How late the tokens were that were said while all streams went on: the beginning of many at once is another matter. */
function steady(heard) {
  const from = Math.max(...heard.map(([first]) => first.said));
  const found = heard.flat().filter(({ said }) => said > from);
  if (found.length < heard.flat().length / 4) throw new Error("the streams were hardly together; make them longer");
  return found.map(({ late }) => late);
}

async function latency(report, server, streams) {
  const spent = [];
  const timed = async (work) => {
    const before = await server.cpu();
    const result = await work();
    spent.push(((await server.cpu()) - before) / (streams * pace.tokens));
    return result;
  };
  const all = (url) => Promise.all(Array.from({ length: streams }, () => stream(url, "paced")));
  const alone = await timed(() => server.alone(streams));
  const bare = await timed(() => all(server.bare));
  const through = await timed(() => all(server.url));
  if (through.flat().length !== streams * pace.tokens) throw new Error("tokens were lost");
  const note = `${streams} streams of ${1000 / pace.gap} tokens a second`;
  const measure = (what, from, part = steady) => {
    const [more, less] = [part(through), part(from)];
    const [middle, last] = [median(more) - median(less), quantile(more, 0.99) - quantile(less, 0.99)];
    const goal = from === alone && part === steady;
    const name = `${what}, ${streams} streams`;
    report.measure(`${name}: median`, middle * 1000, { unit: "us", goal: goal ? atMost(100) : undefined, note });
    report.measure(`${name}: p99`, last, { unit: "ms", goal: goal ? atMost(5) : undefined, note });
  };
  // Says what it costs also where other work on the machine makes the times say nothing.
  const processor = (what, from) =>
    report.measure(`processor time a token beyond ${what}, ${streams} streams`, spent[2] - spent[from], {
      unit: "us",
      note,
    });
  processor("the model alone", 0);
  processor("a bare server", 1);
  measure("added to the model alone", alone);
  measure("the same, all beginning at once included", alone, (heard) => heard.flat().map(({ late }) => late));
  measure("added to a bare server", bare);
}

async function throughput(report, server, { streams, slow }) {
  const began = now();
  const before = await server.cpu();
  const all = await Promise.all(
    Array.from({ length: streams }, (_, index) => stream(server.url, "flood", index < slow)),
  );
  const chunks = all.flat().length;
  if (chunks !== streams * flood) throw new Error(`${chunks} of ${streams * flood} chunks came`);
  const spent = ((await server.cpu()) - before) / chunks;
  const note = `${streams} streams of ${flood} chunks, ${slow} of them slow; none lost`;
  report.measure(`processor time a chunk, ${streams} streams, ${slow} slow`, spent, { unit: "us", note });
  report.measure(`chunks a second, ${streams} streams, ${slow} slow`, (chunks / (now() - began)) * 1000, {
    unit: "/s",
    goal: slow === 0 ? atLeast(20_000) : undefined,
    note,
  });
}

/** What the server adds, one round. */
export async function bench(report) {
  const server = await started();
  try {
    await stream(server.url, "flood");
    for (const streams of [1, 20, 200]) await latency(report, server, streams);
    await throughput(report, server, { streams: 20, slow: 0 });
    await throughput(report, server, { streams: 40, slow: 20 });
  } finally {
    server.close();
  }
}

if (process.argv[2] === "serving") await serving();
