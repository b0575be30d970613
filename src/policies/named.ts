// Policies written as text, as on a command line.

import { ConfigError } from "../base/errors.ts";
import type { Policy } from "../core/policy.ts";
import type { Model } from "../core/types.ts";
import { calibrated, readWeights } from "./calibrated.ts";
import type { Weights } from "./calibrated.ts";
import { any, every, minChunks } from "./combine.ts";
import type { LookOfEar } from "./features.ts";
import { afterChunks, concise, never, onPattern, random } from "./fixed.ts";
import { ownAnswer } from "./own-answer.ts";
import type { AnswerOptions, Measure } from "./own-answer.ts";
import { prompted } from "./prompted.ts";
import { writtenIn } from "./written.ts";
import type { Written } from "./written.ts";
import { yesNo } from "./yes-no.ts";

/** A policy that its name alone does not make: something must be loaded first. */
export type Need = {
  readonly name: "calibrated" | "ear" | "finetuned";
  /** Absent: what Duplex brings along. */
  readonly file?: string | undefined;
  /** In place of the file's own: log-odds. */
  readonly threshold?: number | undefined;
};

/** What was loaded for the policies of some texts; close it once nobody decides any more. */
export type OpenedPolicies = Pick<NamedOptions, "weights" | "shippedWeights" | "opened" | "earOf"> & {
  readonly close: () => Promise<void>;
};

/** Loads what the policies of these texts need; see `needsOf`. Rejects with a ConfigError or a ModelError; nothing stays open then. */
export type OpenPolicies = (
  texts: readonly string[],
  /** How the policies are called in errors, and the listener's model, for what comes with the package. */
  whom?: { readonly place?: string | undefined; readonly model?: string | undefined },
) => Promise<OpenedPolicies>;

/** What policies that are known by a name may need. */
export type NamedOptions = {
  /** The model that listens, where it is not the listener's own. */
  readonly model?: Model | undefined;
  /** The text of a file of weights. */
  readonly weights?: ((file: string) => string) | undefined;
  /** The weights of `calibrated` without a file. */
  readonly shippedWeights?: Weights | undefined;
  /** The ear that weights were fitted with, where they name one; undefined where it was not opened. */
  readonly earOf?: ((weights: Weights) => LookOfEar | undefined) | undefined;
  /** The policy of an `ear` or a `finetuned` that was opened before; undefined where it was not. */
  readonly opened?: ((need: Need) => Policy | undefined) | undefined;
  /** How `own` and `calibrated` ask for the listener's answer. */
  readonly answer?: Omit<AnswerOptions, "model"> | undefined;
  /** Of `random`. */
  readonly seed?: number | undefined;
  /** How the policy is called in errors; `policy`. */
  readonly place?: string | undefined;
};

type Placed = NamedOptions & {
  readonly place: string;
  /** The place with the policy as it was written. */
  readonly at: string;
};

type Form = {
  readonly shown: string;
  /** Options it takes behind its value, beside `from` and `every`. */
  readonly takes?: readonly string[];
  /** It decides at every look, so that `from` and `every` say something. */
  readonly looks?: boolean;
  readonly make: (written: Written, options: Placed) => Policy;
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

function weightsOf({ value, options }: Written, placed: Placed): Weights {
  const given = shared(value, placed);
  const { threshold } = options;
  return threshold === undefined ? given : { ...given, threshold: number(threshold, `${placed.at}: threshold`) };
}

function shared(file: string | undefined, { weights, shippedWeights, place, at }: Placed): Weights {
  if (file === undefined) {
    if (shippedWeights !== undefined) return shippedWeights;
    throw new ConfigError(
      place,
      "no weights for this listener come with Duplex; fit some with duplex learn, and write calibrated:FILE",
    );
  }
  const name = needed(file, at, "calibrated:FILE");
  if (weights === undefined) throw new ConfigError(place, `cannot read "${name}" here; weights must be given`);
  return readWeights(weights(name), `${place} ${name}`);
}

const needed = (value: string | undefined, place: string, shown: string): string => {
  if (value !== undefined && value !== "") return value;
  throw new ConfigError(place, `lacks its value; write ${shown}`);
};

/** A threshold that a probability can be above. */
function share(value: string, place: string): number {
  const found = number(value, place);
  if (found >= 0 && found < 1) return found;
  throw new ConfigError(place, `${found} is no threshold for a probability; give one from 0 to below 1`);
}

const measures: readonly Measure[] = ["probability", "margin", "top1", "entropy", "mass"];

/** How the answer is asked for: the question apart, of what was heard alone, or in the listener's own context. */
function askedFor({ options }: Written, { answer = {}, model, at }: Placed): Omit<AnswerOptions, "model"> {
  const { ask } = options;
  if (ask === undefined) return { ...answer, ...(model && { model }) };
  if (ask !== "apart" && ask !== "within")
    throw new ConfigError(at, `ask must be apart or within, not ${JSON.stringify(ask)}`);
  const { about, ...rest } = answer;
  if (ask === "within") return { ...rest, ...(model && { model }) };
  const known: AnswerOptions["about"] = (hearing) =>
    (typeof about === "function" ? about(hearing) : about) ?? hearing.task;
  return { ...rest, about: known, ...(model && { model }) };
}

function own(written: Written, placed: Placed): Policy {
  const { at } = placed;
  const { measure, stable } = written.options;
  const found = measures.find((name) => name === measure);
  if (measure !== undefined && found === undefined)
    throw new ConfigError(at, `measure must be one of ${measures.join(", ")}, not ${JSON.stringify(measure)}`);
  const value = needed(written.value, at, "own:0.8");
  const threshold = found === "entropy" ? number(value, at) : share(value, at);
  const looks = stable === undefined ? 1 : number(stable, `${at}: stable`);
  return ownAnswer({ ...askedFor(written, placed), threshold, measure: found, stable: looks });
}

/** A policy that was opened before. */
function loaded(name: "ear" | "finetuned", { value, options }: Written, { opened, place, at }: Placed): Policy {
  const threshold = options["threshold"] === undefined ? undefined : number(options["threshold"], `${at}: threshold`);
  const found = opened?.({ name, file: value, threshold });
  if (found !== undefined) return found;
  throw new ConfigError(place, `"${name}${value === undefined ? "" : `:${value}`}" was not opened; it must be given`);
}

const forms: Readonly<Record<string, Form>> = {
  never: { shown: "never", make: () => never },
  concise: { shown: "concise", make: () => concise },
  random: {
    shown: "random:0.2",
    looks: true,
    make: ({ value }, { at, seed = 0 }) => random(number(needed(value, at, "random:0.2"), at), { seed }),
  },
  after: {
    shown: "after:3",
    make: ({ value }, { at }) => afterChunks(number(needed(value, at, "after:3"), at)),
  },
  pattern: {
    shown: "pattern:/regex/i",
    looks: true,
    make: ({ value }, { at }) => patternOf(needed(value, at, "pattern:/regex/i"), at),
  },
  prompted: { shown: "prompted", looks: true, make: (_, { model }) => prompted({ model }) },
  yesno: {
    shown: "yesno:0.5",
    looks: true,
    make: ({ value }, { at, model }) => yesNo({ model, threshold: value === undefined ? 0 : number(value, at) }),
  },
  own: { shown: "own:0.8", looks: true, takes: ["stable", "measure", "ask"], make: own },
  calibrated: {
    shown: "calibrated:FILE",
    looks: true,
    takes: ["ask", "threshold"],
    make: (written, placed) => {
      const weights = weightsOf(written, placed);
      const answer = askedFor(written, placed);
      return calibrated(weights, { answer, yesNo: { model: placed.model }, ear: placed.earOf?.(weights) });
    },
  },
  ear: {
    shown: "ear:FILE",
    looks: true,
    takes: ["threshold"],
    make: (written, placed) => loaded("ear", written, placed),
  },
  finetuned: {
    shown: "finetuned:FILE",
    looks: true,
    takes: ["threshold"],
    make: (written, placed) => loaded("finetuned", written, placed),
  },
};

/** Options of all policies that decide at every look, the first applied first. */
const rarely = { every, from: minChunks };

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

/** A form and what was written behind its name. */
function readForm(
  text: string,
  place: string,
): { readonly name: string; readonly form: Form; readonly written: Written } {
  const name = text.split(":", 1)[0] ?? "";
  const form = Object.hasOwn(forms, name) ? forms[name] : undefined;
  if (form === undefined)
    throw new ConfigError(place, `there is no "${text}"; there are ${policyForms.join(", ")}, joined with +`);
  const rest = text.length > name.length ? text.slice(name.length + 1) : undefined;
  const known = form.looks === true ? [...(form.takes ?? []), ...Object.keys(rarely)] : [];
  const written = writtenIn(rest, known, { place, text, literal: name === "pattern" });
  if (written.value !== undefined && takesNothing.includes(name))
    throw new ConfigError(`${place} ${text}`, `${name} takes no value`);
  return { name, form, written };
}

function oneNamed(text: string, options: NamedOptions): Policy {
  const place = options.place ?? "policy";
  const at = `${place} ${text}`;
  const { form, written } = readForm(text, place);
  /** `option`: what the settings it makes are called in the text; its value has no name. */
  const told = (make: () => Policy, option?: string): Policy => {
    try {
      return make();
    } catch (error) {
      if (!(error instanceof ConfigError) || error.path.startsWith(place)) throw error;
      const last = error.path.split(".").at(-1) ?? "";
      const name = option ?? (Object.hasOwn(written.options, last) ? last : undefined);
      // The value's own name is nowhere in the text.
      const named = error.path !== "" && (name !== undefined || last === error.path);
      const reason = named ? error.message.slice(error.path.length + 2) : error.message;
      throw new ConfigError(name === undefined ? at : `${at}: ${name}`, reason, { cause: error });
    }
  };
  return Object.entries(rarely).reduce(
    (policy, [name, combine]) => {
      const value = written.options[name];
      return value === undefined ? policy : told(() => combine(number(value, `${at}: ${name}`), policy), name);
    },
    told(() => form.make(written, { ...options, place, at })),
  );
}

/** What must be loaded for these texts, each once; texts that name no policy are left for `policyNamed` to refuse. */
export function needsOf(texts: readonly string[], place = "policy"): readonly Need[] {
  const needs = texts
    .flatMap((text) => split(text, "+"))
    .flatMap((part) => {
      const name = (["calibrated", "ear", "finetuned"] as const).find(
        (one) => part === one || part.startsWith(`${one}:`),
      );
      if (name === undefined) return [];
      const { value, options } = readForm(part, place).written;
      const threshold = options["threshold"] === undefined ? undefined : number(options["threshold"], place);
      return [{ name, file: value, threshold }];
    });
  return [...new Map(needs.map((need) => [JSON.stringify(need), need])).values()];
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
