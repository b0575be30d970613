// A world in which interrupting never pays: listeners answer right only when they have heard everything. Is that recognised?
// node runs/learn/never.mjs [samples, default 100]

import { keep, load, world } from "./world.mjs";

const { compare, evaluate, simulatedListeners } = await load("eval/index.js");
const { advise, balanceOf, fit, label } = await load("learn/index.js");
const { afterChunks, ownAnswer } = await load("policies/index.js");

/** Wrong as long as a word is missing, however sure it is of itself. */
const late = (seat) => {
  const whole = seat.sample.roles.find(({ says }) => says !== undefined)?.says ?? "";
  const sure = simulatedListeners({ accuracy: 1 })(seat);
  const [right] = seat.sample.answer.right;
  const wrong = seat.sample.answer.candidates.find((each) => each !== right);
  const lost = simulatedListeners({ accuracy: 1 })({
    ...seat,
    sample: { ...seat.sample, answer: { ...seat.sample.answer, right: [wrong] } },
  });
  const heardAll = ({ messages }) => messages.some(({ content }) => content.includes(whole));
  return { ...sure, stream: (request) => (heardAll(request) ? sure : lost).stream(request) };
};

const size = Number(process.argv[2] ?? 100);
const { task, draw, cast, all, arm } = await world({ listener: late });
const { points } = await all({ samples: draw("train", 30) });
const { points: dev } = await all({ samples: draw("dev", 20) });
const labels = label(points);
const balance = balanceOf(labels);
let learned;
let why = "";
try {
  learned = fit(labels, { dev, maxLoss: 0.01 });
} catch (error) {
  why = error.message;
}
const lead = draw("train", 1)[0].answer.marker;
const own = ownAnswer({ threshold: 0.8, lead, candidates: ({ sample: of }) => of?.answer.candidates });
const informed = ({ sample: of }) => ({
  ...own,
  decide: (hearing, signal) => own.decide({ ...hearing, sample: of }, signal),
});
const arms = [
  { name: "never", policy: { name: "never" } },
  { name: "after:3", policy: afterChunks(3) },
  { name: "own:0.8", policy: informed },
  ...(learned === undefined ? [] : [arm("calibrated", learned.weights)]),
  { name: "oracle", policy: "oracle" },
];
const results = [];
for await (const result of evaluate({ ...cast, samples: draw("test", size), arms })) results.push(result);
const reports = compare(results, { task: task.name, policies: arms.map(({ name }) => name) });
const advice = advise(reports);
const rows = [
  { balance, fitted: learned === undefined ? why : { pays: learned.rule.pays } },
  ...reports.map(({ policy, success, successCI, costVsNever, costVsNeverCI }) => ({
    policy,
    n: size,
    success,
    successCI,
    costVsNever,
    costVsNeverCI,
  })),
  { advice },
];
for (const row of rows) console.log(JSON.stringify(row));
await keep("never", rows);
