// Adaptive rollouts under common chance against the paper's scheme (arXiv 2604.06452): tokens taken, and labels that are right.
// node runs/learn/fewer.mjs [samples, default 40]

import { bootstrap, keep, load, mean, world } from "./world.mjs";

const { conservative, keyOf } = await load("learn/index.js").then(async (learn) => ({
  ...learn,
  ...(await load("learn/points.js")),
}));

const size = Number(process.argv[2] ?? 40);
const rows = [];
for (const accuracy of [0.9, 0.7]) {
  const { draw, all } = await world({ accuracy, chunk: 16 });
  const samples = draw("train", size);
  const truth = new Map(samples.map((sample) => [sample.id, sample.enough[0]]));
  const knows = ({ sample, text }) => truth.get(sample).every(({ said }) => text.includes(said));
  const runs = {};
  for (const scheme of ["paper", "adaptive"]) runs[scheme] = await all({ samples, scheme, measure: undefined });
  const others = new Map(runs.paper.points.map((point) => [keyOf(point), point]));
  const clusters = samples.map(({ id }) =>
    runs.adaptive.points
      .filter(({ sample }) => sample === id)
      .map((point) => ({
        adaptive: (conservative(point) === 1) === knows(point) ? 1 : 0,
        paper: (conservative(others.get(keyOf(point))) === 1) === knows(point) ? 1 : 0,
        tokens: point.cut.rollouts,
      })),
  );
  const right = (name) => (items) => mean(items.map((item) => item[name]));
  const flat = clusters.flat();
  const row = {
    accuracy,
    samples: size,
    points: flat.length,
    tokens: { paper: runs.paper.spent.generated, adaptive: runs.adaptive.spent.generated },
    share: runs.adaptive.spent.generated / runs.paper.spent.generated,
    rollouts: mean(flat.map(({ tokens }) => tokens)),
    right: {
      paper: [right("paper")(flat), bootstrap(clusters, right("paper"), { seed: 1 })],
      adaptive: [right("adaptive")(flat), bootstrap(clusters, right("adaptive"), { seed: 1 })],
      difference: bootstrap(clusters, (items) => mean(items.map(({ adaptive, paper }) => adaptive - paper)), {
        seed: 1,
      }),
    },
  };
  rows.push(row);
  console.log(JSON.stringify(row));
}
await keep("fewer", rows);
