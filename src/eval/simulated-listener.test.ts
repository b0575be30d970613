import assert from "node:assert/strict";
import { test } from "node:test";
import { mean } from "../base/stats.ts";
import type { Message } from "../core/types.ts";
import { modelSuite } from "../testing/model-suite.ts";
import { VirtualClock } from "../testing/clock.ts";
import type { Seat } from "./cast.ts";
import { all, small } from "./play.fixture.ts";
import { simulatedListener } from "./simulated-listener.ts";
import type { Sample } from "./task.ts";
import { report } from "./tasks/report.ts";
import { systemClock } from "../base/clock.ts";

const [sample] = report({ choices: 8 }).samples({ split: "dev", size: 1, seed: 3 }) as [Sample];
const open = { ...sample, answer: { ...sample.answer, candidates: undefined } };
const instant = { ttft: 0, prefill: Infinity, cacheRead: Infinity, decode: Infinity };
const says = sample.roles[0]?.says ?? "";
const needed = sample.enough?.[0]?.[0]?.said ?? "";

const seatOf = (about: Sample, seed = 1): Seat => ({ sample: about, role: about.roles[1]!, clock: systemClock, seed });

const heard = (text: string): readonly Message[] => [
  { role: "system", content: "You are reader." },
  { role: "user", content: `${sample.prompt}\n\nreporter: ${text}` },
];

async function reply(about: Sample, text: string, options = {}): Promise<string> {
  let said = "";
  for await (const part of simulatedListener(seatOf(about), { ...instant, ...options }).stream({
    messages: heard(text),
  }))
    if (part.type === "text") said += part.text;
  return said;
}

modelSuite("a simulated listener", {
  make(behaviour) {
    if (behaviour !== "plain" && behaviour !== "slow" && behaviour !== "silent") return { skip: "it does not fail" };
    const speed = { plain: instant, slow: { ...instant, decode: 20 }, silent: { ttft: 1e6 } }[behaviour];
    return { model: simulatedListener(seatOf(open), speed) };
  },
});

test("it knows the answer once the needed fact was heard, and not before", async () => {
  const end = says.indexOf(needed) + needed.length;
  assert.ok(end > needed.length - 1);
  assert.equal(await reply(open, says.slice(0, end)), `${sample.answer.marker} ${sample.answer.right[0]}`);
  assert.equal(await reply(open, says.slice(0, end - 1)), `${sample.answer.marker} not known yet`);
});

test("what was cut in the middle of the needed fact and went on is understood", async () => {
  const at = says.indexOf(needed) + needed.length - 3;
  const messages: Message[] = [
    ...heard("").slice(0, 1),
    { role: "user", content: `${sample.prompt}\n\nreporter (cut off): ${says.slice(0, at)} …` },
    { role: "assistant", content: "Answer: not known yet" },
    { role: "user", content: `reporter: ${says.slice(at)}` },
  ];
  let said = "";
  for await (const part of simulatedListener(seatOf(open), instant).stream({ messages }))
    if (part.type === "text") said += part.text;
  assert.equal(said, `${sample.answer.marker} ${sample.answer.right[0]}`);
});

test("its accuracy is the stated one, and the same in every arm", async () => {
  const task = report();
  const samples = task.samples({ split: "train", size: 150, seed: 1 });
  const results = await all(small({ task, samples, arms: small().arms.slice(0, 2) }));
  for (const policy of ["never", "after:2"]) {
    const successes = results.filter((result) => result.policy === policy).map(({ success = 0 }) => success);
    assert.ok(Math.abs(mean(successes) - 0.9) < 0.06, `${policy}: ${mean(successes)}`);
  }
});

async function choice(text: string, options: readonly string[]) {
  const made = await simulatedListener(seatOf(sample), instant).choose?.({ messages: heard(text) }, options);
  assert.ok(made !== undefined);
  return made;
}

test("before it knows it has no favorite for sure, and then it has", async () => {
  const { candidates = [], right } = sample.answer;
  const early = await choice(says.slice(0, 20), candidates);
  const late = await choice(says, candidates);
  assert.ok(Math.max(...early.probabilities) < 0.6);
  assert.ok((late.probabilities[candidates.indexOf(right[0] ?? "")] ?? 0) > 0.75);
  for (const { probabilities } of [early, late])
    assert.ok(Math.abs(mean(probabilities) * candidates.length - 1) < 1e-9);
});

test("asked Yes or No it hardly tells, and without candidates it holds back until it knows", async () => {
  const yes = await choice(says.slice(0, 20), ["Yes", "No"]);
  assert.ok(Math.abs((yes.probabilities[0] ?? 0) - 0.55) <= 0.3);
  const [early, late] = [await choice(says.slice(0, 20), ["unknown"]), await choice(says, ["unknown"])];
  assert.ok((early.probabilities[0] ?? 0) > 0.5 && (late.probabilities[0] ?? 1) < 0.2);
});

test("its time is the stated one", async () => {
  const clock = new VirtualClock();
  const model = simulatedListener({ ...seatOf(open), clock }, { ttft: 300, prefill: Infinity, decode: 10 });
  const play = async () => {
    let tokens = 0;
    for await (const part of model.stream({ messages: heard(says) })) if (part.type === "text") tokens++;
    return tokens;
  };
  const tokens = await clock.run(play());
  assert.equal(clock.now(), 300 + tokens * 100);
});
