// Decision points of reports with exact labels: cutting is right if and only if what is needed has been said.
//   node runs/tune/points.mjs TASK SPLIT SAMPLES SEED NODES OUT.jsonl
// One node is a place after each 16 tokens; NODES of a message are drawn by chance. Costs are the speaker's tokens.
import { writeFileSync } from "node:fs";
import { decode, encode } from "gpt-tokenizer/encoding/o200k_base";
import { heardEnough, loadTask } from "../../dist/eval/index.js";
import { formatPoint, pointsVersion } from "../../dist/learn/index.js";
import { random, subseed } from "../../dist/base/random.js";

const [spec, split, size, seed, nodes, out] = process.argv.slice(2);
const every = 16;
const task = await loadTask(spec);
const lines = [];
let positive = 0;
for (const sample of task.samples({ split, size: Number(size), seed: Number(seed) })) {
  const [speaker, listener] = ["says" in sample.roles[0] ? 0 : 1, "says" in sample.roles[0] ? 1 : 0].map(
    (at) => sample.roles[at],
  );
  const tokens = encode(speaker.says);
  const places = Array.from({ length: Math.ceil(tokens.length / every) - 1 }, (_, index) => (index + 1) * every);
  const chance = random(subseed(Number(seed), sample.id));
  const order = places.map((place) => ({ place, at: chance() })).toSorted((a, b) => a.at - b.at);
  const drawn = new Set(order.slice(0, Number(nodes)).map(({ place }) => place));
  for (const [index, heardTokens] of places.entries()) {
    if (!drawn.has(heardTokens)) continue;
    const heard = decode(tokens.slice(0, heardTokens));
    const enough = heardEnough([{ agent: speaker.id, text: heard }], sample) ? 1 : 0;
    positive += enough;
    lines.push(
      formatPoint({
        version: pointsVersion,
        task: task.name,
        sample: sample.id,
        split: sample.split,
        listener: listener.id,
        speaker: speaker.id,
        about: sample.answer.question,
        turn: 0,
        chunk: index + 1,
        tokens: heardTokens,
        path: "",
        text: heard,
        messages: [
          { role: "system", content: listener.instructions },
          { role: "user", content: `${sample.prompt}\n\n${speaker.id}: ${heard}` },
        ],
        cut: { success: enough, cost: heardTokens, rollouts: 1 },
        full: { success: 1, cost: tokens.length, rollouts: 1 },
        exact: true,
        provenance: { speaker: "template", labels: "exact", seed: Number(seed), nodes: Number(nodes), chunk: every },
      }),
    );
  }
}
writeFileSync(out, `${lines.join("\n")}\n`);
console.log(`${out}: ${lines.length} points, ${positive} positive`);
