// How shall the looks at a message be added up? One look, two in a row, the mean of the last ones, each at the threshold that saves most while so many messages are cut too early.
// On the whole dev messages of an ear that runs/learn/ship.mjs made; what the ear said of them is read from where that kept it, or asked again.
// node runs/learn/looks.mjs [--base smollm2-135m] [--work DIR]   (after runs/learn/ship.mjs --only ears)

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { keep, load, mean } from "./world.mjs";

const { coursesOf, oracleOf, readEar, readPoints } = await load("learn/index.js");
const { judgeWith } = await load("learn/ear-judge.js");
const options = {
  base: { type: "string", default: "smollm2-135m" },
  work: { type: "string", default: fileURLToPath(new URL("work/", import.meta.url)) },
};
const { values } = parseArgs({ options });
const base = String(values.base);
const name = `ear-${base}`;

const points = [];
for (const file of readdirSync(values.work).filter((each) => each.startsWith(name) && each.endsWith("dev.jsonl")))
  points.push(...(await readPoints(join(values.work, file))));
const { ear, gguf } = await readEar(join(values.work, `${name}-ear.json`));
const odds = await judgeWith({ gguf, file: ear }, points, { states: join(values.work, `${name}-states.txt`) });
const courses = coursesOf(points, odds);
const most = oracleOf(courses).saved;

const last = (looks, count) => (looks.length < count ? undefined : looks.slice(-count));
const rules = {
  "one look": (looks) => looks.at(-1),
  "two in a row": (looks) => Math.min(...(last(looks, 2) ?? [-Infinity])),
  "three in a row": (looks) => Math.min(...(last(looks, 3) ?? [-Infinity])),
  "mean of two": (looks) => mean(last(looks, 2) ?? [-Infinity]),
  "mean of three": (looks) => mean(last(looks, 3) ?? [-Infinity]),
};
function played(rule, threshold, every) {
  let [saved, early, full] = [0, 0, 0];
  for (const { looks, full: whole } of courses) {
    full += whole.cost;
    const seen = [];
    for (const [index, look] of looks.entries()) {
      if ((index + 1) % every !== 0) continue;
      seen.push(look.logOdds);
      if (rule(seen) <= threshold) continue;
      saved += whole.cost - look.cost;
      early += look.success < whole.success ? 1 : 0;
      break;
    }
  }
  return { saved: saved / full / most, early: early / courses.length };
}
const thresholds = Array.from({ length: 61 }, (_, index) => -3 + index / 6);
const rows = [];
for (const every of [1, 2])
  for (const [rule, of] of Object.entries(rules))
    for (const atMost of [0.01, 0.02, 0.03]) {
      const fine = thresholds.map((threshold) => ({ threshold, ...played(of, threshold, every) }));
      const best = fine.filter(({ early }) => early <= atMost).toSorted((a, b) => b.saved - a.saved)[0];
      rows.push({ base, messages: courses.length, every: every * 8, rule, atMost, ...best });
      console.log(
        `every ${every * 8} tokens, ${rule}, at most ${atMost} too early: ${best.saved.toFixed(3)} of the best cut's saving`,
      );
    }
await keep(`looks-${base}`, rows);
process.exit(0);
