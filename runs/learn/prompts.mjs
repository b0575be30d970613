// How should an ear be asked? Reports of 7 facts cut at any letter, one place a message; labels: the sentence that is needed has been said.
// AUC of single decisions, held out by sample and on kinds of fact never trained on, for 50 to 300 labels.
// node runs/learn/prompts.mjs FORM BASE LAYER [TRAIN] [TEST]   (FORM: yesno, answer, answer-led; some minutes of one core)

import { keep, load } from "./world.mjs";

const { heardEnough, loadTask } = await load("eval/index.js");
const { crossValidate, fitLogistic, logOddsOf, openStates } = await load("learn/index.js");
const { locate } = await load("models/store/index.js");
const { auc } = await load("base/stats.js");
const { random } = await load("base/random.js");

const [form, base, layer, train = "300", test = "100"] = process.argv.slice(2);
const orUnknown = 'Reply with the answer only, as the report says it. If the report has not said it, reply "unknown".';
const answering = (question, report) => ({
  role: "user",
  content: `Report: ${report}\n\nQuestion: ${question}\n${orUnknown}`,
});
const forms = {
  yesno: (question, report) => [
    {
      role: "user",
      content: `Question: ${question}\nReport so far: ${report}\n\nHas the report already answered the question? Reply Yes or No.`,
    },
  ],
  answer: (question, report) => [answering(question, report)],
  "answer-led": (question, report) => [answering(question, report), { role: "assistant", content: "Answer:" }],
};
if (forms[form] === undefined) throw new Error(`FORM must be one of ${Object.keys(forms).join(", ")}`);

async function places(kinds, split, { count, seed }) {
  const task = await loadTask(`report:facts=7,kinds=${kinds}`);
  const next = random(seed);
  return task.samples({ split, size: count, seed: 1 }).map((sample) => {
    const { says, id: agent } = sample.roles[0];
    const text = says.slice(0, Math.max(20, Math.floor(next() * says.length)));
    const label = heardEnough([{ agent, text }], sample) ? 1 : 0;
    return { question: sample.answer.question, text, label, group: sample.id };
  });
}

const states = await openStates({ model: await locate(base), layer: Number(layer) });
async function read(points) {
  const rows = [];
  for (const { question, text } of points) rows.push(await states.of(forms[form](question, text)));
  return { rows, labels: points.map(({ label }) => label), groups: points.map(({ group }) => group) };
}
const held = {
  held: await read(await places("seen", "test", { count: Number(test), seed: 2 })),
  unseen: await read(await places("held-out", "test", { count: Number(test), seed: 3 })),
};
const known = await read(await places("seen", "train", { count: Number(train), seed: 1 }));
await states.close();
const results = [50, 100, 200, 300, 600, 900]
  .filter((labels) => labels <= known.rows.length)
  .map((labels) => {
    const some = Object.fromEntries(Object.entries(known).map(([name, values]) => [name, values.slice(0, labels)]));
    const { penalty, auc: crossed } = crossValidate(some);
    const fitted = fitLogistic(some, penalty);
    const aucs = Object.entries(held).map(([name, set]) => {
      const odds = (label) => set.rows.filter((_, at) => set.labels[at] === label).map((row) => logOddsOf(fitted, row));
      return [name, auc(odds(1), odds(0))];
    });
    return { form, base, layer: Number(layer), labels, penalty, crossed, ...Object.fromEntries(aucs) };
  });
for (const result of results) console.log(JSON.stringify(result));
await keep(`prompts-${form}-${base}-${layer}`, results);
process.exit(0);
