// The simulated world, whose answer curves are known: how much of the saving of the best cut in hindsight is learned, and at what loss?
// node runs/learn/simulated.mjs [--samples 200] (after `npm run build`)

import { parseArgs } from "node:util";
const from = process.env.DUPLEX_DIST ?? new URL("../../dist/", import.meta.url).href;
const { evaluate, compare, loadTask, simulatedListeners, template } = await import(new URL("eval/index.js", from));
const { advise, fit, label, sample } = await import(new URL("learn/index.js", from));
const { calibrated, featuresOf } = await import(new URL("policies/index.js", from));

const { values } = parseArgs({
  options: {
    samples: { type: "string", default: "200" },
    facts: { type: "string", default: "15" },
    chunk: { type: "string", default: "16" },
    look: { type: "string", default: "token" },
  },
});
const task = await loadTask(`report:facts=${values.facts},choices=4`);
const draw = (split, size) => task.samples({ split, size, seed: 1 });
const features = ["margin", "entropy", "stability", "chunks", "tokens"];
const lead = draw("train", 1)[0].answer.marker;
const answer = { lead, candidates: ({ sample: of }) => of?.answer.candidates };
const measure = { features, of: featuresOf({ features, answer }) };
const chunk = Number(values.chunk);
// A local model's probabilities are read off a forward pass; one behind an API says a token for them.
const free = (casting) => (seat) => {
  const model = casting(seat);
  const choose = async (request, options) => {
    const choice = await model.choose(request, options);
    return { ...choice, usage: { ...choice.usage, outputTokens: 0 } };
  };
  return { ...model, choose };
};
const lookCost = values.look === "token" ? 1 : 0;
const cast = {
  task,
  chunk,
  speaker: template(),
  listener: lookCost > 0 ? simulatedListeners({ accuracy: 1 }) : free(simulatedListeners({ accuracy: 1 })),
  virtual: true,
};

async function pointsOf(split, size) {
  const points = [];
  for await (const { point } of sample({ ...cast, samples: draw(split, size), measure })) points.push(point);
  return points;
}

const labels = label(await pointsOf("train", 60));
const dev = await pointsOf("dev", 40);
const { weights, auc, rule } = fit(labels, { dev, maxLoss: 0, lookCost });
console.log(
  `AUC ${auc.toFixed(3)}; dev: saved ${(100 * rule.played.saved).toFixed(1)} % at ${rule.played.success}, oracle ${(100 * rule.oracle.saved).toFixed(1)} %`,
);
console.log(`looks: first after ${weights.looks.first}, then ${JSON.stringify(weights.looks.next)}`);
const { looks: _, ...impatient } = weights;
const arm = (name, w) => {
  const policy = calibrated(w, { answer });
  return {
    name,
    policy: ({ sample: of }) => ({
      ...policy,
      decide: (hearing, signal) => policy.decide({ ...hearing, sample: of }, signal),
    }),
  };
};
const arms = [
  { name: "never", policy: { name: "never" } },
  arm("calibrated", weights),
  arm("calibrated, a look at each chunk", impatient),
  { name: "oracle", policy: "oracle" },
];
const results = [];
for await (const result of evaluate({ ...cast, samples: draw("test", Number(values.samples)), arms }))
  results.push(result);
const reports = compare(results, { task: task.name, policies: arms.map(({ name }) => name) });
for (const {
  policy,
  samples,
  success,
  successCI,
  costVsNever,
  costVsNeverCI,
  ofOracle,
  decisionsPerRun,
  successVsNever,
} of reports)
  console.log(
    JSON.stringify({
      policy,
      samples,
      success,
      successCI,
      costVsNever,
      costVsNeverCI,
      ofOracle,
      decisionsPerRun,
      successVsNever,
    }),
  );
console.log(advise(reports));
