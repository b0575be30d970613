// Nodes where the policy is least sure against nodes drawn by chance: as many of them, what do weights fitted on them come to on others?
// The listener's signal is made noisy, so that there is something to be unsure of.
// node runs/learn/uncertain.mjs [repeats, default 10]

import { bootstrap, keep, load, mean, world } from "./world.mjs";

const { simulatedListeners } = await load("eval/index.js");
const { coursesOf, doubtOf, fit, fullOf, label, oracleOf, playOf } = await load("learn/index.js");
const { scoreOf } = await load("policies/index.js");
const { normal, random, subseed } = await load("base/random.js");
const { auc } = await load("base/stats.js");

/** A listener whose belief wavers. */
const wavering = (seat) => {
  const model = simulatedListeners({ accuracy: 1 })(seat);
  const choose = async (request, options) => {
    const choice = await model.choose(request, options);
    if (options.length < 3) return choice;
    const length = request.messages.reduce((sum, { content }) => sum + content.length, 0);
    const noise = Math.exp(1.6 * normal(random(subseed(seat.seed, `waver ${length}`))));
    const best = Math.max(...choice.probabilities);
    const odds = choice.probabilities.map((p) => (p === best ? p * noise : p));
    const all = odds.reduce((sum, p) => sum + p, 0);
    return { ...choice, probabilities: odds.map((p) => p / all), top: { text: "", probability: (best * noise) / all } };
  };
  return { ...model, choose };
};

const repeats = Number(process.argv[2] ?? 10);
const { draw, all } = await world({ listener: wavering, look: "free" });
const { points: test } = await all({ samples: draw("test", 120, 99) });
const { points: dev } = await all({ samples: draw("dev", 60, 99) });
const oddsOf = (weights) =>
  test.map(({ features }) =>
    scoreOf(
      weights,
      weights.features.map((name) => features[name]),
    ),
  );
const labels = label(test);
const judge = (weights) => {
  const odds = oddsOf(weights);
  const of = (wanted) => odds.filter((_, index) => labels[index].label === wanted && !labels[index].undecided);
  const courses = coursesOf(test, odds);
  const rule = { threshold: Math.log(weights.threshold / (1 - weights.threshold)), over: 1 };
  const [played, full, oracle] = [playOf(courses, rule), fullOf(courses), oracleOf(courses)];
  return { auc: auc(of(1), of(0)), saved: played.saved / oracle.saved, lost: full.success - played.success };
};
const rows = [];
for (let seed = 1; seed <= repeats; seed++) {
  const first = await all({ samples: draw("train", 12, seed), nodes: 2, seed });
  let weights;
  try {
    ({ weights } = fit(label(first.points), { dev, maxLoss: 0.02, lookCost: 0 }));
  } catch {
    // Too few points of one kind: both ways would begin with nothing.
    continue;
  }
  const more = draw("train", 42, seed + 1000)
    .filter(({ id }) => !first.points.some(({ sample }) => sample === id))
    .slice(0, 30);
  const found = {};
  for (const [name, doubt] of [
    ["chance", undefined],
    ["uncertain", doubtOf(weights)],
  ]) {
    const second = await all({ samples: more, nodes: 2, seed, doubt });
    const fitted = fit(label([...first.points, ...second.points]), { dev, maxLoss: 0.02, lookCost: 0 });
    found[name] = { ...judge(fitted.weights), tokens: first.spent.generated + second.spent.generated };
  }
  rows.push({ seed, ...found });
  console.log(JSON.stringify(rows.at(-1)));
}
const clusters = rows.map((row) => [row]);
const summary = { repeats: rows.length };
for (const name of ["auc", "saved", "lost", "tokens"]) {
  const difference = (items) => mean(items.map(({ uncertain, chance }) => uncertain[name] - chance[name]));
  summary[name] = {
    chance: mean(rows.map(({ chance }) => chance[name])),
    difference: difference(rows),
    interval: bootstrap(clusters, difference, { seed: 1 }),
  };
}
console.log(JSON.stringify(summary));
await keep("uncertain", [...rows, summary]);
