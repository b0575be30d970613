// What a tuned listener says to decision points it never saw: AUC of single decisions, and its rule played on whole messages.
//   node runs/tune/evaluate.mjs tuned/adapter.json POINTS.jsonl RESULTS.jsonl [MESSAGES]
// Intervals: bootstrap over messages. Goes on where it was ended: a line for each hearing that was asked about.
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { auc, bootstrap } from "../../dist/base/stats.js";
import {
  coursesOf,
  fullOf,
  keyOf,
  openTuned,
  oracleOf,
  playOf,
  readPoints,
  readTuned,
} from "../../dist/learn/index.js";

const [file, path, out, most = "Infinity"] = process.argv.slice(2);
const samples = new Map();
for (const point of await readPoints(path)) samples.set(point.sample, [...(samples.get(point.sample) ?? []), point]);
const chosen = [...samples.values()].slice(0, Number(most));
const silent = chosen.flat().find(({ about }) => about === undefined);
if (silent !== undefined && (await readTuned(file)).ask === "apart") {
  console.error(
    `${path}: sample "${silent.sample}" of ${silent.task} does not tell its question (about), and ${file} is asked apart; sample the points again`,
  );
  process.exit(1);
}
const before = existsSync(out) ? readFileSync(out, "utf8").trim().split("\n") : [];
const known = new Map(
  before
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line))
    .map((row) => [row.key, row]),
);
const { look, file: tuned, close } = await openTuned(file, { contexts: 1, contextTokens: 1024 });
for (const points of chosen)
  for (const point of points) {
    const key = keyOf(point);
    if (known.has(key)) continue;
    const began = performance.now();
    const { logOdds, usage } = await look({ ...point, messages: () => point.messages, session: point.sample });
    const row = {
      key,
      task: point.task,
      logOdds,
      label: point.cut.success,
      ms: Math.round(performance.now() - began),
      usage,
    };
    known.set(key, row);
    appendFileSync(out, `${JSON.stringify(row)}\n`);
  }
await close();
const rows = chosen.map((points) => points.map((point) => known.get(keyOf(point))));
const area = (all) =>
  auc(...[1, 0].map((label) => all.filter((row) => row.label === label).map(({ logOdds }) => logOdds)));
const flat = rows.flat();
const courses = coursesOf(
  chosen.flat(),
  flat.map(({ logOdds }) => logOdds),
);
const { threshold, over } = tuned;
const played = threshold === null ? fullOf(courses) : playOf(courses, { threshold, over });
const [low, high] = bootstrap(rows, area, { seed: 1 });
const each = courses.map((course) => [course]);
const saved = bootstrap(each, (some) => (threshold === null ? 0 : playOf(some, { threshold, over }).saved), {
  seed: 1,
});
const success = bootstrap(each, (some) => (threshold === null ? 1 : playOf(some, { threshold, over }).success), {
  seed: 1,
});
const ms = flat.map((row) => row.ms).toSorted((a, b) => a - b)[Math.floor(flat.length / 2)];
console.log(
  JSON.stringify({
    points: flat.length,
    messages: rows.length,
    auc: area(flat),
    interval: [low, high],
    rule: {
      threshold,
      over,
      success: played.success,
      successInterval: success,
      saved: played.saved,
      savedInterval: saved,
    },
    oracle: oracleOf(courses).saved,
    medianMs: ms,
  }),
);
