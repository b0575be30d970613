// How fast: the fit of 20,000 labels of 16 features with five folds, and the features of a hearing beside the model's own pass.
// node runs/learn/speed.mjs

import { keep, load } from "./world.mjs";

const { crossValidate, fitLogistic } = await load("learn/index.js");
const { featuresOf } = await load("policies/index.js");
const { normal, random } = await load("base/random.js");

const next = random(1);
const [count, width] = [20_000, 16];
const truth = Array.from({ length: width }, () => normal(next));
const rows = Array.from({ length: count }, () => Array.from({ length: width }, () => normal(next)));
const labels = rows.map((row) => {
  const odds = row.reduce((sum, value, index) => sum + value * truth[index], 0);
  return next() < 1 / (1 + Math.exp(-odds)) ? 1 : 0;
});
const groups = rows.map((_, index) => `sample ${Math.floor(index / 10)}`);
const cpu = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};
const results = [];
for (let round = 0; round < 3; round++) {
  const [before, began] = [cpu(), performance.now()];
  const { penalty, auc } = crossValidate({ rows, labels, groups });
  fitLogistic({ rows, labels }, penalty);
  results.push({
    what: "fit of 20,000 x 16, 5 folds, 10 penalties",
    cpuSeconds: cpu() - before,
    wallSeconds: (performance.now() - began) / 1000,
    auc,
  });
  console.log(JSON.stringify(results.at(-1)));
}

// A model that answers at once: what is left is ours.
const options = ["35 euros", "12 euros", "80 euros", "95 euros"];
const usage = { calls: 1, inputTokens: 100, cachedTokens: 90, outputTokens: 0 };
const choice = { probabilities: [0.7, 0.1, 0.1, 0.05], entropy: 0.9, top: { text: "35", probability: 0.7 }, usage };
const model = { id: "instant", stream: async function* () {}, choose: async () => choice };
const text = "The fee is 35 euros, and the fair begins on a Friday. ".repeat(6);
const messages = [
  { role: "system", content: "Listen." },
  { role: "user", content: `What is the fee?\n\nreporter: ${text}` },
];
const hearing = {
  task: "",
  listener: "l",
  speaker: "s",
  turn: 0,
  text,
  chunks: 6,
  tokens: 96,
  steps: [],
  messages: () => messages,
  model,
  session: "x",
};
const measure = featuresOf({
  features: ["margin", "entropy", "top1", "mass", "stability", "chunks", "tokens"],
  answer: { lead: "Answer:", candidates: options, about: "What is the fee?" },
});
const signal = new AbortController().signal;
for (let index = 0; index < 20_000; index++) await measure(hearing, signal);
const before = cpu();
for (let index = 0; index < 50_000; index++) await measure({ ...hearing, turn: index % 50 }, signal);
results.push({ what: "features of a hearing, microseconds", cpu: ((cpu() - before) / 50_000) * 1e6 });
console.log(JSON.stringify(results.at(-1)));
await keep("speed", results);
