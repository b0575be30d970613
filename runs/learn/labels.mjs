// How many labels does an ear take? The same test places for 50 labels and more, held out by sample and by kind of fact: the head's AUC on single decisions.
// Trained on two places a message, half of them around where the answer is out, as the ears of the package; tested on places by chance, and on such hard ones.
// node runs/learn/labels.mjs [--base smollm2-135m] [--layer 15] [--most 4000] [--test 300] [--states FILE]   (SmolLM2: 20 min of one core; goes on where it was stopped)

import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { keep, load } from "./world.mjs";

const { loadTask, simulatedListeners, template } = await load("eval/index.js");
const { conservative, crossValidate, fitLogistic, logOddsOf, sample } = await load("learn/index.js");
const { readStates } = await load("learn/read-states.js");
const { locate } = await load("models/store/index.js");
const { auc } = await load("base/stats.js");

const options = {
  base: { type: "string", default: "smollm2-135m" },
  layer: { type: "string", default: "15" },
  most: { type: "string", default: "4000" },
  test: { type: "string", default: "300" },
  states: { type: "string" },
};
const { values } = parseArgs({ options });
const layer = Number(values.layer);
const name = `labels-${String(values.base)}-${String(values.layer)}`;
const kept = values.states ?? join(tmpdir(), `${name}.txt`);

/** Places of reports of 7 and of 15 facts, by turns. */
async function places(count, { split, kinds = "all", hard }) {
  const nodes = hard ? 2 : 1;
  const lists = [];
  for (const facts of [7, 15]) {
    const task = await loadTask(`report:facts=${facts}${kinds === "all" ? "" : `,kinds=${kinds}`}`);
    const points = [];
    const how = {
      speaker: template(),
      listener: simulatedListeners({ accuracy: 1 }),
      virtual: true,
      deterministic: true,
    };
    const samples = task.samples({ split, size: Math.ceil(count / 2 / nodes), seed: 1 });
    for await (const { point } of sample({ ...how, task, samples, chunk: 8, nodes, hard, rollouts: 2 }))
      points.push(point);
    lists.push(points);
  }
  return lists[0].flatMap((point, at) => [point, lists[1][at]]).slice(0, count);
}

const reading = { model: await locate(values.base), ask: "apart", states: kept, out: kept };
async function read(title, points) {
  const onProgress = ({ done, all }) => done % 100 === 0 && console.error(`${title}: ${done} of ${all}`);
  const rows = await readStates(points, layer, { ...reading, onProgress });
  return { rows, labels: points.map(conservative), groups: points.map((point) => `${point.task} ${point.sample}`) };
}

const test = Number(values.test);
const tests = {
  held: await read("held out", await places(test, { split: "test" })),
  heldHard: await read("held out, hard", await places(test, { split: "test", hard: true })),
};
const known = await read("train", await places(Number(values.most), { split: "train", hard: true }));
// Kinds of fact that were never trained on want a head that was not trained on them.
const unseen = await read("unseen kinds", await places(test, { split: "test", kinds: "held-out" }));
const seen = await read(
  "seen kinds",
  await places(Math.min(300, Number(values.most)), { split: "train", kinds: "seen", hard: true }),
);

const first = (set, count) => Object.fromEntries(Object.entries(set).map(([key, all]) => [key, all.slice(0, count)]));
function trained(set, count) {
  const some = first(set, count);
  const { penalty } = crossValidate(some);
  return { penalty, fitted: fitLogistic(some, penalty) };
}
function scored({ fitted }, { rows, labels }) {
  const odds = rows.map((row) => logOddsOf(fitted, row));
  const of = (label) => odds.filter((_, index) => labels[index] === label);
  return auc(of(1), of(0));
}
const results = [];
for (const count of [50, 100, 200, 300, 500, 1000, 2000, 4000].filter((each) => each <= known.rows.length)) {
  const head = trained(known, count);
  const row = { base: values.base, layer, labels: count, penalty: head.penalty };
  for (const [title, set] of Object.entries(tests)) row[title] = scored(head, set);
  if (count <= seen.rows.length) row.unseenKinds = scored(trained(seen, count), unseen);
  results.push(row);
  console.log(JSON.stringify(row));
}
await keep(name, results);
