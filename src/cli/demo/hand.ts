// Part 3: a listener raises its hand in the middle of a message, at the moment it knows.

import { systemClock } from "../../base/clock.ts";
import type { Policy } from "../../core/policy.ts";
import type { DecisionEvent, Model, RunEvent, TurnEnd } from "../../core/types.ts";
import { sum } from "../../core/usage.ts";
import { recited } from "../../eval/recited.ts";
import { simulatedListener } from "../../eval/simulated-listener.ts";
import { loadTask } from "../../eval/tasks/load.ts";
import type { Role, Sample } from "../../eval/task.ts";
import { ownAnswer } from "../../policies/index.ts";
import { dialogue } from "../../runtime/dialogue.ts";
import { run } from "../../runtime/run.ts";
import { lookOf } from "../look.ts";
import { perform } from "../perform.ts";
import { printable } from "../printable.ts";
import { print, say } from "./part.ts";
import type { Demo, Part } from "./part.ts";
import { choose, warm } from "./words.ts";

/** How fast the message is told: a little faster than people speak. */
const tokensPerSecond = 6;
const chunk = 8;
const threshold = 0.6;

type Scene = { readonly sample: Sample; readonly reporter: Role & { readonly says: string }; readonly reader: Role };

/** A report of seven facts, the one that is needed in its middle: where it stands in a report is a matter of chance. */
async function sceneOf(): Promise<Scene> {
  const task = await loadTask("report:choices=6");
  const samples = task.samples({ split: "train", size: 60, seed: 1 });
  for (const sample of samples) {
    const reporter = sample.roles.find(({ listens }) => !listens);
    const reader = sample.roles.find(({ listens }) => listens);
    const says = reporter?.says;
    const said = sample.enough?.[0]?.[0]?.said;
    if (reporter === undefined || reader === undefined || says === undefined || said === undefined) continue;
    const place = says.indexOf(said) / says.length;
    // A half-billion model is unsure of numbers even once it has heard them.
    if (sample.answer.candidates?.some((candidate) => /\d/.test(candidate)) === true) continue;
    if (place > 0.3 && place < 0.5) return { sample, reporter: { ...reporter, says }, reader };
  }
  throw new Error("no report has its fact in the middle");
}

async function show(demo: Demo): Promise<void> {
  const scene = await sceneOf();
  const { model, why } = await choose(demo);
  try {
    await warm(demo, model);
    introduce(demo, scene, { model, why });
    const { sample, reader } = scene;
    const listener =
      model.simulated === true ? simulatedListener({ sample, role: reader, seed: 1, clock: systemClock }) : model;
    conclude(demo, scene, await tell(demo, scene, listener));
  } finally {
    await model.close?.();
  }
}

function introduce(demo: Demo, { reader }: Scene, { model, why }: { model: Model; why: string | undefined }): void {
  if (model.simulated === true) say(demo, ...(why === undefined ? [] : [why]), "The listener is simulated.");
  else
    say(
      demo,
      `One tells a report of seven facts (a template, word by word). The other, ${printable(model.id).replace(/^llama:/, "")}, needs ` +
        `one of them, and no rule can say after how many words it will have come. Every ${chunk} tokens it is asked, in one forward ` +
        "pass, how sure it is of its own answer; once it is sure, it raises its hand.",
    );
  const question = reader.instructions.replace(/ Reply with one line[\s\S]*$/, "");
  say(demo, "", `The listener is told: ${printable(question)}`, "");
}

async function tell(demo: Demo, { sample, reporter, reader }: Scene, listener: Model): Promise<readonly RunEvent[]> {
  const { candidates = [], marker } = sample.answer;
  const policy: Policy = ownAnswer({ threshold, candidates, lead: marker });
  const agents = [
    { id: reporter.id, instructions: reporter.instructions, model: recited([reporter.says], { tokensPerSecond }) },
    { id: reader.id, instructions: reader.instructions, model: listener, policy },
  ];
  const protocol = dialogue({ rounds: 1, stop: (said) => said.at(-1)?.agent === reader.id });
  const performance = run({ agents, edges: [] }, sample.prompt, {
    protocol,
    chunk,
    maxTokens: 24,
    temperature: 0,
    seed: 1,
    signal: demo.io.signal,
  });
  const write = (text: string) => void demo.io.stdout.write(printable(text, { keep: "lines" }));
  const watch = (event: RunEvent): void => {
    if (event.type === "turn-start") write(`${event.agent}: `);
    else if (event.type === "chunk") write(event.text);
    else if (event.type === "interrupt") write(lookOf(demo.io).unicode === false ? " -- (hand up)" : " — ✋");
    else if (event.type === "turn-end") write("\n");
  };
  const { events, failure } = await perform(performance, [watch]);
  if (failure !== undefined) throw failure.error;
  return events;
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

function conclude(demo: Demo, { reporter, sample }: Scene, events: readonly RunEvent[]): void {
  const told = events.find((event): event is TurnEnd => event.type === "turn-end" && event.agent === reporter.id);
  const decisions = events.filter((event): event is DecisionEvent => event.type === "decision");
  const heard = events.flatMap((event) => (event.type === "chunk" && event.agent === reporter.id ? [event] : []));
  const said = heard.map(({ text }) => text).join("");
  const tokens = heard.reduce((total, event) => total + (event.tokens ?? 0), 0);
  const unsaid = reporter.says.slice(said.trimEnd().length);
  const all = Math.round((tokens * reporter.says.length) / Math.max(1, said.length));
  const cost = sum(decisions.flatMap(({ usage }) => usage ?? []));
  if (told?.reason === "interrupted") print(demo, ["Never said:", `    ${unsaid.trim()}`]);
  say(
    demo,
    "",
    told?.reason === "interrupted"
      ? `Heard: ${tokens} tokens of about ${all}; about ${Math.round((100 * (all - tokens)) / all)} % of the report was not needed.`
      : "The listener heard the whole report this time: it was never sure enough.",
    `What listening cost: ${decisions.length} looks of ${seconds(decisions.reduce((total, { ms }) => total + ms, 0) / Math.max(1, decisions.length))} ` +
      `on average, ${cost.inputTokens - cost.cachedTokens} tokens read anew, ${cost.outputTokens} generated. The right answer was: ${sample.answer.right[0] ?? ""}.`,
    "One report proves nothing: docs/LOG.md has many, beside fixed rules and hearing everything.",
  );
}

/** A real listener that cuts in when it knows. */
export const hand: Part = { title: "A raised hand", play: show };
