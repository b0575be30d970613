// What the scripts of this folder share. They run on what `npm run build` made, or on DUPLEX_DIST.

const dist = process.env.DUPLEX_DIST ?? new URL("../../dist/", import.meta.url).href;
export const load = (path) => import(new URL(path, dist).href);

const { loadTask, simulatedListeners, template } = await load("eval/index.js");
const { sample } = await load("learn/index.js");
const { calibrated, featuresOf } = await load("policies/index.js");
const { bootstrap, mean } = await load("base/stats.js");

export { bootstrap, mean };

/** A simulated world of reports: who listens, what is measured, what a look costs. */
export async function world({ facts = 15, choices = 4, accuracy = 1, chunk = 16, look = "token", listener } = {}) {
  const task = await loadTask(`report:facts=${facts},choices=${choices}`);
  const draw = (split, size, seed = 1) => task.samples({ split, size, seed });
  const lead = draw("train", 1)[0].answer.marker;
  const answer = { lead, candidates: ({ sample: of }) => of?.answer.candidates };
  const features = ["margin", "entropy", "stability", "chunks", "tokens"];
  const measure = { features, of: featuresOf({ features, answer }) };
  const made = listener ?? simulatedListeners({ accuracy });
  const cast = { task, chunk, speaker: template(), listener: look === "free" ? free(made) : made, virtual: true };
  const all = async (options) => {
    const points = [];
    const sampling = sample({ ...cast, measure, ...options });
    for (;;) {
      const next = await sampling.next();
      if (next.done) return { points, spent: next.value.spent };
      points.push(next.value.point);
    }
  };
  const arm = (name, weights) => {
    const policy = calibrated(weights, { answer });
    const decide = (of) => (hearing, signal) => policy.decide({ ...hearing, sample: of }, signal);
    return { name, policy: ({ sample: of }) => ({ ...policy, decide: decide(of) }) };
  };
  return { task, draw, cast, all, arm };
}

/** A local model's probabilities are read off a forward pass; one behind an API says a token for them. */
const free = (casting) => (seat) => {
  const model = casting(seat);
  const choose = async (request, options) => {
    const choice = await model.choose(request, options);
    return { ...choice, usage: { ...choice.usage, outputTokens: 0 } };
  };
  return { ...model, choose };
};

export const interval = ([low, high], digits = 3) => `[${low.toFixed(digits)}, ${high.toFixed(digits)}]`;

/** Keeps what a script found, a JSON object a line, beside it. */
export async function keep(name, rows) {
  const { writeFile } = await import("node:fs/promises");
  await writeFile(
    new URL(`results/${name}.jsonl`, import.meta.url),
    `${rows.map((row) => JSON.stringify(row)).join("\n")}\n`,
  );
}
