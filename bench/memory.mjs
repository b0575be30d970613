// What a run leaves in memory, what reading it back costs, and what it leaves behind on a caller's signal.
import { getEventListeners } from "node:events";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { duplex } from "./duplex.mjs";
import { atMost, exactly } from "./report.mjs";

const { run } = await duplex("index.js");
const { usageOf } = await duplex("core/usage.js");
const { timeline } = await duplex("core/timeline.js");
const { measure } = await duplex("core/measure.js");
const { answer, transcript } = await duplex("core/transcript.js");
const { formatEvent, parseTrace } = await duplex("core/trace.js");

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc");

async function heap() {
  for (let time = 0; time < 3; time++) {
    await new Promise((resolve) => setTimeout(resolve, 10));
    collect();
  }
  return process.memoryUsage().heapUsed;
}

/** Said in pieces of their own: no two chunks share a string. */
const text = (index) => (index % 24 === 23 ? `${index}\nEND_STEP\n` : `word${index} `);

const sayer = (chunks) => ({
  id: "a",
  instructions: "speak",
  model: {
    id: "instant",
    async *stream() {
      let inRow = 0;
      for (let index = 0; index < chunks; index++) {
        // Slow readers and timers get a turn.
        if (++inRow % 256 === 0) await new Promise((resolve) => setImmediate(resolve));
        yield { type: "text", text: text(index), tokens: 1 };
      }
      const usage = { calls: 1, inputTokens: 1, cachedTokens: 0, outputTokens: chunks };
      yield { type: "end", reason: "stop", usage };
    },
  },
});

async function count(events, pause) {
  let chunks = 0;
  for await (const event of events) {
    if (event.type === "chunk") chunks++;
    if (pause !== undefined) await pause();
  }
  return chunks;
}

/** Bytes a chunk that a finished run holds beyond the chunk's text, with so many readers beside the main one. */
async function held(chunks, readers) {
  let length = 0;
  for (let index = 0; index < chunks; index++) length += text(index).length;
  const before = await heap();
  const performance = run({ agents: [sayer(chunks)], edges: [] }, "go");
  const slow = () => new Promise((resolve) => setImmediate(resolve));
  const reading = Array.from({ length: readers }, (_, index) =>
    count(performance.read(), index === 0 ? slow : undefined),
  );
  const seen = [await count(performance), ...(await Promise.all(reading))];
  const bytes = ((await heap()) - before - length) / chunks;
  // The run is still held here, as by a server whose readers come late.
  return { bytes, complete: seen.every((some) => some === seen[0]) && performance.id !== "" };
}

/** The trace of a run of one speaker and one listener, without having run it. */
function trace(chunks) {
  const usage = { calls: 1, inputTokens: 10, cachedTokens: 5, outputTokens: chunks / 2 };
  const agents = ["a", "b"];
  const events = [
    {
      type: "run-start",
      version: 1,
      at: 0,
      run: "r",
      protocol: "stream",
      join: "aligned",
      hear: "each",
      task: "t",
      agents: agents.map((id) => ({ id, model: "m" })),
      edges: [["a", "b"]],
    },
  ];
  const seq = { a: 0, b: 0 };
  const said = (agent, event) => events.push({ at: events.length / 10, agent, seq: seq[agent]++, ...event });
  for (const agent of agents) said(agent, { type: "turn-start", turn: 0, heard: [] });
  for (let index = 0; index < chunks; index++) {
    const agent = agents[index % 2];
    said(agent, { type: "chunk", turn: 0, text: text(index), tokens: 1 });
    if (index % 48 > 45)
      said(agent, { type: "step", turn: 0, index: Math.floor(index / 48), text: "a step ".repeat(15) });
  }
  for (const agent of agents) {
    said(agent, { type: "turn-end", turn: 0, reason: "stop", usage });
    said(agent, { type: "agent-end", reason: "done" });
  }
  events.push({ type: "run-end", at: events.length / 10, reason: "done" });
  return events;
}

const seconds = (work) => {
  const began = performance.now();
  const result = work();
  return { took: (performance.now() - began) / 1000, result };
};

function folds(report, rounds) {
  const events = trace(1_000_000);
  const all = () => {
    const seen = timeline(events);
    return [seen, measure(seen), usageOf(events), transcript(events), answer(events)];
  };
  const took = Array.from({ length: rounds }, () => seconds(all).took);
  const note = "timeline, measures, usage, transcript and answer";
  report.measure("a trace of 1,000,000 chunks: all folds", took, { unit: "s", goal: atMost(2), note });
  const lines = seconds(() => events.map(formatEvent));
  report.measure("a trace of 1,000,000 chunks: writing its lines", lines.took, { unit: "s" });
  report.measure("a trace of 1,000,000 chunks: reading its lines", seconds(() => parseTrace(lines.result)).took, {
    unit: "s",
  });
}

async function listeners(report) {
  const caller = new AbortController();
  const warnings = [];
  const warn = (warning) => warnings.push(warning.name);
  process.on("warning", warn);
  let most = 0;
  const team = { agents: [sayer(3)], edges: [] };
  const one = async () => {
    for await (const event of run(team, "go", { signal: caller.signal }))
      if (event.type === "chunk") most = Math.max(most, getEventListeners(caller.signal, "abort").length);
  };
  for (let index = 0; index < 500; index++) await one();
  await Promise.all(Array.from({ length: 500 }, one));
  process.off("warning", warn);
  const left = getEventListeners(caller.signal, "abort").length;
  report.measure("1,000 runs on one signal: listeners left", left, { unit: "", goal: exactly(0) });
  report.measure("1,000 runs on one signal, 500 of them at once: listeners", most, {
    unit: "",
    note: `at most at any time; ${warnings.length} warnings of a leak`,
  });
}

export async function bench(report, { rounds = 5 }) {
  await held(1000, 4);
  for (const chunks of [100_000, 400_000]) {
    const { bytes } = await held(chunks, 0);
    const name = `a run of ${chunks.toLocaleString("en")} chunks, held: a chunk beyond its text`;
    report.measure(name, bytes, { unit: "bytes", goal: atMost(200) });
  }
  const alone = await held(10_000, 0);
  const four = await held(10_000, 4);
  report.measure("10,000 chunks, 4 more readers, one slow: a chunk beyond text", four.bytes, {
    unit: "bytes",
    goal: atMost(200),
    note: `${alone.bytes.toFixed(0)} with no reader more`,
  });
  const complete = four.complete ? 1 : 0;
  report.measure("10,000 chunks, 4 more readers: all got all", complete, { unit: "", goal: exactly(1) });
  await listeners(report);
  folds(report, rounds);
}
