// The simulated world, whose answer curves are known: how much of the saving of the best cut in hindsight is learned, and at what loss?
// node runs/learn/simulated.mjs [samples, default 200]

import { bootstrap, keep, load, world } from "./world.mjs";

const { compare, evaluate } = await load("eval/index.js");
const { advise, fit, label } = await load("learn/index.js");

const size = Number(process.argv[2] ?? 200);
const rows = [];
for (const [look, chunk] of [
  ["free", 16],
  ["token", 16],
  ["token", 32],
]) {
  const { task, draw, cast, all, arm } = await world({ look, chunk });
  const lookCost = look === "token" ? 1 : 0;
  const { points } = await all({ samples: draw("train", 60) });
  const { points: dev } = await all({ samples: draw("dev", 40) });
  const { weights, auc } = fit(label(points), { dev, maxLoss: 0, lookCost });
  const arms = [
    { name: "never", policy: { name: "never" } },
    arm("calibrated", weights),
    { name: "oracle", policy: "oracle" },
  ];
  const results = [];
  for await (const result of evaluate({ ...cast, samples: draw("test", size), arms })) results.push(result);
  const reports = compare(results, { task: task.name, policies: arms.map(({ name }) => name) });
  const { success, successCI, costVsNever, costVsNeverCI, ofOracle, decisionsPerRun } = reports[1];
  // Of the oracle's saving, with its interval over samples.
  const bySample = new Map();
  for (const { sample, policy, cost } of results)
    bySample.set(sample, { ...bySample.get(sample), [policy]: cost.total });
  const clusters = [...bySample.values()].map((costs) => [costs]);
  const sum = (items, name) => items.reduce((total, item) => total + item[name], 0);
  const share = (items) =>
    (sum(items, "never") - sum(items, "calibrated")) / (sum(items, "never") - sum(items, "oracle"));
  const ofOracleCI = bootstrap(clusters, share, { seed: 1 });
  const row = {
    look,
    chunk,
    n: size,
    auc,
    success,
    successCI,
    costVsNever,
    costVsNeverCI,
    ofOracle,
    ofOracleCI,
    decisionsPerRun,
  };
  rows.push({ ...row, oracle: reports[2].costVsNever, advice: advise(reports).policy });
  console.log(JSON.stringify(rows.at(-1)));
}
await keep("simulated", rows);
