// What `OWN+FIXED` (any of the two) comes to, replayed from the recorded results of both: exact, since all heard the same words and nothing was left to chance.
// node runs/eval/both.mjs RESULTS.jsonl own:0.5 after:2   (after `npm run build`)

import { readFileSync } from "node:fs";

const { bootstrap, mean } = await import(
  new URL("base/stats.js", process.env.DUPLEX_DIST ?? new URL("../../dist/", import.meta.url)).href
);
const [file, own, fixed] = process.argv.slice(2);
const samples = new Map();
for (const line of readFileSync(file, "utf8").trim().split("\n").slice(1)) {
  const { sample, policy, success, cost, cuts } = JSON.parse(line);
  samples.set(sample, {
    ...samples.get(sample),
    [policy]: { success, tokens: cost.total, at: cuts[0]?.chunk ?? Infinity },
  });
}
const rows = [...samples.values()]
  .filter((all) => [own, fixed, "never"].every((policy) => all[policy] !== undefined))
  .map((all) => ({ ...all, both: all[own].at < all[fixed].at ? all[own] : all[fixed] }));
const share = (one, other) => (some) =>
  mean(some.map((row) => row[one].tokens)) / mean(some.map((row) => row[other].tokens));
const gain = (one, other) => (some) => mean(some.map((row) => row[one].success - row[other].success));
const told = (of) =>
  `${of(rows).toFixed(3)} [${bootstrap(
    rows.map((row) => [row]),
    of,
    { seed: 1 },
  )
    .map((each) => each.toFixed(3))
    .join(", ")}]`;
console.log(
  `${own}+${fixed}, n = ${rows.length}, replayed: success ${mean(rows.map(({ both }) => both.success)).toFixed(3)}`,
);
for (const other of ["never", fixed, own, "concise"].filter((policy) => rows[0][policy] !== undefined))
  console.log(`against ${other}: success ${told(gain("both", other))}, tokens ${told(share("both", other))}`);
