// Policies written as text, as on a command line.

import { ConfigError } from "../base/errors.ts";
import type { Policy } from "../core/policy.ts";
import type { Model } from "../core/types.ts";
import { calibrated, readWeights } from "./calibrated.ts";
import { any } from "./combine.ts";
import { afterChunks, concise, never, onPattern, random } from "./fixed.ts";
import { ownAnswer } from "./own-answer.ts";
import type { AnswerOptions } from "./own-answer.ts";
import { prompted } from "./prompted.ts";
import { yesNo } from "./yes-no.ts";

export type NamedOptions = {
  /** The model that listens, where it is not the listener's own. */
  readonly model?: Model | undefined;
  /** The text of a file of weights. */
  readonly weights?: ((file: string) => string) | undefined;
  /** How `own` and `calibrated` ask for the listener's answer. */
  readonly answer?: Omit<AnswerOptions, "model"> | undefined;
  /** Of `random`. */
  readonly seed?: number | undefined;
  /** How the policy is called in errors; `policy`. */
  readonly place?: string | undefined;
};

type Form = {
  readonly shown: string;
  readonly make: (value: string | undefined, options: NamedOptions & { readonly place: string }) => Policy;
};

function number(value: string, place: string): number {
  const found = value.trim() === "" ? Number.NaN : Number(value);
  if (Number.isFinite(found)) return found;
  throw new ConfigError(place, `"${value}" is not a number`);
}

function patternOf(value: string, place: string): Policy {
  const written = /^\/(.*)\/([a-z]*)$/s.exec(value);
  if (written === null) throw new ConfigError(place, `"${value}" is no pattern; write pattern:/…/ or pattern:/…/i`);
  try {
    return onPattern(new RegExp(written[1] ?? "", written[2]));
  } catch (cause) {
    throw new ConfigError(place, `"${value}" is no pattern: ${(cause as Error).message}`, { cause });
  }
}

function weightsOf(file: string, { weights, place }: NamedOptions & { readonly place: string }) {
  if (weights === undefined) throw new ConfigError(place, `cannot read "${file}" here; weights must be given`);
  return readWeights(weights(file), `${place} ${file}`);
}

const needed = (value: string | undefined, place: string, shown: string): string => {
  if (value !== undefined && value !== "") return value;
  throw new ConfigError(place, `lacks its value; write ${shown}`);
};

const forms: Readonly<Record<string, Form>> = {
  never: { shown: "never", make: () => never },
  concise: { shown: "concise", make: () => concise },
  random: {
    shown: "random:0.2",
    make: (value, { place, seed = 0 }) => random(number(needed(value, place, "random:0.2"), place), { seed }),
  },
  after: {
    shown: "after:3",
    make: (value, { place }) => afterChunks(number(needed(value, place, "after:3"), place)),
  },
  pattern: {
    shown: "pattern:/regex/i",
    make: (value, { place }) => patternOf(needed(value, place, "pattern:/regex/i"), place),
  },
  prompted: { shown: "prompted", make: (_, { model }) => prompted({ model }) },
  yesno: {
    shown: "yesno:0.5",
    make: (value, { place, model }) => yesNo({ model, threshold: value === undefined ? 0 : number(value, place) }),
  },
  own: {
    shown: "own:0.8",
    make: (value, { place, model, answer }) =>
      ownAnswer({ ...answer, model, threshold: number(needed(value, place, "own:0.8"), place) }),
  },
  calibrated: {
    shown: "calibrated:FILE",
    make(value, options) {
      const { model, answer, place } = options;
      const weights = weightsOf(needed(value, place, "calibrated:FILE"), options);
      return calibrated(weights, { answer: { ...answer, model }, yesNo: { model } });
    },
  },
};

const takesNothing = ["never", "concise", "prompted"];

/** How policies can be written. */
export const policyForms: readonly string[] = Object.values(forms).map(({ shown }) => shown);

/** Splits at a sign, but not inside the slashes of a pattern. */
function split(text: string, sign: "," | "+"): readonly string[] {
  const parts = [""];
  const pieces = text.matchAll(/pattern:\/(?:\\.|[^\\/])*\/?|[\s\S]/g);
  for (const [piece] of pieces) {
    if (piece === sign) parts.push("");
    else parts.push(`${parts.pop() ?? ""}${piece}`);
  }
  return parts.map((part) => part.trim());
}

function oneNamed(text: string, options: NamedOptions): Policy {
  const place = options.place ?? "policy";
  const [name = "", ...rest] = text.split(":");
  const value = rest.length > 0 ? rest.join(":") : undefined;
  const form = Object.hasOwn(forms, name) ? forms[name] : undefined;
  if (form === undefined)
    throw new ConfigError(place, `there is no "${text}"; there are ${policyForms.join(", ")}, joined with +`);
  if (value !== undefined && takesNothing.includes(name)) throw new ConfigError(place, `"${name}" takes no value`);
  try {
    return form.make(value, { ...options, place });
  } catch (error) {
    if (!(error instanceof ConfigError) || error.path.startsWith(place)) throw error;
    throw new ConfigError(`${place} "${text}"`, error.message, { cause: error });
  }
}

/** The policy that a text names; several joined with `+` cut when any of them would. Throws a ConfigError that names the forms. */
export function policyNamed(text: string, options: NamedOptions = {}): Policy {
  const parts = split(text, "+").map((part) => oneNamed(part, options));
  const [only] = parts;
  return parts.length === 1 && only !== undefined ? only : any(...parts);
}

/** The policies of a list with commas, in order. Throws a ConfigError as `policyNamed` does, also for a policy given twice. */
export function policiesNamed(text: string, options: NamedOptions = {}): readonly Policy[] {
  const names = split(text, ",");
  return names.map((name, index) => {
    if (names.indexOf(name) !== index) throw new ConfigError(options.place ?? "policy", `"${name}" is there twice`);
    return policyNamed(name, options);
  });
}
