// An ear at work: a small local model that listens on behalf of any listener, also one behind an API.

import { ConfigError } from "../base/errors.ts";
import type { Decision, Hearing, Policy } from "../core/policy.ts";
import type { Message, Usage } from "../core/types.ts";
import { llama } from "../models/llama/index.ts";
import type { LlamaModel, LlamaOptions } from "../models/llama/index.ts";
import { Memory, turnKey } from "../policies/memory.ts";
import { readEar } from "./ear-file.ts";
import type { EarFile } from "./ear-file.ts";
import { logistic } from "./logistic.ts";
import { patient } from "./patient.ts";

/** What `choose` can tell: below, the word is no longer among the tokens that are shown. */
const range = [-20, 60] as const;

/** Log-odds of the first word against the second, within what can be told. */
export function oddsOf([yes = 0, no = 0]: readonly number[]): number {
  if (!(yes > 0)) return range[0];
  return Math.min(range[1], Math.max(range[0], no > 0 ? Math.log(yes / no) : range[1]));
}

/** A listener's messages as an ear is asked about them: the question behind what was heard. */
export function earMessages(messages: readonly Message[], question: string): readonly Message[] {
  const last = messages.at(-1);
  if (last?.role !== "user") return [...messages, { role: "user", content: question }];
  return [...messages.slice(0, -1), { role: "user", content: `${last.content}\n\n${question}` }];
}

/** An open ear. */
export type Ear = {
  readonly policy: Policy;
  /** Log-odds that enough was heard. */
  readonly look: (hearing: Hearing, signal?: AbortSignal) => Promise<{ logOdds: number; usage: Usage }>;
  readonly file: EarFile;
  readonly close: () => Promise<void>;
};

function policyOf(file: EarFile, look: Ear["look"], threshold: number): Policy {
  const rows = new Memory(() => ({ looks: [] as readonly number[] }));
  const decide = async (hearing: Hearing, signal: AbortSignal): Promise<Decision> => {
    const { logOdds, usage } = await look(hearing, signal);
    const row = rows.of(turnKey(hearing));
    row.looks = [...row.looks, logOdds].slice(-file.inRow);
    const least = row.looks.length < file.inRow ? -Infinity : Math.min(...row.looks);
    return { advantage: Math.max(least, range[0] - 1) - threshold, probability: logistic(logOdds), usage };
  };
  return patient({ name: "ear", decide }, { next: file.next, threshold });
}

export type EarOptions = Omit<LlamaOptions, "path" | "name" | "lora"> & {
  /** Log-odds above which it cuts, in place of the file's. */
  readonly threshold?: number | undefined;
};

/** Opens an ear by its JSON file. Rejects with a ConfigError for one that is not whole, a ModelError when it cannot be loaded. */
export async function openEar(path: string, options: EarOptions = {}): Promise<Ear> {
  const { ear: file, gguf } = await readEar(path);
  const { threshold = file.threshold, ...limits } = options;
  const model: LlamaModel = await llama({ ...limits, path: gguf });
  const look: Ear["look"] = async (hearing, signal) => {
    const messages = earMessages(hearing.messages(), file.question);
    const session = `${hearing.session}/ear`;
    const { probabilities, usage } = await model.choose({ messages, session, signal }, file.words);
    return { logOdds: oddsOf(probabilities) + file.bias, usage };
  };
  // One that never paid where it was fitted hears everything.
  const policy = threshold === null ? { name: "ear" } : policyOf(file, look, threshold);
  return { policy, look, file, close: () => model.close() };
}

/** The policy of an ear's file, with `close` to free its model. */
export async function ear(path: string, options: EarOptions = {}): Promise<Policy & { close: () => Promise<void> }> {
  if (path.endsWith(".gguf")) throw new ConfigError(path, "is the ear's model; give the .json beside it");
  const { policy, close } = await openEar(path, options);
  return { ...policy, close };
}
