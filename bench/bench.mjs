// `npm run bench -- [overhead|pipeline|memory|prefix|policies|dialogue|abort|answer-time|serve] [--json] [--rounds N] [--out FILE]`. Exit 0 even where a goal is missed.
import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { parseArgs } from "node:util";
import { machine, Report } from "./report.mjs";

const names = ["overhead", "pipeline", "memory", "prefix", "policies", "dialogue", "abort", "answer-time", "serve"];
const usage = `usage: npm run bench -- [${names.join("|")}] [--json] [--rounds N] [--out FILE]`;

function read() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        json: { type: "boolean", default: false },
        rounds: { type: "string" },
        out: { type: "string" },
        help: { type: "boolean" },
      },
    });
    const rounds = values.rounds === undefined ? undefined : Number(values.rounds);
    if (rounds !== undefined && !(Number.isInteger(rounds) && rounds > 0))
      throw new Error("--rounds takes a number from 1");
    const unknown = positionals.find((name) => !names.includes(name));
    if (unknown === undefined) return { ...values, rounds, chosen: positionals.length > 0 ? positionals : names };
    throw new Error(`there is no benchmark "${unknown}"`);
  } catch (error) {
    console.error(`${error.message}\n${usage}`);
    process.exit(2);
  }
}

const { chosen, json, rounds, out, help } = read();
if (help) {
  console.log(usage);
  process.exit(0);
}
const before = machine();
const results = [];
for (const name of chosen) {
  const report = new Report(name, { json });
  const { bench } = await import(`./${name}.mjs`);
  await bench(report, { rounds });
  results.push({ bench: name, measures: report.measures, skipped: report.skipped });
}
if (out !== undefined) {
  await mkdir(dirname(out), { recursive: true });
  const text = JSON.stringify({ machine: before, loadAfter: machine().load, results }, null, 1);
  await writeFile(out, `${text}\n`);
}
// Frameworks may keep timers of their own alive.
process.exit(0);
