// Is a model's allowed concurrency kept busy while sampling? A model that takes 200 ms a call, on a clock that jumps.
// node runs/learn/busy.mjs

import { keep, load } from "./world.mjs";

const { loadTask, simulatedListeners, template } = await load("eval/index.js");
const { sample } = await load("learn/index.js");
const { featuresOf } = await load("policies/index.js");

/** Time that jumps once nothing has happened for a while: what is not the model's takes none. */
function jumping() {
  let now = 0;
  const waiting = [];
  const sleep = (ms) => new Promise((resolve) => waiting.push({ at: now + ms, resolve }));
  const run = async (work) => {
    let settled = false;
    work.finally(() => (settled = true));
    while (!settled) {
      for (let pause = 0; pause < 8; pause++) await new Promise((resolve) => setTimeout(resolve, 5));
      waiting.sort((a, b) => a.at - b.at);
      const [first] = waiting;
      if (first === undefined) continue;
      now = first.at;
      while (waiting[0]?.at <= now) waiting.shift().resolve();
    }
    return work;
  };
  return { now: () => now, sleep, run };
}

const rows = [];
for (const [concurrency, samples] of [
  [4, 20],
  [8, 20],
  [8, 60],
]) {
  const task = await loadTask("report:facts=10,choices=4");
  const clock = jumping();
  let [busy, since, flying, most] = [0, 0, 0, 0];
  const count = (change) => {
    busy += flying * (clock.now() - since);
    since = clock.now();
    flying += change;
    most = Math.max(most, flying);
  };
  const call = async (work) => {
    count(1);
    await clock.sleep(200);
    count(-1);
    return work();
  };
  const made = simulatedListeners({ accuracy: 1, ttft: 0, prefill: 1e9, decode: 1e9 });
  const listener = (seat) => {
    const { simulated: _, ...model } = made(seat);
    return {
      ...model,
      async *stream(request) {
        yield* await call(() => model.stream(request));
      },
      choose: (request, options) => call(() => model.choose(request, options)),
    };
  };
  const answer = { lead: "Answer:", candidates: ({ sample: of }) => of?.answer.candidates };
  const features = ["margin", "chunks"];
  const sampling = {
    task,
    samples: task.samples({ split: "train", size: samples, seed: 1 }),
    speaker: template(),
    listener,
    measure: { features, of: featuresOf({ features, answer }) },
    concurrency,
    rollouts: 4,
  };
  const work = async () => {
    let points = 0;
    for await (const _ of sample(sampling)) points++;
    return points;
  };
  const points = await clock.run(work());
  count(0);
  rows.push({ concurrency, samples, points, most, busy: busy / (concurrency * clock.now()) });
  console.log(JSON.stringify(rows.at(-1)));
}
await keep("busy", rows);
