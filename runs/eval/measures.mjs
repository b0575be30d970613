// By which measure of its own answer does a small listener tell best that it has heard enough? Reports of 7 facts with 8 choices,
// dev samples, the question asked apart (see `about` of `ownAnswer`), a look every 4 tokens. Prints the AUC of each measure for
// "the fact has been said", and success and share saved of `own:T` by chunk size. From the repository's root after
// `npm ci && npm run build`: node runs/eval/measures.mjs [samples]; it goes on where it stopped.
import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { choosing, evaluate, loadTask, template } from "../../dist/eval/index.js";
import { parseModel } from "../../dist/models/index.js";

const file = new URL("results/measures.jsonl", import.meta.url);
const read = () =>
  existsSync(file)
    ? readFileSync(file, "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line))
    : [];
const best = (numbers) => numbers.indexOf(Math.max(...numbers));

/** Looks at the answer, asked apart and within, and never cuts. */
const probe = (sample, looks) => ({
  name: "probe",
  async decide({ text, tokens, session, messages, model }) {
    const content =
      `Report: ${text.trimEnd()}\n\nQuestion: ${sample.answer.question}\nReply with the answer only, as the report says it. ` +
      'If the report has not said it, reply "unknown".';
    const answering = { role: "assistant", content: "Answer:" };
    const ask = (prompt, options, name) =>
      model.choose(
        { messages: [...prompt, answering], session: `${session}/${name}`, maxTokens: 1, temperature: 0 },
        options,
      );
    const apart = await ask([{ role: "user", content }], [...sample.answer.candidates, "unknown"], "about");
    const within = await ask(messages(), sample.answer.candidates, "own");
    const said = text.includes(sample.enough[0][0].said);
    looks.push({ tokens, said, apart: apart.probabilities, within: within.probabilities });
    return { advantage: -1 };
  },
});

async function record(count) {
  const model = await parseModel("llama:qwen2.5-coder-0.5b", { env: process.env });
  const task = await loadTask("report:choices=8");
  const done = new Set(read().map(({ id }) => id));
  for (const sample of task.samples({ split: "dev", size: count, seed: 1 }).filter(({ id }) => !done.has(id))) {
    const looks = [];
    const arms = [{ name: "probe", policy: probe(sample, looks) }];
    const setting = { task, samples: [sample], arms, speaker: template(), listener: choosing(model), chunk: 4 };
    for await (const { success } of evaluate({ ...setting, pace: "lockstep" })) {
      const { candidates, right } = sample.answer;
      appendFileSync(file, `${JSON.stringify({ id: sample.id, candidates, right, success, looks })}\n`);
    }
  }
  await model.close?.();
}

/** What a look shows, by measure; the last answer asked apart is "unknown". */
function measures({ apart, within }) {
  const of = (numbers, known) => {
    const mass = numbers.reduce((sum, one) => sum + one, 0);
    const [first, second] = numbers.toSorted((a, b) => b - a);
    return { probability: Math.max(...numbers.slice(0, known)), margin: (first - second) / mass };
  };
  const isKnown = best(apart) < apart.length - 1;
  const asked = of(apart, apart.length - 1);
  const own = of(within, within.length);
  return {
    "apart, probability": asked.probability,
    "apart, margin": isKnown ? asked.margin : 0,
    "within, probability": own.probability,
    "within, margin": own.margin,
  };
}

function auc(points) {
  const [yes, no] = [true, false].map((said) =>
    points.filter((point) => point.said === said).map(({ value }) => value),
  );
  const wins = yes.flatMap((a) => no.map((b) => (a > b ? 1 : a === b ? 0.5 : 0)));
  return wins.reduce((sum, one) => sum + one, 0) / wins.length;
}

/** Success and share of the message saved when it is cut at the first look for which `enough` holds. */
function played(rows, chunk, enough) {
  const came = rows.map(({ looks, right, candidates, success }) => {
    const cut = looks.find((look) => look.tokens % chunk === 0 && enough(look));
    if (cut === undefined) return [success, 0];
    return [right.includes(candidates[best(cut.within)]) ? 1 : 0, 1 - cut.tokens / looks.at(-1).tokens];
  });
  return [0, 1].map((at) => (came.reduce((sum, one) => sum + one[at], 0) / came.length).toFixed(3)).join(" @ ");
}

mkdirSync(new URL("results/", import.meta.url), { recursive: true });
await record(Number(process.argv[2] ?? 30));
const rows = read();
const names = Object.keys(measures(rows[0].looks[0]));
console.log(`${rows.length} samples, ${rows.flatMap(({ looks }) => looks).length} looks`);
for (const name of names) {
  const points = rows.flatMap(({ looks }) => looks.map((look) => ({ said: look.said, value: measures(look)[name] })));
  console.log(`AUC ${auc(points).toFixed(3)}  ${name}`);
}
for (const chunk of [4, 8, 12, 16]) {
  console.log(`chunk ${chunk}: oracle ${played(rows, chunk, ({ said }) => said)}`);
  for (const name of names.slice(0, 2))
    for (const threshold of [0.3, 0.4, 0.5, 0.6, 0.7])
      console.log(`  ${name} > ${threshold}: ${played(rows, chunk, (look) => measures(look)[name] > threshold)}`);
}
process.exit(0);
