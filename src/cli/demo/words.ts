// Part 1: real words, on this machine.

import { availableParallelism } from "node:os";
import { ConfigError, explain, ModelError } from "../../base/errors.ts";
import { teamOf } from "../../core/prompts.ts";
import { splitterNamed } from "../../core/splitters.ts";
import { timeline } from "../../core/timeline.ts";
import { chain } from "../../core/topology.ts";
import { transcript } from "../../core/transcript.ts";
import type { Model, RunEvent, Step, Topology } from "../../core/types.ts";
import { cacheFolder, list } from "../../models/store/index.ts";
import type { OpenModel } from "../../models/spec.ts";
import type { RunOptions } from "../../runtime/run.ts";
import type { Told } from "../arms.ts";
import { renderArms, renderBeside, verdict } from "../beside.ts";
import { Live } from "../live.ts";
import { lookOf } from "../look.ts";
import { openModel } from "../open.ts";
import { printable } from "../printable.ts";
import { statusOn } from "../status.ts";
import { defaultModel } from "../team.ts";
import { renderTimeline } from "../timeline.ts";
import { compareAll, play, print, say } from "./part.ts";
import type { Demo, Part, Setup } from "./part.ts";

const task =
  "Anna buys 5 packs of 12 pencils. She gives 8 pencils to her friends, finds 20 more pencils at home, and shares all of " +
  "them equally among 4 children. How many pencils does each child get?";

const solver =
  "You solve word problems. Say one short sentence for each calculation, then one that states the answer. " +
  "Write plain sentences without formulas in LaTeX.";

// A small model does as it is shown, not as it is told.
const programmer = `You hear a solution sentence by sentence and write it as a Python program at the same time. \
Answer each sentence with one line of Python and nothing else. Use the names you have used before.

For example:
"There are 4 boxes of 6 eggs, so there are 4 * 6 = 24 eggs." becomes: eggs = 4 * 6
"2 of them break, so 24 - 2 = 22 are left." becomes: eggs = eggs - 2
"So there are 22 eggs." becomes: print(eggs)`;

/** The programmer hears sentences and nothing else: given the task too, a small model solves it itself. */
const sentences = (steps: readonly Step[], given: { readonly task?: string }): string =>
  steps.length > 0 ? steps.map(({ text }) => text).join("\n") : (given.task ?? "");

/** The model, and what has to be said about it. */
export type Chosen = { readonly spec: string; readonly model: OpenModel; readonly why?: string };

/** The named model, else the embedded one, else a simulated one: nothing that is missing ends the demo. */
export async function choose({ io, model, fetch }: Demo): Promise<Chosen> {
  if (model !== undefined) return { spec: model, model: await openModel(model, io) };
  try {
    if (!fetch && !(await isHere(io.env)))
      throw new ModelError(`${defaultModel} is not here yet, and nothing may be fetched`, { model: defaultModel });
    return { spec: defaultModel, model: await openModel(defaultModel, io) };
  } catch (error) {
    io.signal.throwIfAborted();
    if (!(error instanceof ModelError || error instanceof ConfigError)) throw error;
    const why = `No real model can run here: ${printable(explain(error)).replace(/\.$/, "")}.`;
    const spec = "simulated:decode=150";
    return { spec, model: await openModel(spec, io), why };
  }
}

async function isHere(env: Demo["io"]["env"]): Promise<boolean> {
  const models = await list({ cacheDir: cacheFolder(env) });
  return models.some(({ name, path }) => path !== undefined && `llama:${name}` === defaultModel);
}

const teamFor = (model: Model): Topology =>
  model.simulated === true
    ? teamOf({ topology: "chain", agents: 2, steps: 4, model })
    : chain([
        { id: "solver", instructions: solver, model },
        { id: "programmer", instructions: programmer, model },
      ]);

const optionsFor = (model: Model): RunOptions =>
  model.simulated === true
    ? { seed: 1 }
    : { seed: 1, temperature: 0, maxTokens: 160, splitter: splitterNamed("sentence"), phrase: sentences };

async function show(demo: Demo): Promise<void> {
  const status = statusOn(demo.io);
  status.show("loading the model");
  const { spec, model, why } = await choose(demo).finally(status.clear);
  try {
    await warm(demo, model);
    introduce(demo, { model, why });
    const setup = (protocol: string): Setup => ({
      label: protocol,
      task,
      options: { ...optionsFor(model), protocol },
      // A model of its own for each: what one run has left in memory must not help the next.
      open: async () => {
        const own = await openModel(spec, demo.io);
        return { topology: teamFor(own), close: async () => own.close?.() };
      },
    });
    const streamed = await live(demo, setup("stream"));
    if (model.simulated !== true) program(demo, streamed);
    print(demo, renderTimeline(timeline(streamed), lookOf(demo.io)));
    say(demo, "", "Now the same two agents again, but the second hears the first only once it has finished:");
    const others = demo.quick ? ["serial"] : ["serial", "segmented"];
    const ran = [{ label: "stream", events: streamed }];
    const told = await compareAll(demo, others.map(setup), ran);
    conclude(demo, [...told.slice(1), ...told.slice(0, 1)], model);
  } finally {
    await model.close?.();
  }
}

function introduce(demo: Demo, { model, why }: { readonly model: Model; readonly why: string | undefined }): void {
  const name = printable(model.id).replace(/^llama:/, "");
  if (model.simulated === true) {
    const lead = why === undefined ? [] : [why];
    say(demo, ...lead, "These words and times are simulated: they show what happens, not what a model would say.");
    say(demo, "A reviewer hears each step of the solver while the solver goes on with the next.");
  } else {
    say(
      demo,
      `Two agents on a real model, ${name}. A solver works on a problem; a programmer hears each sentence while it goes on ` +
        "with the next, and writes a line of Python for it.",
    );
  }
  say(demo, "", `Task: ${task}`, "");
}

/** Weights come from the disk on first use; no run should pay for that. */
export async function warm({ io }: Demo, model: Model): Promise<void> {
  if (model.simulated === true) return;
  const status = statusOn(io);
  status.show("loading the model");
  try {
    const messages = [{ role: "user", content: "Hello" }] as const;
    for await (const _ of model.stream({ messages, maxTokens: 1, signal: io.signal }));
  } finally {
    status.clear();
  }
}

async function live(demo: Demo, setup: Setup): Promise<readonly RunEvent[]> {
  const { io } = demo;
  const moves = io.stdout.isTTY === true && io.env["TERM"] !== "dumb";
  const view = new Live({ out: io.stdout, look: lookOf(io), moves });
  try {
    return await play(demo, setup, [(event) => view.add(event)]);
  } finally {
    view.end();
  }
}

function program(demo: Demo, events: readonly RunEvent[]): void {
  const said = transcript(events).find(({ agent }) => agent === "programmer");
  const lines = said?.turns.flatMap(({ text }) => text.trim().split("\n")) ?? [];
  print(demo, [
    "The program, whole as soon as the solver has finished:",
    ...lines.map((line) => `    ${printable(line)}`),
  ]);
}

function conclude(demo: Demo, told: readonly Told[], model: Model): void {
  const look = lookOf(demo.io);
  print(demo, renderArms(told, look));
  print(
    demo,
    renderBeside(
      told.filter(({ line }) => line.protocol !== "segmented"),
      look,
    ),
  );
  print(demo, verdict(told, look));
  const cores = availableParallelism();
  if (model.simulated !== true && model.id.startsWith("llama:"))
    say(
      demo,
      "",
      `Measured here, on ${cores} ${cores === 1 ? "core" : "cores"}, which the agents share: whoever speaks takes a core. ` +
        "Models behind an API do not share, which is part 2.",
    );
}

/** A solver and a programmer on a model that runs here. */
export const words: Part = { title: "Real words, on this machine", play: show };
