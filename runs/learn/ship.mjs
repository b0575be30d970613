// Makes what comes with the package: weights of `calibrated` and heads of ears, from nothing but tasks and models.
// node runs/learn/ship.mjs [--only weights|ears] [--quick] [--work DIR] [--out DIR] [--base FILE]   (after `npm run build`, and again before the next one)
// It goes on where it was stopped: what is finished lies in DIR. `--quick` is a rehearsal with a tenth of the samples, `--base` one with another base for the ears.

import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const options = {
  only: { type: "string" },
  quick: { type: "boolean", default: false },
  base: { type: "string" },
  out: { type: "string", default: fileURLToPath(new URL("../../src/learn/shipped/", import.meta.url)) },
  work: { type: "string", default: fileURLToPath(new URL("work/", import.meta.url)) },
};
const { values } = parseArgs({ options });
const root = fileURLToPath(new URL("../../", import.meta.url));
const cli = fileURLToPath(new URL("cli/main.js", process.env.DUPLEX_DIST ?? new URL("../../dist/", import.meta.url)));
const many = (count) => String(values.quick ? Math.max(6, Math.round(count / 10)) : count);

/** For whom, on which tasks. Weights: of a listener's own answer. `family`: the task's name without its options. */
const weights = [
  {
    model: "qwen2.5-coder-0.5b",
    family: "report",
    tasks: ["report:facts=15,choices=8"],
    features: "probability,margin,entropy,top1,mass,stability,chunks,tokens",
    train: 30,
    dev: 90,
  },
];
/**
 * Two looks at each of many messages, half of them around the place where the answer is out, teach more than many at a few.
 * They look every 8 tokens: the mean of two looks then costs a delay of 8, not of 16.
 */
const chunk = "8";
const ears = [
  {
    base: "smollm2-135m",
    layers: "15",
    tasks: ["report:facts=7", "report:facts=15"],
    nodes: 2,
    train: 1000,
    dev: 100,
    devTasks: ["report:facts=7,choices=8", "report:facts=15,choices=8"],
  },
];

mkdirSync(values.work, { recursive: true });
const at = (...names) => join(values.work, names.join("-").replaceAll(/[^\w.-]+/g, "_"));
function duplex(...args) {
  console.log(`duplex ${args.join(" ")}`);
  const { status, error } = spawnSync(process.execPath, [cli, ...args], {
    stdio: ["ignore", "inherit", "inherit"],
    cwd: root,
  });
  if (error !== undefined || status !== 0) process.exit(status ?? 1);
}

/** Points of several tasks, a file each. */
function sampled(name, { tasks, listener, features, split, samples, more = [] }) {
  return tasks.map((task) => {
    const out = at(name, task, `${split}.jsonl`);
    const how = ["--split", split, "--samples", many(samples), "--features", features, ...more];
    duplex("learn", "sample", task, "--speaker", "template", "--listener", listener, ...how, "--out", out);
    return out;
  });
}

const repeated = (flag, files) => files.flatMap((file) => [flag, file]);
const write = (name, head, value) => {
  const path = join(values.out, `${name}.ts`);
  writeFileSync(
    path,
    `// Made by runs/learn/ship.mjs; do not edit.\n\n${head} = ${JSON.stringify(value, undefined, 2)};\n`,
  );
  spawnSync("npx", ["oxfmt", path], { cwd: root, stdio: "inherit" });
  console.log(`written: ${path}`);
};
const read = (path) => JSON.parse(readFileSync(path, "utf8"));

// On 200 reports held out these lost five points of success (docs/LOG.md), so they are made on demand and do not come along.
if (values.only === "weights") {
  const made = weights.map(({ model, family, tasks, features, train, dev }) => {
    const how = { tasks, listener: `llama:${model}`, features, more: ["--answers", "choose"] };
    const learned = sampled(model, { ...how, split: "train", samples: train });
    const chosen = sampled(model, { ...how, split: "dev", samples: dev });
    const out = at(model, family, "weights.json");
    duplex("learn", "fit", ...learned, ...repeated("--dev", chosen), "--look-cost", "0", "--out", out);
    return { model, family, weights: read(out) };
  });
  // Weights that never cut are of no use to anybody.
  const useful = made.filter((each) => each.weights.provenance.pays);
  for (const { model, family } of made.filter((each) => !useful.includes(each)))
    console.log(`${model} on ${family} does not pay and is not shipped`);
  write(
    "weights",
    'import type { ShippedWeights } from "../shipped.ts";\n\nexport const weights: readonly ShippedWeights[]',
    useful,
  );
}
if (values.only !== "weights") {
  const made = ears.map(({ base: usual, layers: usualLayers, tasks, nodes, train, dev, devTasks }) => {
    const base = String(values.base ?? usual);
    const layers = values.base === undefined ? usualLayers : "1";
    const how = { tasks, listener: "simulated", features: "none" };
    const often = ["--chunk", chunk];
    const more = [...often, "--nodes", String(nodes), "--hard"];
    const learned = sampled(`ear-${base}`, { ...how, split: "train", samples: train, more });
    // Whole messages: one false alarm ends a message, so the threshold is chosen on all looks at each; and where a wrong answer cannot be taken back.
    const chosen = sampled(`ear-${base}`, { ...how, tasks: devTasks, split: "dev", samples: dev, more: often });
    const [out, head] = [at(`ear-${base}`, "ear.json"), at(`ear-${base}`, "head.json")];
    const fitting = [
      "--base",
      base,
      "--layers",
      layers,
      "--max-loss",
      "0.02",
      "--head",
      head,
      "--out",
      out,
      "--states",
      at(`ear-${base}`, "states.txt"),
    ];
    duplex("learn", "ear", ...learned, ...repeated("--dev", chosen), ...fitting);
    return read(head);
  });
  const useful = made.filter(({ ear }) => ear.threshold !== null);
  for (const { ear } of made.filter((each) => !useful.includes(each)))
    console.log(`the ear on ${ear.base} does not pay and is not shipped`);
  write("ears", 'import type { Head } from "../head.ts";\n\nexport const heads: readonly Head[]', useful);
}
