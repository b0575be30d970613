import { Command } from "commander";
import { interruptionExperiment } from "../../experiment/index.ts";
import type { Io } from "../io.ts";
import { elsewhere, pricesOf, withBasis } from "./experiment-basis.ts";
import type { BasisFlags } from "./experiment-basis.ts";
import { commandLine, perform, versionOf } from "./experiment-play.ts";
import { openScenes, withTalks } from "./experiment-talks.ts";
import type { OpenScenes, TalkFlags } from "./experiment-talks.ts";
import {
  controlsCommand,
  mainCommand,
  paretoCommand,
  perturbationCommand,
  scalingCommand,
} from "./experiment-teams.ts";

/** `duplex experiment NAME`: the papers' comparisons, with the controls they lack. */
export const experimentCommand = (io: Io): Command =>
  new Command("experiment")
    .description("the papers' experiments on your model, with the controls they lack, beside the published numbers")
    .addCommand(mainCommand(io))
    .addCommand(scalingCommand(io))
    .addCommand(paretoCommand(io))
    .addCommand(perturbationCommand(io))
    .addCommand(interruptionCommand(io))
    .addCommand(controlsCommand(io))
    .addHelpText(
      "after",
      `
Each tells first what it will take, and asks above --limit-calls or --limit-money (--yes: it does not ask).
Ctrl-C keeps what is finished; the same command with the same --out goes on from there.
In the folder: items.jsonl (each sample), findings.json, report.md, report.html, report.jsonl.

Examples:
  duplex experiment controls --model simulated:accuracy=0.95/0.9/0.6/0.3,delta=0.04,epsilon=0.08 --out results/controls
  duplex experiment main --model openai:gpt-4.1-mini --items 30 --limit-money 5 --out results/main
  duplex experiment interruption --tasks report:choices=8,meeting --chunks 4,16,50 --out results/interruption`,
    );

type Flags = BasisFlags & TalkFlags;

const interruptionCommand = (io: Io): Command =>
  withTalks(
    withBasis(
      new Command("interruption").description("tasks × policies × speakers × listeners × chunks: when cutting in pays"),
      { agents: 2, steps: "auto", repeats: 1 },
    ),
    { samples: 50 },
  )
    .addOption(elsewhere("--items <n>", "conversations are made of samples; give --samples"))
    .action(async (flags: Flags, command: Command) => {
      const open = await openScenes(flags, io);
      try {
        await interrupt(io, { flags, command, open });
      } finally {
        await open.close();
      }
    });

type Interrupting = { readonly flags: Flags; readonly command: Command; readonly open: OpenScenes };

async function interrupt(io: Io, { flags, command, open }: Interrupting): Promise<void> {
  const { scenes, opened } = open;
  const { seed, repeats, split, model, temperature = 0, maxTokens = 256, answers = "say", pace = null } = flags;
  const { priceOf, nominal, price } = pricesOf(flags, opened);
  const virtual = scenes.every(({ setting }) => setting.virtual);
  const remote = scenes.some(({ speaker, listener }) => [speaker, listener].some((spec) => spec.startsWith("openai:")));
  const setup = interruptionExperiment({
    scenes,
    seed,
    repeats,
    priceOf,
    simulated: scenes.some(({ speaker, listener }) =>
      [speaker, listener].some((spec) => /^simulated(?::|$)/.test(spec)),
    ),
    identity: { experiment: "interruption", seed, split, temperature, maxTokens, answers, pace },
    provenance: { model, split, seed, repeats, temperature, "most tokens of a message": maxTokens, answers },
    notes: nominal
      ? ["Costs are at nominal prices, those of Claude Opus 4.6 in arXiv 2606.05158: nobody charged them."]
      : [],
  });
  const atOnce = flags.alone === true ? 1 : (flags.concurrency ?? (remote ? 8 : 1));
  const playing = { setup, free: virtual, price: nominal ? undefined : price, bound: undefined, atOnce, flags };
  await perform(io, { ...playing, command: commandLine(), version: versionOf(command) });
}
