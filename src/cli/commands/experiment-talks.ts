// Conversations of `duplex experiment`: which scenes the flags ask for, and with which policies.

import { ConfigError } from "../../base/errors.ts";
import type { Command } from "commander";
import { Option } from "commander";
import { armForms, armsNamed, loadTask, splits, taskNames } from "../../eval/index.ts";
import type { Sample, Split, Task } from "../../eval/index.ts";
import { symmetricScene } from "../../experiment/index.ts";
import type { Scene } from "../../experiment/index.ts";
import { count } from "../flags.ts";
import type { Io } from "../io.ts";
import { openModels } from "../open.ts";
import type { Opened } from "../open.ts";
import { computes, openPolicies } from "../policies.ts";
import { castWith, flagOfSpec, modelsOf } from "./eval-cast.ts";
import type { Hall } from "./eval-cast.ts";
import { names } from "./experiment-basis.ts";

/** The flags about conversations. */
export type TalkFlags = {
  readonly model: string;
  readonly tasks?: readonly string[];
  readonly policy?: readonly string[];
  readonly speakers?: readonly string[];
  readonly listeners?: readonly string[];
  readonly chunks?: readonly number[];
  readonly symmetric?: true;
  readonly samples: number;
  readonly split: Split;
  readonly answers?: "say" | "choose";
  readonly pace?: string;
  readonly seed: number;
  readonly temperature?: number;
  readonly maxTokens?: number;
};

const chunkSizes = (text: string): readonly number[] => names(text).map((word) => count("--chunks")(word));

/** Policies that need nothing but a model. */
const usualPolicies = ["never", "after:3", "random:0.2", "prompted", "own:0.8", "oracle"];

/** Adds the flags about conversations. */
export const withTalks = (command: Command, defaults: { readonly samples: number }): Command =>
  command
    .option("--tasks <names>", `what is talked about: ${taskNames.join(", ")} (default: report)`, names)
    .option("--policy <names>", `${armForms.join(", ")} (default: ${usualPolicies.join(",")})`, names)
    .option(
      "--speakers <specs>",
      "the speakers' models, or template (default: a template where the task has one)",
      names,
    )
    .option("--listeners <specs>", "the listeners' models (default: --model)", names)
    .option("--chunks <tokens>", "tokens between two decisions: 4,8,16,50 (default: 16)", chunkSizes)
    .option("--symmetric", "play each scene once more where everybody may cut in")
    .option("--samples <n>", "different samples of each task", count("--samples"), defaults.samples)
    .addOption(new Option("--split <name>", "which samples").choices(splits).default("test"))
    .addOption(
      new Option("--answers <how>", "answer a closed list in words, or with the likeliest")
        .choices(["say", "choose"])
        .default("say"),
    )
    .option("--pace <pace>", "lockstep, live, or a template's tokens a second");

/** Scenes that are ready, and what must be closed after them. */
export type OpenScenes = {
  readonly scenes: readonly Scene[];
  readonly opened: Opened;
  readonly close: () => Promise<void>;
};

type Topic = { readonly task: Task; readonly samples: readonly Sample[] };

async function topicsOf({ tasks = ["report"], split, samples: size, seed }: TalkFlags): Promise<Topic[]> {
  const topics: Topic[] = [];
  for (const spec of tasks) {
    const task = await loadTask(spec);
    topics.push({ task, samples: task.samples({ split, size, seed }) });
  }
  return topics;
}

const sides = { speaker: "--speakers", listener: "--listeners" };

const isOwn = (flag: string): boolean => flag !== "--model";

type Pairing = { readonly speaker: string | undefined; readonly listener: string | undefined };

const pairingsOf = ({ speakers, listeners }: TalkFlags): Pairing[] =>
  (speakers ?? [undefined]).flatMap((speaker) => (listeners ?? [undefined]).map((listener) => ({ speaker, listener })));

/** Opens models and policies once for all scenes. Throws a ConfigError or a ModelError; nothing stays open then. */
export async function openScenes(flags: TalkFlags, io: Io): Promise<OpenScenes> {
  const topics = await topicsOf(flags);
  const pairings = pairingsOf(flags);
  const wanted = flags.policy ?? usualPolicies;
  const specs = topics.flatMap(({ samples }) =>
    pairings.flatMap((pairing) => modelsOf({ ...pairing, model: flags.model }, samples)),
  );
  const policies = await openPolicies(wanted);
  let opened: Opened | undefined;
  const close = async () => {
    await opened?.close();
    await policies.close();
  };
  try {
    const flagOf = (spec: string) =>
      pairings.map((pairing) => flagOfSpec(spec, { ...pairing, sides, model: flags.model })).find(isOwn) ?? "--model";
    const models = (opened = await openModels(specs, io, flagOf));
    const { close: _, ...given } = policies;
    const scenes = topics.flatMap((topic) =>
      pairings.flatMap((pairing) =>
        scenesOf({ topic, pairing, flags, wanted, given, hall: { opened: models, signal: io.signal } }),
      ),
    );
    return { scenes, opened: models, close };
  } catch (error) {
    await close();
    throw error;
  }
}

type Making = {
  readonly topic: Topic;
  readonly pairing: Pairing;
  readonly flags: TalkFlags;
  readonly wanted: readonly string[];
  readonly given: Parameters<typeof armsNamed>[1];
  readonly hall: Hall;
};

function scenesOf({ topic: { task, samples }, pairing, flags, wanted, given, hall }: Making): Scene[] {
  const { model, answers, pace, temperature = 0, maxTokens = 256, chunks = [16], symmetric } = flags;
  const cast = castWith({ ...pairing, sides, model, answers, pace }, samples, hall);
  const arms = armsNamed(wanted, { ...given, lead: samples[0]?.answer.marker, place: "--policy" });
  const telling = arms.find(({ policy }) => typeof policy === "object" && policy.speakerNote !== undefined);
  if (telling !== undefined && /^(?:template$|simulated(?::|$))/.test(cast.names.speaker))
    throw new ConfigError(
      "--policy",
      `"${telling.name}" asks something of the speaker, and ${cast.names.speaker} cannot do it; give --speakers a model`,
    );
  const recites = /^(?:template$|simulated(?::|$))/.test(cast.names.speaker);
  if (symmetric === true && recites)
    throw new ConfigError(
      "--symmetric",
      `${cast.names.speaker} speaks what is written and decides nothing; give --speakers a model`,
    );
  const virtual = cast.virtual && !computes(wanted);
  return chunks.flatMap((chunk) => {
    const scene: Scene = {
      task: task.name,
      ...cast.names,
      chunk,
      symmetric: false,
      samples,
      arms,
      setting: {
        task,
        speaker: cast.speaker,
        listener: cast.listener,
        chunk,
        temperature,
        maxTokens,
        pace: cast.pace,
        virtual,
      },
    };
    return symmetric === true ? [scene, symmetricScene(scene)] : [scene];
  });
}
