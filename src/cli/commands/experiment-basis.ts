// What all experiments are asked with: the model, the items, how often, and what may be spent.

import type { Command } from "commander";
import { Option } from "commander";
import { systemClock } from "../../base/clock.ts";
import { ConfigError } from "../../base/errors.ts";
import type { Price } from "../../core/usage.ts";
import { bound, voiceOf } from "../../experiment/index.ts";
import type { Basis, Bound, Exam, Voice } from "../../experiment/index.ts";
import { parsePrice, priceOf } from "../../models/prices.ts";
import { parseModel, specError } from "../../models/spec.ts";
import { agentCount, count, itemCount, number, steps } from "../flags.ts";
import type { Io } from "../io.ts";
import { openModel } from "../open.ts";
import { examForms } from "./experiment-exams.ts";
import type { ExamFlags } from "./experiment-exams.ts";
import type { Opened } from "../open.ts";

/** The flags of all experiments. */
export type BasisFlags = ExamFlags & {
  readonly model: string;
  readonly out: string;
  readonly agents: number;
  readonly repeats: number;
  readonly vote?: number;
  readonly temperature?: number;
  readonly maxTokens?: number;
  readonly concurrency?: number;
  readonly alone?: true;
  readonly price?: Price;
  readonly stepTokens: number;
  readonly limitCalls: number;
  readonly limitMoney: number;
  readonly yes?: true;
  readonly retryFailed?: true;
  readonly json?: true;
};

/** Names of a list with commas; the flag may be given more than once. */
export const names = (text: string, before: readonly string[] = []): readonly string[] => [
  ...before,
  ...text.split(",").map((word) => word.trim()),
];

export type BasisDefaults = { readonly agents: number; readonly steps: number | "auto"; readonly repeats: number };

/** Adds the flags that every experiment has. */
export const withBasis = (command: Command, defaults: BasisDefaults): Command =>
  command
    .requiredOption("--out <folder>", "where samples and report are kept; the same command goes on from there")
    .option("--model <spec>", "the model of all agents", "simulated")
    .option("--agents <n>", "agents of a team", agentCount, defaults.agents)
    .option("--steps <n>", "steps that the first agent is asked for, or auto", steps("--steps"), defaults.steps)
    .option("--repeats <n>", "runs of each item under each arm", count("--repeats"), defaults.repeats)
    .option("--seed <n>", "of items, runs and chance", number("--seed", { whole: true }), 1)
    .option("--temperature <t>", "of all models", number("--temperature", { least: 0 }))
    .option("--max-tokens <n>", "longest answer of one call", count("--max-tokens"))
    .option(
      "--concurrency <n>",
      "calls the model may be asked at once (default: 8 behind an API, else 1)",
      count("--concurrency"),
    )
    .option("--alone", "one run at a time, for times that nothing disturbs")
    .option("--price <prices>", "per million tokens: input=2.5,cached=0.25,output=10", parsePrice)
    .option("--step-tokens <n>", "tokens a step is expected to have, for the estimate", count("--step-tokens"), 80)
    .option("--limit-calls <n>", "more calls than that are confirmed first", count("--limit-calls"), 1000)
    .option(
      "--limit-money <amount>",
      "more money than that is confirmed first",
      number("--limit-money", { least: 0 }),
      1,
    )
    .option("--yes", "play without asking")
    .option("--retry-failed", "play failed samples again")
    .option("--json", "print the report as lines of JSON");

/** A flag of other experiments: what stands for it here. */
export const elsewhere = (flags: string, instead: string): Option =>
  new Option(flags).hideHelp().argParser(() => {
    throw new ConfigError(flags.split(" ", 1)[0] ?? flags, instead);
  });

/** Adds to what is wrong with a flag where the many values of an experiment go. */
export function pointing(command: Command, flag: string, hint: string): Command {
  const option = command.options.find(({ long }) => long === flag);
  const read = option?.parseArg;
  option?.argParser((text: string, before: unknown) => {
    try {
      return read?.(text, before as never);
    } catch (error) {
      throw error instanceof ConfigError ? new ConfigError("", `${error.message}; ${hint}`) : error;
    }
  });
  return command;
}

/** Adds the flags about what is asked. */
export const withBenchmarks = (command: Command): Command =>
  command
    .option("--benchmark <names>", `separated by commas: ${examForms}`, names)
    .option("--judge <spec>", "a model that grades free text (hle)")
    .option("--items <n>", "the first items of each", itemCount, 20)
    .option("--vote <n>", "runs of which the majority's answer counts", count("--vote"), 1);

/** What stands in where nobody charges: the prices of StreamMA (arXiv 2606.05158), so that costs can be compared. */
const nominalPrice: Price = { currency: "USD", input: 5, cached: 0.5, output: 25 };

/** The prices of conversations; nominal where nothing is known. */
export function pricesOf({ price, model }: Pick<BasisFlags, "price" | "model">, opened: Opened) {
  const known = price ?? priceOf(model);
  return {
    price: known ?? nominalPrice,
    nominal: known === undefined,
    // A template has no price of its own.
    priceOf: (id: string): Price | undefined =>
      id === "template" ? undefined : (price ?? priceOf(opened.specOf(id) ?? id) ?? nominalPrice),
  };
}

/** A voice that is open, and the bound on its calls. */
export type OpenVoice = {
  readonly voice: Voice;
  readonly bound: Bound | undefined;
  readonly atOnce: number;
  readonly close: () => Promise<void>;
};

/** How many calls an API is asked at once, unless told. */
const usualConcurrency = 8;

/** Opens the model. Throws a ConfigError or a ModelError. */
export async function openVoice(flags: BasisFlags, io: Io): Promise<OpenVoice> {
  const { model: spec, concurrency, alone, price: given } = flags;
  const known = given ?? priceOf(spec);
  const [price, nominal] = [known ?? nominalPrice, known === undefined];
  if (/^simulated(?::|$)/.test(spec.trim())) {
    const make = (clock: typeof systemClock) => parseModel(spec, { env: {}, clock });
    await make(systemClock).catch((error: unknown) => {
      throw specError(error, "--model");
    });
    const voice: Voice = { name: spec, simulated: true, price, nominal: true, model: make };
    return { voice, bound: undefined, atOnce: 1, close: async () => {} };
  }
  const model = await openModel(spec, io);
  const allowed = concurrency ?? (spec.startsWith("openai:") ? usualConcurrency : undefined);
  const limit = allowed === undefined ? undefined : bound(allowed, systemClock);
  const voice = voiceOf(limit?.admit(model) ?? model, { name: spec, price, nominal });
  const atOnce = alone === true || allowed === undefined ? 1 : allowed;
  return { voice, bound: limit, atOnce, close: async () => model.close?.() };
}

/** The settings of an experiment, from its flags. */
export function basisOf(flags: BasisFlags, voice: Voice, exams: readonly Exam[]): Basis {
  const { seed, repeats, vote = 1, agents, steps: asked, temperature, maxTokens, stepTokens } = flags;
  return { voice, exams, seed, repeats, vote, agents, steps: asked, temperature, maxTokens, stepTokens };
}
