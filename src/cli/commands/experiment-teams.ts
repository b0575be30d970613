// The experiments of `duplex experiment` in which teams work on benchmarks.

import { Command } from "commander";
import { ConfigError } from "../../base/errors.ts";
import { topologyNames } from "../../core/topology.ts";
import type { TopologyName } from "../../core/topology.ts";
import {
  controlsExperiment,
  mainDefaults,
  mainExperiment,
  paretoDefaults,
  paretoExperiment,
  perturbationExperiment,
  perturbationMasks,
  scalingDefaults,
  scalingExperiment,
} from "../../experiment/index.ts";
import type { Basis, Setup, TalksOptions, TeamArm } from "../../experiment/index.ts";
import { agentCount, atFlag, count, itemCount, steps } from "../flags.ts";
import type { Io } from "../io.ts";
import { basisOf, names, openVoice, pointing, pricesOf, withBasis, withBenchmarks } from "./experiment-basis.ts";
import type { BasisFlags } from "./experiment-basis.ts";
import { openExams } from "./experiment-exams.ts";
import type { OpenExams } from "./experiment-exams.ts";
import { commandLine, perform, versionOf } from "./experiment-play.ts";
import { openScenes, withTalks } from "./experiment-talks.ts";
import type { TalkFlags } from "./experiment-talks.ts";

type Asked = { readonly flags: BasisFlags; readonly command: Command };

/** Opens the model and the items, and plays. */
async function act(io: Io, { flags, command }: Asked, make: (basis: Basis) => Setup): Promise<void> {
  const { voice, bound, atOnce, close } = await openVoice(flags, io);
  let opened: OpenExams | undefined;
  try {
    opened = await openExams(flags, voice.simulated, io);
    const { exams } = opened;
    const setup = atFlag("benchmark", () => make(basisOf(flags, voice, exams)));
    const free = typeof voice.model === "function";
    const price = voice.nominal === true ? undefined : voice.price;
    const playing = { setup, free, price, bound, atOnce, flags };
    await perform(io, { ...playing, command: commandLine(), version: versionOf(command) });
  } finally {
    await opened?.close();
    await close();
  }
}

/** One of the names that there are. Throws a ConfigError. */
function oneOf<T extends string>(flag: string, known: readonly T[]) {
  return (name: string): T => {
    const found = known.find((one) => one === name);
    if (found === undefined) throw new ConfigError(flag, `there is no "${name}"; there are ${known.join(", ")}`);
    return found;
  };
}

const list =
  <T>(read: (word: string) => T) =>
  (text: string): readonly T[] =>
    names(text).map((word) => read(word));

type MainFlags = BasisFlags & { readonly topologies: MainTopologies; readonly protocols: MainProtocols };
type MainTopologies = readonly TopologyName[];
type MainProtocols = readonly TeamArm["protocol"][];

/** `duplex experiment main`. */
export const mainCommand = (io: Io): Command =>
  withBenchmarks(
    withBasis(new Command("main").description("benchmarks × topologies × protocols"), {
      agents: 4,
      steps: "auto",
      repeats: 1,
    }),
  )
    .option(
      "--topologies <names>",
      "chain, tree (or diamond), graph",
      list(
        oneOf<TopologyName>(
          "--topologies",
          topologyNames.filter((name) => name !== "single"),
        ),
      ),
      mainDefaults.topologies,
    )
    .option(
      "--protocols <names>",
      "single, serial, segmented, stream",
      list(oneOf<TeamArm["protocol"]>("--protocols", mainDefaults.protocols)),
      mainDefaults.protocols,
    )
    .action((flags: MainFlags, command: Command) =>
      act(io, { flags, command }, (basis) => mainExperiment(basis, flags)),
    );

type ScalingFlags = BasisFlags & {
  readonly gridAgents: readonly number[];
  readonly gridSteps: readonly (number | "auto")[];
};

/** `duplex experiment scaling`. */
export const scalingCommand = (io: Io): Command => {
  const command = withBenchmarks(
    withBasis(new Command("scaling").description("agents × steps: accuracy, speed-up, share of the bound"), {
      agents: 4,
      steps: "auto",
      repeats: 1,
    }),
  )
    .option("--grid-agents <numbers>", "sizes of the chain", list(agentCount), scalingDefaults.agents)
    .option("--grid-steps <numbers>", "steps, or auto", list(steps("--grid-steps")), scalingDefaults.steps)
    .action((flags: ScalingFlags, own: Command) =>
      act(io, { flags, command: own }, (basis) =>
        scalingExperiment(basis, { agents: flags.gridAgents, steps: flags.gridSteps }),
      ),
    );
  pointing(command, "--agents", "several sizes are given by --grid-agents");
  return pointing(command, "--steps", "several numbers of steps are given by --grid-steps");
};

type ParetoFlags = BasisFlags & { readonly votes: readonly number[] };

/** `duplex experiment pareto`. */
export const paretoCommand = (io: Io): Command =>
  withBenchmarks(
    withBasis(new Command("pareto").description("protocol × majority vote × caches: cost against accuracy"), {
      agents: 3,
      steps: "auto",
      repeats: 1,
    }),
  )
    .option("--votes <numbers>", "runs that vote; the largest is played", list(count("--votes")), paretoDefaults.votes)
    .action((flags: ParetoFlags, command: Command) =>
      act(io, { flags, command }, (basis) => paretoExperiment({ ...basis, vote: 1 }, flags)),
    );

type PerturbationFlags = BasisFlags & { readonly masks: readonly string[] };

function mask(word: string): string {
  if (/^[01]{1,64}$/.test(word)) return word;
  throw new ConfigError("--masks", `"${word}" is no mask; write 1 for a right step and 0 for a wrong one, as in 1110`);
}

/** `duplex experiment perturbation`. */
export const perturbationCommand = (io: Io): Command =>
  withBasis(new Command("perturbation").description("right and wrong steps heard: accuracy by mask, δ and ε"), {
    agents: 2,
    steps: 4,
    repeats: 1,
  })
    .option("--items <n>", "running sums", itemCount, 50)
    .option("--masks <masks>", "1: a right step, 0: a wrong one", list(mask), perturbationMasks)
    .action((flags: PerturbationFlags, command: Command) => {
      const odd = flags.masks.find(({ length }) => length !== flags.masks[0]?.length);
      if (odd !== undefined) throw new ConfigError("--masks", `"${odd}" is not as long as ${flags.masks[0]}`);
      return act(io, { flags, command }, (basis) => perturbationExperiment(basis, flags));
    });

type ControlsFlags = BasisFlags & TalkFlags & { readonly cutAfter?: number; readonly talks?: boolean };

/** `duplex experiment controls`. */
export const controlsCommand = (io: Io): Command =>
  withTalks(
    withBenchmarks(
      withBasis(
        new Command("controls").description(
          "what the papers could not say: timing, calls, contexts, joins, tails, policies' own cost",
        ),
        {
          agents: 4,
          steps: 4,
          repeats: 1,
        },
      ),
    ),
    { samples: 20 },
  )
    .option("--cut-after <n>", "steps after which a listener leaves (default: half)", count("--cut-after"))
    .option("--no-talks", "leave out the conversations, in which a policy pays for its own decisions")
    .action(async (flags: ControlsFlags, command: Command) => {
      const open = flags.talks === false ? undefined : await openScenes(flags, io);
      const half = Math.max(1, Math.floor((flags.steps === "auto" ? 4 : flags.steps) / 2));
      const talks: TalksOptions | undefined =
        open === undefined
          ? undefined
          : {
              scenes: open.scenes,
              seed: flags.seed,
              repeats: flags.repeats,
              priceOf: pricesOf(flags, open.opened).priceOf,
            };
      try {
        await act(io, { flags, command }, (basis) =>
          controlsExperiment(basis, { cutAfter: flags.cutAfter ?? half, talks }),
        );
      } finally {
        await open?.close();
      }
    });
