import { Command } from "commander";
import { ConfigError } from "../../base/errors.ts";
import { topologyNames } from "../../core/topology.ts";
import type { TopologyName } from "../../core/topology.ts";
import { mainDefaults, mainExperiment } from "../../experiment/index.ts";
import type { Basis, Setup, TeamArm } from "../../experiment/index.ts";
import type { Io } from "../io.ts";
import { basisOf, names, openExams, openVoice, withBasis, withBenchmarks } from "./experiment-basis.ts";
import type { BasisFlags } from "./experiment-basis.ts";
import { perform } from "./experiment-play.ts";

/** `duplex experiment NAME`: the papers' comparisons, with the controls they lack. */
export const experimentCommand = (io: Io): Command =>
  new Command("experiment")
    .description(
      "the papers' experiments with the controls they lack: resumable, with a report beside the published numbers",
    )
    .addCommand(mainCommand(io))
    .addHelpText(
      "after",
      `
Each tells first what it will take, and asks above --limit-calls or --limit-money. Ctrl-C keeps what is finished.
In the folder: items.jsonl (samples), findings.json, report.md, report.html, report.jsonl.

Examples:
  duplex experiment main --model simulated:accuracy=0.9/0.7,delta=0.02,epsilon=0.05 --out results/main
  duplex experiment main --model openai:gpt-4.1-mini --items 30 --limit-money 5 --out results/main`,
    );

/** One of the names that there are. Throws a ConfigError. */
function oneOf<T extends string>(flag: string, known: readonly T[]) {
  return (name: string): T => {
    const found = known.find((one) => one === name);
    if (found === undefined) throw new ConfigError(flag, `there is no "${name}"; there are ${known.join(", ")}`);
    return found;
  };
}

type MainFlags = BasisFlags & { readonly topologies?: readonly string[]; readonly protocols?: readonly string[] };

const mainCommand = (io: Io): Command =>
  withBenchmarks(
    withBasis(new Command("main").description("benchmarks × topologies × protocols"), {
      agents: 4,
      steps: "auto",
      repeats: 1,
    }),
  )
    .option("--topologies <names>", "chain, tree, graph (default: all)", names)
    .option("--protocols <names>", "single, serial, segmented, stream (default: all)", names)
    .action((flags: MainFlags, command: Command) =>
      act(io, { flags, version: versionOf(command) }, (basis) =>
        mainExperiment(basis, {
          topologies: (flags.topologies ?? mainDefaults.topologies).map(
            oneOf<TopologyName>(
              "--topologies",
              topologyNames.filter((name) => name !== "single"),
            ),
          ),
          protocols: (flags.protocols ?? mainDefaults.protocols).map(
            oneOf<TeamArm["protocol"]>("--protocols", mainDefaults.protocols),
          ),
        }),
      ),
    );

type Asked = { readonly flags: BasisFlags; readonly version: string };

/** The program's own version, which the outermost command has. */
const versionOf = (command: Command): string => command.parent?.parent?.version() ?? "unknown";

/** Opens the model and the items, and plays. */
async function act(io: Io, { flags, version }: Asked, make: (basis: Basis) => Setup): Promise<void> {
  const { voice, bound, atOnce, close } = await openVoice(flags, io);
  try {
    const exams = await openExams(flags, voice.simulated);
    const setup = make(basisOf(flags, voice, exams));
    await perform(io, { setup, voice, bound, atOnce, flags, command: commandLine(), version });
  } finally {
    await close();
  }
}

/** The command as it was typed, its words quoted where a shell needs it. */
const commandLine = (): string =>
  ["duplex", ...process.argv.slice(2)]
    .map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`))
    .join(" ");
