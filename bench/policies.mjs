// What a decision costs on a local model, after each chunk of 16 tokens, against the time the same model takes to say a chunk.
// `node bench/policies.mjs [--json] [--rounds N] [--model NAME]` after `npm run build`; the model must have been pulled.
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { duplex } from "./duplex.mjs";
import { median, Report } from "./report.mjs";

const { llama } = await duplex("models/llama/index.js");
const { afterChunks, all, calibrated, minChunks, onPattern, ownAnswer, prompted, random, weightsSchema, yesNo } =
  await duplex("policies/index.js");

const chunkTokens = 16;
const chunks = 6;
const task = "You will hear a report about a house. You need to know one thing: which color is its door?";
const message =
  "The house stands at the end of the lane, behind two old chestnut trees. It was built in 1911 by a doctor from the coast. " +
  "The roof was replaced last spring, and the gutters with it. There are four bedrooms, three of them facing south. " +
  "The door is green, with a brass handle. The garden runs down to the river, where a boat is tied up. " +
  "The kitchen was painted white in June. Heating is by wood, which a farmer brings every October. " +
  "The nearest shop is two miles away, and the school bus stops at the corner at half past seven.";
const candidates = ["green", "red", "blue", "white", "black", "yellow", "brown", "gray"];
const features = ["logOdds", "margin", "entropy", "top1", "mass", "stability", "chunks", "tokens"];
const ones = features.map(() => 1);
const weights = {
  schema: weightsSchema,
  features,
  mean: ones,
  scale: ones,
  weights: ones,
  bias: -100,
  threshold: 0.5,
  provenance: { fitted: "not at all; only its cost is of interest" },
};

const policies = {
  "random 0.2": random(0.2),
  "after 3 chunks": afterChunks(3),
  "on a pattern": onPattern(/\bdoor is \w+/),
  "hearing alone, nothing asked": ownAnswer({ threshold: 2, candidates, question: "", lead: "" }),
  prompted: prompted(),
  "yes or no": yesNo(),
  "own answer, 8 candidates": ownAnswer({ threshold: 2, candidates, lead: "The door is" }),
  "own answer, 8 candidates, lead alone": ownAnswer({ threshold: 2, candidates, question: "", lead: "The door is" }),
  "own answer, open": ownAnswer({ threshold: 2 }),
  calibrated: calibrated(weights, { answer: { candidates, lead: "The door is" } }),
  "yes or no, not before 3 chunks": minChunks(3, yesNo()),
  "a pattern, then yes or no": all(onPattern(/\bdoor\b/), yesNo()),
};

/** The message cut into chunks of the model's own tokens, as well as words allow. */
function chunked(model) {
  const words = message.match(/\S+\s*/g);
  const heard = [];
  let text = "";
  for (const word of words) {
    text += word;
    if (model.countTokens(text) >= chunkTokens * (heard.length + 1)) heard.push(text);
  }
  return heard.slice(0, chunks);
}

const hearing = (model, { text, index, session }) => ({
  task,
  listener: "listener",
  speaker: "speaker",
  turn: 0,
  text,
  chunks: index + 1,
  tokens: chunkTokens * (index + 1),
  steps: [],
  messages: () => [
    { role: "system", content: "You listen to a report and answer with the fact you need, in one word." },
    { role: "user", content: `${task}\n\nspeaker: ${text}` },
  ],
  model,
  session,
});

/** Milliseconds to say a chunk, once the prompt has been read. */
async function saying(model, session) {
  const messages = [{ role: "user", content: "Tell a long story about a house by a river." }];
  const at = [];
  for await (const part of model.stream({ messages, maxTokens: 5 * chunkTokens, temperature: 0, session }))
    if (part.type === "text") at.push(performance.now());
  return ((at.at(-1) - at[0]) / (at.length - 1)) * chunkTokens;
}

/** The decisions on one message: milliseconds, and tokens read and made. */
async function decisions(model, policy, session) {
  const { signal } = new AbortController();
  const made = [];
  for (const [index, text] of chunked(model).entries()) {
    const began = performance.now();
    const { usage } = await policy.decide(hearing(model, { text, index, session }), signal);
    const ms = performance.now() - began;
    made.push({ ms, read: usage ? usage.inputTokens - usage.cachedTokens : 0, generated: usage?.outputTokens ?? 0 });
  }
  return made;
}

/** Measures every policy on each of so many rounds of one message. */
export async function bench(report, { rounds = 3, model: name = "smollm2-135m" } = {}) {
  let model;
  try {
    model = await llama({ name, contexts: 2 });
  } catch (error) {
    report.skip(name, error.message);
    return;
  }
  try {
    const said = [];
    for (let round = 0; round < rounds; round++) said.push(await saying(model, `say-${round}`));
    const say = report.measure(`${name}: say a chunk of ${chunkTokens} tokens`, said, { unit: "ms" });
    for (const [label, policy] of Object.entries(policies)) {
      const runs = [];
      for (let round = 0; round < rounds; round++) runs.push(await decisions(model, policy, `${label}-${round}`));
      // The first look of a conversation reads the whole prompt, and that of a run checks the words.
      const every = runs.flatMap((run) => run.slice(1));
      const asked = every.filter(({ read }) => read > 0);
      const later = asked.length > 0 ? asked : every;
      if (asked.length > 0)
        report.measure(`${label}: share of chunks asked about`, asked.length / every.length, { unit: "share" });
      const ms = report.measure(
        `${label}: a decision`,
        later.map((one) => one.ms),
        { unit: "ms" },
      );
      report.measure(`${label}: of the time to say the chunk`, ms / say, { unit: "share" });
      const read = median(later.map((one) => one.read));
      report.measure(`${label}: tokens read anew`, read, { unit: "tokens" });
      report.measure(`${label}: tokens generated`, median(later.map((one) => one.generated)), { unit: "tokens" });
      report.measure(
        `${label}: the first decision`,
        runs.map(([first]) => first.ms),
        { unit: "ms" },
      );
    }
  } finally {
    await model.close();
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const { values } = parseArgs({
    options: {
      json: { type: "boolean", default: false },
      rounds: { type: "string" },
      model: { type: "string" },
    },
  });
  const rounds = Number(values.rounds ?? 3);
  if (!Number.isInteger(rounds) || rounds < 1) {
    console.error("--rounds takes a number from 1");
    process.exit(2);
  }
  await bench(new Report("policies", values), { rounds, model: values.model });
}
