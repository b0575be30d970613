// Who takes part in an evaluation, by the flags of the command line.

import { Option } from "commander";
import { ConfigError } from "../../base/errors.ts";
import type { Model } from "../../core/types.ts";
import { choosing, once, simulatedListeners, simulatedSpeakers, template } from "../../eval/index.ts";
import type { Casting, Sample } from "../../eval/index.ts";
import { fromText } from "../../models/simulated-settings.ts";
import type { SimulatedOptions } from "../../models/simulated-settings.ts";
import { number } from "../flags.ts";
import type { Io } from "../io.ts";
import { openModels } from "../open.ts";
import type { Opened } from "../open.ts";

/** `--answers`. */
export const answersOption = (): Option =>
  new Option("--answers <how>", "answer a closed list in words, or with the likeliest of its candidates")
    .choices(["say", "choose"])
    .default("say");

export type CastFlags = {
  readonly model: string;
  readonly speaker?: string | undefined;
  readonly listener?: string | undefined;
  /** How the flags of the two sides are called. */
  readonly sides?: Specs | undefined;
  readonly pace?: string | undefined;
  /** Whether a closed list is answered in words or by the likeliest candidate. */
  readonly answers?: "say" | "choose" | undefined;
  /** Ends a message in the making that is kept for other arms. */
  readonly signal?: AbortSignal | undefined;
};

/** The two sides, their names in the report, and how time passes. */
export type Cast = {
  readonly speaker: Model | Casting;
  readonly listener: Model | Casting;
  readonly names: { readonly speaker: string; readonly listener: string };
  readonly pace: "lockstep" | "live";
  /** As it is written in the file of results. */
  readonly paceName: string;
  /** Whether all of it is made up, time included. */
  readonly virtual: boolean;
  /** Whether many conversations at once are of use. */
  readonly remote: boolean;
  readonly opened: Opened;
};

const isSimulated = (spec: string): boolean => /^simulated(?::|$)/.test(spec.trim());

/** The options of a spec that begins with `simulated`, or undefined for another. */
function simulatedOptions(spec: string, flag: string): SimulatedOptions | undefined {
  if (!isSimulated(spec)) return undefined;
  const pairs = spec
    .trim()
    .slice("simulated:".length)
    .split(",")
    .filter((part) => part.trim() !== "");
  return fromText(
    pairs.map((part): [string, string] => {
      const at = part.indexOf("=");
      if (at < 1) throw new ConfigError(flag, `"${part}" is not an option; write name=value, separated by commas`);
      return [part.slice(0, at).trim(), part.slice(at + 1).trim()];
    }),
    (name) => `${flag}: ${name}`,
  );
}

const templated = (samples: readonly Sample[]): boolean =>
  samples.every(({ roles }) => roles.every(({ listens, says }) => listens || says !== undefined));

/** `lockstep`, `live`, or a template's tokens a second. */
function paceOf(
  text: string | undefined,
  { virtual, scripted }: { readonly virtual: boolean; readonly scripted: boolean },
): { pace: Cast["pace"]; speed: number | undefined } {
  if (text === undefined) return { pace: virtual || !scripted ? "live" : "lockstep", speed: undefined };
  if (text === "lockstep" || text === "live") return { pace: text, speed: undefined };
  if (!scripted) throw new ConfigError("--pace", "a speed is for template speakers; models have their own");
  try {
    return { pace: "live", speed: number("--pace", { above: 0 })(text) };
  } catch (cause) {
    const message = `must be lockstep, live, or a template's tokens a second, not ${JSON.stringify(text)}`;
    throw new ConfigError("--pace", message, { cause });
  }
}

const onced = /^once:(.+)$/s;

/** The spec of the model behind `once:`; undefined for another speaker. */
const onceOf = (spec: string): string | undefined => onced.exec(spec.trim())?.[1]?.trim();

type Specs = { readonly speaker: string; readonly listener: string };

function specsOf(flags: CastFlags, samples: readonly Sample[]): Specs {
  const hasTemplate = templated(samples);
  const speaker = flags.speaker ?? (hasTemplate ? "template" : flags.model);
  if (speaker === "template" && !hasTemplate)
    throw new ConfigError("--speaker", `${samples[0]?.task} has no template to be said; give a model`);
  return { speaker, listener: flags.listener ?? flags.model };
}

/** The flag that each side's model came with. */
function flagsOf({ speaker, listener, sides = { speaker: "--speaker", listener: "--listener" } }: CastFlags): Specs {
  return {
    speaker: speaker === undefined ? "--model" : sides.speaker,
    listener: listener === undefined ? "--model" : sides.listener,
  };
}

type Sides = Pick<Cast, "speaker" | "listener">;

/** The two sides, of models that are open. `speed`: a template's. */
function sidesOf({ names, flags, answers, speed, signal }: Pick<Cast, "names"> & Asked, opened: Opened): Sides {
  const heard = simulatedOptions(names.listener, flags.listener);
  const said = simulatedOptions(names.speaker, flags.speaker);
  const listener = heard === undefined ? opened.get(names.listener) : simulatedListeners(heard);
  // With a simulated listener a template is said at the speed of its model, unless another is asked for.
  const speaking = speed ?? (heard === undefined ? undefined : (heard.decode ?? 100));
  const madeUp = said === undefined ? undefined : simulatedSpeakers(said);
  const speaker = names.speaker === "template" ? template({ tokensPerSecond: speaking }) : madeUp;
  const remembered = onceOf(names.speaker);
  return {
    speaker:
      speaker ?? (remembered === undefined ? opened.get(names.speaker) : once(opened.get(remembered), { signal })),
    listener: answers === "choose" ? choosing(listener) : listener,
  };
}

type Asked = Pick<CastFlags, "answers"> & {
  readonly flags: Specs;
  readonly speed: number | undefined;
  readonly signal: AbortSignal | undefined;
};

const isReal = (spec: string): boolean => spec !== "template" && !isSimulated(spec);

/** The specs of models that must be open before `castWith`. Throws a `ConfigError` that names the flag. */
export function modelsOf(flags: CastFlags, samples: readonly Sample[]): string[] {
  const { speaker, listener } = specsOf(flags, samples);
  const remembered = onceOf(speaker);
  if (remembered !== undefined) checkOnce(remembered, flags);
  return [remembered ?? speaker, listener].filter(isReal);
}

function checkOnce(spec: string, { pace }: CastFlags): void {
  if (!isReal(spec))
    throw new ConfigError("--speaker", `once: is for models; "${spec}" costs nothing to be asked again`);
  if (pace !== undefined && pace !== "lockstep")
    throw new ConfigError("--pace", "words from memory take no time, so a speaker with once: is heard in lockstep");
}

/** Models that are open, and what ends what is asked of them. */
export type Hall = { readonly opened: Opened; readonly signal: AbortSignal };

/** The two sides, of models that are open. Throws a `ConfigError` that names the flag. */
export function castWith(flags: CastFlags, samples: readonly Sample[], { opened, signal }: Hall): Cast {
  const names = specsOf(flags, samples);
  const real = modelsOf(flags, samples);
  const scripted = names.speaker === "template";
  const asked = flags.pace ?? (onceOf(names.speaker) === undefined ? undefined : "lockstep");
  const { pace, speed } = paceOf(asked, { virtual: real.length === 0, scripted });
  return {
    ...sidesOf({ names, flags: flagsOf(flags), answers: flags.answers, speed, signal }, opened),
    names,
    pace,
    paceName: speed === undefined ? pace : `${pace} at ${speed} tokens a second`,
    virtual: real.length === 0,
    remote: real.some((spec) => spec.startsWith("openai:")),
    opened,
  };
}

/** The flag that a model's spec came with. */
export function flagOfSpec(spec: string, flags: CastFlags): string {
  const { speaker, listener } = flagsOf(flags);
  const said = flags.speaker === undefined ? undefined : (onceOf(flags.speaker) ?? flags.speaker);
  return said === spec ? speaker : flags.listener === spec ? listener : "--model";
}

/** Opens the models. Throws a `ConfigError` that names the flag, and a `ModelError` for a model that cannot be had. */
export async function openCast(flags: CastFlags, samples: readonly Sample[], io: Io): Promise<Cast> {
  const opened = await openModels(modelsOf(flags, samples), io, (spec) => flagOfSpec(spec, flags));
  try {
    return castWith(flags, samples, { opened, signal: io.signal });
  } catch (error) {
    await opened.close();
    throw error;
  }
}
