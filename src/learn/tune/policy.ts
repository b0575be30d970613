// A tuned listener at work: the log-odds of its Yes against its No.

import { dirname, join } from "node:path";
import { stat } from "node:fs/promises";
import { ConfigError } from "../../base/errors.ts";
import type { Policy } from "../../core/policy.ts";
import type { Model } from "../../core/types.ts";
import { llama } from "../../models/llama/index.ts";
import type { LlamaOptions } from "../../models/llama/index.ts";
import { checkGguf } from "../../models/llama/gguf.ts";
import { parseModel } from "../../models/spec.ts";
import type { OpenModel } from "../../models/spec.ts";
import { locate } from "../../models/store/index.ts";
import { look } from "../../policies/ask.ts";
import { oddsOf } from "../ear-policy.ts";
import type { EarLook } from "../ear-policy.ts";
import { heardOf } from "../ear-prompt.ts";
import { lookPolicy } from "../look-policy.ts";
import { baseOf } from "./base.ts";
import { promptOf } from "./examples.ts";
import type { Asking } from "./examples.ts";
import { readTuned } from "./tuned-file.ts";
import type { AdapterModel, TunedFile } from "./tuned-file.ts";

const forever = new AbortController().signal;

/** Looks at a model that was tuned to be asked so; apart, where nobody tells what the listener needs, about the whole run's task. */
export function tunedLook(asking: Asking, model: Model): EarLook {
  const options: readonly string[] = asking.words;
  return async (hearing, signal = forever) => {
    const messages = promptOf(heardOf(hearing), asking);
    const session = `${hearing.session}/tuned`;
    const { choice, usage } = await look(model, { messages, options, session, signal });
    return { logOdds: choice === undefined ? undefined : oddsOf(choice.probabilities), usage };
  };
}

/** Where a tuned listener cuts, and what it may take of the machine. */
export type TunedOptions = Pick<LlamaOptions, "contexts" | "contextTokens" | "threads" | "atOnce" | "gpu"> & {
  /** Log-odds above which it cuts, in place of the file's. */
  readonly threshold?: number | undefined;
  /** The base's GGUF file, where it lies elsewhere than when it was tuned. */
  readonly base?: string | undefined;
  /** Where keys of an API are read; default: the process's. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
};

/** An open tuned listener. */
export type Tuned = {
  readonly policy: Policy;
  readonly look: EarLook;
  readonly file: TunedFile;
  readonly model: Model;
  readonly close: () => Promise<void>;
};

/** Opens base and adapter together. Rejects with a ConfigError where they do not belong to each other. */
export async function openAdapter(adapter: AdapterModel, folder: string, options: TunedOptions): Promise<OpenModel> {
  const { base = adapter.base, contexts, contextTokens, threads, atOnce, gpu } = options;
  const gguf = join(folder, adapter.gguf);
  const path = await locate(base);
  const known = await baseOf(path);
  if (known.digest !== adapter.digest)
    throw new ConfigError(
      path,
      `is not the base that ${gguf} was tuned on (${adapter.base}, ${adapter.architecture}): answers would be nonsense; ` +
        "give that file, or tune on this one",
    );
  const { metadata } = await checkGguf(gguf);
  const { size } = await stat(gguf);
  if (size !== adapter.bytes || metadata.get("duplex.base.digest") !== adapter.digest)
    throw new ConfigError(gguf, "is not the adapter that the .json beside it was written with");
  return llama({ path, lora: [{ path: gguf }], contexts, contextTokens, threads, atOnce, gpu });
}

/** Opens a tuned listener by its JSON file. Rejects with a ConfigError for one that is not whole, a ModelError when it cannot be had. */
export async function openTuned(path: string, options: TunedOptions = {}): Promise<Tuned> {
  const file = await readTuned(path);
  const { model: of } = file;
  const { threshold = file.threshold, env = process.env } = options;
  const model: OpenModel =
    of.kind === "adapter"
      ? await openAdapter(of, dirname(path), options)
      : await parseModel(`openai:${of.name}@${of.baseURL}`, { env });
  const ask = tunedLook(file, model);
  return {
    policy: lookPolicy("finetuned", ask, { threshold, over: file.over }),
    look: ask,
    file,
    model,
    close: async () => model.close?.(),
  };
}
