// How fast the viewer is in headless Chromium: `npm run build`, then `node bench/viewer.mjs [--rounds 5] [--out FILE]`.
import { writeFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import { page } from "../dist/viewer/index.js";
import { ensureBundle, openBrowser, skip } from "../test/viewer-browser.mjs";
import { measureLarge, measureLive } from "../test/viewer-speed.mjs";

const { values } = parseArgs({ options: { rounds: { type: "string", default: "5" }, out: { type: "string" } } });
if (skip) {
  console.error(skip);
  process.exit(2);
}
ensureBundle();
const browser = await openBrowser();
const ends = [];
const large = [];
const live = [];
for (let round = 0; round < Number(values.rounds); round++) {
  large.push({ load: loadavg()[0], ...(await measureLarge(browser, 100_000)) });
  const { behind, busy, chunks } = await measureLive(browser, { after: (end) => ends.push(end) }, 5000);
  const of = (share) => behind[Math.min(behind.length - 1, Math.floor(behind.length * share))];
  live.push({ load: loadavg()[0], median: of(0.5), p90: of(0.9), most: behind.at(-1), busy, chunks });
}
await browser.close();
for (const end of ends) end();
const median = (rows, name) => rows.map((row) => row[name]).toSorted((a, b) => a - b)[Math.floor(rows.length / 2)];
const medians = (rows) =>
  Object.fromEntries(
    Object.keys(rows[0]).flatMap((name) => (typeof rows[0][name] === "number" ? [[name, median(rows, name)]] : [])),
  );
const found = {
  date: new Date().toISOString(),
  machine: `${cpus().length} x ${cpus()[0]?.model}`,
  node: process.version,
  pageBytesGzipped: gzipSync(page({ traces: [] })).length,
  large: { medians: medians(large), rounds: large },
  live: { medians: medians(live), rounds: live },
};
console.log(JSON.stringify(found, undefined, 2));
if (values.out !== undefined) writeFileSync(values.out, `${JSON.stringify(found, undefined, 2)}\n`);
