// An ear at work: a small local model that listens on behalf of any listener, also one behind an API.

import { readFile } from "node:fs/promises";
import { ConfigError } from "../base/errors.ts";
import type { Decision, Policy } from "../core/policy.ts";
import type { Model } from "../core/types.ts";
import type { LookOfEar } from "../policies/features.ts";
import { llama } from "../models/llama/index.ts";
import type { LlamaOptions } from "../models/llama/index.ts";
import { look } from "../policies/ask.ts";
import { readEar } from "./ear-file.ts";
import type { EarFile } from "./ear-file.ts";
import { earMessages, heardOf } from "./ear-prompt.ts";
import { remoteEar } from "./ear-server.ts";
import { cachedEar, checkHead, headSchema } from "./head.ts";
import { lookPolicy } from "./look-policy.ts";
import { patient } from "../policies/patient.ts";

/** What `choose` can tell: below, the word is no longer among the tokens that are shown. */
const range = [-20, 60] as const;

/** Log-odds of the first word against the second, within what can be told. */
export function oddsOf([yes = 0, no = 0]: readonly number[]): number {
  if (!(yes > 0)) return range[0];
  return Math.min(range[1], Math.max(range[0], no > 0 ? Math.log(yes / no) : range[1]));
}

/** Log-odds that enough was heard; undefined where the look was called off. */
export type EarLook = LookOfEar;

/** An open ear. */
export type Ear = {
  readonly policy: Policy;
  readonly look: EarLook;
  readonly file: EarFile;
  readonly close: () => Promise<void>;
};

const forever = new AbortController().signal;

/** How an ear is asked, on its model. */
export function earLook(file: EarFile, model: Model): EarLook {
  const words: readonly string[] = file.words;
  return async (hearing, signal = forever) => {
    const messages = earMessages(heardOf(hearing), file);
    const session = `${hearing.session}/ear`;
    const { choice, usage } = await look(model, { messages, options: words, session, signal });
    return { logOdds: choice === undefined ? undefined : oddsOf(choice.probabilities) + file.bias, usage };
  };
}

function policyOf(file: EarFile, ask: EarLook, threshold: number | null): Policy {
  const policy = lookPolicy("ear", ask, { threshold, over: file.over });
  if (threshold === null) return policy;
  // An advantage is of the mean of several looks; how long to wait is told by the last one.
  const logOddsOf = ({ probability = Number.NaN }: Decision) => Math.log(probability / (1 - probability));
  return patient(policy, { first: file.first, next: file.next, threshold, logOddsOf });
}

/**
 * The policy of an ear whose model runs elsewhere, such as behind a llama.cpp server: `model` must be the ear's own file and
 * show probabilities. `threshold`: log-odds above which it cuts, in place of the file's.
 */
export const earOn = (file: EarFile, model: Model, threshold = file.threshold): Policy =>
  policyOf(file, earLook(file, model), threshold);

/** Where an ear cuts, and what it may take of the machine. */
export type EarOptions = Omit<LlamaOptions, "path" | "name" | "lora"> & {
  /** Log-odds above which it cuts, in place of the file's. */
  readonly threshold?: number | undefined;
};

/** The path of the ear that a JSON file stands for: its own, or that of the ear which a head makes on first use. */
async function earAt(path: string): Promise<string> {
  let value: unknown;
  try {
    value = JSON.parse(await readFile(path, "utf8"));
  } catch {
    // Told by whoever reads the ear.
    return path;
  }
  if ((value as { readonly schema?: unknown } | null)?.schema !== headSchema) return path;
  return cachedEar(checkHead(value, path));
}

/** The digest that names an ear's model, of its JSON or its head. Rejects with a ConfigError for one that has none. */
export async function earDigest(path: string): Promise<string> {
  const { ear: file } = await readEar(await earAt(path));
  if (file.sha256 !== undefined) return file.sha256;
  throw new ConfigError(path, "is an ear of before, without a digest; make it again");
}

/**
 * Opens an ear by its JSON file, by that of its head, or by the address where one is served. Rejects with a ConfigError for one
 * that is not whole, a ModelError when it cannot be loaded or reached.
 */
export async function openEar(path: string, options: EarOptions = {}): Promise<Ear> {
  if (path.endsWith(".gguf")) throw new ConfigError(path, "is the ear's model; give the .json beside it");
  if (/^https?:\/\//.test(path)) {
    const { file, look: ask } = await remoteEar(path);
    return { policy: policyOf(file, ask, options.threshold ?? file.threshold), look: ask, file, close: async () => {} };
  }
  const { ear: file, gguf } = await readEar(await earAt(path));
  const { threshold = file.threshold, ...limits } = options;
  const model = await llama({ ...limits, path: gguf });
  return { policy: earOn(file, model, threshold), look: earLook(file, model), file, close: () => model.close() };
}

/** The policy of an ear's file, with `close` to free its model. */
export async function ear(path: string, options: EarOptions = {}): Promise<Policy & { close: () => Promise<void> }> {
  const { policy, close } = await openEar(path, options);
  return { ...policy, close };
}
