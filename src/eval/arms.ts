// Arms by their names, as on a command line.

import { ConfigError } from "../base/errors.ts";
import type { Hearing, Policy } from "../core/policy.ts";
import { policyForms, policyNamed } from "../policies/index.ts";
import type { NamedOptions } from "../policies/index.ts";
import type { Arm } from "./cast.ts";
import type { Sample } from "./task.ts";

/** A hearing that knows what the conversation is about. */
type Informed = Hearing & { readonly sample?: Sample };

/** What policies that are known by a name may need in an evaluation. */
export type ArmsOptions = Pick<NamedOptions, "model" | "weights" | "shippedWeights" | "opened" | "earOf"> & {
  /** What the listener's answers begin with: `Answer:`. */
  readonly lead?: string | undefined;
  /** How the names are called in errors; `policy`. */
  readonly place?: string | undefined;
};

/** How arms can be written. */
export const armForms: readonly string[] = [...policyForms, "oracle"];

function armNamed(name: string, { lead, ...options }: ArmsOptions): Arm {
  if (name === "oracle") return { name, policy: "oracle" };
  const candidates = ({ sample }: Informed) => sample?.answer.candidates;
  const about = ({ sample }: Informed) => sample?.answer.question;
  // The lead makes the candidates the natural next words; a question between would only stand in the way.
  const chosen = { lead, candidates, about, ...(lead === undefined ? {} : { question: "" }) };
  const make = (closed: boolean, seed?: number) =>
    policyNamed(name, { ...options, seed, answer: closed ? chosen : { lead, about } });
  // Made once where it can be: some policies ask a model about itself at first.
  const shared = { open: make(false), closed: make(true) };
  if (shared.open.decide === undefined) return { name, policy: shared.open };
  const draws = /(?:^|\+)\s*random:/.test(name);
  return {
    name,
    policy: ({ sample, seed }) => {
      const closed = sample.answer.candidates !== undefined;
      return informed(draws ? make(closed, seed) : closed ? shared.closed : shared.open, sample);
    },
  };
}

function informed(policy: Policy, sample: Sample): Policy {
  const { decide } = policy;
  if (decide === undefined) return policy;
  const about = sample.answer.about ?? sample.answer.question;
  const tell = (hearing: Hearing): Informed => ({ ...hearing, about, sample });
  return { ...policy, decide: (hearing, signal) => decide(tell(hearing), signal) };
}

/**
 * The arms that these names stand for: policies as `policyNamed` reads them, and `oracle`. `never`, against which all are
 * compared, is put first where it is not among them. Throws a `ConfigError` that names the forms.
 */
export function armsNamed(names: readonly string[], options: ArmsOptions = {}): Arm[] {
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new ConfigError(options.place ?? "policy", `"${twice}" is there twice`);
  const all = names.includes("never") ? names : ["never", ...names];
  return all.map((name) => armNamed(name, options));
}
