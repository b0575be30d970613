// The runs on the pictures: made by the runtime under virtual time, with models whose words and speeds are made up.
import { dialogue, run, teamOf } from "../../dist/index.js";
import { simulated } from "../../dist/models/index.js";
import { VirtualClock, scripted } from "../../dist/testing/index.js";

async function collect(playing) {
  const events = [];
  for await (const event of playing) events.push(event);
  return events;
}

/** A chain of four agents and eight steps, under one protocol. */
export function chainOfFour(protocol) {
  const clock = new VirtualClock();
  const model = simulated({ clock, decode: 60, ttft: 250, jitter: 0.2, stepTokens: 28, seed: 3 });
  const topology = teamOf({ topology: "chain", agents: 4, steps: 8, model });
  const task = "A train leaves at 9:40 and covers 210 km at 84 km/h, with one stop of 12 minutes. When does it arrive?";
  return clock.run(collect(run(topology, task, { protocol, clock })));
}

const reports = [
  "The nightly build failed at 02:14. First I looked at the network, because last week it was the network, and there " +
    "was a short spike, but the retries all went through. Then I looked at the disk, which is at ninety-one percent and " +
    "will need care by Friday. The tests themselves: 412 passed, one failed, and that is the one in billing which compares " +
    "two dates. It expects the first of the month and gets the thirtieth, since the machine that ran it is set to a time zone " +
    "west of Greenwich. I would also like to mention that the coffee machine logs to the same disk, that the log rotation was " +
    "switched off in spring, and that somebody should ask the vendor about it again before the summer is over.",
  "It was switched off in spring while the vendor moved the logs to another volume. It was meant to come back within a week, " +
    "and nobody wrote that down. Since then the disk gains about one percent in four days, which fits what we see now, and " +
    "there are two other machines that were changed on the same afternoon by the same script and have the same problem.",
];
const replies = [
  "That is enough: the test compares dates in local time. I set it to UTC and run billing again. Why is log rotation off?",
  "Understood. I switch rotation back on for all three machines and note it in the runbook. The build is green again.",
];

const words = (text) => text.match(/\S+\s*/g) ?? [];

/** A dialogue whose listener cuts in twice, when it is sure enough that it has heard what matters. */
export function cutDialogue() {
  const clock = new VirtualClock();
  const says = (texts, id) => ({
    ...scripted(clock, (call) => [{ wait: 420 }, ...words(texts[call] ?? "Done.")], { ms: 55, id }),
    simulated: true,
  });
  const decide = async ({ text, chunks }) => {
    await clock.sleep(60);
    const told = /time zone|changed on the same/.test(text)
      ? 0.93
      : /dates|wrote that/.test(text)
        ? 0.42
        : 0.06 + (chunks % 3) * 0.05;
    const usage = { calls: 1, inputTokens: 220 + chunks * 16, cachedTokens: 200 + (chunks - 1) * 16, outputTokens: 1 };
    return { advantage: Math.log(told / (1 - told)), probability: told, usage };
  };
  const topology = {
    agents: [
      { id: "reporter", instructions: "You report.", model: says(reports, "large") },
      { id: "engineer", instructions: "You mend.", model: says(replies, "small"), policy: { name: "sure", decide } },
    ],
    edges: [],
  };
  const options = { protocol: dialogue({ rounds: 2 }), clock, chunk: 8, onInterruptUsage: "drain" };
  return clock.run(collect(run(topology, "Why did the nightly build fail?", options)));
}

const about = (y, spread) => ({ y, low: y - spread, high: y + spread });

const depth = [1, 2, 4, 8, 16, 32];
const line = (name, gain, more = {}) => ({
  name,
  points: depth.map((x) => ({ x, ...about((x * gain) / (x + gain - 1), 0.06 * Math.sqrt(x)) })),
  ...more,
});

const gain = () => ({
  title: "Gain by depth",
  figures: [
    {
      kind: "line",
      title: "Serial time over streamed time",
      x: { label: "agents in the chain", log: true },
      y: { label: "times as fast" },
      series: [
        line("stream", 14),
        line("segmented", 2.2),
        {
          name: "an earlier study",
          published: true,
          points: [
            { x: 2, y: 1.7 },
            { x: 4, y: 2.9 },
            { x: 8, y: 4.4, label: "its table 2" },
          ],
        },
      ],
    },
    {
      kind: "scatter",
      title: "Success against tokens, by model",
      x: { label: "tokens a task", log: true },
      y: { label: "share of tasks solved" },
      series: [
        {
          name: "stream",
          points: [
            { x: 900, ...about(0.61, 0.05), label: "small" },
            { x: 12_000, ...about(0.82, 0.04), label: "large" },
          ],
        },
        {
          name: "serial",
          points: [
            { x: 700, ...about(0.6, 0.05) },
            { x: 9500, ...about(0.81, 0.04) },
          ],
        },
      ],
    },
  ],
});

const costs = () => ({
  title: "What it costs",
  tables: [
    {
      title: "Calls and tokens",
      columns: ["protocol", "calls", "tokens in", "tokens out", "against serial"],
      rows: [
        ["serial", 4, 2810, 912, "1"],
        ["stream", 25, 11_934, 930, "2.94 [2.71, 3.18]"],
        ["single", 1, 210, 240, null],
      ],
    },
  ],
  figures: [
    {
      kind: "bar",
      title: "Seconds to the answer",
      x: { label: "topology" },
      y: { label: "seconds" },
      series: [
        {
          name: "serial",
          points: [
            { x: "chain of four", ...about(16.1, 0.8) },
            { x: "tree with a long name", ...about(11.4, 0.6) },
          ],
        },
        {
          name: "stream",
          points: [
            { x: "chain of four", ...about(8.2, 0.5) },
            { x: "tree with a long name", ...about(7.1, 0.5) },
          ],
        },
        { name: "an earlier study", published: true, points: [{ x: "chain of four", y: 7.4 }] },
      ],
    },
    {
      kind: "bar",
      title: "Tokens made and never said",
      x: { label: "policy" },
      y: { label: "tokens" },
      series: [
        {
          name: "tokens",
          points: [
            { x: "own:0.6", y: 12 },
            { x: "after:3", y: 41, label: "fixed" },
            { x: "never", y: 0 },
          ],
        },
      ],
    },
  ],
});

/** Findings of every kind of table and figure; their numbers are made up. */
export function findingsSample() {
  return {
    title: "How the gain of streaming grows with the depth of a chain",
    simulated: true,
    command: "duplex experiment depth --model simulated:ttft=200,decode=50 --samples 200 --seed 7",
    provenance: { model: "simulated:ttft=200,decode=50", samples: 200, seed: 7, version: "0.1.0", date: "2026-11-30" },
    sections: [
      {
        title: "What was asked",
        text: [
          "A chain of agents works on one task. Does `stream` gain more over `serial` the more agents there are?",
          "The dashed line and the hollow signs are another's measurements; all numbers here are made up.",
        ],
      },
      gain(),
      costs(),
    ],
  };
}
