// How many labels does an ear take? The same test places for 50 to 2,000 labels, held out by sample and by kind of fact.
// One place a message, by chance; with --hard two, half of them around where the answer is out. (10 min of one core for 2,000 with SmolLM2.)
// node runs/learn/labels.mjs [--base smollm2-135m] [--layer 15] [--most 2000] [--test 300] [--facts 7] [--hard]

import { parseArgs } from "node:util";
import { keep, load } from "./world.mjs";

const { loadTask, simulatedListeners, template } = await load("eval/index.js");
const { conservative, crossValidate, fitLogistic, logOddsOf, openStates, sample } = await load("learn/index.js");
const { earMessages, questionOf } = await load("learn/ear-prompt.js");
const { locate } = await load("models/store/index.js");
const { auc } = await load("base/stats.js");

const options = {
  base: { type: "string", default: "smollm2-135m" },
  layer: { type: "string", default: "15" },
  most: { type: "string", default: "2000" },
  test: { type: "string", default: "300" },
  facts: { type: "string", default: "7" },
  hard: { type: "boolean", default: false },
};
const { values } = parseArgs({ options });
const most = Number(values.most);

const question = questionOf("apart");
const nodes = values.hard ? 2 : 1;
async function places(kinds, split, count) {
  const task = await loadTask(`report:facts=${String(values.facts)},kinds=${kinds}`);
  const sampling = {
    task,
    samples: task.samples({ split, size: Math.ceil(count / nodes), seed: 1 }),
    speaker: template(),
    listener: simulatedListeners({ accuracy: 1 }),
    virtual: true,
    nodes,
    hard: values.hard,
    rollouts: 2,
    deterministic: true,
  };
  const points = [];
  for await (const { point } of sample(sampling)) points.push(point);
  return points.slice(0, count);
}

const train = await places("seen", "train", most);
const tests = {
  held: await places("seen", "test", Number(values.test)),
  unseen: await places("held-out", "test", Number(values.test)),
};
const states = await openStates({ model: await locate(values.base), layer: Number(values.layer) });
const read = async (points) => {
  const rows = [];
  for (const point of points) rows.push(await states.of(earMessages(point, { ask: "apart", question })));
  return { rows, labels: points.map(conservative), groups: points.map((point) => point.sample) };
};
const began = performance.now();
const held = { held: await read(tests.held), unseen: await read(tests.unseen) };
const known = await read(train);
const perHearing = (performance.now() - began) / (train.length + tests.held.length + tests.unseen.length);
await states.close();
const rows = [];
for (const count of [50, 100, 200, 300, 500, 1000, 2000].filter((each) => each <= known.rows.length)) {
  const some = {
    rows: known.rows.slice(0, count),
    labels: known.labels.slice(0, count),
    groups: known.groups.slice(0, count),
  };
  const { penalty } = crossValidate(some);
  const fitted = fitLogistic(some, penalty);
  const row = { base: values.base, layer: Number(values.layer), labels: count, penalty, msPerHearing: perHearing };
  for (const [name, { rows: test, labels }] of Object.entries(held)) {
    const odds = test.map((each) => logOddsOf(fitted, each));
    const of = (label) => odds.filter((_, index) => labels[index] === label);
    row[name] = auc(of(1), of(0));
  }
  rows.push(row);
  console.log(JSON.stringify(row));
}
await keep(`labels-${String(values.base)}-${String(values.layer)}${values.hard ? "-hard" : ""}`, rows);
